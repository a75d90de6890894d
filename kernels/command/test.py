"""`test`: lint and format, the Scala suites, then pytest over kernels/tests. Ends with one line that sums them all up."""

from __future__ import annotations

import datetime
import itertools
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from . import ages, children, kernel
from .compile import jar_of, module_path
from .jars import Definition, Lock, class_path
from .paths import BUILD, CLASSES, KERNELS, ROOT, TESTS, shown
from .problem import Problem
from .run import environment
from .say import elapsed, say
from .setup import Course, set_up

LINT = "lint"
REPORTS = BUILD / "test"
# Of these parts two files run at once: their limits leave room for it (`site` has one, for the quickest of three). What starts kernels is
# apart from what starts browsers, whose event loop a process keeps.
ABREAST = (
    frozenset(("children", "hub", "jmh", "kernel", "kotlin", "results")),
    frozenset(("class", "command", "instructor", "library", "program", "progress", "site", "slides", "solutions")),
)
# Of these suites half run in each of two JVMs.
HALVED = frozenset(("ammonite-test",))
JUNIT = "org.junit.runner.JUnitCore"


@dataclass(frozen=True)
class Count:
    """How many tests came out how, and which failed, with the first line of why."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    why: tuple[str, ...] = field(default=(), compare=False)

    def __add__(self, other: Count) -> Count:
        sums = (self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)
        return Count(*sums, self.why + other.why)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


Step = tuple[str, Callable[[], Count]]


def show(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


# ---- what there is to run


def pytest_part(path: Path) -> str:
    """The part that a file belongs to: test_command_errors.py to `command`."""
    return path.stem.removeprefix("test_").split("_")[0]


def scala_part(module: str) -> str:
    return module.removesuffix("-test")


def pytest_files() -> list[Path]:
    """The pages are executed first: sites and slides are made of them. The longest comes last."""
    # Once a browser was started, its event loop is there for the rest of the run.
    rank = {"notebooks": 0, "command": 1, **dict.fromkeys(("browser", "class", "site", "slides", "solutions"), 3), "image": 4}
    return sorted(TESTS.glob("test_*.py"), key=lambda path: (rank.get(pytest_part(path), 2), path.name))


def pytest_groups(files: Sequence[Path]) -> list[tuple[list[Path], tuple[str, ...]]]:
    """What runs in one go, and the options for it: one after another, then several abreast, then the image with the machine to itself."""
    alone = [path for path in files if pytest_part(path) == "image"]
    abreast = [[path for path in files if pytest_part(path) in some] for some in ABREAST]
    others = [path for path in files if path not in (*alone, *itertools.chain(*abreast))]
    two = ("--numprocesses=2", "--dist=loadfile")
    found: list[tuple[list[Path], tuple[str, ...]]] = [(others, ()), *((group, two) for group in abreast), (alone, ())]
    return [(group, options) for group, options in found if group]


def test_modules(definition: Definition) -> list[str]:
    return [name for name, module in definition.modules.items() if module.get("test")]


def parts(definition: Definition) -> list[str]:
    names = [LINT, *map(scala_part, test_modules(definition)), *map(pytest_part, pytest_files())]
    return list(dict.fromkeys(names))


# ---- lint and format


def lint_step(name: str, argv: Sequence[str | Path], remedy: str) -> Step:
    def check() -> Count:
        code, output = children.run(argv, cwd=ROOT)
        if code == 0:
            return Count(passed=1)
        show("\n".join(output.strip().splitlines()[:80]))
        show(f"{name} failed. What to do: {remedy}")
        return Count(failed=1, why=(f"{name}: {remedy}",))

    return name, check


def ruff(course: Course, verb: str, *options: str) -> list[str | Path]:
    return [course.python.program, "-m", "ruff", verb, "--no-cache", *options, KERNELS, KERNELS / "course"]


def scalafmt(course: Course, lock: Lock, *options: str) -> list[str | Path]:
    path = os.pathsep.join(map(str, class_path(lock, "scalafmt", course.files)))
    jvm = [course.java.program, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", path, "org.scalafmt.cli.Cli"]
    return [*jvm, "--config", ROOT / ".scalafmt.conf", "--non-interactive", *options, KERNELS]


def lint_steps(course: Course, lock: Lock) -> list[Step]:
    format_them = "kernels/course test --format"
    return [
        lint_step("ruff check", ruff(course, "check"), f"{shown(course.python.program)} -m ruff check --fix kernels"),
        lint_step("ruff format", ruff(course, "format", "--diff"), format_them),
        lint_step("scalafmt", scalafmt(course, lock, "--list"), f"format the files listed above: {format_them}"),
    ]


def format_all(course: Course) -> int:
    """Formats what the lint steps check."""
    for argv in (ruff(course, "check", "--fix"), ruff(course, "format"), scalafmt(course, Lock.read())):
        code, _ = children.run(argv, each_line=show, cwd=ROOT)
    return code


# ---- munit


def suites(module: str) -> list[str]:
    """The classes of a test module whose name ends in Suite."""
    folder = CLASSES / module
    found = (path.relative_to(folder).with_suffix("") for path in folder.rglob("*Suite.class") if "$" not in path.name)
    return sorted(".".join(path.parts) for path in found)


def scala_step(course: Course, definition: Definition, lock: Lock, module: str) -> Step:
    path = [jar_of(module), *module_path(definition, lock, module, course.files)]
    jvm = [course.java.program, *kernel.options(course.choice, course.java), "-cp", os.pathsep.join(map(str, path)), JUNIT]

    def run(some: Sequence[str]) -> Count:
        return junit_count(*children.run([*jvm, *some], each_line=show, cwd=ROOT))

    def check() -> Count:
        shares = [share for share in halves(module, suites(module)) if share]
        with ThreadPoolExecutor(len(shares) or 1) as pool:
            return sum(pool.map(run, shares), Count())

    return f"munit {scala_part(module)}", check


def halves(module: str, there: Sequence[str]) -> list[Sequence[str]]:
    """What each JVM runs: neighbours by name go to different ones."""
    return [there[::2], there[1::2]] if module in HALVED else [there]


def junit_count(code: int, output: str) -> Count:
    """What JUnit's text runner says at its end; a JVM that died before is one failure."""
    ok = re.search(r"^OK \((\d+) tests?\)", output, re.M)
    bad = re.search(r"^Tests run: (\d+),\s+Failures: (\d+)", output, re.M)
    skipped = sum(line.count("I") for line in output.splitlines() if re.fullmatch(r"[.EI]+", line))
    if ok and code == 0:
        return Count(passed=int(ok[1]), skipped=skipped)
    if bad:
        failed = max(1, int(bad[2]))
        return Count(max(0, int(bad[1]) - failed), failed, skipped, tuple(junit_failures(output)))
    return Count(failed=1, why=(f"the JVM ended with exit code {code}",))


