"""`verdicts`: set up what is missing, then hand over to the installed Python, which runs the pages several times and compares."""

from __future__ import annotations

import os
import time
from argparse import Namespace
from collections.abc import Mapping

from ..base import say
from ..base.children import without
from ..base.command_line import Parser, as_count
from ..base.paths import KERNELS
from ..base.problem import Problem
from ..dependencies import java
from ..setup.programs import environment, hand_over, module
from ..setup.stages import set_up
from . import former, notebooks


def arguments(parser: Parser) -> None:
    parser.epilog = "The exit code is 1 if a statement changes its verdict or a page fails."
    parser.add_argument("runs", metavar="N", type=as_count, help="how often the pages run, in turn")
    parser.add_argument("pages", metavar="NN", nargs="*", default=[], help="a page, by its number or its name; none: all pages")
    parser.add_argument("--cpus", metavar="K", type=as_count, default=0, help="how many CPUs the JVMs see")
    parser.add_argument(
        "--record",
        action="store_true",
        help="keep what came out in data/recorded/verdicts.jsonl; COURSE_RECORD names the machine in words",
    )


def machine(cpus: int, env: Mapping[str, str] = os.environ) -> str:
    """The machine that a recording names, in words. Raises a Problem if it has no name."""
    name = env.get("COURSE_RECORD", "").strip()
    if not name:
        raise Problem(
            "--record needs the machine's name in words.",
            'Name it: COURSE_RECORD="a laptop with 8 cores (AMD Ryzen), nothing else running" kernels/course verdicts …',
        )
    return name + (f", JVMs told of {cpus} CPU{'s' * (cpus > 1)}" if cpus else "")


def main(given: Namespace) -> int:
    """Runs the pages that are named, or all of them, so many times. Raises the Problems of `machine` and of set-up, and one of a page that
    is not there."""
    pages = notebooks.find(given.pages)
    on = machine(given.cpus) if given.record else ""
    course = set_up()
    former.migrate()
    env = environment(course, PYTHONPATH=str(KERNELS), COURSE_BEGAN=str(time.monotonic() - say.elapsed()))
    # Here the verdicts are what is recorded: the pages are not to replace what they recorded themselves.
    env = without(env, "COURSE_RECORD")
    if given.cpus:
        env["JAVA_TOOL_OPTIONS"] = java.sees_cpus(given.cpus, env.get("JAVA_TOOL_OPTIONS", ""))
    kernel = f"{course.choice.kernel} {course.choice.version}"
    return hand_over(module(course, "command.pages.repeat", kernel, str(given.runs), on, *map(str, pages)), env)
