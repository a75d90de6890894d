"""Compares the verdicts of repeated runs, for `verdicts` to show and record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property

from ..base import records
from ..base.files import write_whole
from ..base.records import DOES_NOT_HOLD, GRADED, HOLDS, NOT_DECIDED, NOT_TRIED, Record

OPEN = (NOT_DECIDED, NOT_TRIED)

# Names of the kinds of change, the worst first.
REVERSED = f'The worst: from "{HOLDS}" to "{DOES_NOT_HOLD}", or back'
REGRADED = "Between other grades"
WITHHELD = f'Only to or from "{NOT_DECIDED}" or "{NOT_TRIED}"'
MISSING = "Not judged in every run"


@dataclass(frozen=True)
class PageRun:
    """Describes one run of a page: its number, the error that stopped it, if any, and the verdicts that it showed.

    `stolen` is the share of CPU time that a hypervisor gave to other machines in the meantime, or None if it is unknown.
    """

    page: str
    number: int
    error: str = ""
    rows: list[Record] = field(default_factory=list)
    stolen: float | None = None


@dataclass(frozen=True)
class Judged:
    """Describes a statement on one page, with its verdict in each run, by the run's number. `runs` is how often the page ran."""

    page: str
    statement: str
    runs: int
    rows: dict[int, Record]

    @property
    def verdicts(self) -> list[str]:
        return [row["verdict"] for row in self.rows.values()]

    @property
    def usual(self) -> tuple[str, int]:
        """Returns the most frequent verdict and its count. A tie goes to the verdict reached first."""
        return Counter(self.verdicts).most_common(1)[0]

    @property
    def typical(self) -> Record:
        """Returns the middle one of the runs with the usual verdict."""
        rows = [row for row in self.rows.values() if row["verdict"] == self.usual[0]]
        return rows[len(rows) // 2]

    @property
    def change(self) -> str:
        """Returns the name of the worst change, or "" if every run reached the same verdict."""
        names = set(self.verdicts)
        if self.turned_over:
            return REVERSED
        if len(names.intersection(GRADED)) > 1:
            return REGRADED
        if len(names) > 1:
            return WITHHELD
        return MISSING if len(self.rows) < self.runs else ""

    @property
    def turned_over(self) -> bool:
        """Returns whether one run says that the statement holds, and another that it doesn't."""
        return {HOLDS, DOES_NOT_HOLD} <= set(self.verdicts)

    @property
    def name(self) -> str:
        """Returns page, id and, if the course has it, the statement's text."""
        known = records.statements().get(self.statement)
        return f"{self.page[:2]} {self.statement}" + (f": {known.text}" if known else "")

    def record(self, on: str, at: datetime) -> Record:
        """Returns the record to store for this statement."""
        verdict, times = self.usual
        because = self.typical.get("because", "")
        return {
            "record": "recorded",
            "version": records.VERSION,
            "at": f"{at.astimezone(timezone.utc):%Y-%m-%dT%H:%M:%SZ}",
            "page": self.page,
            "statement": self.statement,
            "verdict": verdict,
            **({"because": because} if because else {}),
            "reached": times,
            "runs": self.runs,
            "measured": [{**one, **self.spread(one["name"])} for one in self.typical["measured"]],
            "on": on,
        }

    def spread(self, name: str) -> Record:
        """Returns the least and the greatest number of this name, and how many runs have one. Returns nothing for fewer than two runs.

        Each run of a page is a new JVM, and the interval of one run says nothing about other JVMs. An estimate that has the very same
        interval in all runs was read from a recording, so the runs say nothing about its spread.
        """
        found = [one for row in self.rows.values() for one in row["measured"] if one["name"] == name and not isinstance(one["value"], str)]
        numbers = [one["value"] for one in found]
        intervals = {(one["low"], one["high"]) for one in found if "low" in one}
        read = len(intervals) == 1 and len(set(numbers)) == 1 and all(high - low > 1e-6 * high for low, high in intervals)
        return {} if len(numbers) < 2 or read else {"least": min(numbers), "most": max(numbers), "runs": len(numbers)}


class Stability:
    """Summarises each statement's verdicts over several runs of its page."""

    def __init__(self, runs: Iterable[PageRun]) -> None:
        self.runs = list(runs)

    @cached_property
    def statements(self) -> list[Judged]:
        """Returns the statements by page, and within a page in the order of their first verdict."""
        times = Counter(run.page for run in self.runs)
        found: dict[tuple[str, str], dict[int, Record]] = {}
        for run in self.runs:
            for row in run.rows:
                found.setdefault((run.page, row["statement"]), {})[run.number] = row
        return sorted((Judged(*key, times[key[0]], rows) for key, rows in found.items()), key=lambda one: one.page)

    @property
    def failed(self) -> list[PageRun]:
        return [run for run in self.runs if run.error]

    @property
    def stable(self) -> bool:
        """Returns whether no page failed and each statement got the same verdict in every run."""
        return not self.failed and not any(one.change for one in self.statements)

    def of(self, change: str) -> list[Judged]:
        return [one for one in self.statements if one.change == change]

    def text(self) -> str:
        """Returns the whole report for a reader."""
        every = self.statements
        verdicts = [name for one in every for name in one.verdicts]
        undecided = verdicts.count(NOT_DECIDED)
        never = sum(set(one.verdicts) == {NOT_DECIDED} for one in every)
        sometimes = sum(NOT_DECIDED in one.verdicts for one in every)
        changed = sum(len(set(one.verdicts)) > 1 for one in every)
        lines = [
            f"{count(len(self.runs), 'run')} of a page, {count(len(every), 'statement')}, {changed} changed the verdict",
            f"{NOT_DECIDED}: {undecided} of {count(len(verdicts), 'verdict')}{share(undecided, len(verdicts))}; "
            f"{sometimes} of {count(len(every), 'statement')}{share(sometimes, len(every))} at least once, {never} in every run",
        ]
        lines += self.least_and_most_stolen()
        for change in (REVERSED, REGRADED, WITHHELD, MISSING):
            changed_so = self.of(change)
            lines += ["", change] if changed_so else []
            lines += [line for one in changed_so for line in each_run(one)]
        untried = [(one, row) for one in every for row in one.rows.values() if row["verdict"] == NOT_TRIED]
        lines += ["", "Could not be tried"] if untried else []
        # Each reason appears once.
        lines += dict.fromkeys(f"  {one.name} – {row.get('because', '')}" for one, row in untried)
        lines += ["", "Failed"] if self.failed else []
        lines += [f"  run {run.number} of {run.page}: {run.error}" for run in self.failed]
        return "\n".join([*lines, "", *self.sums()]) + "\n"

    def sums(self) -> list[str]:
        """Returns the numbers that a recording must satisfy."""
        every = self.statements
        changed = sum(len(set(one.verdicts)) > 1 for one in every)
        over = sum(one.turned_over for one in every)
        once = sum(not set(OPEN).isdisjoint(one.verdicts) for one in every)
        never = sum(set(OPEN).issuperset(one.verdicts) for one in every)
        missing = sum(len(one.rows) < one.runs for one in every)
        return [
            f"Of {count(len(every), 'statement')}",
            f"  changed their verdict: {changed}",
            f'  turned over between "{HOLDS}" and "{DOES_NOT_HOLD}": {over}',
            f"  open (not decided or not tried): {once} in at least one run, {never} in every run",
            *([f"  not judged in every run: {missing}"] if missing else []),
        ]

    def least_and_most_stolen(self) -> list[str]:
        """Returns how much CPU time other machines took. If they took much, a changed verdict says little."""
        known = sorted((run.stolen, run.number, run.page) for run in self.runs if run.stolen is not None)
        if not known or not known[-1][0]:
            return []
        least, (most, number, page) = known[0][0], known[-1]
        return [f"the hypervisor gave {least:.1%} to {most:.1%} of the CPUs' time to other machines (most in run {number} of {page})"]


def count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def share(part: int, whole: int) -> str:
    return f" ({part / whole:.0%})" if whole else ""


def each_run(one: Judged) -> list[str]:
    """Returns a statement's verdict and measurements in each run."""
    width = len(NOT_DECIDED)
    said = [f"    run {number}  {row['verdict']:<{width}}  {records.told(row['measured'])}" for number, row in one.rows.items()]
    missing = one.runs - len(one.rows)
    return [f"  {one.name}", *said, *([f"    not judged in {count(missing, 'run')} of {one.runs}"] if missing else [])]


def record(found: Stability, on: str, at: datetime | None = None) -> None:
    """Replaces the records of the pages that ran, and keeps all others. Raises an OSError if the file can't be written."""
    ran = {run.page for run in found.runs}
    kept = [record for record in records.recorded() if record["page"] not in ran]
    new = [one.record(on, at or datetime.now(timezone.utc)) for one in found.statements]
    rows = sorted([*kept, *new], key=lambda record: record["page"])
    write_whole(records.RECORDED, "".join(map(records.as_line, rows)))
