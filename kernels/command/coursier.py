"""coursier, the program that resolves and downloads JARs. Its own JARs are locked like any other."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from . import children, proxy
from .certificates import java_options, requests_environment
from .files import fingerprint, sha256, stamp, stamped
from .java import Java, home_options
from .paths import BUILD, COURSIER, KERNELS, shown
from .problem import AGAIN, Problem, diagnose
from .python_env import Python
from .say import Counter, say

MAIN = "coursier.cli.Coursier"
# What decides where coursier looks and what it keeps. All of it is the user's; it is only read here, to tell one setting from another.
SETTINGS = ("COURSIER_REPOSITORIES", "COURSIER_CACHE", "COURSIER_MIRRORS", "COURSIER_CREDENTIALS", "COURSIER_CONFIG_DIR")


@dataclass(frozen=True)
class Coursier:
    java: Java
    jars: tuple[Path, ...]

    def run(self, arguments: Sequence[str], each_line: Callable[[str], None] | None = None, limit: float | None = None) -> tuple[int, str]:
        """Runs coursier's command line. What it downloads, from where and into which cache is coursier's own configuration."""
        options = [
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xmx512m",
            *home_options(),
            *java_options(self.java),
            *proxy.java_options(),
        ]
        secret = proxy.java_credentials()
        if secret:
            options.append("@/dev/stdin")
        path = os.pathsep.join(map(str, self.jars))
        argv = [self.java.program, *options, "-cp", path, MAIN, *arguments]
        return children.run(argv, each_line=each_line, limit=limit, given=secret or None)

    def fetch(
        self,
        roots: Sequence[str],
        options: Sequence[str] = (),
        what: str = "JARs",
        expected: int = 0,
        limit: float | None = None,
    ) -> tuple[int, str, dict[str, Path]]:
        """Resolves and downloads. Returns the exit code, the output, and each coordinate's file."""
        report = BUILD / f"fetch-{os.getpid()}-{fingerprint(list(roots))}.json"
        BUILD.mkdir(parents=True, exist_ok=True)
        counter = Counter(f"{what}: downloaded", expected)
        seen = 0

        def watch(line: str) -> None:
            nonlocal seen
            if line.startswith("Downloaded ") and line.endswith(".jar"):
                seen += 1
                counter.at(seen)

        try:
            code, output = self.run(["fetch", *roots, *options, "--json-output-file", str(report)], watch, limit)
            files = read_report(report) if code == 0 else {}
        finally:
            report.unlink(missing_ok=True)
        return code, output, files


def read_report(path: Path) -> dict[str, Path]:
    found: dict[str, Any] = json.loads(path.read_text())
    return {entry["coord"]: Path(entry["file"]) for entry in found["dependencies"] if entry.get("file")}


def cache_folder() -> Path:
    """Where coursier keeps what it downloads."""
    named = os.environ.get("COURSIER_CACHE")
    return Path(named or {"darwin": "~/Library/Caches/Coursier/v1"}.get(sys.platform, "~/.cache/coursier/v1")).expanduser()


def settings(env: Mapping[str, str] = os.environ) -> dict[str, str]:
    return {name: env[name] for name in SETTINGS if env.get(name)}


def repositories(env: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """The user's COURSIER_REPOSITORIES as jgo takes them: whether Maven's central repository is among them (it is where the
    variable is not set), web addresses by name, and folders."""
    entries = [entry.strip() for entry in env.get("COURSIER_REPOSITORIES", "").split("|") if entry.strip()]
    return {
        "central": not entries or "central" in entries,
        "remote": {f"mirror-{n}": entry.rstrip("/") for n, entry in enumerate(entries) if entry.startswith(("http://", "https://"))},
        "local": [unquote(urlparse(entry).path) for entry in entries if entry.startswith("file:")],
    }


def get(python: Python, java: Java, locked: Mapping[str, Mapping[str, Any]]) -> Coursier:
    """coursier, fetched if it is not there, each JAR checked against the lock."""
    key = fingerprint(locked, str(COURSIER))
    files = {coordinate: COURSIER / "{}_{}-{}.jar".format(*coordinate.split(":")) for coordinate in locked}
    if not stamped("coursier", key):
        absent = [c for c, path in files.items() if not path.is_file() or sha256(path) != locked[c]["sha256"]]
        if absent:
            say(f"coursier: fetching {len(absent)} JARs with jgo")
            _fetch(python, absent)
        for coordinate, path in files.items():
            check(coordinate, path, locked[coordinate]["sha256"])
        stamp("coursier", key, files.values())
    return Coursier(java, tuple(files.values()))


def _fetch(python: Python, coordinates: Sequence[str]) -> None:
    wish = {"folder": str(COURSIER), "coordinates": list(coordinates), **repositories()}
    counter = Counter("coursier: fetched", len(coordinates))
    seen = 0

    def watch(line: str) -> None:
        nonlocal seen
        seen += line.startswith("ok ")
        counter.at(seen)

    script = KERNELS / "command" / "fetch_coursier.py"
    code, output = children.run([python.program, "-I", script], requests_environment(python.site), watch, given=json.dumps(wish))
    if code or "failed " in output:
        failures = [line for line in output.splitlines() if not line.startswith("ok ")]
        where = "in COURSIER_REPOSITORIES" if settings().get("COURSIER_REPOSITORIES") else "in Maven's central repository"
        raise diagnose(
            "Fetching coursier with jgo",
            "\n".join(failures[-4:]),
            f"It was looked for {where}; see that it is reachable and whole, {AGAIN}",
            code,
        )


def check(coordinate: str, path: Path, expected: str) -> None:
    """Stops where a file is not the one that was locked."""
    try:
        found = sha256(path)
    except FileNotFoundError:
        raise Problem(f"{path} ({coordinate}) was fetched and is gone.", f"See that nothing else cleans that folder, {AGAIN}") from None
    if found != expected:
        raise Problem(
            f"The checksum of {coordinate} differs from kernels/locks/jars.json.",
            f"Delete that file (an interrupted or altered download), {AGAIN} "
            "If it differs once more, your mirror serves an altered file: ask who runs it, or unset COURSIER_REPOSITORIES.",
            f"file      {shown(path)}\nexpected  SHA-256 {expected}\nfound     SHA-256 {found}",
        )
