"""Implements `test`: lint and format, the Scala suites, then pytest over kernels/tests.

At the end it prints the seconds of each part, and one line for all.
"""

from __future__ import annotations

import datetime
import os
import shutil
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..base import children
from ..base.command_line import Parser
from ..base.paths import BUILD, CLASSES, KERNELS, ROOT, TESTS, shown
from ..base.problem import Problem
from ..base.say import elapsed, say
from ..dependencies.jars import Definition, Lock, class_path
from ..setup import kernel
from ..setup.compile import jar_of, module_path
from ..setup.programs import environment
from ..setup.stages import Course, set_up
from . import ages, image, reports
from .reports import Count

LINT = "lint"
REPORTS = BUILD / "test"
# The parts that pytest runs together, with the number of processes. Measurements and the image run alone. Kernels and browsers are in
# different groups, because the browsers' event loop stays in the process. Pages come before what is made of them.
GROUPS = {
    "image": (("image",), 1),
    "pages": (("notebooks",), 1),
    "browser": (("browser",), 2),
    "kernels": (("children", "hub", "jmh", "kernel", "kotlin", "results"), 2),
    "command and site": (
        ("class", "command", "decisions", "english", "instructor", "library", "program", "progress", "site", "slides", "solutions"),
        2,
    ),
}
# `image` runs this file against the container. It runs here if there is no image, or with --full.
IN_THE_IMAGE = "test_browser.py"
# Modules whose suites are divided between two JVMs.
HALVED = frozenset(("ammonite-test",))
LAUNCHER = "org.junit.platform.console.ConsoleLauncher"


@dataclass(frozen=True)
class Step:
    """Describes a part of the tests that runs as a unit."""

    name: str
    check: Callable[[], Count]


