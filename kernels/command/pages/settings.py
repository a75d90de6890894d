"""Describes the settings in which `verdicts` can run pages: how many CPUs, which JDK, and whether a compiler runs next to them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product

from ..base.paths import KERNELS
from ..base.problem import AGAIN, Problem
from ..dependencies import java, jdks
from ..setup.stages import Course, set_up
from . import neighbour

QUIET, COMPILER = "nothing", "compiler"  # what else runs
CPUS, VERSIONS, NEXT_TO = (2, 1, 4, 8), (25, 21), (QUIET, COMPILER)


@dataclass(frozen=True)
class Setting:
    """Describes one setting. 0 means all CPUs of the machine, or the JDK that the course or the user chose; "" means nothing else."""

    cpus: int = 0
    jdk: int = 0
    next_to: str = ""

    def __str__(self) -> str:
        cpus = f"JVMs see {self.cpus} CPU{'s' * (self.cpus > 1)}" if self.cpus else ""
        return ", ".join(
            filter(None, [cpus, f"JDK {self.jdk}" if self.jdk else "", "next to a compiler" if self.next_to == COMPILER else ""])
        )


def every(asked: Setting) -> list[Setting]:
    """Returns the settings of the matrix that have what is `asked`. Settings of one JDK are neighbours, because a change takes time."""
    cpus, versions = (asked.cpus,) if asked.cpus else CPUS, (asked.jdk,) if asked.jdk else VERSIONS
    next_to = (asked.next_to,) if asked.next_to else NEXT_TO
    return [Setting(count, jdk, load) for jdk, load, count in product(versions, next_to, cpus)]


def prepare(jdk: int) -> Course:
    """Finishes the set-up with this JDK as the kernel's JVM, or with the usual one if it is 0. Raises a Problem if there is none."""
    if not jdk:
        return set_up()
    course = set_up(everything=str(jdk) not in jdks.installed())
    homes = jdks.homes(course.python)
    if str(jdk) not in homes:
        raise Problem(f"There is no JDK {jdk} here.", f"Name one that set-up has brought: {', '.join(sorted(homes))}.")
    if jdk == java.bundled(course.python.bundled_java).major:
        os.environ.pop("COURSE_JAVA_HOME", None)
    else:
        os.environ["COURSE_JAVA_HOME"] = homes[str(jdk)]
    return set_up()


def limit_cpus(count: int, env: MutableMapping[str, str]) -> None:
    """Makes JVMs see `count` CPUs. If the machine has more, and the system can do so, also keeps this process to that many."""
    env["JAVA_TOOL_OPTIONS"] = java.sees_cpus(count, env.get("JAVA_TOOL_OPTIONS", ""))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])


class Neighbour:
    """Holds a process that compiles the lab again and again, until this process ends."""

    def __init__(self) -> None:
        """Starts it. Raises a Problem if it doesn't begin to compile."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "command.pages.neighbour", str(os.getpid())],
            cwd=KERNELS,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout
        if self.process.stdout.readline().strip() != neighbour.READY:
            self.end()
            self.check()

    def check(self) -> None:
        """Raises a Problem if it has ended, because then nothing ran next to the pages."""
        if (code := self.process.poll()) is not None:
            raise Problem(
                f"The compiler that runs next to the pages ended (exit code {code}), so the last page doesn't count.",
                f"Read what it says above, {AGAIN}",
            )

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()


@contextmanager
def applied(setting: Setting, env: MutableMapping[str, str]) -> Iterator[Neighbour | None]:
    """Keeps this process and those that it starts with `env` to the setting, for as long as the block runs.

    Yields the process that runs next to the pages, if the setting has one. Raises a Problem if that doesn't start.
    """
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    if setting.cpus:
        limit_cpus(setting.cpus, env)
    beside = Neighbour() if setting.next_to == COMPILER else None
    try:
        yield beside
    finally:
        if beside:
            beside.end()
        if allowed:
            os.sched_setaffinity(0, allowed)
