"""Sets up the course in two stages: what the kernel needs to start, then the parts that pages ask for. Finished steps are skipped.

`lab` runs the first stage, and lets the second continue in the background (background.py). The other verbs run both.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import sys
import threading
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from functools import cached_property
from pathlib import Path
from typing import Any

from ..base import children
from ..base import files as stamps
from ..base.files import only_one, sweep, write_whole
from ..base.paths import BUILD, INSTALLATION, PROGRESS, ROOT, STORAGE, VENV
from ..base.problem import AGAIN, Problem, essence, refused_places
from ..base.say import elapsed, never_silent, say
from ..dependencies import coursier, jars, java, jdks, proxy, python_env
from ..dependencies.python_env import Python
from . import almond, compile, kernel, postgres, trial

# The disk space that the whole set-up needs in the clone, and in the tools' caches.
CLONE_MB, CACHES_MB = 910, 940
GIVES_WAY = 5  # the niceness of what the compiler shares the CPUs with
FIRST_STAGE, PARTS = "setup", "parts"  # names of locks; see files.only_one
OLDER_SCALAC = "scalac-2.12"
OTHER_SCALACS = (OLDER_SCALAC, "scalac-3")
LAB = "lab"  # the module that either kernel needs
Files = Mapping[str, Path]  # by coordinate


@dataclasses.dataclass(frozen=True)
class Course:
    """Holds the results of the first stage, which are enough to start the kernel."""

    python: Python
    java: java.Java
    choice: kernel.Choice
    files: dict[str, Path]
    spec: Path


# ---- entry points for the verbs


def set_up(tests: bool = False, everything: bool = False) -> Course:
    """Runs both stages. `tests` adds what the tests need. `everything` retries optional parts that failed before.

    Raises a Problem if anything prevents the course from running.
    """
    with never_silent(), only_one(PARTS), only_one(FIRST_STAGE):  # in this order, `lab` can start while this waits for a background part
        sweep()
        shop = Workshop.open(tests, thorough=everything)
        if everything:
            kernel.forget_failed_trial(shop.definition)
        sets = [*later_sets(shop.definition), *(test_sets(shop.definition) if tests else [])]
        course = _first_stage(shop, lambda files: _bring(shop, files, sets))
        if tests:
            course = _with_tests(shop, course)
        if tests or everything:
            _bring_jdks(shop, course.files)
        course = _with_archive_and_trial(shop, course, everything)
        PROGRESS.unlink(missing_ok=True)  # an old failure in the background no longer matters
        return course


def set_up_first() -> Course:
    """Runs only the first stage. Raises a Problem as `set_up` does."""
    with never_silent(), only_one(FIRST_STAGE):
        with only_one(PARTS, patient=False) as alone:
            if alone:
                sweep()
        return _first_stage(Workshop.open(tests=False))


@never_silent()
def set_up_rest() -> None:
    """Runs only the second stage. Raises a Problem as `set_up` does, but a failed download's only after all else is done."""
    with only_one(FIRST_STAGE):
        shop = Workshop.open(tests=False)
        course = _first_stage(shop)
    with only_one(PARTS):
        problem = None
        for name in later_sets(shop.definition):
            try:
                _bring(shop, course.files, [name])
            except Problem as found:
                problem = problem or found
        _bring_jdks(shop, course.files)
        _with_archive_and_trial(shop, course, retry=False)
        if problem:
            raise problem


def with_packages(tests: bool = False) -> Python:
    """Installs only the Python packages, with `tests` also the contributors' tools. Raises a Problem as `set_up` does."""
    with never_silent(), only_one(FIRST_STAGE):
        check_writable()
        python, install_others = _packages(tests)
        install_others()
        return python


# ---- checks before the first step


