"""Writes the decision sheet: which threads a call should run on, with which limit, and because of which verdicts.

    .venv/bin/python kernels/tools/decision_sheet.py

writes notebooks/decision-sheet.md again from data/decisions.csv. It takes each statement's page from the recorded verdicts, and links to
the cell of that page that gives the reason. If a recorded verdict isn't the one that a row requires, it writes nothing and says so. After
a new recording, `test_decisions.py` says the same.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "kernels"))  # for the package `command`
from command.base import records  # noqa: E402

FOLDER = ROOT / "notebooks"
FILE = FOLDER / "decision-sheet.md"
TABLE = ROOT / "data" / "decisions.csv"
CLAIMS = ROOT / "data" / "published" / "claims.csv"
AGAIN = "write the sheet again: .venv/bin/python kernels/tools/decision_sheet.py"

WHY = re.compile(r"<!-- why (\S+) -->")

HEAD = """\
<!-- Made from data/decisions.csv by kernels/tools/decision_sheet.py: don't edit it here. -->
# Decision sheet

Which threads should run your call, within which limit? Each row rests on [verdicts](12-ledger.ipynb) recorded on {machines}.

| your call … | run it on | limit | because | page, claim |
|---|---|---|---|---|
"""
FOOT = """
\\* The verdict is *depends*; the page says on what. The sheet holds for Scala 2.13.18 and JDK 25. On 21, waits in `synchronized` also pin.

Advised by the articles: {credits}.
"""


@dataclass(frozen=True)
class Decision:
    """Describes a row. `statements` has the verdicts with which the row is true; `sections` are more cells of pages."""

    id: str
    call: str
    run_on: str
    limit: str
    because: str
    statements: Mapping[str, tuple[str, ...]]
    sections: tuple[tuple[str, str], ...]  # a page's name and the id of a cell
    credit: tuple[str, ...]  # claims


def parts(field: str) -> list[str]:
    return [part.strip() for part in field.split(";") if part.strip()]


def decision(row: Mapping[str, str]) -> Decision:
    required = (part.partition("=") for part in parts(row["statements"]))
    return Decision(
        row["decision"],
        row["call"],
        row["run_on"],
        row["limit"],
        row["because"],
        {statement: tuple(verdicts.split("|")) for statement, _, verdicts in required},
        tuple((page, cell) for page, _, cell in (part.partition("#") for part in parts(row["sections"]))),
        tuple(parts(row["credit"])),
    )


def decisions(path: Path = TABLE) -> list[Decision]:
    with path.open(newline="", encoding="utf-8") as stream:
        return [decision(row) for row in csv.DictReader(stream)]


def recorded() -> dict[str, records.Record]:
    """Returns the recorded verdict of each statement."""
    return {record["statement"]: record for record in records.recorded()}


def reasons() -> dict[str, str]:
    """Returns the id of the cell that gives the reason for each statement's verdict."""
    cells = (cell for page in FOLDER.glob("[0-9][0-9]-*.ipynb") for cell in json.loads(page.read_text(encoding="utf-8"))["cells"])
    return {statement: cell["id"] for cell in cells for statement in WHY.findall("".join(cell["source"]))}


def faults(rows: Iterable[Decision], verdicts: Mapping[str, records.Record]) -> Iterator[str]:
    """Yields a message for each verdict that isn't as a row requires."""
    for row in rows:
        for statement, required in row.statements.items():
            found = verdicts[statement]["verdict"] if statement in verdicts else "missing"
            wanted = " or ".join(map(repr, required))
            if found not in required:
                yield (
                    f"row {row.id}: the recorded verdict on {statement} is {found!r}, but the row requires {wanted}. "
                    f"Is the row still true? Correct it and the verdict in {TABLE.relative_to(ROOT)}, or remove it. Then {AGAIN}"
                )


def claim(statement: str) -> str:
    return statement.partition(".")[0]


def evidence(row: Decision, verdicts: Mapping[str, records.Record], whys: Mapping[str, str]) -> str:
    """Returns the pages and claims that support a row, with links to the reasons. A star marks verdicts that depend."""
    depends = {claim(statement) for statement in row.statements if verdicts[statement]["verdict"] == records.DEPENDS}
    claims: dict[str, dict[str, str]] = {}  # by page: each claim's cell
    for statement in row.statements:
        name = claim(statement) + r"\*" * (claim(statement) in depends)
        claims.setdefault(verdicts[statement]["page"], {}).setdefault(name, whys[statement])
    found = [f"{page[:2]} {', '.join(link(name, page, cell) for name, cell in some.items())}" for page, some in claims.items()]
    return "; ".join(found + [link(page[:2], page, cell) for page, cell in row.sections])


def link(name: str, page: str, cell: str) -> str:
    return f"[{name}]({page}.ipynb#cell-id={cell})"


def credits(rows: Iterable[Decision]) -> str:
    """Returns the credited claims, by author."""
    with CLAIMS.open(newline="", encoding="utf-8") as stream:
        claims = {row["claim"]: row for row in csv.DictReader(stream)}
    chosen = {name for row in rows for name in row.credit}
    by_article: dict[str, list[str]] = {}
    for name in (name for name in claims if name in chosen):
        author, article, year = (claims[name][column] for column in ("author", "article", "year"))
        by_article.setdefault(f"{author.split()[-1] if author else f'*{article}*'} {year}", []).append(name)
    return ", ".join(f"{', '.join(some)} ({article})" for article, some in by_article.items())


def machines(used: Iterable[str]) -> str:
    """Returns the machines' descriptions without what else they did: `a server (this CPU or that CPU)`."""
    kinds: dict[str, set[str]] = {}
    for words in used:
        machine, _, cpu = words.partition(",")[0].rstrip(")").partition(" (")
        kinds.setdefault(machine, set()).add(cpu)
    return " or ".join(f"{machine} ({' or '.join(sorted(cpus))})" for machine, cpus in sorted(kinds.items()))


def sheet(rows: list[Decision], verdicts: Mapping[str, records.Record], whys: Mapping[str, str]) -> str:
    lines = [f"| {' | '.join((row.call, row.run_on, row.limit, row.because, evidence(row, verdicts, whys)))} |\n" for row in rows]
    used = (verdicts[statement]["on"] for row in rows for statement in row.statements)
    return HEAD.format(machines=machines(used)) + "".join(lines) + FOOT.format(credits=credits(rows))


def main() -> int:
    argparse.ArgumentParser(description="Writes notebooks/decision-sheet.md from data/decisions.csv.").parse_args()
    rows, verdicts = decisions(), recorded()
    if found := list(faults(rows, verdicts)):
        sys.stderr.write("\n".join(found) + "\n")
        return 1
    FILE.write_text(sheet(rows, verdicts, reasons()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
