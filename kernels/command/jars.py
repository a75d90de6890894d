"""The locked JARs: `kernels/locks/jars.json` says which, `coursier` brings them, every one is checked.

A *set* is one resolution, named in `build.json`: the class path of a module or a tool, or what notebooks import.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from .coursier import Coursier, check, settings
from .files import fingerprint, sha256, stamp, stamped
from .paths import BUILD_DEFINITION, JAR_LOCK, shown
from .problem import AGAIN, Problem, diagnose
from .say import say


def load(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        raise Problem(f"{shown(path)} is missing.", f"Bring it back: git checkout -- {shown(path)}") from None
    except ValueError as error:
        raise Problem(f"{shown(path)} is no JSON: {error}.", f"Bring it back: git checkout -- {shown(path)}") from None


@dataclass(frozen=True)
class Definition:
    """`build.json`: what is compiled from what, and which tools do it."""

    content: dict[str, Any]

    @classmethod
    def read(cls) -> Definition:
        return cls(load(BUILD_DEFINITION))

    @property
    def scala(self) -> str:
        return self.content["scala"]

    @property
    def modules(self) -> dict[str, dict[str, Any]]:
        return self.content["modules"]

    def used(self, name: str) -> list[str]:
        """The modules that this one uses, directly or not, in the order in which they are compiled."""
        order: list[str] = []
        for other in self.modules[name].get("uses", ()):
            order += [m for m in [*self.used(other), other] if m not in order]
        return order

    def sets(self) -> dict[str, dict[str, Any]]:
        """Each resolution: its roots and what is left out."""
        found: dict[str, dict[str, Any]] = {}
        for name in self.modules:
            group = [self.modules[m] for m in [*self.used(name), name]]
            found[name] = {
                "roots": sorted({d for m in group for d in m.get("dependencies", ())}),
                "exclude": sorted({e for m in group for e in m.get("exclude", ())}),
                "force": [f"org.scala-lang:scala-{part}:{self.scala}" for part in ("library", "reflect", "compiler")],
            }
        libraries = {library_set(v): [f"org.scala-lang:scala-library:{v}"] for v in self.content["libraries"]}
        for name, roots in {**self.content["tools"], **libraries}.items():
            found[name] = {"roots": roots, "exclude": [], "force": []}
        for name, roots in self.content["systems"].items():
            # Cells are compiled against them, by this Scala.
            found[system_set(name)] = {"roots": roots, "exclude": [], "force": [f"org.scala-lang:scala-library:{self.scala}"]}
        for imported in self.content["notebooks"]:
            found[import_set(imported)] = {"roots": [self.plain(imported)], "exclude": [], "force": []}
        return found

    def plain(self, coordinate: str) -> str:
        """A coordinate as `import $ivy` takes it (`g::a:v`, `g:::a:v`), with its Scala version written out."""
        group, separator, artifact, rest = re.fullmatch(r"([^:]+)(:{1,3})([^:]+):(.+)", coordinate).groups()  # type: ignore[union-attr]
        suffix = {":": "", "::": "_" + self.scala.rpartition(".")[0], ":::": "_" + self.scala}[separator]
        return f"{group}:{artifact}{suffix}:{rest}"


IMPORT = "import "


def import_set(coordinate: str) -> str:
    """The set of what a page imports with `import $ivy`."""
    return IMPORT + coordinate


def system_set(name: str) -> str:
    """The set of a real system (a server, a load generator) that pages start in a JVM of its own."""
    return f"system-{name}"


def library_set(version: str) -> str:
    """The set that holds another version of Scala's library, for the cells that compare them."""
    return f"scala-library-{version}"


@dataclass(frozen=True)
class Lock:
    """`jars.json`: every set's coordinates in class-path order, and the SHA-256 of every JAR."""

    content: dict[str, Any]

    @classmethod
    def read(cls) -> Lock:
        lock = cls(load(JAR_LOCK))
        stale = [n for n, wish in Definition.read().sets().items() if lock.content["sets"].get(n, {}).get("wish") != wish]
        if stale:
            raise Problem(
                f"kernels/build.json asks for JARs that {shown(JAR_LOCK)} does not lock (in {', '.join(stale)}).",
                "Whoever changed kernels/build.json runs kernels/locks/update.py and commits both files.",
            )
        return lock

    @cached_property
    def coursier(self) -> dict[str, dict[str, Any]]:
        return {c: self.content["jars"][c] for c in self.content["sets"]["coursier"]["jars"]}

    def coordinates(self, name: str) -> list[str]:
        return self.content["sets"][name]["jars"]

    def expected(self, coordinate: str) -> str:
        return self.content["jars"][coordinate]["sha256"]