def check_writable() -> None:
    """Raises a Problem if the user can't write in the clone or in something that set-up made there."""
    if not os.access(ROOT, os.W_OK):
        raise Problem(
            f"{ROOT} can't be written by you.",
            "Clone the repository into your own folder, or give yourself permission to write there (chown).",
        )
    # Kernels and JupyterLab write two folders deep (`.build/jupyter/runtime`).
    places = [place for place in (*BUILD.glob("*"), *BUILD.glob("*/*")) if place.is_dir() or place.suffix == ".lock"]
    refused = [place for place in (BUILD, *places, VENV) if place.exists() and not os.access(place, os.W_OK)]
    if refused:
        raise refused_places(refused)


def too_little_space() -> list[str]:
    """Describes each disk that is too small: the clone's and, if they are still empty, the caches'."""
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
    """Raises a Problem if a disk is too small for the set-up."""
    short = too_little_space()
    if short:
        raise Problem("There is too little space on the disk for the set-up.", f"Free the space listed above, {AGAIN}", "\n".join(short))


# ---- the stages


def _packages(tests: bool) -> tuple[Python, Callable[[], None]]:
    """Returns the Python with at least the packages that come first, and what installs the others."""
    proxy.proxies()  # report an invalid proxy now, before a tool fails because of it
    found = python_env.ready(tests)
    if found:
        return found, lambda: None
    check_space()
    return python_env.begin(tests)


@dataclasses.dataclass(frozen=True)
class Workshop:
    """Holds what every step works with. Everything is compiled and fetched on the bundled runtime, even if the kernel runs on another."""

    definition: jars.Definition
    lock: jars.Lock
    python: Python
    java: java.Java
    runtime: java.Java
    install_others: Callable[[], None]  # the Python packages that are still missing

    @classmethod
    def open(cls, tests: bool, thorough: bool = False) -> Workshop:
        """Checks the user's settings, and installs the Python packages that come first. Raises a Problem if that fails.

        If `thorough` is set, looks for damage as `doctor` does, so that it is repaired.
        """
        check_writable()
        if thorough:
            python_env.forget_damaged()
            stamps.forget_damaged()
        kernel.forced()
        python, install_others = _packages(tests)
        runtimes = java.find(python.bundled_java), java.bundled(python.bundled_java)
        return cls(jars.Definition.read(), jars.Lock.read(), python, *runtimes, install_others)

    @cached_property
    def coursier(self) -> coursier.Coursier:
        return coursier.Coursier(self.python, self.runtime, self.lock.coursier)


def _first_stage(shop: Workshop, beside: Callable[[Files], None] = lambda files: None) -> Course:
    """Prepares the kernel: its JARs, the compiled modules, the choice and the kernelspec. In the meantime, installs the other Python
    packages and calls `beside`.
    """
    wanted = wanted_sets(shop.definition)
    files = jars.fetched(shop.lock, wanted) or jars.fetch(shop.coursier, shop.lock, wanted)
    choice = kernel.remembered(shop.definition)
    chosen = threading.Event()

    def choose() -> None:
        nonlocal choice
        try:
            choice = choice or kernel.choose(shop.definition, shop.coursier)
        finally:
            chosen.set()
        beside(files)

    def compile_kernel() -> None:
        compile_modules(shop, files, LAB)
        chosen.wait()
        if choice and not choice.jars:
            compile_modules(shop, files, kernel.EMBEDDED)

    def complete_python() -> None:
        children.give_way(GIVES_WAY)  # only the end of compiling decides when the kernel can start
        shop.install_others()
        python_env.complete(shop.python)

    side_by_side(compile_kernel, choose, complete_python)
    assert choice
    STORAGE.mkdir(parents=True, exist_ok=True)
    if choice.jars:
        choice = _almond_or_not(shop, files, choice)
    list_installation(shop, files)
    return Course(shop.python, shop.java, choice, files, _kernelspec(shop, choice, files))


def _kernelspec(shop: Workshop, choice: kernel.Choice, files: Files) -> Path:
    return kernel.install(shop.python, kernel.specification(choice, shop.java, shop.definition, shop.lock, files))


