"""Implements `verdicts`, which finishes the set-up and then runs the pages several times on the installed Python."""

from __future__ import annotations

import os
import time
from argparse import Namespace
from collections.abc import Mapping

from ..base import say
from ..base.children import without
from ..base.command_line import Parser, as_count
from ..base.machine import in_words
from ..base.paths import KERNELS
from ..setup.programs import environment, hand_over, module
from . import former, matrix, notebooks, settings
from .settings import CPUS, NEXT_TO, VERSIONS, Setting


def arguments(parser: Parser) -> None:
    parser.epilog = "The exit code is 1 if a statement changes its verdict or a page fails."
    parser.add_argument("runs", metavar="N", type=as_count, help="how often each page runs; the pages take turns")
    parser.add_argument("pages", metavar="NN", nargs="*", default=[], help="a page, by its number or its name (default: all pages)")
    parser.add_argument("--cpus", metavar="K", type=as_count, default=0, help="how many CPUs the JVMs see")
    parser.add_argument("--jdk", metavar="J", type=as_count, default=0, help="the kernel's JDK, one of those that set-up brings")
    parser.add_argument("--next-to", choices=NEXT_TO, default="", help="what else runs (default: nothing)")
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument(
        "--record",
        action="store_true",
        help="store the results in data/recorded/verdicts.jsonl; COURSE_RECORD describes the machine in words",
    )
    kept.add_argument(
        "--matrix",
        action="store_true",
        help=f"run N rounds at {', '.join(map(str, sorted(CPUS)))} CPUs, on JDK {' and '.join(map(str, VERSIONS))}, next to nothing and "
        "next to a compiler, or only with the value of an option above; each run adds a row to data/recorded/matrix.csv, and a later call "
        "continues after the last row",
    )


def machine(setting: Setting, env: Mapping[str, str] = os.environ) -> str:
    """Returns the description of the machine and the setting for a recording. Raises a Problem if there is none."""
    return ", ".join(filter(None, [in_words(env), str(setting)]))


def main(given: Namespace) -> int:
    """Runs the named pages, or all, `given.runs` times in one setting, or in every setting of the matrix.

    Raises a Problem if the set-up fails, there is no such page or JDK, or a recording has no description of the machine.
    """
    pages = notebooks.find(given.pages)
    setting = Setting(given.cpus, given.jdk, given.next_to)
    if given.matrix:
        return matrix.run(given.runs, setting, pages, machine(Setting()))
    on = machine(setting) if given.record else ""
    course = settings.prepare(setting.jdk)
    former.migrate()
    env = environment(course, PYTHONPATH=str(KERNELS), COURSE_BEGAN=str(time.monotonic() - say.elapsed()))
    # With COURSE_RECORD the pages would replace their own recordings. Only the verdicts are recorded here.
    env = without(env, "COURSE_RECORD")
    kernel = f"{course.choice.kernel} {course.choice.version}"
    with settings.applied(setting, env):
        return hand_over(module(course, "command.pages.repeat", kernel, str(given.runs), on, *map(str, pages)), env)
