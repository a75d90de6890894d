"""Implements `verdicts`, which finishes the set-up and then runs the pages several times on the installed Python."""

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
    parser.add_argument("runs", metavar="N", type=as_count, help="how often each page runs; the pages take turns")
    parser.add_argument("pages", metavar="NN", nargs="*", default=[], help="a page, by its number or its name (default: all pages)")
    parser.add_argument("--cpus", metavar="K", type=as_count, default=0, help="how many CPUs the JVMs see")
    parser.add_argument(
        "--record",
        action="store_true",
        help="store the results in data/recorded/verdicts.jsonl; COURSE_RECORD describes the machine in words",
    )


def machine(cpus: int, env: Mapping[str, str] = os.environ) -> str:
    """Returns the description of the machine for a recording. Raises a Problem if there is none."""
    name = env.get("COURSE_RECORD", "").strip()
    if not name:
        raise Problem(
            "--record needs a description of the machine.",
            'Give one: COURSE_RECORD="a laptop with 8 cores (AMD Ryzen), nothing else running" kernels/course verdicts …',
        )
    return name + (f", JVMs told of {cpus} CPU{'s' * (cpus > 1)}" if cpus else "")


def main(given: Namespace) -> int:
    """Runs the named pages, or all, `given.runs` times.

    Raises a Problem if the set-up fails, there is no such page, or a recording has no description of the machine.
    """
    pages = notebooks.find(given.pages)
    on = machine(given.cpus) if given.record else ""
    course = set_up()
    former.migrate()
    env = environment(course, PYTHONPATH=str(KERNELS), COURSE_BEGAN=str(time.monotonic() - say.elapsed()))
    # With COURSE_RECORD the pages would replace their own recordings. Only the verdicts are recorded here.
    env = without(env, "COURSE_RECORD")
    if given.cpus:
        env["JAVA_TOOL_OPTIONS"] = java.sees_cpus(given.cpus, env.get("JAVA_TOOL_OPTIONS", ""))
    kernel = f"{course.choice.kernel} {course.choice.version}"
    return hand_over(module(course, "command.pages.repeat", kernel, str(given.runs), on, *map(str, pages)), env)
