"""Runs pages repeatedly and compares their verdicts. `verdicts` starts it on the installed Python.

The runs are interleaved: each round runs every page once. So a disturbance of the machine doesn't affect only one page. The results are
kept after every page, so an interrupted run reports what it has.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import psutil

from ..base import records
from ..base.files import write_whole
from ..base.paths import RUNS, shown
from ..base.problem import from_os_error
from ..base.say import say
from . import stability
from .execute import end_by_signals, execute_page, outcome
from .stability import PageRun, Stability

KEPT = RUNS / "verdicts.json"


async def repeat(pages: list[Path], kernel: str, runs: int, done: list[PageRun]) -> None:
    """Runs the pages `runs` times, and adds each run to `done` when it has ended."""
    end_by_signals()
    for number in range(1, runs + 1):
        for page in pages:
            say(f"Run {number} of {runs}: {page.stem}")
            before = cpu_times()
            row, verdicts = await execute_page(page, kernel)
            done.append(PageRun(page.stem, number, row.get("error", ""), verdicts, stolen(before, cpu_times())))
            write_whole(KEPT, json.dumps([asdict(run) for run in done], indent=1, ensure_ascii=False) + "\n")
            say(outcome(row))


def cpu_times() -> Sequence[float]:
    """Returns the seconds that all CPUs spent since the system started, in the order of proc(5). Stolen time is the eighth, if known."""
    return psutil.cpu_times()[:8]


def stolen(before: Sequence[float], after: Sequence[float]) -> float | None:
    """Returns the share of the time between the two samples that a hypervisor gave to other machines, or None if it is unknown."""
    if len(before) < 8 or len(after) < 8 or sum(after) <= sum(before):
        return None
    return (after[7] - before[7]) / (sum(after) - sum(before))


def main(words: list[str]) -> int:
    kernel, runs, on, *pages = words
    os.environ.pop("PYTHONPATH", None)
    done: list[PageRun] = []
    code = 0
    try:
        asyncio.run(repeat([Path(page) for page in pages], kernel, int(runs), done))
    except (KeyboardInterrupt, asyncio.CancelledError):
        code = 130
        say(f"Interrupted after {len(done)} of {int(runs) * len(pages)} runs of a page. The kernel has been stopped.")
    except OSError as error:
        code = 1
        say(f"Ended after {len(done)} of {int(runs) * len(pages)} runs of a page.")
        sys.stderr.write(from_os_error(error).told())
    found = Stability(done)
    sys.stdout.write(found.text())
    if on and code:
        say(f"Interrupted runs are not recorded; their results are in {shown(KEPT)}")
    elif on:
        try:
            stability.record(found, on)
            say(f"Recorded in {shown(records.RECORDED)}")
        except OSError as error:
            code = 1
            sys.stderr.write("\n" + from_os_error(error).told())
    return code or int(not found.stable)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