def junit_failures(output: str) -> list[str]:
    """Each test that JUnit's text runner lists as failed, with what it threw."""
    listed = re.findall(r"^\d+\) (.+)\n(.*)", output.partition("\nTime: ")[2], re.M)
    return [f"{name.strip()}: {thrown.strip()}" for name, thrown in listed]


# ---- pytest


def pytest_step(course: Course, files: Sequence[Path], options: Sequence[str]) -> Step:
    named = " ".join(dict.fromkeys(map(pytest_part, files)))

    def check() -> Count:
        report = REPORTS / f"pytest-{pytest_part(files[0])}.xml"
        report.unlink(missing_ok=True)
        ours = ["-p", "no:cacheprovider", "--durations=8", f"--rootdir={ROOT}", f"--junitxml={report}"]
        argv = [course.python.program, "-m", "pytest", *ours, *files, *options]
        code, _ = children.run(argv, environment(course), each_line=show, cwd=ROOT)
        count = pytest_count(code, report)
        if count.passed:
            say("Tests: " + ", ".join(f"{part} {seconds:.0f} s" for part, seconds in pytest_seconds(report).items()))
        return count

    return f"pytest {named}", check


def pytest_cases(report: Path) -> list[ElementTree.Element]:
    """Raises an OSError or a ParseError if there is no whole report."""
    return list(ElementTree.parse(report).iter("testcase"))