def show(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


# ---- what there is to run


def pytest_part(path: Path) -> str:
    """Returns the part of a test file, for example `command` for test_command_errors.py."""
    return path.stem.removeprefix("test_").split("_")[0]


def scala_part(module: str) -> str:
    return module.removesuffix("-test")


def pytest_files() -> list[Path]:
    return sorted(TESTS.rglob("test_*.py"))


def pytest_groups(files: Sequence[Path]) -> Iterator[tuple[str, list[Path], tuple[str, ...]]]:
    """Yields each group that has some of these files, as its name, the files and pytest's options."""
    for name, (of, processes) in GROUPS.items():
        if group := [path for path in files if pytest_part(path) in of]:
            yield name, group, (f"--numprocesses={processes}", "--dist=loadfile") if processes > 1 else ()


def test_modules(definition: Definition) -> list[str]:
    return [name for name, module in definition.modules.items() if module.get("test")]


def parts(definition: Definition) -> list[str]:
    names = [LINT, *map(scala_part, test_modules(definition)), *(part for of, _ in GROUPS.values() for part in of)]
    return list(dict.fromkeys(names))


# ---- lint and format


def lint_check(name: str, argv: Sequence[str | Path], remedy: str) -> Count:
    code, output = children.run(argv, cwd=ROOT)
    if code == 0:
        return Count(passed=1)
    show("\n".join(output.strip().splitlines()[:80]))
    show(f"{name} failed. What to do: {remedy}")
    return Count(failed=1, why=(f"{name}: {remedy}",))


def ruff(course: Course, verb: str, *options: str) -> list[str | Path]:
    return [course.python.program, "-m", "ruff", verb, "--no-cache", *options, KERNELS, KERNELS / "course"]


def scalafmt(course: Course, lock: Lock, *options: str) -> list[str | Path]:
    path = os.pathsep.join(map(str, class_path(lock, "scalafmt", course.files)))
    jvm = [course.java.program, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", path, "org.scalafmt.cli.Cli"]
    return [*jvm, "--config", ROOT / ".scalafmt.conf", "--non-interactive", *options, KERNELS]


def lint(course: Course, lock: Lock) -> Count:
    format_them = "kernels/course test --format"
    checks = (
        ("ruff check", ruff(course, "check"), f"{shown(course.python.program)} -m ruff check --fix kernels"),
        ("ruff format", ruff(course, "format", "--diff"), format_them),
        ("scalafmt", scalafmt(course, lock, "--list"), f"format the files listed above with {format_them}"),
    )
    return sum((lint_check(*check) for check in checks), Count())


def format_all(course: Course) -> int:
    """Formats the files that `lint` checks."""
    for argv in (ruff(course, "check", "--fix"), ruff(course, "format"), scalafmt(course, Lock.read())):
        code, _ = children.run(argv, each_line=show, cwd=ROOT)
    return code


# ---- munit


def suites(module: str) -> list[str]:
    """Returns a test module's classes with names that end in Suite."""
    folder = CLASSES / module
    found = (path.relative_to(folder).with_suffix("") for path in folder.rglob("*Suite.class") if "$" not in path.name)
    return sorted(".".join(path.parts) for path in found)


def munit(course: Course, definition: Definition, lock: Lock, module: str, word: str) -> Count:
    """Runs a test module's suites whose names contain `word`, in one JVM or two. Their reports go to .build/test/munit-…."""
    path = [jar_of(module), *module_path(definition, lock, module, course.files), *class_path(lock, "junit", course.files)]
    jvm = [course.java.program, *kernel.options(course.choice, course.java), "-cp", os.pathsep.join(map(str, path)), LAUNCHER, "execute"]

    def run(number: int, some: Sequence[str]) -> Count:
        folder = REPORTS / f"munit-{scala_part(module)}-{number}"
        shutil.rmtree(folder, ignore_errors=True)
        words = ["--disable-banner", "--details=summary", f"--reports-dir={folder}", *(f"--select-class={name}" for name in some)]
        code, _ = children.run([*jvm, *words], each_line=show, cwd=ROOT)
        return counted("JUnit", code, folder / "TEST-junit-vintage.xml")

    shares = [share for share in halves(module, [name for name in suites(module) if word in name]) if share]
    with ThreadPoolExecutor(len(shares) or 1) as pool:
        return sum(pool.map(run, range(1, len(shares) + 1), shares), Count())


def halves(module: str, there: Sequence[str]) -> list[Sequence[str]]:
    """Divides the suites among the JVMs, so that neighbours by name go to different ones."""
    return [there[::2], there[1::2]] if module in HALVED else [there]


def counted(program: str, code: int, report: Path) -> Count:
    count = reports.count(program, code, report)
    if count.passed:
        say(f"Tests: the slowest are {reports.seconds_by_class(report)}")
    return count


# ---- pytest


def pytest(course: Course, name: str, files: Sequence[Path], options: Sequence[str]) -> Count:
    report = REPORTS / f"pytest-{name.replace(' ', '-')}.xml"
    report.unlink(missing_ok=True)
    ours = ["-p", "no:cacheprovider", f"--durations={reports.LISTED}", f"--rootdir={ROOT}", f"--junitxml={report}"]
    argv = [course.python.program, "-m", "pytest", *ours, *files, *options]
    code, _ = children.run(argv, environment(course), each_line=show, cwd=ROOT)
    return counted("pytest", code, report)


# ---- all of it


@dataclass(frozen=True)
class Asked:
    """Describes what the command line asks for.

    These are parts, pytest's options, whether to include slow tests, and whether to record the seconds.
    """

    parts: Sequence[str]
    options: Sequence[str]
    full: bool
    record: bool

    @property
    def word(self) -> str | None:
        """Returns the word that the names of Scala suites must contain: "" for all suites, None if pytest's options exclude them."""
        if not self.options:
            return ""
        return self.options[1] if len(self.options) == 2 and self.options[0] == "-k" else None

    @property
    def whole(self) -> bool:
        return LINT in self.parts and not self.options and set(self.parts) >= {part for of, _ in GROUPS.values() for part in of}

    @property
    def image(self) -> bool:
        """Returns whether the image is tried, so that the pages that the container executed exist."""
        return "image" in self.parts and not self.options and os.environ.get("COURSE_IMAGE") != "no" and image.engine() is not None


def arguments(parser: Parser) -> None:
    parser.passes_on = parser.passes_options = True
    parser.usage = "%(prog)s [--full] [--record] [--format] [PART …] [OPTION …]"
    parser.epilog = "From the first other option on, words go to pytest (-k, -x, …). -k WORD alone also selects Scala suites by name."
    parser.add_argument("parts", metavar="PART", nargs="*", default=[], help="a part of the tests (default: all parts)")
    parser.add_argument("--full", action="store_true", help="include slow tests: every page on this machine, 10,000 hostile messages, …")
    parser.add_argument("--record", action="store_true", help="record the seconds of each part, for the table of later runs")
    parser.add_argument("--format", action="store_true", help="format the sources instead of running tests")


def asked(given: Namespace, definition: Definition) -> Asked:
    """Returns what the command line asks for. Raises a Problem if there is no such part."""
    known = parts(definition)
    unknown = [word for word in given.parts if word not in known]
    if unknown:
        raise Problem(f"There is no part {unknown[0]!r} of the tests.", f"Name none, or some of: {', '.join(known)}.")
    return Asked(given.parts or known, given.rest, given.full, given.record)


def steps(course: Course, definition: Definition, what: Asked, with_image: bool) -> list[Step]:
    lock, found = Lock.read(), []
    if LINT in what.parts and not what.options:
        found.append(Step(LINT, lambda: lint(course, lock)))
    for module in test_modules(definition):
        if scala_part(module) in what.parts and what.word is not None:
            found.append(Step(scala_part(module), lambda module=module: munit(course, definition, lock, module, what.word or "")))
    files = [path for path in pytest_files() if pytest_part(path) in what.parts]
    if with_image and not what.full:
        files = [path for path in files if path.name != IN_THE_IMAGE]
    for name, group, options in pytest_groups(files):
        found.append(Step(name, lambda name=name, group=group, more=options: pytest(course, name, group, (*more, *what.options))))
    return found


@contextmanager
def built_meanwhile(with_image: bool) -> Iterator[Future[object] | None]:
    """Builds the image in parallel with the block. The part `image` then finds every layer built, or reports the failure."""
    if not with_image:
        yield None
        return
    pool = ThreadPoolExecutor(1)
    try:
        yield pool.submit(image.build, image.needed_engine())
    finally:
        pool.shutdown(wait=False)


def perform(what: Asked, definition: Definition) -> tuple[dict[str, Count], dict[str, float]]:
    """Runs the parts. Returns the result and the seconds of each. Raises a Problem if the set-up fails."""
    with_image = what.image
    counts: dict[str, Count] = {}
    with built_meanwhile(with_image) as built:
        course = set_up(tests=True)
        seconds = {"set-up": elapsed()}
        for step in steps(course, definition, what, with_image):
            if built and step.name != LINT and not built.done():  # tests that measure must run alone on the machine
                built.exception()
                seconds["image's build, after lint"] = elapsed() - sum(seconds.values())
            say(f"Tests: {step.name}")
            began = time.monotonic()
            counts[step.name] = step.check()
            seconds[step.name] = time.monotonic() - began
    return counts, seconds


def main(given: Namespace) -> int:
    """Runs the named parts, or all. Returns 1 if a test failed. Raises a Problem if there is no such part."""
    definition = Definition.read()
    if given.format:
        return format_all(set_up(tests=True))
    what = asked(given, definition)
    # The results of pages in the tests aren't the reader's.
    shutil.rmtree(REPORTS / "results", ignore_errors=True)
    os.environ["COURSE_RESULTS"] = str(REPORTS / "results")
    os.environ["COURSE_TESTS"] = "full" if what.full else "push"
    if what.image:
        os.environ["COURSE_EXECUTED"] = str(image.EXECUTED)
    try:
        counts, seconds = perform(what, definition)
    except Problem as problem:
        sys.stderr.write("\n" + problem.told())
        show(str(Count(failed=1)))
        return 1
    before = reports.recorded() if what.whole else {}
    tail = [reports.too_long(elapsed())] if what.whole else []
    show(reports.summary(counts, [reports.table(seconds, before), *tail, ages.report(datetime.date.today())]))
    if what.record and what.whole:
        reports.record(seconds)
    total = sum(counts.values(), Count())
    if total == Count():
        show(f"No test was run: {' '.join(what.options)!r} selects no test of these parts: {', '.join(what.parts)}.")
        show("What to do: give -k a word from a test's name. For a Scala part, give it a word from a suite's name, and no other option.")
    return 1 if total.failed or total == Count() else 0
