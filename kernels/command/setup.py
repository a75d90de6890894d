"""Set-up: what is still missing, in order, two things at a time where they do not wait for each other."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import almond, children, compile, coursier, jars, java, jdks, kernel, notebooks, proxy, python_env, trial
from .files import only_one, sweep, write_whole
from .paths import BUILD, ROOT, STORAGE
from .problem import AGAIN, Problem, essence
from .python_env import Python
from .say import elapsed, say

# What the whole set-up takes in the clone, and in the caches of pip and coursier.
CLONE_MB, CACHES_MB = 850, 400
BENCHMARK_SETS = ["scalac-2.12", "jmh"]  # what `%%jmh` needs beside scalac
KOTLIN_SET = "kotlin"  # what `%%kotlin` compiles with


@dataclasses.dataclass(frozen=True)
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
    proxy.proxies()  # a word that names none is told at once, not by the first tool that trips over it
    with only_one():
        python = python_env.ready(tests)
        if not python:
            check_space()
            python = python_env.make(tests)
        aside = Lane(lambda: python_env.complete(python))
        aside.start()
        jvm = _jvm_side(python, tests, everything)
        aside.result()
        return _finish(python, jvm, tests, everything)


def check_writable() -> None:
    if not os.access(ROOT, os.W_OK) or (BUILD.exists() and not os.access(BUILD, os.W_OK)):
        place = ROOT if not os.access(ROOT, os.W_OK) else BUILD
        raise Problem(
            f"{place} can't be written by you.",
            "Clone the repository into a folder of your own, or give yourself the right to write there (chown).",
        )


def too_little_space() -> list[str]:
    """Each disk that will not hold what comes there: the clone's, and the caches' where they are still to be filled."""
    coming = [(ROOT, CLONE_MB)]
    cache = coursier.cache_folder()
    if not cache.exists():
        coming.append((next(folder for folder in cache.parents if folder.exists()), CACHES_MB))
    disks: dict[int, list[tuple[Path, int]]] = {}
    for folder, megabytes in coming:
        disks.setdefault(os.stat(folder).st_dev, []).append((folder, megabytes))
    found = []
    for parts in disks.values():
        free, needed = shutil.disk_usage(parts[0][0]).free >> 20, sum(megabytes for _, megabytes in parts)
        if free < needed:
            found.append(f"{' and '.join(str(folder) for folder, _ in parts)}: free {free} MB, needed {needed} MB")
    return found


def check_space() -> None:
    short = too_little_space()
    if short:
        raise Problem("There is too little room on the disk for the set-up.", f"Free what is missing, {AGAIN}", "\n".join(short))


class Lane(threading.Thread):
    """Work on the side; its result or its error comes out of `result`."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.work = work
        self.error: BaseException | None = None
        self.value: Any = None

    def run(self) -> None:
        try:
            self.value = self.work()
        except BaseException as error:  # handed to the thread that waits
            self.error = error
            children.stop_all()

    def blame(self) -> BaseException:
        """Ends this lane because the other one failed. Returns the error to tell: the one that came first."""
        theirs = sys.exc_info()[1]
        children.stop_all()
        self.join(10)
        mine = self.error and not isinstance(self.error, children.Stopped)
        return self.error if mine and isinstance(theirs, children.Stopped) else theirs  # type: ignore[return-value]

    def result(self) -> Any:
        while self.is_alive():
            self.join(0.2)  # short, so that Ctrl-C is heard
        if self.error:
            raise self.error
        return self.value


@dataclasses.dataclass
class Jvm:
    """What the JVM's side made."""

    definition: jars.Definition
    lock: jars.Lock
    java: java.Java
    choice: kernel.Choice
    files: dict[str, Path]


