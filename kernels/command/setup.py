"""Set-up: what is still missing, in order, two things at a time where they do not wait for each other."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import certificates, children, compile, coursier, jars, java, kernel, notebooks, python_env
from .files import only_one
from .paths import BUILD, ROOT, STORAGE
from .problem import Problem, no_space
from .python_env import Python
from .say import elapsed, say

NEEDED_MB = 1200


@dataclass(frozen=True)
class Course:
    """A finished set-up."""

    python: Python
    java: java.Java
    choice: kernel.Choice
    files: dict[str, Path]
    spec: Path


def set_up(tests: bool = False, everything: bool = False) -> Course:
    """Does what is still to do. `tests`: also what the tests need; `everything`: also what any notebook will import."""
    check_writable()
    kernel.forced()
    with only_one():
        fresh = python_env.ready(tests)
        if not fresh:
            check_space()
        return _with_python(fresh, tests, everything) if fresh else _from_nothing(tests, everything)


def check_writable() -> None:
    if not os.access(ROOT, os.W_OK) or (BUILD.exists() and not os.access(BUILD, os.W_OK)):
        place = ROOT if not os.access(ROOT, os.W_OK) else BUILD
        raise Problem(
            f"{place} can't be written by you.",
            "Clone the repository into a folder of your own, or give yourself the right to write there (chown).",
        )


def check_space() -> None:
    free = shutil.disk_usage(ROOT).free >> 20
    if free < NEEDED_MB:
        raise no_space(ROOT, f"free: {free} MB, needed: {NEEDED_MB} MB")


def _from_nothing(tests: bool, everything: bool) -> Course:
    """Installs Python packages; as soon as Java is among them, the JVM's side goes on beside it."""
    java_is_there = threading.Event()
    python = python_env.own()
    side = Lane(lambda: _jvm_side(python, tests, everything), java_is_there)
    side.start()
    try:
        python = python_env.make(tests, lambda p: certificates.pip_environment(p.program, p.site), java_is_there.set)
    except BaseException:
        # The other lane may have failed first and be the reason.
        side.give_up()
        if side.error and not isinstance(side.error, children.Stopped):
            raise side.error from None
        raise
    return _finish(python, *side.result(), everything=everything)


class Lane(threading.Thread):
    """Work on the side that begins at an event; its result or its error comes out of `result`."""

    def __init__(self, work: Callable[[], tuple], begin: threading.Event) -> None:
        super().__init__(daemon=True)
        self.work, self.begin = work, begin
        self.error: BaseException | None = None
        self.value: tuple = ()
        self.cancelled = False

    def run(self) -> None:
        self.begin.wait()
        if self.cancelled:
            return
        try:
            self.value = self.work()
        except BaseException as error:  # handed to the thread that waits
            self.error = error
            children.stop_all()

    def give_up(self) -> None:
        self.cancelled = True
        self.begin.set()
        children.stop_all()
        self.join(10)

    def result(self) -> tuple:
        while self.is_alive():
            self.join(0.2)  # short, so that Ctrl-C is heard
        if self.error:
            raise self.error
        return self.value


def _jvm_side(python: Python, tests: bool, everything: bool) -> tuple:
    """JARs, compiled modules, and the choice of the kernel."""
    definition, lock = jars.Definition.read(), jars.Lock.read()
    runtime = java.find(python)
    choice = kernel.remembered(definition)
    sets = wanted_sets(definition)
    files = jars.fetched(lock, sets)
    more = jars.fetched(lock, test_sets(definition)) if tests else {}
    tool = None
    if choice is None or files is None or more is None or (everything and not notebooks.are_fetched(definition)):
        tool = coursier.get(python, runtime, lock.coursier)
        files = jars.fetch(tool, lock, sets)
        choice = kernel.choose(definition, tool)
        more = jars.fetch(tool, lock, test_sets(definition)) if tests else {}
    files = {**files, **(more or {})}
    for module in definition.modules:
        if tests or not definition.modules[module].get("test"):
            compile.compile_module(definition, lock, module, runtime, files)
    if everything and tool:
        notebooks.fetch(definition, tool)
    return definition, lock, runtime, choice, files


def wanted_sets(definition: jars.Definition) -> list[str]:
    return [name for name, module in definition.modules.items() if not module.get("test")] + ["scalac"]


def test_sets(definition: jars.Definition) -> list[str]:
    return [name for name, module in definition.modules.items() if module.get("test")] + ["scalafmt"]


def _with_python(python: Python, tests: bool, everything: bool) -> Course:
    return _finish(python, *_jvm_side(python, tests, everything), everything=everything)


def _finish(
    python: Python,
    definition: jars.Definition,
    lock: jars.Lock,
    runtime: java.Java,
    choice: kernel.Choice,
    files: dict[str, Path],
    everything: bool,
) -> Course:
    STORAGE.mkdir(parents=True, exist_ok=True)
    kernel.archive(choice, runtime, definition, lock, files)
    spec = kernel.write_spec(python, runtime, choice, definition, lock, files)
    write_lab_settings(python)
    return Course(python, runtime, choice, files, spec)


def write_lab_settings(python: Python) -> None:
    """JupyterLab's defaults for the course: nothing pops up between the reader and the page."""
    import json

    from .files import write_whole

    overrides = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}
    target = python.prefix / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    if python.prefix == python_env.VENV:
        write_whole(target, json.dumps(overrides, indent=1))


def main() -> int:
    course = set_up(everything=True)
    say(f"Ready after {elapsed():.0f} s: {course.choice.kernel} {course.choice.version} ({course.choice.why}), Java {course.java.version}")
    sys.stdout.write(f"Set up. Next: {sys.argv[0]} lab\n")
    return 0
