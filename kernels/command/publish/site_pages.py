"""Makes all pages of the site from the executed course: the front page, the claims, the course's pages and the solutions."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ..base import records
from ..base.paths import NOTEBOOKS
from ..base.problem import Problem
from ..base.records import DEPENDS, DOES_NOT_HOLD, HOLDS, NOT_DECIDED, NOT_TRIED, VERDICTS
from ..pages.executed import Notebook, read_notebook
from .site_claims import Row, claim_pages, claims, first_line, rows
from .site_source import AGAIN, LEDGER, ROWS, TEXTS, Cell, html_of, is_ledger, linked, plain, site_cell, site_page, text_of, title

SURPRISES = ("ten-1", "ten-2", "ten-3", "ten-4", "ten-5")  # page 12's findings that the front page begins with
TOLD = re.compile(r'ledger\.tell\("(\w+)\.')

# ---- the front page


def verdicts(ledger: Notebook) -> tuple[Counter[str], int]:
    """Returns how many counted statements have each verdict, and how many statements don't count, from the executed ledger.

    Raises a Problem if the ledger has no such record.
    """
    rows = next((record.get("rows") for record in records.of_notebook(ledger) if is_ledger(record)), None)
    known = isinstance(rows, list) and all(
        isinstance(row, dict) and row.get("verdict") in VERDICTS and isinstance(row.get("counts"), bool) for row in rows
    )
    if not rows or not known:
        raise Problem(f"Page {LEDGER} has no record of its verdicts, and the front page needs one.", AGAIN)
    counted = Counter(row["verdict"] for row in rows if row["counts"])
    return counted, len(rows) - counted.total()


def headline(counts: Counter[str]) -> str:
    many = {HOLDS: "hold", DEPENDS: "depend", DOES_NOT_HOLD: "do not hold", NOT_DECIDED: "are not decided", NOT_TRIED: "were not tried"}
    one = {NOT_DECIDED: "is not decided", NOT_TRIED: "was not tried"}
    parts = [f"{counts[name]} {many[name] if counts[name] != 1 else one.get(name, name)}" for name in VERDICTS if counts[name]]
    return f"Of {counts.total()} statements that could have failed, {', '.join(parts)}"


def markdown_cell(name: str, source: str) -> Cell:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": source}


def shown_cell(cell: Cell, repository: str, folded: str = "") -> Cell:
    """Returns a cell's outputs without its code and without messages for the person who ran it. `folded` names a fold for them."""
    cell = site_cell(cell, repository)
    cell["outputs"] = [output for output in cell["outputs"] if not html_of(output).startswith("<div")]
    cell["metadata"] = {"tags": ["remove-input"]}
    if folded:
        cell["metadata"] = {"tags": ["remove-input", "hide-output"], "mystnb": {"code_prompt_show": folded, "code_prompt_hide": folded}}
    return cell


def toctree(caption: str, entries: Iterable[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *entries, "```"])


def fallen(found: Iterable[Row]) -> str:
    """Returns the counted statements that do not hold, each with what happens instead, as an HTML list."""
    items = [
        f'<li><a href="claims/{row.claim}.html">{row.claim}</a>: {first_line(row.tried)}. <em>But:</em> {row.because}</li>'
        for row in found
        if row.counts and row.name == DOES_NOT_HOLD
    ]
    return f"<ul>{''.join(items)}</ul>"


def surprises(ledger: Notebook, repository: str) -> Iterator[Cell]:
    """Yields page 12's first findings: text, chart, and a link to the claim's page."""
    cells = ledger["cells"]
    for name in SURPRISES:
        at = next(n for n, cell in enumerate(cells) if cell["id"] == name)
        claim = TOLD.search(text_of(cells[at + 1]["source"]))
        more = f"\n\n[Claim {claim[1]}: what the article says, and how to run it](claims/{claim[1]}.html)" if claim else ""
        yield markdown_cell(name, linked(text_of(cells[at]["source"]), repository) + more)
        yield shown_cell(cells[at + 1], repository)


