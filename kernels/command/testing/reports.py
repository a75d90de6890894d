"""Reports the results of `test`: the tests' outcomes from JUnit's XML, and the seconds of each part."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from ..base.files import read_json, write_whole
from ..base.paths import TESTS, shown

RECORDED = TESTS / "seconds.json"
GOAL, MOST = 35, 45  # minutes for all parts on two CPUs: the expected time, and the limit for a loud warning
LISTED = 8


@dataclass(frozen=True)
class Count:
    """Counts the tests by outcome, with the first line of each failure."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    why: tuple[str, ...] = field(default=(), compare=False)

    def __add__(self, other: Count) -> Count:
        sums = (self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)
        return Count(*sums, self.why + other.why)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


# ---- JUnit's XML, which pytest and JUnit's console write


def cases(report: Path) -> list[ElementTree.Element]:
    """Returns the test cases of a report. Raises an OSError or a ParseError if the report is missing or torn."""
    return list(ElementTree.parse(report).iter("testcase"))


def count(program: str, code: int, report: Path) -> Count:
    """Counts the tests of a report, each once, even if it has subtests. A missing or torn report counts as one failure.

    `program` wrote the report and ended with exit code `code`. pytest ends with 5 if a filter left no test, which isn't a failure.
    """
    try:
        found = cases(report)
    except (OSError, ElementTree.ParseError) as error:
        return Count(failed=1, why=(f"{program} ended with exit code {code}, and its report is missing or torn: {error}",))
    failures = [case for case in found if case.find("failure") is not None or case.find("error") is not None]
    skipped = sum(case.find("skipped") is not None for case in found)
    if not failures and code not in (0, 5):
        return Count(len(found) - skipped, 1, skipped, (f"{program} ended with exit code {code}",))
    return Count(len(found) - len(failures) - skipped, len(failures), skipped, tuple(map(failure, failures)))


def failure(case: ElementTree.Element) -> str:
    """Returns the test's name with the first line of its failure."""
    said = next(found for kind in ("failure", "error") if (found := case.find(kind)) is not None)
    lines = (said.get("message") or said.text or "").strip().splitlines() or [""]
    return f"{case.get('classname')}::{case.get('name')}: {lines[0]}"


def seconds_by_class(report: Path) -> str:
    """Returns the classes of a report (pytest's files, Scala's suites) that took longest, with their seconds."""
    found: dict[str, float] = {}
    for case in cases(report):
        # pytest puts the file into the class name, as in `kernels.tests.test_site`. Of an unreadable file, only the name has it.
        name = (case.get("classname") or case.get("name", "")).split(".")[-1]
        found[name] = found.get(name, 0) + float(case.get("time", 0))
    longest = sorted(found.items(), key=lambda item: -item[1])[:LISTED]
    return ", ".join(f"{name} {seconds:.0f} s" for name, seconds in longest)


# ---- the seconds of each part


def recorded() -> dict[str, float]:
    """Returns the seconds of each part in the recorded run, or an empty dictionary if there is none."""
    return read_json(RECORDED, {}).get("seconds", {})


def record(seconds: Mapping[str, float]) -> None:
    """Stores the seconds of a whole run. Raises an OSError if the file can't be written."""
    rounded = {name: round(value) for name, value in seconds.items()}
    write_whole(RECORDED, json.dumps({"cpus": os.cpu_count(), "seconds": rounded}, indent=1) + "\n")


def table(seconds: Mapping[str, float], before: Mapping[str, float]) -> str:
    """Returns a table of the seconds that each part took, next to the recorded ones."""
    names = [*seconds, *(name for name in before if name not in seconds)]
    rows = [(name, f"{seconds[name]:.0f}" if name in seconds else "–", f"{before[name]:.0f}" if name in before else "–") for name in names]
    rows.append(("all", f"{sum(seconds.values()):.0f}", f"{sum(before.values()):.0f}" if before else "–"))
    width = max(len(name) for name, _, _ in rows)
    lines = [f"  {name:{width}} {now:>7} {then:>9}" for name, now, then in rows]
    return "\n".join([f"  {'part':{width}} seconds  recorded", *lines])


def too_long(seconds: float) -> str:
    """Returns a warning if all parts together took too long, else ""."""
    if seconds <= MOST * 60:
        return ""
    words = (
        f"TOO LONG: the tests took {seconds / 60:.0f} minutes. Expected: {GOAL} on two CPUs, at most {MOST}.",
        f"What to do: compare the table above with the seconds recorded in {shown(RECORDED)}, and shorten the part that grew.",
    )
    return "\n".join(["!" * len(words[0]), *words, "!" * len(words[0])])


def summary(counts: Mapping[str, Count], more: Sequence[str]) -> str:
    """Returns the outcome of each part, then `more`, then the failures (which may be far above), and the sum in one line."""
    total = sum(counts.values(), Count())
    parts = [f"  {name}: {count}" for name, count in counts.items()]
    return "\n".join(["", *parts, *filter(None, more), *(f"  failed: {why}" for why in total.why), str(total)])