def fetched(lock: Lock, names: Sequence[str]) -> dict[str, Path] | None:
    """The files of these sets, if they were fetched and checked before under the settings in force."""
    found = stamped(_stamp_name(names), _key(lock, names))
    return {c: Path(p) for c, p in found["data"].items()} if found else None


def _stamp_name(names: Sequence[str]) -> str:
    return "jars-" + (re.sub(r"[^\w.-]+", "_", "-".join(names)) if len(names) < 5 else fingerprint(list(names)))


def _key(lock: Lock, names: Iterable[str]) -> str:
    wanted = sorted({c for name in names for c in lock.coordinates(name)})
    return fingerprint([(c, lock.expected(c)) for c in wanted], settings())


def fetch(coursier: Coursier, lock: Lock, names: Sequence[str]) -> dict[str, Path]:
    """Brings all JARs of the named sets, and checks each against the lock."""
    known = fetched(lock, names)
    if known is not None:
        return known
    files: dict[str, Path] = {}
    for group in groups(lock, names):
        files.update(_fetch_group(coursier, lock, group))
    for coordinate, path in files.items():
        check(coordinate, path, lock.expected(coordinate))
    stamp(_stamp_name(names), _key(lock, names), files.values(), {c: str(p) for c, p in files.items()})
    return files


def groups(lock: Lock, names: Sequence[str]) -> list[list[str]]:
    """Sets that agree on every version are fetched by one start of coursier."""
    found: list[tuple[list[str], dict[str, str]]] = []
    for name in names:
        versions = dict(c.rsplit(":", 1) for c in lock.coordinates(name))
        excluded = lock.content["sets"][name]["wish"]["exclude"]
        for members, agreed in found:
            same = all(agreed.get(module, version) == version for module, version in versions.items())
            if same and not any(e in agreed for e in excluded):
                members.append(name)
                agreed.update(versions)
                break
        else:
            found.append(([name], versions))
    return [members for members, _ in found]


def _fetch_group(coursier: Coursier, lock: Lock, names: list[str]) -> dict[str, Path]:
    sets = [lock.content["sets"][name] for name in names]
    wanted = sorted({c for s in sets for c in s["jars"]})
    roots = sorted({root for s in sets for root in s["wish"]["roots"]})
    say(f"JARs: fetching {len(wanted)} for {', '.join(names)}")
    # What the kernel will resolve again by itself has to be resolved as freely here: POM files of versions that lose are needed too.
    freely = all(name.startswith(IMPORT) for name in names)
    versions = sets[0]["wish"]["force"] if freely else wanted
    options = pinned(versions, {e for s in sets for e in s["wish"]["exclude"]})
    code, output, files = coursier.fetch(roots, options, expected=len(wanted))
    if code:
        raise diagnose("Fetching JARs with coursier", output, f"See that COURSIER_REPOSITORIES holds them all, {AGAIN}", code)
    absent = [c for c in wanted if c not in files]
    if absent:
        raise Problem(
            f"coursier resolved other JARs than {shown(JAR_LOCK)} holds: {', '.join(absent[:3])} missing.",
            "Your mirror's POM files differ from the registry's; use another one (COURSIER_REPOSITORIES).",
        )
    return {c: files[c] for c in wanted}


def pinned(coordinates: Iterable[str], excluded: Iterable[str]) -> list[str]:
    """Options that leave coursier no choice of version."""
    options: list[str] = []
    for coordinate in coordinates:
        group, artifact, *_, version = coordinate.split(":")
        options += ["--force-version", f"{group}:{artifact}:{version}"]
    for module in sorted(excluded):
        options += ["--exclude", module]
    return options


def class_path(lock: Lock, name: str, files: dict[str, Path]) -> list[Path]:
    return [files[c] for c in lock.coordinates(name)]


def digest(path: Path) -> dict[str, Any]:
    return {"sha256": sha256(path), "size": path.stat().st_size}
