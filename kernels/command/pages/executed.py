"""Finds executed pages that ran to the end and are up to date with page and lab, and runs the others."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..base import children
from ..base.files import fingerprint, sha256
from ..base.paths import KERNELS, ROOT, RUNS, shown
from ..base.problem import AGAIN, Problem
from ..base.say import say
from ..setup.compile import sources

LAB = KERNELS / "lab" / "src"
MADE_WITH = "lab"  # the metadata key of an executed page under which `lab`'s fingerprint is kept
Notebook = dict[str, Any]


def lab() -> str:
    """Returns the fingerprint of the lab's sources."""
    return fingerprint([(str(path.relative_to(LAB)), sha256(path)) for path in sources(LAB)])


def read_notebook(path: Path) -> Notebook:
    """Returns the content of a notebook. Raises a Problem if the file isn't one."""
    try:
        notebook = json.loads(path.read_text())
        return {**notebook, "cells": list(notebook["cells"])}
    except (ValueError, KeyError, TypeError):
        raise Problem(f"{shown(path)} is not a notebook.", f"Execute its page again: kernels/course run {path.name[:2]}") from None


def read(path: Path) -> Notebook:
    """Returns an executed page. Raises a Problem if it failed or one of its cells hasn't run, and an OSError if it can't be read."""
    notebook = read_notebook(path)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and "".join(cell["source"]).strip()]
    errors = [output for cell in cells for output in cell.get("outputs", ()) if output["output_type"] == "error"]
    left = [cell for cell in cells if not cell.get("execution_count")]
    if errors:
        said = "".join(filter(str.isprintable, f"{errors[0]['ename']}: {errors[0]['evalue']}"[:300]))
        what = f"failed when it was executed: {said}"
    elif len(left) == len(cells):
        what = "was not executed."
    elif left:
        what = f"was executed in part: {len(left)} of its cells have not run, first {left[0]['id']!r}."
    else:
        return notebook
    raise Problem(f"{shown(path)} {what}", f"Execute it again: kernels/course run {path.name[:2]}")


def outdated(pages: Sequence[Path], folder: Path = RUNS) -> list[Path]:
    """Returns the pages that the folder doesn't have complete and up to date with the page and the lab."""
    now = lab()

    def is_current(page: Path) -> bool:
        try:
            ran, stored = read(folder / page.name), read_notebook(page)
        except (OSError, Problem):
            return False
        same = ["".join(cell["source"]) for cell in ran["cells"]] == ["".join(cell["source"]) for cell in stored["cells"]]
        return same and ran["metadata"].get(MADE_WITH) == now

    return [page for page in pages if not is_current(page)]


def run_outdated(pages: Sequence[Path]) -> None:
    """Runs the outdated ones of these pages, as `run` does. Raises a Problem if one fails."""
    numbers = [page.name[:2] for page in outdated(pages)]
    if not numbers:
        return
    say(f"These pages have not run since they or the lab changed, so they run first: {' '.join(numbers)}")
    argv = [sys.executable, KERNELS / "course", "run", *numbers]
    code, _ = children.run(argv, each_line=lambda line: sys.stderr.write(line + "\n"), cwd=ROOT)
    if code:
        raise Problem(
            "A page that should be shown with its results failed.", f"The lines above say which and why. Remove the cause, {AGAIN}"
        )
