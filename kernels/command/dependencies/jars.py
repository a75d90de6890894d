"""Provides the JARs that `kernels/locks/jars.json` locks, and checks every one.

A *set* is one resolution, named in `build.json` and done when it was locked. It is the class path of a module or a tool, or what pages
import.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..base.files import fingerprint, sha256, stamp, stamped
from ..base.paths import BUILD_DEFINITION, JAR_LOCK, shown
from ..base.problem import AGAIN, Problem, diagnose, restore
from ..base.say import say
from .coursier import Coursier, check, settings


def load(path: Path) -> Any:
    """Returns the content of a JSON file of the repository. Raises a Problem if it is missing or isn't JSON."""
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        raise Problem(f"{shown(path)} is missing.", f"Restore it with {restore(path)}.") from None
    except ValueError as error:
        raise Problem(f"{shown(path)} is not JSON: {error}.", f"Restore it with {restore(path)}.") from None


@dataclass(frozen=True)
class Definition:
    """Holds `build.json`, which says what is compiled from what, and with which tools."""

    content: dict[str, Any]

    @classmethod
    def read(cls) -> Definition:
        """Reads `build.json`. Raises a Problem if it is missing or isn't JSON."""
        return cls(load(BUILD_DEFINITION))

    @property
    def scala(self) -> str:
        return self.content["scala"]

    @property
    def modules(self) -> dict[str, dict[str, Any]]:
        return self.content["modules"]

    def used(self, name: str) -> list[str]:
        """Returns the modules that this one uses, directly or not, in the order in which they are compiled."""
        order: list[str] = []
        for other in self.modules[name].get("uses", ()):
            order += [m for m in [*self.used(other), other] if m not in order]
        return order

    def sets(self) -> dict[str, dict[str, Any]]:
        """Returns each resolution with its roots, the excluded modules and the forced versions."""

        def wish(roots: Sequence[str], exclude: Sequence[str] = (), boms: Sequence[str] = (), force: Sequence[str] = ()) -> dict[str, Any]:
            return {"roots": list(roots), "exclude": list(exclude), "boms": list(boms), "force": list(force)}

        content = self.content
        scala = [f"org.scala-lang:scala-{part}:{self.scala}" for part in ("library", "reflect", "compiler")]
        # Scala 3's compiler also runs with the course's library of Scala 2.13, which is there anyway.
        found = {name: wish(roots, force=scala[:1] if name == "scalac-3" else ()) for name, roots in content["tools"].items()}
        found |= {library_set(version): wish([f"org.scala-lang:scala-library:{version}"]) for version in content["libraries"]}
        found |= {postgres_set(platform): wish(roots) for platform, roots in content["postgres"].items()}
        found |= {import_set(imported): wish([self.plain(imported)]) for imported in content["notebooks"]}
        for name in self.modules:
            group = [self.modules[module] for module in [*self.used(name), name]]
            roots, exclude = ({each for module in group for each in module.get(key, ())} for key in ("dependencies", "exclude"))
            found[name] = wish(sorted(roots), sorted(exclude), force=scala)
        for name, system in content["systems"].items():  # cells are compiled against them with this version of Scala
            found[system_set(name)] = wish(system["dependencies"], system.get("exclude", ()), system.get("boms", ()), scala[:2])
        return found

    def plain(self, coordinate: str) -> str:
        """Returns a coordinate of `import $ivy` (`g::a:v`, `g:::a:v`) with its Scala version written out."""
        group, separator, artifact, rest = re.fullmatch(r"([^:]+)(:{1,3})([^:]+):(.+)", coordinate).groups()  # type: ignore[union-attr]
        suffix = {":": "", "::": "_" + self.scala.rpartition(".")[0], ":::": "_" + self.scala}[separator]
        return f"{group}:{artifact}{suffix}:{rest}"


IMPORT = "import "


def import_set(coordinate: str) -> str:
    """Returns the name of the set that a page imports with `import $ivy`."""
    return IMPORT + coordinate


def system_set(name: str) -> str:
    """Returns the name of the set of a real system (a server, a load generator) that pages start in its own JVM."""
    return f"system-{name}"


def postgres_set(platform: str) -> str:
    """Returns the name of the set with PostgreSQL's programs for one platform."""
    return f"postgres-{platform}"


def library_set(version: str) -> str:
    """Returns the name of the set with another version of Scala's library, for the cells that compare versions."""
    return f"scala-library-{version}"


