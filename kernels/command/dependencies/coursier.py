"""Fetches JARs, without a resolver if a lock lists them, else with coursier.

Both ways use coursier's cache, which the user's other programs share. The JARs of coursier itself are locked as well.
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
AGAIN_NOW = "Run the same command again. If it fails again, check that the disks with the clone and with temporary files have space."
# The user's settings of where coursier looks and what it keeps. A stamp contains them, so that a changed setting repeats the step.
SETTINGS = ("COURSIER_REPOSITORIES", "COURSIER_CACHE", "COURSIER_MIRRORS", "COURSIER_CREDENTIALS", "COURSIER_CONFIG_DIR")


@dataclass(frozen=True)
class Coursier:
    """Fetches JARs with the installed `python` and on the runtime `java`.

    coursier itself, whose JARs are `locked`, is fetched only when something must be resolved.
    """

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
        # In a separate cache, because an image doesn't need them.
        files = self.bring({coordinate: jar["sha256"] for coordinate, jar in self.locked.items()}, COURSIER).values()
        stamp("coursier", key, files)
        return list(map(str, files))

    def bring(self, checksums: Mapping[str, str], cache: Path | None = None) -> dict[str, Path]:
        """Fetches locked JARs, given with their SHA-256, into coursier's cache or `cache`. Returns the file of each coordinate.

        Raises a Problem if the user's repositories (COURSIER_REPOSITORIES) can't be reached, lack a JAR, or serve a different one.
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
        code, output = self.python.run_module("dependencies.fetch_jars", str(os.getpid()), each_line=watch, **told)
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
            raise diagnose("Fetching JARs", failures, f"Check that {where} them all, {AGAIN}", code)
        if absent := [coordinate for coordinate in checksums if coordinate not in files]:
            raise Problem(f"Fetching JARs ended without a result for {len(absent)} of them, for example {absent[0]}.", AGAIN_NOW, output)
        return files

    def resolve(self, roots: Sequence[str], options: Sequence[str] = (), limit: float | None = None) -> tuple[int, str, dict[str, Path]]:
        """Resolves and downloads `roots` with coursier, using the user's repositories and cache. Kills it after `limit` seconds.

        Returns the exit code, the output, and the file of each coordinate. Raises a Problem if coursier itself isn't available.
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
    """Returns the file of each coordinate in coursier's `--json-output-file`. Raises a Problem if that is missing or torn."""
    try:
        found: dict[str, Any] = json.loads(path.read_text())
        return {entry["coord"]: Path(entry["file"]) for entry in found["dependencies"] if entry.get("file")}
    except (FileNotFoundError, ValueError, KeyError, TypeError) as error:
        raise Problem(f"coursier succeeded, but its report {shown(path)} is missing or torn ({error!r}).", AGAIN_NOW) from None


def cache_folder() -> Path:
    """Returns the folder in which coursier keeps its downloads."""
    named = os.environ.get("COURSIER_CACHE")
    return Path(named or {"darwin": "~/Library/Caches/Coursier/v1"}.get(sys.platform, "~/.cache/coursier/v1")).expanduser()


def settings(env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Returns the user's settings for coursier."""
    return {name: env[name] for name in SETTINGS if env.get(name)}


def repositories(env: Mapping[str, str] = os.environ) -> list[str]:
    """Returns the repositories to search, in order: "central" and the addresses in COURSIER_REPOSITORIES that can be Maven's."""
    entries = [entry.strip() for entry in env.get("COURSIER_REPOSITORIES", "").split("|") if entry.strip()]
    return [entry for entry in entries or ["central"] if entry == "central" or entry.startswith(("http://", "https://", "file:"))]


def check(coordinate: str, path: Path, expected: str) -> None:
    """Raises a Problem if a file's checksum isn't the locked one."""
    try:
        found = sha256(path)
    except FileNotFoundError:
        raise Problem(f"{path} ({coordinate}) was fetched, but is gone.", f"Check that nothing else cleans that folder, {AGAIN}") from None
    if found != expected:
        raise differs(coordinate, path, expected, found)


def differs(coordinate: str, place: Path | str, expected: str, found: str) -> Problem:
    """Returns the Problem of a JAR that isn't the locked one. `place` is its file, or the address that serves it."""
    return Problem(
        f"The checksum of {coordinate} differs from kernels/locks/jars.json.",
        "Your mirror serves an altered file: ask its administrator, or unset COURSIER_REPOSITORIES. "
        f"If the place named above is a file, delete it, {AGAIN}",
        f"file      {shown(place)}\nexpected  SHA-256 {expected}\nfound     SHA-256 {found}",
    )
