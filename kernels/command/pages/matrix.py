"""Runs pages in every setting, for `verdicts --matrix`.

Each run of a page adds a row to `data/recorded/matrix.csv` when it ends. A later call with the same machine continues after the last row.
"""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import groupby
from pathlib import Path
from statistics import mean
from typing import Any

from ..base import records
from ..base.children import without
from ..base.files import write_whole
from ..base.paths import BUILD, KERNELS, ROOT, RUNS, shown
from ..base.records import GRADED, NOT_DECIDED, NOT_TRIED
from ..base.say import elapsed, say
from ..setup.programs import environment, module
from ..setup.stages import Course
from . import notebooks, settings
from .settings import Setting

MATRIX = ROOT / "data" / "recorded" / "matrix.csv"
RESULTS = BUILD / "matrix"  # so that these runs don't count as the reader's
REACHED = {name.replace(" ", "_"): name for name in GRADED}  # the column of each verdict
COLUMNS = ("profile", "round", "cpus", "jdk", "next_to", "page", "seconds", "memory_mb", "error", *REACHED, "open", "flipped", "at", "on")
USUAL_SECONDS = 110.0  # of a page that has no row yet
Row = dict[str, str]


@dataclass(frozen=True)
class Step:
    """Describes one run of a page that the matrix needs."""

    round: int
    setting: Setting
    page: Path

    def key(self, profile: str, on: str) -> tuple[str, ...]:
        one = self.setting
        return (profile, str(self.round), str(one.cpus), str(one.jdk), one.next_to, self.page.stem, on)


def key(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in ("profile", "round", "cpus", "jdk", "next_to", "page", "on"))


def read(path: Path = MATRIX) -> list[Row]:
    """Returns the rows that are there."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))) if path.exists() else []


def keep(rows: Iterable[Row], path: Path = MATRIX) -> None:
    """Writes all rows. Raises an OSError if the file can't be written, and leaves the old one as it was."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue())


def left(rounds: int, asked: Setting, pages: Sequence[Path], rows: Iterable[Row], profile: str, on: str) -> list[Step]:
    """Returns the runs that have no row yet, round by round, without pages that need a newer JDK."""
    there, needed = set(map(key, rows)), {page: notebooks.oldest_jdk(page) for page in pages}
    every = ((number, one, page) for number in range(1, rounds + 1) for one in settings.every(asked) for page in pages)
    steps = (Step(number, one, page) for number, one, page in every if one.jdk >= needed[page])
    return [step for step in steps if step.key(profile, on) not in there]


def row_of(step: Step, profile: str, on: str, report: dict[str, Any], verdicts: Sequence[records.Record], at: datetime) -> Row:
    """Returns the row on a run. `flipped` has the statements whose verdict is another than the recorded one, if both are decided."""
    recorded = {record["statement"]: record["verdict"] for record in records.recorded()}

    def which(*names: str) -> str:
        return " ".join(record["statement"] for record in verdicts if record["verdict"] in names)

    flipped = [
        record["statement"]
        for record in verdicts
        if record["verdict"] in GRADED and recorded.get(record["statement"], NOT_DECIDED) in {*GRADED} - {record["verdict"]}
    ]
    values = (
        *step.key(profile, on)[:-1],
        report["seconds"],
        report["peak_memory_mb"],
        " ".join(report.get("error", "").split()),
        *map(which, GRADED),
        which(NOT_DECIDED, NOT_TRIED),
        " ".join(flipped),
        f"{at.astimezone(timezone.utc):%Y-%m-%dT%H:%M:%SZ}",
        on,
    )
    return dict(zip(COLUMNS, map(str, values), strict=True))


def execute(course: Course, page: Path, env: dict[str, str]) -> tuple[dict[str, Any], list[records.Record]]:
    """Runs one page as `run` does. Returns its row of the report and its verdicts. Raises KeyboardInterrupt if it was interrupted."""
    report = RUNS / "report.json"
    report.unlink(missing_ok=True)
    kernel = f"{course.choice.kernel} {course.choice.version}"
    argv = module(course, "command.pages.execute", kernel, str(page))
    # The program is in this process's group, so that Ctrl+C reaches it too. It then stops the kernel.
    with subprocess.Popen(list(map(str, argv)), env=env, cwd=ROOT, stdout=subprocess.DEVNULL) as program:
        try:
            code = program.wait()
        except KeyboardInterrupt:
            program.terminate()
            program.wait()
            raise
    if code == 130:
        raise KeyboardInterrupt
    if not report.exists():
        return {"seconds": 0, "peak_memory_mb": 0, "error": f"ended with code {code} and without a report"}, []
    return json.loads(report.read_text())[0], records.verdicts_of(json.loads((RUNS / page.name).read_text()))


