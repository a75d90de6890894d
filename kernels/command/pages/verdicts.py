"""`verdicts`: set up what is missing, then hand over to the installed Python, which runs the pages several times and compares."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from ..base import say
from ..base.children import without
from ..base.paths import KERNELS
from ..base.problem import Problem
from ..dependencies import java
from ..setup.programs import environment, hand_over, module
from ..setup.stages import set_up
from . import notebooks

USAGE = "kernels/course verdicts N [NN…] [--cpus K] [--record], N and K whole numbers from 1 on"


@dataclass(frozen=True)
class Asked:
    """How often the pages are to run; how many CPUs their JVMs see, 0 for those that there are; on what to record, in words."""

    runs: int
    pages: list[Path]
    cpus: int = 0
    on: str = ""


def count(word: str) -> int:
    if not word.isdecimal() or int(word) < 1:
        raise Problem(f"A whole number from 1 on is needed, not {word!r}.", f"Write {USAGE}.")
    return int(word)


def read(words: list[str]) -> Asked:
    """Raises a Problem of words that can't be understood, a page that isn't there, and a recording on a machine without a name."""
    left, cpus, record = [word.strip() for word in words], 0, False
    plain: list[str] = []
    while left:
        word, *left = left
        if word == "--record":
            record = True
        elif word == "--cpus":
            cpus, left = count(left[0] if left else ""), left[1:]
        elif word.startswith("--cpus="):
            cpus = count(word.removeprefix("--cpus="))
        elif word.startswith("-"):
            raise Problem(f"verdicts has no option {word!r}.", f"Write {USAGE}.")
        else:
            plain.append(word)
    runs = count(plain[0] if plain else "")
    on = os.environ.get("COURSE_RECORD", "").strip()
    if record and not on:
        raise Problem(
            "--record needs the machine's name in words.",
            'Name it: COURSE_RECORD="a laptop with 8 cores (AMD Ryzen), nothing else running" kernels/course verdicts …',
        )
    told = f", JVMs told of {cpus} CPU{'s' * (cpus > 1)}" if cpus else ""
    return Asked(runs, notebooks.find(plain[1:]), cpus, on + told if record else "")


def main(words: list[str]) -> int:
    """Runs the pages that the words name, or all of them, so many times. Raises the Problems of `read` and of set-up."""
    asked = read(words)
    course = set_up()
    env = environment(course, PYTHONPATH=str(KERNELS), COURSE_BEGAN=str(time.monotonic() - say.elapsed()))
    # Here the verdicts are what is recorded: the pages are not to replace what they recorded themselves.
    env = without(env, "COURSE_RECORD")
    if asked.cpus:
        env["JAVA_TOOL_OPTIONS"] = java.sees_cpus(asked.cpus, env.get("JAVA_TOOL_OPTIONS", ""))
    kernel = f"{course.choice.kernel} {course.choice.version}"
    words = [kernel, str(asked.runs), asked.on, *map(str, asked.pages)]
    return hand_over(module(course, "command.pages.repeat", *words), env)
