"""The ledger: what became of each claim when its page last ran. Kernels write a page's verdicts one a line; `run` merges them.

A kernel learns from the environment where to (COURSE_CLAIMS); outside `run` and `verdicts` it writes none here, but among this reader's own
(`verdicts.jsonl`, which the lab's `OwnVerdicts` keeps beside the results, and page 12 shows).
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..base.files import only_one, read_json, write_whole
from ..base.paths import BUILD, RUNS, shown
from ..base.say import say
from . import notebooks

LEDGER = BUILD / "ledger.json"
FIELDS = ("id", "page", "sentence", "kind", "verdict", "because", "measured", "published", "conditions")
Row = dict[str, Any]


@contextlib.contextmanager
def claims_of(page: str) -> Iterator[Path]:
    """A file for the verdicts of one run of a page; two runs at once have two."""
    RUNS.mkdir(parents=True, exist_ok=True)
    path = RUNS / f"{page}.claims-{os.getpid()}"
    path.unlink(missing_ok=True)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def read(path: Path, page: str) -> tuple[list[Row], str]:
    """Returns the rows that a kernel wrote, and what is wrong with the file: empty if every line is whole.

    Of a claim that was judged again the latest verdict counts.
    """
    rows: dict[tuple[str, str], Row] = {}
    wrong = ""
    for number, line in enumerate(path.read_text(errors="replace").split("\n") if path.exists() else (), 1):
        if not line:
            continue
        try:
            found = {"page": page, **json.loads(line)}
            row = {field: found[field] for field in FIELDS}
            rows[row["id"], row["sentence"]] = row
        except (ValueError, KeyError, TypeError):
            wrong = wrong or (
                f"verdicts are lost: line {number} of {shown(path)}, which the kernel wrote, is no whole record: {line[:60]!r}. "
                "See that the disk has room, then run the page again."
            )
    return list(rows.values()), wrong


def merge(pages: Mapping[str, list[Row]]) -> list[Row]:
    """Replaces the rows of these pages, keeps those of the other pages that there are, and returns all.

    Raises an OSError where the ledger can't be read or written.
    """
    with only_one("ledger"):
        known = {page.stem for page in notebooks.pages()}
        found = read_json(LEDGER, None if LEDGER.exists() else [])
        if not isinstance(found, list):
            say(f"{shown(LEDGER)} was torn and begins again: `kernels/course run` brings the other pages' verdicts back")
        there = [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
        kept = [row for row in there if row.get("page") in known and row["page"] not in pages]
        rows = sorted(kept + [row for new in pages.values() for row in new], key=lambda row: row["page"])
        write_whole(LEDGER, json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    return rows
