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
EXAMPLE = "C9a.handler"  # the statement that the front page shows first, as long as it doesn't hold
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
    many = {HOLDS: "hold", DOES_NOT_HOLD: "don't", DEPENDS: "depend on something that we name"}
    one = {HOLDS: HOLDS, DOES_NOT_HOLD: "doesn't", DEPENDS: "depends on something that we name"}
    many |= {NOT_DECIDED: "are not decided", NOT_TRIED: "were not tried"}
    one |= {NOT_DECIDED: "is not decided", NOT_TRIED: "was not tried"}
    parts = [f"{counts[name]} {(one if counts[name] == 1 else many)[name]}" for name in many if counts[name]]
    return f"We tested {counts.total()} statements from six articles and four manuals about threads on the JVM: {', '.join(parts)}"


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


def opening(ledger: Notebook) -> str:
    counts, _ = verdicts(ledger)
    fell = [row for row in rows(ledger) if row.counts and row.name == DOES_NOT_HOLD]
    example = next((row for row in fell if row.statement == EXAMPLE), fell[0] if fell else None)
    one = (
        f'One that fell: <em>{first_line(example.tried)}</em>. But {example.because} (<a href="claims/{example.claim}.html">why</a>). '
        "All of them [are listed below](#what-does-not-hold).\n\n"
        if example
        else ""
    )
    found = [re.sub(r"^#+ \d+\. ", "", text_of(cell["source"]).splitlines()[0]) for cell in ledger["cells"] if cell["id"] in SURPRISES]
    return (
        f"# Which thread runs this?\n\n**{headline(counts)}.**\n\n"
        "A free course in Scala, for engineers who choose thread pools. The articles are well known, and their advice is copied. Each page "
        "runs what they say, times it, plots it, and explains it from the source of the JDK and of Scala. You can read the results here, "
        f"or [run every experiment on your own machine](00-start-here.html).\n\n{one}"
        f"[What surprised us](#five-findings-that-surprise): {', '.join(f'“{words}”' for words in found)}.\n\n"
        "- *Holds*: we saw what the article says.\n"
        "- *Depends*: it is true in one setting and not in another, and we name what decides.\n"
        "- *Does not hold*: something else happens, and we say what."
    )


def articles(ledger: Notebook, titles: Mapping[str, str]) -> str:
    """Returns the list of articles, what isn't counted, and where the rest is."""
    credits = dict.fromkeys((claim.id[0], claim.credit + ("" if claim.address else ", address unknown to us")) for claim in claims())
    listed = "\n".join(f"- {letter} · {credit}" for letter, credit in credits)
    others = [row for row in rows(ledger) if not row.counts]
    return (
        f"## The articles\n\n{listed}\n\n"
        "A *claim* is a passage of an article. A *statement* is a part of it that an experiment can test. Another "
        f"{len(others)} statements have a verdict but aren't counted: our set-up makes their result certain, they are weaker than the "
        "article, or we added them ourselves.\n\n"
        "- Where should your call run? The [decision sheet](decision-sheet.html) turns verdicts into advice.\n"
        "- What became of one claim? [Every claim](claims/index.html) has a page.\n"
        f"- All results in one table: [{titles[LEDGER]}]({LEDGER}.html)"
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
        markdown_cell("opening", opening(ledger)),
        shown_cell(counting, repository),
        markdown_cell("articles", articles(ledger, titles)),
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