def opening(ledger: Notebook, titles: Mapping[str, str]) -> str:
    counts, others = verdicts(ledger)
    credits = dict.fromkeys(claim.credit for claim in claims())
    return (
        f"# Which thread runs this?\n\n**{headline(counts)}.**\n\n"
        "Six well-known articles explain how threads of the JVM behave, and engineers copy their advice. This course runs what they say on "
        "real machines, times it, plots it and judges it. A *claim* is a passage of an article, and a *statement* is a part of it that "
        "an experiment can test.\n\n"
        f"The articles are {'; '.join(credits)}.\n\n"
        f"Another {others} statements have a verdict but aren't counted. They say less than their article, or the set-up decides them. "
        f"Page [{titles[LEDGER]}]({LEDGER}.html) has the whole ledger, [every claim](claims/index.html) has a page, and the "
        "[decision sheet](decision-sheet.html) turns verdicts into advice."
    )


def front_page(titles: Mapping[str, str], ledger: Notebook, repository: str) -> Notebook:
    """Returns the front page: the verdicts as a summary, what fell, what surprises, every statement by article, then the pages."""
    headings = {cell["id"]: text_of(cell["source"]).lstrip("# ") for cell in ledger["cells"] if cell["cell_type"] == "markdown"}
    counting = next(cell for cell in ledger["cells"] if any(map(is_ledger, records.of_notebook({"cells": [cell]}))))
    statements = [
        shown_cell(cell, repository, folded=re.sub(r"\*", "", headings.get(cell["id"].removesuffix("-table"), cell["id"])))
        for cell in ledger["cells"]
        if cell["id"].startswith(ROWS) and cell.get("outputs")
    ]
    listed = "\n".join(f"- [{words}]({name}.html)" for name, words in titles.items())
    cells = [
        markdown_cell("opening", opening(ledger, titles)),
        shown_cell(counting, repository),
        markdown_cell("fallen", f"## What does not hold\n\n{fallen(rows(ledger))}"),
        markdown_cell("surprises", "## Five findings that surprise"),
        *surprises(ledger, repository),
        markdown_cell("statements", "## Every statement, by article"),
        *statements,
        markdown_cell("pages", f"## The pages\n\n{listed}\n\nThe [glossary](glossary.html) has the terms of all pages."),
        markdown_cell("contents", toctree("Pages", [f"{plain(words)} <{name}>" for name, words in titles.items()])),
        markdown_cell("more", toctree("More", [*TEXTS, "claims/index", "solutions/index"])),
    ]
    return {**ledger, "cells": cells}


def solutions_page(titles: Mapping[str, str]) -> str:
    entries = "\n".join(f"{plain(words)} <{name}>" for name, words in titles.items())
    words = "For later: the solved exercises of each page, and wrong answers that look right."
    return f"# Solutions\n\n{words}\n\n```{{toctree}}\n{entries}\n```\n"


# ---- all of it


def write_all(executed: Mapping[str, Path], folder: Path, repository: str) -> None:
    """Writes Sphinx's source into a folder, from the executed pages by name. Raises a Problem if one isn't an executed page."""
    notebooks = {name: read_notebook(path) for name, path in executed.items()}
    titles = {name: title(notebook, name) for name, notebook in notebooks.items()}
    (folder / "solutions").mkdir(parents=True)
    (folder / "claims").mkdir()
    pages = {**{name: site_page(notebook, repository, name=name) for name, notebook in notebooks.items()}}
    pages["index"] = front_page(titles, notebooks[LEDGER], repository)
    for path in sorted((NOTEBOOKS / "solutions").glob("[0-9][0-9]-*.ipynb")):
        pages[f"solutions/{path.stem}"] = site_page(read_notebook(path), repository, folds=False)
    for name, page in pages.items():
        (folder / f"{name}.ipynb").write_text(json.dumps(page, ensure_ascii=False))
    for name, text in claim_pages(notebooks[LEDGER], notebooks, titles, repository).items():
        (folder / "claims" / f"{name}.md").write_text(text)
    (folder / "solutions" / "index.md").write_text(solutions_page({n: w for n, w in titles.items() if f"solutions/{n}" in pages}))
    for name in TEXTS:
        (folder / f"{name}.md").write_text(linked((NOTEBOOKS / f"{name}.md").read_text(), repository))
