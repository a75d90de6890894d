"""Helps the tools that record an older version of a library: describes the machine, fetches JARs, and writes to `data/recorded`."""

from __future__ import annotations

import csv
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "kernels"), str(ROOT / "kernels" / "locks")]

from command.base.machine import in_words  # noqa: E402
from command.base.problem import Problem  # noqa: E402
from update import coursier_at_hand  # noqa: E402


def machine() -> str:
    """Returns the description of the machine. Raises SystemExit if the user gave none."""
    try:
        return in_words()
    except Problem as missing:
        raise SystemExit(missing.told()) from None


def fetch(root: str, forced: list[str] | None = None) -> str:
    """Returns the class path of a module that no lock lists. Raises SystemExit if it isn't available."""
    code, output, files = coursier_at_hand().resolve([root], forced or [])
    if code:
        raise SystemExit(f"coursier could not fetch {root}:\n{output[-2000:]}")
    return os.pathsep.join(map(str, files.values()))


def keep(name: str, rows: list[dict[str, Any]]) -> None:
    """Writes and prints `data/recorded/NAME.csv`."""
    with (ROOT / "data" / "recorded" / f"{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(*rows, sep="\n")
