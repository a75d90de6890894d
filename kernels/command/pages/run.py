"""`run`: set up what is missing, then hand over to the installed Python, which executes the pages."""

from __future__ import annotations

import time
from argparse import Namespace

from ..base import say
from ..base.command_line import Parser
from ..base.paths import KERNELS
from ..setup.programs import environment, hand_over, module
from ..setup.stages import set_up
from . import former, notebooks


def arguments(parser: Parser) -> None:
    parser.epilog = "Executed copies, which hold the verdicts, and report.json come into .build/run."
    parser.add_argument("pages", metavar="NN", nargs="*", default=[], help="a page, by its number or its name; none: all pages")


def main(given: Namespace) -> int:
    """Executes the pages that are named, or all of them. Raises the Problems of set-up, and one of a page that is not there."""
    pages = notebooks.find(given.pages)
    course = set_up()
    former.migrate()
    env = environment(course, PYTHONPATH=str(KERNELS), COURSE_BEGAN=str(time.monotonic() - say.elapsed()))
    kernel = f"{course.choice.kernel} {course.choice.version}"
    return hand_over(module(course, "command.pages.execute", kernel, *map(str, pages)), env)
