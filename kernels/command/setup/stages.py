"""Set-up, in two stages: what the kernel needs to start, then the parts that pages ask for. Every step that is done is passed over.

`lab` does the first and lets the second go on in the background (background.py); the other verbs do both.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import sys
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
from ..base.say import elapsed, say
from ..dependencies import coursier, jars, java, jdks, proxy, python_env
from ..dependencies.python_env import Python
from . import almond, compile, kernel, postgres, trial

# What the whole set-up takes in the clone, and in the caches of the tools.
CLONE_MB, CACHES_MB = 910, 940
FIRST_STAGE, PARTS = "setup", "parts"  # the locks; see files.only_one
OLDER_SCALAC = "scalac-2.12"
Files = Mapping[str, Path]  # by coordinate


@dataclasses.dataclass(frozen=True)
class Course:
    """A finished first stage: all that it takes to start the kernel."""

    python: Python
    java: java.Java
    choice: kernel.Choice
    files: dict[str, Path]
    spec: Path


# ---- what verbs call


def set_up(tests: bool = False, everything: bool = False) -> Course:
    """Both stages. `tests`: with what the tests need; `everything`: with what failed before and is not needed, tried again.

    Raises a Problem for whatever keeps the course from running.
    """
    with only_one(PARTS), only_one(FIRST_STAGE):  # in this order `lab` can start while this waits for a background part
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
        PROGRESS.unlink(missing_ok=True)  # why a background part failed before
        return course


def set_up_first() -> Course:
    """The first stage alone. Raises a Problem as `set_up` does."""
    with only_one(FIRST_STAGE):
        with only_one(PARTS, patient=False) as alone:
            if alone:
                sweep()
        return _first_stage(Workshop.open(tests=False))


def set_up_rest() -> None:
    """The second stage alone. Raises a Problem as `set_up` does, but a failed download's only when all else is done."""
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


def with_test_tools() -> Python:
    """The Python packages alone, the contributors' tools among them. Raises a Problem as `set_up` does."""
    with only_one(FIRST_STAGE):
        check_writable()
        return python_env.ready(tests=True) or python_env.make(tests=True)


# ---- before anything is done


def check_writable() -> None:
    """Raises a Problem where the clone is not the user's to write in, or something in it is not."""
    if not os.access(ROOT, os.W_OK):
        raise Problem(
            f"{ROOT} can't be written by you.",
            "Clone the repository into a folder of your own, or give yourself the right to write there (chown).",
        )
    # Kernels and JupyterLab write two folders deep (`.build/jupyter/runtime`).
    places = [place for place in (*BUILD.glob("*"), *BUILD.glob("*/*")) if place.is_dir() or place.suffix == ".lock"]
    refused = [place for place in (BUILD, *places, VENV) if place.exists() and not os.access(place, os.W_OK)]
    if refused:
        raise refused_places(refused)


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
    """Raises a Problem where a disk is too small for what comes."""
    short = too_little_space()
    if short:
        raise Problem("There is too little room on the disk for the set-up.", f"Free what is missing, {AGAIN}", "\n".join(short))


# ---- the stages


@dataclasses.dataclass(frozen=True)
class Workshop:
    """What every step works with. All is compiled and fetched on the bundled runtime, whichever one the kernel then runs on."""

    definition: jars.Definition
    lock: jars.Lock
    python: Python
    java: java.Java
    runtime: java.Java

    @classmethod
    def open(cls, tests: bool, thorough: bool = False) -> Workshop:
        """Checks what the user set, and installs the Python packages where they are missing. Raises a Problem.

        `thorough`: looks for damage as `doctor` does, so that it is repaired.
        """
        check_writable()
        if thorough:
            python_env.forget_damaged()
            stamps.forget_damaged()
        kernel.forced()
        proxy.proxies()  # a word that names none is told at once, not by the first tool that trips over it
        python = python_env.ready(tests)
        if not python:
            check_space()
            python = python_env.make(tests)
        return cls(jars.Definition.read(), jars.Lock.read(), python, java.find(python.bundled_java), java.bundled(python.bundled_java))

    @cached_property
    def coursier(self) -> coursier.Coursier:
        return coursier.Coursier(self.python, self.runtime, self.lock.coursier)


