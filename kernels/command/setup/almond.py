"""Provides Almond, the Scala kernel that a reader gets if it is available: its JARs, and the course's main program for it.

The main program (`kernels/almond/src`) is compiled against these JARs after they were fetched. No lock lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..base.files import fingerprint, stamp, stamped
from ..base.paths import KERNELS
from ..base.problem import NO_NETWORK, NO_SPACE, UNTRUSTED, Problem, diagnose, essence
from ..dependencies.coursier import Coursier, settings
from ..dependencies.jars import Definition, Lock, class_path, pinned
from ..dependencies.java import Java
from .compile import compile_with, jar_of, sources

MAIN = "almond.course.Main"
PATIENCE = 60.0  # seconds for the only try, in case a mirror hangs
# With a Scala 3 library on its class path, scalac can't read the package scala.util.
HIDDEN = "scala3-library"


@dataclass(frozen=True)
class Jars:
    """Lists Almond's JARs, and those of them against which cells are compiled."""

    all: tuple[Path, ...]
    visible: tuple[Path, ...]


@dataclass(frozen=True)
class Tried:
    """Holds the result of looking for Almond, which is its JARs or the reason why there are none."""

    jars: Jars | None
    why: str = ""


def version(definition: Definition) -> str:
    return definition.content["almond"]["kernel"].rsplit(":", 1)[1]


def remembered(definition: Definition) -> Tried | None:
    """Returns the earlier result under the same settings, or None if Almond wasn't looked for."""
    found = stamped("almond", _key(definition))
    if not found:
        return None
    data = found["data"]
    jars = Jars(tuple(map(Path, data["all"])), tuple(map(Path, data["visible"]))) if data["all"] else None
    return Tried(jars, data["why"])


def fetch(definition: Definition, coursier: Coursier, insist: bool) -> Tried:
    """Asks coursier for Almond, and remembers the answer unless it may soon change (no network, a full disk).

    Raises a Problem if Almond isn't available and `insist` is set.
    """
    roots = definition.content["almond"]
    force = [f"org.scala-lang:scala-{part}:{definition.scala}" for part in ("library", "reflect", "compiler")]
    try:
        code, output, files = coursier.resolve([roots["kernel"]], pinned(force), limit=PATIENCE)
        api: dict[str, Path] = {}
        if code == 0:
            code, output, api = coursier.resolve([roots["api"]], pinned(force), limit=PATIENCE)
    except Problem as problem:  # the embedded kernel doesn't need coursier
        if insist:
            raise
        return Tried(None, f"Almond was not looked for ({problem.what.rstrip('.')})")
    if code == 0:
        jars = Jars(tuple(files.values()), visible(api))
        _keep(definition, Tried(jars))
        return Tried(jars)
    reason = essence(output)
    if insist:
        raise _unobtainable(roots["kernel"], reason, code)
    passing = code == -1 or any(sign.search(output) for sign in (NO_NETWORK, UNTRUSTED, NO_SPACE))
    why = "Almond could not be reached just now" if passing else "Almond is not in the configured repositories"
    if not passing:
        _keep(definition, Tried(None, why))
    return Tried(None, why)


def _keep(definition: Definition, tried: Tried) -> None:
    jars = tried.jars or Jars((), ())
    data = {"all": [str(path) for path in jars.all], "visible": [str(path) for path in jars.visible], "why": tried.why}
    stamp("almond", _key(definition), jars.all, data)


def visible(api: Mapping[str, Path]) -> tuple[Path, ...]:
    """Returns the JARs against which cells may be compiled: Almond's API and its dependencies, without Scala 3."""
    return tuple(path for coordinate, path in api.items() if HIDDEN not in coordinate)


def lab(lock: Lock, files: Mapping[str, Path]) -> list[Path]:
    """Returns the course's library and its dependencies."""
    return [jar_of("lab"), *class_path(lock, "lab", files)]


def own_sources() -> list[Path]:
    """Returns the sources of the course's main program for Almond."""
    return [*sources(KERNELS / "almond" / "src"), *sources(KERNELS / "ammonite" / "src" / "shared")]


def compile_main(lock: Lock, java: Java, files: Mapping[str, Path], jars: Jars) -> None:
    """Compiles the course's main program for Almond. Raises a Problem with scalac's message if it doesn't compile."""
    # Less lint than for the modules, because a reader can't fix what a new Almond deprecates.
    options = ["-encoding", "UTF-8", "-deprecation", "-feature"]
    compile_with(lock, "almond", own_sources(), options, [*lab(lock, files), *jars.all], java, files)


def _key(definition: Definition) -> str:
    return fingerprint(definition.content["almond"], definition.scala, settings())


def _unobtainable(root: str, reason: str, code: int) -> Problem:
    if code == -1:
        return Problem(
            f"COURSE_KERNEL is almond, but fetching {root} with coursier took longer than {PATIENCE:.0f} s.",
            "Run the same command again, since what was fetched is kept; or unset COURSE_KERNEL to use the embedded Ammonite kernel.",
            reason,
        )
    if any(sign.search(reason) for sign in (NO_NETWORK, UNTRUSTED, NO_SPACE)):
        return diagnose(f"COURSE_KERNEL is almond; fetching {root} with coursier", reason)
    return Problem(
        f"COURSE_KERNEL is almond, but coursier could not get {root}.",
        "Name a repository that holds it in COURSIER_REPOSITORIES, or unset COURSE_KERNEL to use the embedded Ammonite kernel.",
        reason,
    )
