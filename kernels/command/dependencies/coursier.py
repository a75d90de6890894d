"""How JARs come: locked ones as the lock has them, without a resolver; what no lock holds, or what the kernel resolves again, by coursier.

Either way they lie in coursier's cache, which other programs of the user's share. coursier's own JARs are locked like any other.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..base import children
from ..base.files import fingerprint, sha256, stamp, stamped
from ..base.paths import BUILD, COURSIER, KERNELS, shown
from ..base.problem import AGAIN, Problem, diagnose
from ..base.say import Counter, say
from . import proxy
from .certificates import java_options, requests_environment
from .java import Java, home_options
from .python_env import Python

MAIN = "coursier.cli.Coursier"
AGAIN_NOW = "Run the same command again. If it happens once more, see that the disks of the clone and of temporary files have room."
# What decides where coursier looks and what it keeps. All of it is the user's; it is only read here, to tell one setting from another.
SETTINGS = ("COURSIER_REPOSITORIES", "COURSIER_CACHE", "COURSIER_MIRRORS", "COURSIER_CREDENTIALS", "COURSIER_CONFIG_DIR")


@dataclass(frozen=True)
class Coursier:
    """What fetches JARs, with the installed `python` and on the runtime `java`. The program coursier itself, whose JARs are `locked`,
    comes when something is to be resolved."""

    python: Python
    java: Java
    locked: Mapping[str, Mapping[str, Any]]

    @cached_property
    def _jars(self) -> list[str]:
        key = fingerprint(self.locked, settings())
        found = stamped("coursier", key)
        if found:
            return list(found["files"])
        say(f"coursier: fetching {len(self.locked)} JARs")
        # Not among the JARs that stay: an image does without them.
        files = self.bring({coordinate: jar["sha256"] for coordinate, jar in self.locked.items()}, COURSIER).values()
        stamp("coursier", key, files)
        return list(map(str, files))

    def bring(self, checksums: Mapping[str, str], cache: Path | None = None) -> dict[str, Path]:
        """Fetches locked JARs, each of which has its SHA-256 here, into `cache` (coursier's); returns each coordinate's file.

        Raises a Problem where the user's repositories (COURSIER_REPOSITORIES) can't be reached or lack one, and where one differs.
        """
        if not checksums:
            return {}
        wish = {"cache": str(cache or cache_folder()), "repositories": repositories(), "checksums": dict(checksums)}
        counter = Counter("JARs: fetched", len(checksums))
        files: dict[str, Path] = {}

        def watch(line: str) -> None:
            if line.startswith("ok "):
                _, coordinate, path = line.split(" ", 2)
                files[coordinate] = Path(path)
                counter.at(len(files))

        told = {"env": requests_environment(self.python.site), "cwd": KERNELS, "given": json.dumps(wish)}
        code, output = self.python.run_module("dependencies.fetch_jars", each_line=watch, **told)
        altered = re.search(r"^altered (\S+) (\S+) (.+)$", output, re.M)
        if altered:
            coordinate, found, place = altered.groups()
            raise differs(coordinate, place, checksums[coordinate], found)
        if code:
            failures = "\n".join(line for line in output.splitlines() if not line.startswith("ok "))
            where = (
                "COURSIER_REPOSITORIES holds"
                if settings().get("COURSIER_REPOSITORIES")
                else "Maven's central repository is reachable, and holds"
            )
            raise diagnose("Fetching JARs", failures, f"See that {where} them all, {AGAIN}", code)
        if absent := [coordinate for coordinate in checksums if coordinate not in files]:
            raise Problem(f"Fetching JARs ended without a word of {len(absent)} of them, {absent[0]} among them.", AGAIN_NOW, output)
        return files

    def resolve(self, roots: Sequence[str], options: Sequence[str] = (), limit: float | None = None) -> tuple[int, str, dict[str, Path]]:
        """Lets coursier resolve and download; from where and into which cache is its own configuration. After `limit` seconds it is ended.

        Returns the exit code, the output, and each coordinate's file. Raises a Problem where coursier itself can't be had.
        """
        report = BUILD / f"fetch-{os.getpid()}-{fingerprint(list(roots))}.json"
        BUILD.mkdir(parents=True, exist_ok=True)
        java = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m", *home_options(), *java_options(self.java), *proxy.java_options()]
        secret = proxy.java_credentials()
        path = os.pathsep.join(self._jars)
        words = [self.java.program, *java, *(["@/dev/stdin"] if secret else []), "-cp", path, MAIN, "fetch", *roots, *options]
        try:
            code, output = children.run([*words, "--json-output-file", report], limit=limit, given=secret or None)
            return code, output, read_report(report) if code == 0 else {}
        finally:
            report.unlink(missing_ok=True)


def read_report(path: Path) -> dict[str, Path]:
    """The file of each coordinate in what coursier's `--json-output-file` wrote. Raises a Problem if that is missing or torn."""
    try:
        found: dict[str, Any] = json.loads(path.read_text())
        return {entry["coord"]: Path(entry["file"]) for entry in found["dependencies"] if entry.get("file")}
    except (FileNotFoundError, ValueError, KeyError, TypeError) as error:
        raise Problem(f"coursier ended well, but its report {shown(path)} is missing or torn ({error!r}).", AGAIN_NOW) from None


def cache_folder() -> Path:
    """Where coursier keeps what it downloads."""
    named = os.environ.get("COURSIER_CACHE")
    return Path(named or {"darwin": "~/Library/Caches/Coursier/v1"}.get(sys.platform, "~/.cache/coursier/v1")).expanduser()


def settings(env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What the user told coursier."""
    return {name: env[name] for name in SETTINGS if env.get(name)}


def repositories(env: Mapping[str, str] = os.environ) -> list[str]:
    """Where to look for JARs, in this order: "central" and addresses of COURSIER_REPOSITORIES; what is no Maven repository is left out."""
    entries = [entry.strip() for entry in env.get("COURSIER_REPOSITORIES", "").split("|") if entry.strip()]
    return [entry for entry in entries or ["central"] if entry == "central" or entry.startswith(("http://", "https://", "file:"))]


def check(coordinate: str, path: Path, expected: str) -> None:
    """Raises a Problem where a file is not the one that was locked."""
    try:
        found = sha256(path)
    except FileNotFoundError:
        raise Problem(f"{path} ({coordinate}) was fetched and is gone.", f"See that nothing else cleans that folder, {AGAIN}") from None
    if found != expected:
        raise differs(coordinate, path, expected, found)


def differs(coordinate: str, place: Path | str, expected: str, found: str) -> Problem:
    """The problem of a JAR that isn't the locked one; `place` is a file, or the address that serves it."""
    return Problem(
        f"The checksum of {coordinate} differs from kernels/locks/jars.json.",
        "Your mirror serves an altered file: ask its administrator, or unset COURSIER_REPOSITORIES. "
        f"If the place named above is a file, delete it, {AGAIN}",
        f"file      {shown(place)}\nexpected  SHA-256 {expected}\nfound     SHA-256 {found}",
    )