def _first_stage(shop: Workshop, beside: Callable[[Files], None] = lambda files: None) -> Course:
    """What the kernel needs: its JARs, the compiled modules, the choice of the kernel, its kernelspec. `beside` goes on meanwhile."""
    wanted = wanted_sets(shop.definition)
    files = jars.fetched(shop.lock, wanted) or jars.fetch(shop.coursier, shop.lock, wanted)
    choice = kernel.remembered(shop.definition)

    def choose() -> None:
        nonlocal choice
        choice = choice or kernel.choose(shop.definition, shop.coursier)
        beside(files)

    side_by_side(lambda: compile_modules(shop, files, tests=False), choose, lambda: python_env.complete(shop.python))
    assert choice
    STORAGE.mkdir(parents=True, exist_ok=True)
    if choice.jars:
        choice = _almond_or_not(shop, files, choice)
    list_installation(shop, files)
    return Course(shop.python, shop.java, choice, files, _kernelspec(shop, choice, files))


def _kernelspec(shop: Workshop, choice: kernel.Choice, files: Files) -> Path:
    return kernel.install(shop.python, kernel.specification(choice, shop.java, shop.definition, shop.lock, files))


def _with_tests(shop: Workshop, course: Course) -> Course:
    """With the tests compiled and what they need."""
    more = [jars.fetch(shop.coursier, shop.lock, [name]) for name in test_sets(shop.definition)]
    files = {**course.files, **{coordinate: path for found in more for coordinate, path in found.items()}}
    compile_modules(shop, files, tests=True)
    return dataclasses.replace(course, files=files)


def _almond_or_not(shop: Workshop, files: dict[str, Path], choice: kernel.Choice) -> kernel.Choice:
    """Almond with the course's main program for it, once it has passed its trial; else the embedded kernel."""
    try:
        almond.compile_main(shop.lock, shop.runtime, files, choice.jars)
    except Problem as problem:
        return _instead_of_almond(shop, choice, f"{problem.what} {essence(problem.details)}")
    if kernel.trial_failure(shop.definition, kernel.ALMOND) is None:
        # Without the archive a start on a busy machine takes longer than a trial may.
        kernel.archive(choice, shop.java, shop.definition, shop.lock, files, retry=False)
        failure = _tried(shop, choice, _kernelspec(shop, choice, files), trial.ENOUGH)
        if failure:
            return _instead_of_almond(shop, choice, failure)
    return choice


def _tried(shop: Workshop, choice: kernel.Choice, spec: Path, limit: float) -> str:
    """Why the kernel failed its trial; empty where it passed. The answer is kept."""
    say(f"Kernel: trying {choice.kernel} {choice.version}")
    failure = trial.fails(shop.python, spec, limit)
    kernel.keep_trial(shop.definition, choice.kernel, failure)
    return failure


def _instead_of_almond(shop: Workshop, choice: kernel.Choice, failure: str) -> kernel.Choice:
    """The embedded kernel. Raises a Problem where Almond was asked for."""
    kernel.keep_trial(shop.definition, kernel.ALMOND, failure)
    if kernel.forced():
        raise Problem(
            f"COURSE_KERNEL is almond, and Almond {choice.version} failed its trial: {failure}",
            f"Unset COURSE_KERNEL to use the embedded Ammonite kernel; or mend what is named, {AGAIN}",
        )
    say(f"Kernel: Almond {choice.version} failed its trial ({failure}); using the embedded Ammonite kernel")
    found = kernel.remembered(shop.definition)
    assert found and not found.jars
    return found


