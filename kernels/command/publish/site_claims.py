"""Makes the site's page of each claim: what the article says and where, each verdict, the chart, the reason, and how to run it.

The facts come from the executed ledger's tables. The charts come from the section of the page that a row links to.
"""

from __future__ import annotations

import csv
import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..base import records
from ..base.paths import ROOT
from ..base.problem import Problem
from ..pages.executed import Notebook
from .site_source import AGAIN, CHART, LEDGER, ROWS, Cell, chart_html, html_of, is_ledger, linked_html, text_of

PUBLISHED = ROOT / "data" / "published"
ROW = re.compile(r'<tr><th scope="row"[^>]*>(.*?)</th>(.*?)</tr>', re.S)
CELL = re.compile(r"<td[^>]*>(.*?)</td>", re.S)
PLACE = re.compile(r'href="([\w-]+)\.ipynb#cell-id=([\w-]+)"')
FIELDS = ("tried", "published", "measured", "verdict", "why")
FOLDED = re.compile(r"<details><summary[^>]*>(.*?) …</summary>… ?(.*?)</details>", re.S)
VERDICT = re.compile(r"(.*?</strong>)(?:: )?(.*)", re.S)
NOTE = re.compile(r"(?:<div[^>]*>)(would be false where|by construction): (.*?)</div>", re.S)
CHARTS = 2  # at most so many charts of a section


@dataclass(frozen=True)
class Claim:
    """Describes a line of claims.csv, with the address of its article if one is known."""

    id: str
    article: str
    author: str
    year: str
    conditions: str
    text: str
    address: str

    @property
    def credit(self) -> str:
        """The article as Markdown, with its author and year, linked if its address is known."""
        title = f"[*{self.article}*]({self.address})" if self.address else f"*{self.article}*"
        return f"{title} ({', '.join(filter(None, (self.author, self.year)))})"


@dataclass(frozen=True)
class Row:
    """Describes a row of the executed ledger. The fields after `place` are HTML; `place` is a page's name and the id of a cell."""

    statement: str
    counts: bool
    name: str
    place: tuple[str, str]
    tried: str
    published: str
    measured: str
    verdict: str
    why: str

    @property
    def claim(self) -> str:
        return self.statement.partition(".")[0]

    @property
    def because(self) -> str:
        """The reason of a verdict that isn't *holds*, as HTML."""
        return VERDICT.sub(r"\2", self.verdict)


def claims() -> list[Claim]:
    """Returns the claims of all articles, in their order."""
    with (PUBLISHED / "articles.csv").open(encoding="utf-8", newline="") as file:
        addresses = {line["article"]: line["address"] for line in csv.DictReader(file)}
    with (PUBLISHED / "claims.csv").open(encoding="utf-8", newline="") as file:
        return [Claim(line.pop("claim"), **line, address=addresses.get(line["article"], "")) for line in csv.DictReader(file)]


def rows(ledger: Notebook) -> list[Row]:
    """Returns every row of the executed ledger. Raises a Problem if its tables don't have the statements of its record."""
    record = next(filter(is_ledger, records.of_notebook(ledger)), {"rows": []})
    tables = (html_of(output) for cell in ledger["cells"] if cell["id"].startswith(ROWS) for output in cell.get("outputs", ()))
    lines = [line for table in tables for line in ROW.findall(table)]
    found = []
    for known, (claim, cells) in zip(record["rows"], lines, strict=False):
        fields = [FOLDED.sub(r"\1 \2", field) for field in CELL.findall(cells)]
        place = PLACE.search(cells)
        if plain_text(claim) == known["statement"].partition(".")[0] and len(fields) == len(FIELDS) and place:
            found.append(Row(known["statement"], known["counts"], known["verdict"], (place[1], place[2]), *fields))
    if not found or len(found) != len(record["rows"]) or len(found) != len(lines):
        raise Problem(f"Page {LEDGER} has {len(lines)} rows in its tables and {len(record['rows'])} in its record.", AGAIN)
    return found


def plain_text(markup: str) -> str:
    """Returns the words of a piece of HTML."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", markup)).split())


def first_line(markup: str) -> str:
    """Returns the HTML of a table's cell up to its first break, without a full stop."""
    return re.split(r"<br>|<div", markup, maxsplit=1)[0].strip().rstrip(".")


# ---- a claim's page


def section(page: Notebook, cell_id: str) -> list[Cell]:
    """Returns the cells of the section that begins with, or contains, this cell."""
    cells = page["cells"]
    at = next((n for n, cell in enumerate(cells) if cell["id"] == cell_id), 0)
    begins = [n for n, cell in enumerate(cells) if cell["cell_type"] == "markdown" and text_of(cell["source"]).startswith("## ")]
    first = max((n for n in begins if n <= at), default=0)
    return cells[first : min((n for n in begins if n > at), default=len(cells))]