def _with_tests(shop: Workshop, course: Course) -> Course:
    """Fetches what the tests need and compiles them. Returns the course with these files."""
    more = [jars.fetch(shop.coursier, shop.lock, [name]) for name in test_sets(shop.definition)]
    files = {**course.files, **{coordinate: path for found in more for coordinate, path in found.items()}}
    compile_modules(shop, files, *shop.definition.modules)
    return dataclasses.replace(course, files=files)


def _almond_or_not(shop: Workshop, files: dict[str, Path], choice: kernel.Choice) -> kernel.Choice:
    """Returns the choice of Almond if it compiles with the course's main program and passes its trial, else the embedded kernel."""
    try:
        almond.compile_main(shop.lock, shop.runtime, files, choice.jars)
    except Problem as problem:
        return _instead_of_almond(shop, files, choice, f"{problem.what} {essence(problem.details)}")
    if kernel.trial_failure(shop.definition, kernel.ALMOND) is None:
        failure = _tried(shop, choice, _kernelspec(shop, choice, files))
        if failure:
            return _instead_of_almond(shop, files, choice, failure)
    return choice


def _tried(shop: Workshop, choice: kernel.Choice, spec: Path) -> str:
    """Tries the kernel, and records the result. Returns why it failed, or "" if it passed."""
    say(f"Kernel: trying {choice.kernel} {choice.version}")
    failure = trial.fails(shop.python, spec)
    kernel.keep_trial(shop.definition, choice.kernel, failure)
    return failure


def _instead_of_almond(shop: Workshop, files: dict[str, Path], choice: kernel.Choice, failure: str) -> kernel.Choice:
    """Compiles the embedded kernel and returns the choice of it. Raises a Problem if the user asked for Almond."""
    kernel.keep_trial(shop.definition, kernel.ALMOND, failure)
    if kernel.forced():
        raise Problem(
            f"COURSE_KERNEL is almond, and Almond {choice.version} failed its trial: {failure}",
            f"Unset COURSE_KERNEL to use the embedded Ammonite kernel, or remove the cause, {AGAIN}",
        )
    say(f"Kernel: Almond {choice.version} failed its trial ({failure}); using the embedded Ammonite kernel")
    compile_modules(shop, files, kernel.EMBEDDED)
    found = kernel.remembered(shop.definition)
    assert found and not found.jars
    return found


def _bring(shop: Workshop, files: Files, sets: list[str]) -> None:
    """Fetches these sets one by one, and tells the pages about each."""
    for name in sets:
        if jars.fetched(shop.lock, [name]) is None and not postgres.has_unpacked(name, shop.lock):
            jars.fetch(shop.coursier, shop.lock, [name])
            list_installation(shop, files)
        if name == postgres.set_name():
            postgres.provide(shop.lock)
            list_installation(shop, files)


def _bring_jdks(shop: Workshop, files: Files) -> None:
    jdks.provide(shop.python)
    list_installation(shop, files)


def _with_archive_and_trial(shop: Workshop, course: Course, retry: bool) -> Course:
    """Returns the course with a start-up archive and a kernel that has passed its trial. `retry` repeats a failed archive."""
    shop.runtime.share_classes()
    kernel.archive(course.choice, course.java, shop.definition, shop.lock, course.files, retry)
    course = dataclasses.replace(course, spec=_kernelspec(shop, course.choice, course.files))
    # Almond was tried before.
    if kernel.trial_failure(shop.definition, course.choice.kernel) != "":
        failure = _tried(shop, course.choice, course.spec)
        if failure:
            raise Problem(
                f"The kernel failed when it was started once to try it: {failure}",
                "`kernels/course doctor` shows other faults, and `kernels/course setup` tries the kernel again.",
            )
    return course


