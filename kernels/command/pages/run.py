"""Implements `run`, which finishes the set-up and then executes the pages on the installed Python."""

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
    parser.epilog = "Executed copies with their verdicts, and report.json, are written to .build/run."
    parser.add_argument("pages", metavar="NN", nargs="*", default=[], help="a page, by its number or its name (default: all pages)")


def main(given: Namespace) -> int:
    """Executes the named pages, or all. Raises a Problem if the set-up fails or there is no such page."""
    pages = notebooks.find(given.pages)
    course = set_up()
    former.migrate()
    env = environment(course, PYTHONPATH=str(KERNELS), COURSE_BEGAN=str(time.monotonic() - say.elapsed()))
    kernel = f"{course.choice.kernel} {course.choice.version}"
    return hand_over(module(course, "command.pages.execute", kernel, *map(str, pages)), env)