def _bring(shop: Workshop, files: Files, sets: list[str]) -> None:
    """Fetches these sets one by one, and tells pages of each that has come."""
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
    """With a quick start from now on, and a kernel that has answered. `retry`: an archive that could not be made is tried again."""
    shop.runtime.share_classes()
    kernel.archive(course.choice, course.java, shop.definition, shop.lock, course.files, retry)
    course = dataclasses.replace(course, spec=_kernelspec(shop, course.choice, course.files))
    # Almond has been tried. There is none to take in place of the embedded one: it gets all the time that a busy machine may need.
    if kernel.trial_failure(shop.definition, course.choice.kernel) != "":
        failure = _tried(shop, course.choice, course.spec, 3 * trial.ENOUGH)
        if failure:
            raise Problem(
                f"The kernel was started once to try it, and failed: {failure}",
                "`kernels/course doctor` says what else is amiss; `kernels/course setup` tries the kernel again.",
            )
    return course


def side_by_side(*works: Callable[[], None]) -> None:
    """Does all of it at once. The first that fails ends what the others have started, and its error is raised."""
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


def compile_modules(shop: Workshop, files: dict[str, Path], tests: bool) -> None:
    """Compiles the modules whose input changed. Raises a Problem with scalac's words."""
    for name, module in shop.definition.modules.items():
        if tests or not module.get("test"):
            compile.compile_module(shop.definition, shop.lock, name, shop.runtime, files)


# ---- the sets of JARs, stage by stage


def wanted_sets(definition: jars.Definition) -> list[str]:
    """What is needed to compile and to start."""
    return [name for name, module in definition.modules.items() if not module.get("test")] + ["scalac"]


def later_sets(definition: jars.Definition) -> list[str]:
    """What pages ask for, in the order in which they do."""
    libraries = [jars.library_set(version) for version in definition.content["libraries"]]
    systems = [jars.system_set(name) for name in definition.content["systems"]]
    imports = [jars.import_set(coordinate) for coordinate in definition.content["notebooks"]]
    return ["jmh", OLDER_SCALAC, "kotlin", *imports, *libraries, *filter(None, [postgres.set_name()]), *systems]


def test_sets(definition: jars.Definition) -> list[str]:
    """What only the tests need."""
    return [name for name, module in definition.modules.items() if module.get("test")] + ["scalafmt", "junit", "scala3-library"]


# ---- what the kernel is told of it


def list_installation(shop: Workshop, files: Files) -> None:
    """Tells the kernel where the parts are that have come (lab.installation.Installation)."""
    write_whole(INSTALLATION, json.dumps(installation(shop.definition, shop.lock, shop.python, files), indent=1))


def installation(definition: jars.Definition, lock: jars.Lock, python: Python, files: Files) -> dict[str, Any]:
    """Each part with where it is; a part that isn't there yet has no key."""
    scala, scala_library = definition.scala, "org.scala-lang:scala-library:{}".format

    def there(names: Iterable[str]) -> dict[str, Files]:
        return {name: found for name in names if (found := jars.fetched(lock, [name])) is not None}

    def path(name: str, found: Files) -> list[str]:
        return [str(file) for file in jars.class_path(lock, name, found)]

    content = definition.content
    tools = there(["jmh", "kotlin", OLDER_SCALAC])
    libraries = {version: found for version in content["libraries"] for found in there([jars.library_set(version)]).values()}
    systems = {name: found for name in content["systems"] for found in there([jars.system_set(name)]).values()}
    listed: dict[str, Any] = {name: path(name, tools[name]) for name in ("jmh", "kotlin") if name in tools}
    listed["scalac"] = {scala: path("scalac", files)}
    if OLDER_SCALAC in tools:
        older = next(jar for jar in lock.coordinates(OLDER_SCALAC) if ":scala-compiler:" in jar).rsplit(":", 1)[1]
        listed["scalac"][older] = path(OLDER_SCALAC, tools[OLDER_SCALAC])
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