def side_by_side(*works: Callable[[], None]) -> None:
    """Runs all functions in parallel. If one fails, ends the programs that the others started, and raises the first error."""
    with ThreadPoolExecutor(len(works)) as pool:
        futures = [pool.submit(work) for work in works]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
            errors = [error for future in futures if future.done() and (error := future.exception())]
            if errors:
                raise errors[0]
        except BaseException:
            children.stop_all()
            raise


def compile_modules(shop: Workshop, files: dict[str, Path], *names: str) -> None:
    """Compiles those of the modules `names` whose input changed, in this order. Raises a Problem with scalac's message."""
    for name in names:
        compile.compile_module(shop.definition, shop.lock, name, shop.runtime, files)


# ---- the sets of JARs, stage by stage


def wanted_sets(definition: jars.Definition) -> list[str]:
    """Returns the sets that are needed to compile and to start the kernel."""
    return [name for name, module in definition.modules.items() if not module.get("test")] + ["scalac"]


def later_sets(definition: jars.Definition) -> list[str]:
    """Returns the sets that pages ask for, in the order in which they do."""
    libraries = [jars.library_set(version) for version in definition.content["libraries"]]
    systems = [jars.system_set(name) for name in definition.content["systems"]]
    imports = [jars.import_set(coordinate) for coordinate in definition.content["notebooks"]]
    return ["jmh", *OTHER_SCALACS, "kotlin", *imports, *libraries, *filter(None, [postgres.set_name()]), *systems]


def test_sets(definition: jars.Definition) -> list[str]:
    """Returns the sets that only the tests need."""
    return [name for name, module in definition.modules.items() if module.get("test")] + ["scalafmt", "junit", "scala3-library"]


# ---- the list of parts for the kernel


def list_installation(shop: Workshop, files: Files) -> None:
    """Tells the kernel where the installed parts are (lab.installation.Installation)."""
    write_whole(INSTALLATION, json.dumps(installation(shop.definition, shop.lock, shop.python, files), indent=1))


def installation(definition: jars.Definition, lock: jars.Lock, python: Python, files: Files) -> dict[str, Any]:
    """Returns the place of each part. A part that isn't installed yet has no key."""
    scala, scala_library = definition.scala, "org.scala-lang:scala-library:{}".format

    def there(names: Iterable[str]) -> dict[str, Files]:
        return {name: found for name in names if (found := jars.fetched(lock, [name])) is not None}

    def path(name: str, found: Files) -> list[str]:
        return [str(file) for file in jars.class_path(lock, name, found)]

    content = definition.content
    tools = there(["jmh", "kotlin", *OTHER_SCALACS])
    libraries = {version: found for version in content["libraries"] for found in there([jars.library_set(version)]).values()}
    systems = {name: found for name in content["systems"] for found in there([jars.system_set(name)]).values()}
    listed: dict[str, Any] = {name: path(name, tools[name]) for name in ("jmh", "kotlin") if name in tools}
    listed["scalac"] = {scala: path("scalac", files)}
    for name in filter(tools.__contains__, OTHER_SCALACS):
        version = next(jar for jar in lock.coordinates(name) if re.search(r":scala3?-compiler(_3)?:", jar)).rsplit(":", 1)[1]
        listed["scalac"][version] = path(name, tools[name])
    if len(libraries) == len(content["libraries"]):
        every = {**libraries, scala: files}
        listed["libraries"] = {version: str(found[scala_library(version)]) for version, found in every.items()}
    if systems:
        listed["systems"] = {name: path(jars.system_set(name), found) for name, found in systems.items()}
    if postgres.was_asked_for(lock):
        listed["postgres"] = {"home": str(postgres.home())} if postgres.installed(lock) else {}
    if jdks.were_asked_for():
        listed["jdks"] = jdks.homes(python)
    return listed


# ---- the verb


def main(given: Namespace) -> int:
    course = set_up(everything=True)
    say(f"Ready after {elapsed():.0f} s: {course.choice.kernel} {course.choice.version} ({course.choice.why}), Java {course.java.version}")
    sys.stdout.write("Set up. Next: kernels/course lab\n")
    return 0