def charts(cells: Sequence[Cell], statements: Iterable[str]) -> list[str]:
    """Returns the last charts up to the cell that judges one of these statements, or the section's last ones if none of it does.

    What `%%jmh` draws by itself shows all that was measured. It is left out if the section has other charts.
    """
    wanted = set(statements)
    drawn = [(n, chart_of(output)) for n, cell in enumerate(cells) for output in cell.get("outputs", ()) if CHART in output.get("data", {})]
    drawn = [(n, chart) for n, chart in drawn if not text_of(cells[n]["source"]).startswith("%%jmh")] or drawn
    judging = [n for n, cell in enumerate(cells) if wanted & {one.get("statement") for one in records.of_notebook({"cells": [cell]})}]
    judged = [chart for n, chart in drawn if judging and n <= judging[-1]]
    return (judged or [chart for _, chart in drawn])[-CHARTS:]


def chart_of(output: Mapping[str, dict[str, object]]) -> str:
    return chart_html(output["data"][CHART], text_of(output["data"].get("text/plain", "")))


def upwards(markup: str) -> str:
    """Returns a piece of HTML on one line, with its links to pages as they are from the folder of the claims."""
    return " ".join(re.sub(r'(?<=href=")(?=\d\d-)', "../", linked_html(markup)).split())


def statement(row: Row, passages: Mapping[str, Mapping[str, str]]) -> str:
    """Returns a statement, its verdict and what belongs to them as HTML."""
    passage = passages[row.statement]
    where = f"section “{passage['heading']}”" + (f", paragraph {passage['paragraph']}" if passage["paragraph"] else "")
    mark = VERDICT.sub(r"\1", row.verdict)
    parts = {
        "Because": row.because,
        "Measured": row.measured,
        "Published": row.published,
        **{name.capitalize(): text for name, text in NOTE.findall(row.tried)},
        "In the article": html.escape(where),
        "Why": row.why,
    }
    listed = "".join(f"<dt>{name}</dt><dd>{upwards(text)}</dd>" for name, text in parts.items() if text)
    return f'<div class="statement"><p>{upwards(mark)}: {upwards(first_line(row.tried))}</p><dl>{listed}</dl></div>'


def summary(found: Iterable[Row]) -> str:
    """Returns a claim's verdicts as a sentence."""
    counts = Counter(row.name for row in found)
    if counts.total() == 1:
        return f"**Verdict: {next(iter(counts))}.**"
    return f"**Verdicts on {counts.total()} statements: {', '.join(f'{many} × {name}' for name, many in counts.items())}.**"


def claim_page(claim: Claim, found: list[Row], pages: Mapping[str, Notebook], titles: Mapping[str, str], repository: str) -> str:
    """Returns a claim's page as Markdown."""
    with records.STATEMENTS.open(encoding="utf-8", newline="") as file:
        passages = {line["statement"]: line for line in csv.DictReader(file)}
    places = dict.fromkeys(row.place for row in found)
    drawn = dict.fromkeys(chart for name, cell in places for chart in charts(section(pages[name], cell), (row.statement for row in found)))
    runs = sorted({name for name, _ in places})
    binder = "https://mybinder.org/v2/gh/{}/HEAD?urlpath=lab/tree/notebooks/{}.ipynb"
    lines = [
        f"- `kernels/course run {name[:2]}` runs page [{titles[name]}](../{name}.html)"
        + (f"; [Binder]({binder.format(repository, name)}) runs it in your browser" if repository else "")
        for name in runs
    ]
    conditions = f" Its conditions: {claim.conditions}." if claim.conditions else ""
    return "\n\n".join(
        [
            f"# {claim.id}: {claim.text[0].upper()}{claim.text[1:]}",
            f"{summary(found)} This is our wording of a claim in {claim.credit}.{conditions}",
            *(statement(row, passages) for row in found),
            *drawn,
            "## Run it yourself",
            "\n".join(lines),
            "All claims and verdicts are in the [list of claims](index.html).",
            "",
        ]
    )


def claim_pages(ledger: Notebook, pages: Mapping[str, Notebook], titles: Mapping[str, str], repository: str) -> dict[str, str]:
    """Returns the page of each claim, and the list of them, as Markdown by name. Raises a Problem if the ledger isn't complete."""
    found = rows(ledger)
    every = [claim for claim in claims() if any(row.claim == claim.id for row in found)]
    made = {claim.id: claim_page(claim, [row for row in found if row.claim == claim.id], pages, titles, repository) for claim in every}
    listed = []
    for credit in dict.fromkeys(claim.credit for claim in every):
        listed.append(f"## {credit}")
        listed.append("\n".join(index_line(claim, found) for claim in every if claim.credit == credit))
    contents = "\n".join(["```{toctree}", ":hidden:", "", *made, "```", ""])
    return {**made, "index": "\n\n".join(["# Every claim", *listed, contents])}


def index_line(claim: Claim, found: Iterable[Row]) -> str:
    named = dict.fromkeys(row.name for row in found if row.claim == claim.id)
    return f"- [{claim.id}]({claim.id}.html) ({', '.join(named)}): {claim.text}"