@dataclass(frozen=True)
class Lock:
    """Holds `jars.json`, with every set's coordinates in class-path order and every JAR's SHA-256."""

    content: dict[str, Any]

    @classmethod
    def read(cls) -> Lock:
        """Reads `jars.json`. Raises a Problem if it is missing, isn't JSON, or locks another `build.json`."""
        lock = cls(load(JAR_LOCK))
        stale = [n for n, wish in Definition.read().sets().items() if lock.content["sets"].get(n, {}).get("wish") != wish]
        if stale:
            raise Problem(
                f"kernels/build.json needs JARs that {shown(JAR_LOCK)} doesn't lock (in {', '.join(stale)}).",
                "After a change to kernels/build.json, run kernels/locks/update.py and commit both files.",
            )
        return lock

    @cached_property
    def coursier(self) -> dict[str, dict[str, Any]]:
        """Returns the JARs of coursier itself, each with its entry in the lock."""
        return {c: self.content["jars"][c] for c in self.content["sets"]["coursier"]["jars"]}

    def coordinates(self, name: str) -> list[str]:
        """Returns a set's JARs in class-path order."""
        return self.content["sets"][name]["jars"]

    def expected(self, coordinate: str) -> str:
        """Returns a JAR's SHA-256."""
        return self.content["jars"][coordinate]["sha256"]


def fetched(lock: Lock, names: Sequence[str]) -> dict[str, Path] | None:
    """Returns the files of these sets, if they were fetched and checked before under the current settings, else None."""
    found = stamped(_stamp_name(names), _key(lock, names))
    return {c: Path(p) for c, p in found["data"].items()} if found else None


def _stamp_name(names: Sequence[str]) -> str:
    return "jars-" + (re.sub(r"[^\w.-]+", "_", "-".join(names)) if len(names) < 5 else fingerprint(list(names)))


def _key(lock: Lock, names: Iterable[str]) -> str:
    wanted = sorted({c for name in names for c in lock.coordinates(name)})
    return fingerprint([(c, lock.expected(c)) for c in wanted], settings())


def fetch(coursier: Coursier, lock: Lock, names: Sequence[str]) -> dict[str, Path]:
    """Fetches all JARs of the named sets, and checks each against the lock. Returns the file of each coordinate.

    Several processes may call it simultaneously, set by set. Raises a Problem if there is no network or no space, or if a repository lacks
    a JAR or serves an altered one.
    """
    known = fetched(lock, names)
    if known is not None:
        return known
    wanted = {c: lock.expected(c) for name in names for c in lock.coordinates(name)}
    say(f"JARs: fetching {len(wanted)} for {', '.join(names)}")
    # The kernel resolves imports again, so they are resolved here. That also fetches POM files, even those of evicted versions.
    resolved = {c: path for name in names if name.startswith(IMPORT) for c, path in _resolve(coursier, lock, name).items()}
    files = {**coursier.bring({c: checksum for c, checksum in wanted.items() if c not in resolved}), **resolved}
    stamp(_stamp_name(names), _key(lock, names), files.values(), {c: str(p) for c, p in files.items()})
    return files


def _resolve(coursier: Coursier, lock: Lock, name: str) -> dict[str, Path]:
    """Returns the JARs of one set as coursier resolves them."""
    code, output, files = coursier.resolve(lock.content["sets"][name]["wish"]["roots"])
    if code:
        raise diagnose("Fetching JARs with coursier", output, f"Check that COURSIER_REPOSITORIES holds them all, {AGAIN}", code)
    absent = [c for c in lock.coordinates(name) if c not in files]
    if absent:
        raise Problem(
            f"coursier resolved other JARs than {shown(JAR_LOCK)} lists: {', '.join(absent[:3])} missing.",
            "Your mirror's POM files differ from the registry's. Use another mirror (COURSIER_REPOSITORIES).",
        )
    # coursier doesn't verify what it finds in its cache.
    coursier.bring({c: lock.expected(c) for c in lock.coordinates(name) if sha256(files[c]) != lock.expected(c)})
    for coordinate in lock.coordinates(name):
        check(coordinate, files[coordinate], lock.expected(coordinate))
    return {c: files[c] for c in lock.coordinates(name)}


def pinned(coordinates: Iterable[str], excluded: Iterable[str] = (), boms: Iterable[str] = ()) -> list[str]:
    """Returns coursier's options that force these versions and those of a bill of materials (BOM), and that exclude modules."""
    versions = [coordinate.split(":") for coordinate in coordinates]
    forced = [word for group, artifact, *_, version in versions for word in ("--force-version", f"{group}:{artifact}:{version}")]
    named = [word for bom in boms for word in ("--bom", bom)]
    return forced + named + [word for module in sorted(excluded) for word in ("--exclude", module)]


def class_path(lock: Lock, name: str, files: Mapping[str, Path]) -> list[Path]:
    """Returns the files of one set in class-path order."""
    return [files[c] for c in lock.coordinates(name)]


def digest(path: Path) -> dict[str, Any]:
    """Returns the lock's entry for a JAR."""
    return {"sha256": sha256(path), "size": path.stat().st_size}