def pytest_seconds(report: Path) -> dict[str, float]:
    """How long each part took, the longest first."""
    found: dict[str, float] = {}
    for case in pytest_cases(report):
        # The class is the file, as in `kernels.tests.test_site`; where a file can't be read, the name is.
        part = pytest_part(Path((case.get("classname") or case.get("name", "")).split(".test_")[-1]))
        found[part] = found.get(part, 0) + float(case.get("time", 0))
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def pytest_count(code: int, report: Path) -> Count:
    """What pytest's JUnit report says, each test once, however many subtests it has; without a whole report, one failure.

    Exit code 5 says that a filter left no test, which is no failure.
    """
    try:
        cases = pytest_cases(report)
    except (OSError, ElementTree.ParseError) as error:
        return Count(failed=1, why=(f"pytest ended with exit code {code}, and its report is missing or torn: {error}",))
    failures = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skipped = sum(case.find("skipped") is not None for case in cases)
    if not failures and code not in (0, 5):
        return Count(len(cases) - skipped, 1, skipped, (f"pytest ended with exit code {code}",))
    return Count(len(cases) - len(failures) - skipped, len(failures), skipped, tuple(map(pytest_failure, failures)))


def pytest_failure(case: ElementTree.Element) -> str:
    """The test's name, with the first line of what its report says of it."""
    said = next(found for kind in ("failure", "error") if (found := case.find(kind)) is not None)
    lines = (said.get("message") or said.text or "").strip().splitlines() or [""]
    return f"{case.get('classname')}::{case.get('name')}: {lines[0]}"


# ---- all of it


def split(words: Sequence[str], definition: Definition) -> tuple[list[str], list[str]]:
    """Parts, and what goes to pytest (from the first option on). Raises a Problem of a part that isn't there."""
    first = next((n for n, word in enumerate(words) if word.startswith("-")), len(words))
    asked, more = list(words[:first]), [word for word in words[first:] if word != "--"]
    known = parts(definition)
    unknown = [word for word in asked if word not in known]
    if unknown:
        raise Problem(f"There is no part {unknown[0]!r} of the tests.", f"Name none, or some of: {', '.join(known)}.")
    return asked or known, more


def steps(course: Course, definition: Definition, asked: Sequence[str], more: Sequence[str]) -> list[Step]:
    lock = Lock.read()
    found: list[Step] = lint_steps(course, lock) if LINT in asked and not more else []
    if not more:
        found += [scala_step(course, definition, lock, m) for m in test_modules(definition) if scala_part(m) in asked]
    files = [path for path in pytest_files() if pytest_part(path) in asked]
    return [*found, *(pytest_step(course, group, (*options, *more)) for group, options in pytest_groups(files))]


def main(words: list[str]) -> int:
    """Runs the parts that the words name, or all of them; 1 where a test failed. Raises a Problem of a part that isn't there."""
    definition = Definition.read()
    if words == ["--format"]:
        return format_all(set_up(tests=True))
    asked, more = split(words, definition)
    try:
        course = set_up(tests=True)
    except Problem as problem:
        sys.stderr.write("\n" + problem.told())
        show(str(Count(failed=1)))
        return 1
    # What pages keep while they are tested is not what a reader measured.
    shutil.rmtree(BUILD / "test" / "results", ignore_errors=True)
    os.environ["COURSE_RESULTS"] = str(BUILD / "test" / "results")
    counts: dict[str, Count] = {}
    for name, check in steps(course, definition, asked, more):
        say(f"Tests: {name}")
        counts[name] = check()
    say(f"Tests took {elapsed():.0f} s")
    show(summary(counts, ages.report(datetime.date.today())))
    return 1 if sum(counts.values(), Count()).failed else 0


def summary(counts: Mapping[str, Count], locks: str) -> str:
    """Returns how each step came out, how old the locks are, what failed (perhaps thousands of lines above), and all in one line."""
    total = sum(counts.values(), Count())
    steps = [f"  {name}: {count}" for name, count in counts.items()]
    return "\n".join(["", *steps, locks, *(f"  failed: {why}" for why in total.why), str(total)])
