"""Runs pages again and again and compares their verdicts. Started by `verdicts` with the installed Python.

The runs are interleaved: all pages once, then all once more, so that what the machine does at one time is not one page's alone. What the
pages reached is kept after every page, and a run that is cut short tells what it knows.
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
    """Adds each page's run to `done` when it has ended."""
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
    """What all CPUs did since the system started, in seconds, in the order of proc(5), `stolen` the eighth where the system tells."""
    return psutil.cpu_times()[:8]


def stolen(before: Sequence[float], after: Sequence[float]) -> float | None:
    """The share of the time in between that a hypervisor gave to other machines."""
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
        say(f"Nothing is recorded of runs that were cut short; what was said is in {shown(KEPT)}")
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