def _jvm_side(python: Python, tests: bool, everything: bool) -> Jvm:
    """JARs, compiled modules, and the choice of the kernel. Compiled and fetched on the bundled runtime, whichever one the
    kernel then runs on."""
    definition, lock = jars.Definition.read(), jars.Lock.read()
    if everything:
        kernel.forget_failed_trial(definition)
    chosen, runtime = java.find(python), java.bundled(python)
    first, more = wanted_sets(definition), later_sets(definition, tests)
    files, later = jars.fetched(lock, first), jars.fetched(lock, more)
    choice = kernel.remembered(definition)
    ready = files is not None and later is not None and choice is not None
    if ready and (not everything or notebooks.are_fetched(definition, lock)):
        return _compiled(Jvm(definition, lock, chosen, choice, {**files, **later}), runtime, tests, everything)  # type: ignore[arg-type, dict-item]
    sweep()
    tool = coursier.get(python, runtime, lock.coursier)
    files = jars.fetch(tool, lock, first)
    # The rest of the downloads goes on while scalac works.
    downloads = Lane(lambda: _download_rest(definition, lock, tool, more, everything))
    downloads.start()
    try:
        compile_modules(definition, lock, runtime, files, tests=False)
    except BaseException:
        raise downloads.blame() from None
    choice, later = downloads.result()
    return _compiled(Jvm(definition, lock, chosen, choice, {**files, **later}), runtime, tests, everything)


def _compiled(jvm: Jvm, runtime: java.Java, tests: bool, retry: bool) -> Jvm:
    """With every module compiled, and the kernel warmed up once."""
    compile_modules(jvm.definition, jvm.lock, runtime, jvm.files, tests)
    STORAGE.mkdir(parents=True, exist_ok=True)
    if jvm.choice.jars:
        try:
            almond.compile_main(jvm.lock, runtime, jvm.files, jvm.choice.jars)
        except Problem as problem:
            jvm = _instead_of_almond(jvm, f"{problem.what} {essence(problem.details)}")
    kernel.archive(jvm.choice, jvm.java, jvm.definition, jvm.lock, jvm.files, retry)
    return jvm


def _instead_of_almond(jvm: Jvm, failure: str) -> Jvm:
    """The same with the embedded kernel. Raises a Problem where Almond was asked for."""
    kernel.keep_trial(jvm.definition, kernel.ALMOND, failure)
    if kernel.forced():
        raise Problem(
            f"COURSE_KERNEL is almond, and Almond {jvm.choice.version} failed its trial: {failure}",
            f"Unset COURSE_KERNEL to use the embedded Ammonite kernel; or mend what is named, {AGAIN}",
        )
    say(f"Kernel: Almond {jvm.choice.version} failed its trial ({failure}); using the embedded Ammonite kernel")
    choice = kernel.remembered(jvm.definition)
    assert choice and not choice.jars
    return dataclasses.replace(jvm, choice=choice)


def _download_rest(
    definition: jars.Definition, lock: jars.Lock, tool: coursier.Coursier, more: list[str], everything: bool
) -> tuple[kernel.Choice, dict[str, Path]]:
    choice = kernel.choose(definition, tool)
    later = jars.fetch(tool, lock, more)
    if everything:
        notebooks.fetch_imports(definition, lock, tool)
    return choice, later


def compile_modules(definition: jars.Definition, lock: jars.Lock, runtime: java.Java, files: dict[str, Path], tests: bool) -> None:
    for name, module in definition.modules.items():
        if tests or not module.get("test"):
            compile.compile_module(definition, lock, name, runtime, files)


def wanted_sets(definition: jars.Definition) -> list[str]:
    """What is needed to compile and to start."""
    return [name for name, module in definition.modules.items() if not module.get("test")] + ["scalac"]


def library_sets(definition: jars.Definition) -> list[str]:
    return [jars.library_set(version) for version in definition.content["libraries"]]


def test_sets(definition: jars.Definition) -> list[str]:
    return [name for name, module in definition.modules.items() if module.get("test")] + ["scalafmt", "scala3-library"]


def later_sets(definition: jars.Definition, tests: bool) -> list[str]:
    systems = [jars.system_set(name) for name in definition.content["systems"]]
    return [*library_sets(definition), *BENCHMARK_SETS, KOTLIN_SET, *systems] + (test_sets(definition) if tests else [])