def run(rounds: int, asked: Setting, pages: Sequence[Path], on: str) -> int:
    """Runs what is left of the matrix, and shows all of it. Returns 1 if a page failed.

    Raises a Problem if the set-up fails, and an OSError if the rows can't be written.
    """
    profile = os.environ.get("COURSE_PROFILE", "quick")
    rows = read()
    steps = left(rounds, asked, pages, rows, profile, on)
    say(f"Matrix: {len(steps)} runs of a page are left, {shown(MATRIX)} has the others")
    done = 0
    for setting, group in groupby(steps, key=lambda step: step.setting):
        course = settings.prepare(setting.jdk)
        began = str(time.monotonic() - elapsed())
        env = environment(course, PYTHONPATH=str(KERNELS), COURSE_BEGAN=began, COURSE_RESULTS=str(RESULTS))
        env = without(env, "COURSE_RECORD")  # with which pages would replace their own recordings
        with settings.applied(setting, env) as beside:
            for step in group:
                say(f"{step.page.stem}, {setting}: run {done + 1} of {len(steps)}, about {hours(expected(steps[done:], rows))} left")
                report, verdicts = execute(course, step.page, env)
                if beside:
                    beside.check()
                rows.append(row_of(step, profile, on, report, verdicts, datetime.now(timezone.utc)))
                keep(rows)
                done += 1
                say(outcome(rows[-1]))
    mine = [row for row in rows if row["profile"] == profile and row["on"] == on]
    sys.stdout.write(text(mine))
    return int(any(row["error"] for row in mine))


def expected(steps: Iterable[Step], rows: Sequence[Row]) -> float:
    """Returns about how many seconds these runs will take, from the last run of each page."""
    last = {row["page"]: float(row["seconds"]) for row in rows}
    usual = mean(last.values()) if last else USUAL_SECONDS
    return sum(last.get(step.page.stem, usual) for step in steps)


def hours(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{seconds / 3600:.1f} h"


def outcome(row: Row) -> str:
    """Returns what a run found, in one line."""
    found = [f"{len(row[name].split())} {name}: {row[name]}" for name in ("open", "flipped") if row[name]]
    return "; ".join([f"{row['seconds']} s, {row['memory_mb']} MB", *([f"failed: {row['error']}"] if row["error"] else []), *found])


def text(rows: Sequence[Row]) -> str:
    """Returns a line for each setting, and the statements that were decided differently in two runs."""
    lines = [" CPUs  JDK  next to     runs  failed  open  flipped  minutes  most MB"]
    for setting, group in groups(rows).items():
        failed, minutes = sum(bool(row["error"]) for row in group), sum(float(row["seconds"]) for row in group) / 60
        opened, flipped = (sum(len(row[name].split()) for row in group) for name in ("open", "flipped"))
        most = max(int(row["memory_mb"]) for row in group)
        name = f"{setting.cpus:>5} {setting.jdk:>4}  {setting.next_to:<10}"
        lines.append(f"{name} {len(group):>5} {failed:>7} {opened:>5} {flipped:>8} {minutes:>8.0f} {most:>8}")
    verdicts: dict[str, Counter[str]] = {}
    for row in rows:
        for column, name in REACHED.items():
            for statement in row[column].split():
                verdicts.setdefault(statement, Counter())[name] += 1
    differ = {statement: found for statement, found in verdicts.items() if len(found) > 1}
    lines += ["", f"Of {len(verdicts)} statements, decided differently in two runs: {len(differ)}"]
    lines += [
        f"  {statement}: {', '.join(f'{name} {times}' for name, times in found.most_common())}" for statement, found in differ.items()
    ]
    return "\n".join(lines) + "\n"


def groups(rows: Iterable[Row]) -> dict[Setting, list[Row]]:
    found: dict[Setting, list[Row]] = {}
    for row in rows:
        found.setdefault(Setting(int(row["cpus"]), int(row["jdk"]), row["next_to"]), []).append(row)
    return found
