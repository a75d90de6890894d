"""Whether claims keep their verdict when their pages run again: what `verdicts` tells and records."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property

from ..base.files import write_whole
from ..base.paths import ROOT
from .ledger import Row

RECORD = ROOT / "data" / "recorded" / "verdicts.csv"
COLUMNS = ("page", "claim", "sentence", "kind", "verdict", "because", "share", "measured", "published", "runs", "on", "at")

# The names that lab.page.Verdict gives.
HOLDS, DEPENDS, DOES_NOT_HOLD = "holds", "depends", "does not hold"
NOT_DECIDED, NOT_TRIED = "not decided here", "not tried"
GRADED = (HOLDS, DEPENDS, DOES_NOT_HOLD)
VERDICTS = (*GRADED, NOT_DECIDED, NOT_TRIED)

# What a change is called, the worst first.
REVERSED = 'The worst: from "holds" to "does not hold", or back'
REGRADED = "Between other grades"
WITHHELD = 'Only to or from "not decided here" or "not tried"'
MISSING = "Not judged in every run"


@dataclass(frozen=True)
class PageRun:
    """One run of a page: the `number`th, what stopped it, if anything did, and the rows of its ledger.

    `stolen` is the share of the CPUs' time that a hypervisor gave to other machines meanwhile; none where the system doesn't tell.
    """

    page: str
    number: int
    error: str = ""
    rows: list[Row] = field(default_factory=list)
    stolen: float | None = None


@dataclass(frozen=True)
class Judged:
    """A claim in one sentence on one page, and its row in each run, by the run's number; `runs` says how often the page ran."""

    page: str
    claim: str
    sentence: str
    runs: int
    rows: dict[int, Row]

    @property
    def verdicts(self) -> list[str]:
        return [row["verdict"] for row in self.rows.values()]

    @property
    def usual(self) -> tuple[str, int]:
        """The verdict reached most often, of several the one reached first, and how often."""
        return Counter(self.verdicts).most_common(1)[0]

    @property
    def typical(self) -> Row:
        """Of the runs that reached the usual verdict the middle one."""
        rows = [row for row in self.rows.values() if row["verdict"] == self.usual[0]]
        return rows[len(rows) // 2]

    @property
    def change(self) -> str:
        """What its worst change is called; empty where every run reached the same verdict."""
        names = set(self.verdicts)
        if {HOLDS, DOES_NOT_HOLD} <= names:
            return REVERSED
        if len(names.intersection(GRADED)) > 1:
            return REGRADED
        if len(names) > 1:
            return WITHHELD
        return MISSING if len(self.rows) < self.runs else ""

    @property
    def name(self) -> str:
        return f"{self.page[:2]} {self.claim}: {self.sentence}"


class Stability:
    """What became of each claim in several runs of its page."""

    def __init__(self, runs: Iterable[PageRun]) -> None:
        self.runs = list(runs)

    @cached_property
    def claims(self) -> list[Judged]:
        """By page, within it in the order in which they were judged first."""
        times = Counter(run.page for run in self.runs)
        found: dict[tuple[str, str, str], dict[int, Row]] = {}
        for run in self.runs:
            for row in run.rows:
                found.setdefault((run.page, row["id"], row["sentence"]), {})[run.number] = row
        return sorted((Judged(*key, times[key[0]], rows) for key, rows in found.items()), key=lambda claim: claim.page)

    @property
    def failed(self) -> list[PageRun]:
        return [run for run in self.runs if run.error]

    @property
    def stable(self) -> bool:
        """Whether no page failed, and each claim got the same verdict in every run."""
        return not self.failed and not any(claim.change for claim in self.claims)

    def of(self, change: str) -> list[Judged]:
        return [claim for claim in self.claims if claim.change == change]

    def text(self) -> str:
        """All of it for a reader."""
        verdicts = [name for claim in self.claims for name in claim.verdicts]
        undecided = verdicts.count(NOT_DECIDED)
        never = sum(set(claim.verdicts) == {NOT_DECIDED} for claim in self.claims)
        sometimes = sum(NOT_DECIDED in claim.verdicts for claim in self.claims)
        changed = sum(len(set(claim.verdicts)) > 1 for claim in self.claims)
        lines = [
            f"{count(len(self.runs), 'run')} of a page, {count(len(self.claims), 'claim')}, {changed} changed the verdict",
            f"not decided here: {undecided} of {count(len(verdicts), 'verdict')}{share(undecided, len(verdicts))}; "
            f"{sometimes} of {count(len(self.claims), 'claim')}{share(sometimes, len(self.claims))} at least once, {never} in every run",
        ]
        lines += self.least_and_most_stolen()
        for change in (REVERSED, REGRADED, WITHHELD, MISSING):
            claims = self.of(change)
            lines += ["", change] if claims else []
            lines += [line for claim in claims for line in each_run(claim)]
        untried = [(claim, row) for claim in self.claims for row in claim.rows.values() if row["verdict"] == NOT_TRIED]
        lines += ["", "Could not be tried"] if untried else []
        # One line for a reason, however often it was given.
        lines += dict.fromkeys(f"  {claim.name} – {row['conditions'].split('; ')[0]}" for claim, row in untried)
        lines += ["", "Failed"] if self.failed else []
        lines += [f"  run {run.number} of {run.page}: {run.error}" for run in self.failed]
        return "\n".join(lines) + "\n"

    def least_and_most_stolen(self) -> list[str]:
        """How quiet the machine was: verdicts that change where others took much of it say little."""
        known = sorted((run.stolen, run.number, run.page) for run in self.runs if run.stolen is not None)
        if not known or not known[-1][0]:
            return []
        least, (most, number, page) = known[0][0], known[-1]
        return [f"the hypervisor gave {least:.1%} to {most:.1%} of the CPUs' time to other machines (most in run {number} of {page})"]

    def table(self, on: str, at: datetime) -> list[dict[str, str]]:
        """The rows to record: one for each claim and sentence."""
        return [dict(zip(COLUMNS, self._row(claim, on, at), strict=True)) for claim in self.claims]

    def _row(self, claim: Judged, on: str, at: datetime) -> tuple[str, ...]:
        verdict, times = claim.usual
        when = at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        kind, because, measured, published = (claim.typical[field] for field in ("kind", "because", "measured", "published"))
        share = f"{times}/{claim.runs}"
        return (claim.page, claim.claim, claim.sentence, kind, verdict, because, share, measured, published, str(claim.runs), on, when)


def count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def share(part: int, whole: int) -> str:
    return f" ({part / whole:.0%})" if whole else ""


def each_run(claim: Judged) -> list[str]:
    """What was measured each time."""
    said = [f"    run {number}  {row['verdict']:<{len(NOT_DECIDED)}}  {row['measured']}" for number, row in claim.rows.items()]
    missing = claim.runs - len(claim.rows)
    return [f"  {claim.name}", *said, *([f"    not judged in {count(missing, 'run')} of {claim.runs}"] if missing else [])]


def record(found: Stability, on: str, at: datetime | None = None) -> None:
    """Replaces the recorded rows of the pages that ran, and keeps those of the others. Raises an OSError where it can't be written."""
    ran = {run.page for run in found.runs}
    kept = [row for row in recorded() if row["page"] not in ran]
    rows = sorted([*kept, *found.table(on, at or datetime.now(timezone.utc))], key=lambda row: row["page"])
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(RECORD, text.getvalue())


def recorded() -> list[dict[str, str]]:
    """What is recorded; nothing where there is no file."""
    if not RECORD.exists():
        return []
    with RECORD.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