def _finish(python: Python, jvm: Jvm, tests: bool, everything: bool) -> Course:
    if tests or everything:
        jdks.provide(python)
    list_libraries(jvm)
    list_benchmark_tools(python, jvm)
    list_kotlin_compiler(jvm)
    list_systems(jvm)
    return _tried(python, jvm, everything)


def _tried(python: Python, jvm: Jvm, retry: bool) -> Course:
    """With a kernel that has answered. Almond is tried once; the embedded one, which nothing can stand in for, until it passes."""
    spec = kernel.write_spec(python, jvm.choice, jvm.java, jvm.definition, jvm.lock, jvm.files)
    course = Course(python, jvm.java, jvm.choice, jvm.files, spec)
    failure = kernel.trial_failure(jvm.definition, jvm.choice.kernel)
    if failure is None or (failure and not jvm.choice.jars):
        say(f"Kernel: trying {jvm.choice.kernel} {jvm.choice.version}")
        # There is none to take in place of the embedded one: it gets all the time that a busy machine may need.
        failure = trial.fails(python, spec, trial.ENOUGH if jvm.choice.jars else 3 * trial.ENOUGH)
        kernel.keep_trial(jvm.definition, jvm.choice.kernel, failure)
    if not failure:
        return course
    if jvm.choice.jars:
        jvm = _instead_of_almond(jvm, failure)
        kernel.archive(jvm.choice, jvm.java, jvm.definition, jvm.lock, jvm.files, retry)
        return _tried(python, jvm, retry)
    raise Problem(
        f"The kernel was started once to try it, and failed: {failure}",
        f"`kernels/course doctor` says what else is amiss; {AGAIN.removeprefix('then ')} `kernels/course setup` tries the kernel again.",
    )


def list_libraries(jvm: Jvm) -> None:
    """Tells the kernel where each version of Scala's library is (lab.ScalaLibraries)."""
    versions = [*jvm.definition.content["libraries"], jvm.definition.scala]
    paths = {version: str(jvm.files[f"org.scala-lang:scala-library:{version}"]) for version in versions}
    write_whole(BUILD / "scala-libraries.json", json.dumps(paths, indent=1))


def list_benchmark_tools(python: Python, jvm: Jvm) -> None:
    """Tells the kernel what `%%jmh` compiles and runs benchmarks with (lab.BenchmarkTools)."""

    def path(name: str) -> list[str]:
        return [str(file) for file in jars.class_path(jvm.lock, name, jvm.files)]

    older = next(jar for jar in jvm.lock.coordinates("scalac-2.12") if ":scala-compiler:" in jar).rsplit(":", 1)[1]
    listed = {
        "jmh": path("jmh"),
        "scalac": {older: path("scalac-2.12"), jvm.definition.scala: path("scalac")},
        "jdks": {
            **{name: str(home) for name, home in jdks.installed().items()},
            str(jdks.bundled_feature(python)): str(python.bundled_java),
        },
    }
    write_whole(BUILD / "benchmark-tools.json", json.dumps(listed, indent=1))


def list_kotlin_compiler(jvm: Jvm) -> None:
    """Tells the kernel what `%%kotlin` compiles with (lab.Kotlin)."""
    files = [str(file) for file in jars.class_path(jvm.lock, KOTLIN_SET, jvm.files)]
    write_whole(BUILD / "kotlin-compiler.json", json.dumps(files, indent=1))


def list_systems(jvm: Jvm) -> None:
    """Tells the kernel which JARs each real system consists of (lab.Systems)."""
    names = jvm.definition.content["systems"]
    listed = {name: [str(file) for file in jars.class_path(jvm.lock, jars.system_set(name), jvm.files)] for name in names}
    write_whole(BUILD / "systems.json", json.dumps(listed, indent=1))


def main() -> int:
    course = set_up(everything=True)
    say(f"Ready after {elapsed():.0f} s: {course.choice.kernel} {course.choice.version} ({course.choice.why}), Java {course.java.version}")
    sys.stdout.write("Set up. Next: kernels/course lab\n")
    return 0
