"""Converts the executed course into Sphinx's source.

The source still consists of notebooks. Their cells say what is collapsed, where links lead, and which element shows each chart that
`kernels/site/static/site.js` draws.
"""

from __future__ import annotations

import copy
import html
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..base import records
from ..base.embedded import embedded
from ..base.paths import NOTEBOOKS
from ..base.problem import Problem
from ..base.records import DEPENDS, DOES_NOT_HOLD, HOLDS, NOT_DECIDED, NOT_TRIED, VERDICTS
from ..pages.executed import Notebook, read_notebook

CHART = "application/vnd.plotly.v1+json"
LEDGER = "12-ledger"
TEXTS = ("decision-sheet", "glossary")  # Markdown files next to the pages
ROWS = "all-"  # page 12's cells that show every statement of an article
PROGRESS = "progress-show"  # the first page's cell with the reader's own progress
NOBODYS_PROGRESS = {
    "output_type": "display_data",
    "metadata": {},
    "data": {"text/html": "<p>Nothing runs on this site. In the notebook this cell shows how far you are, and what comes next.</p>"},
}
AGAIN = "Execute it again: kernels/course run 12"
Cell = dict[str, Any]


# ---- links


def site_link(address: str) -> str:
    """Converts a notebook's link for the site, where pages are HTML and Sphinx names the headings."""
    file, hash_mark, anchor = address.partition("#")
    if re.match(r"[a-z]+:", address):
        return address
    file = re.sub(r"\.(ipynb|md)$", ".html", file)
    return file + hash_mark + (anchor if anchor.startswith("cell-id=") else anchor.lower())


# Matches links outside code, and code so that links in it are skipped. A link's text may contain code.
LINK = re.compile(r"```.*?```|`[^`\n]+`|(?<!!)\[(?P<name>[^\]]*)\]\((?P<address>[^)\s]+)\)", re.S)


def linked(markdown: str, repository: str) -> str:
    """Returns Markdown with the site's links.

    A link to a file that isn't on the site leads to the public repository, or becomes plain text if there is none.
    """

    def link(match: re.Match[str]) -> str:
        name, address = match["name"], match["address"]
        if address is None:
            return match[0]
        if not address.startswith(("../data/", "../kernels/")):
            return f"[{name}]({site_link(address)})"
        path = address.removeprefix("../")
        return f"[{name}](https://github.com/{repository}/blob/HEAD/{path})" if repository else f"{name} (`{path}` in the repository)"

    return LINK.sub(link, markdown)


def linked_html(text: str) -> str:
    return re.sub(r'(?<=href=")[^"]+', lambda match: site_link(match[0]), text)


# ---- cells


def text_of(value: str | list[str]) -> str:
    """Returns a notebook's text, which may be stored as lines."""
    return value if isinstance(value, str) else "".join(value)


def chart_html(figure: Mapping[str, Any], words: str) -> str:
    """Returns a chart's element. The page draws it when it comes into view, and it has its height and its description from the start."""
    said = " ".join(" ".join(words.split("\n\n")[:2]).split())
    height = html.escape(str(figure.get("layout", {}).get("height", 450)))
    return (
        f'<figure class="chart" aria-label="{html.escape(said)}">'
        f'<div class="plot" style="height:{height}px"></div><script type="application/json">{embedded(figure)}</script>'
        "<noscript>The picture needs JavaScript. Its description and its numbers are below.</noscript></figure>"
    )


def site_output(output: dict[str, Any]) -> dict[str, Any]:
    data = output.get("data", {})
    if CHART in data:
        return {**output, "data": {"text/html": chart_html(data[CHART], text_of(data.get("text/plain", "")))}}
    if "text/html" in data:
        return {**output, "data": {"text/html": linked_html(text_of(data["text/html"]))}}
    return {**output, "data": {kind: shown for kind, shown in data.items() if kind != records.MIME}} if data else output


def site_cell(cell: Cell, repository: str, first: bool = False) -> Cell:
    """Returns the cell as the site shows it, with an anchor for links, and collapsed if it is stored collapsed."""
    cell = copy.deepcopy(cell)
    metadata = cell["metadata"]
    metadata.pop("execution", None)
    source = text_of(cell["source"])
    if cell["cell_type"] == "markdown":
        anchor = "" if first else f'<span id="cell-id={cell["id"]}"></span>\n\n'
        return {**cell, "source": anchor + linked(source, repository)}
    if metadata.get("jupyter", {}).get("source_hidden"):
        metadata["tags"] = [*metadata.get("tags", ()), "hide-input"]
    if cell["id"] == PROGRESS:  # never show the progress of the person who executed the page
        return {**cell, "source": source, "outputs": [NOBODYS_PROGRESS]}
    return {**cell, "source": source, "outputs": [site_output(output) for output in cell.get("outputs", ())]}


def site_page(notebook: Notebook, repository: str) -> Notebook:
    cells = [site_cell(cell, repository, first=n == 0) for n, cell in enumerate(notebook["cells"])]
    return {**notebook, "cells": cells}


def title(notebook: Notebook, name: str) -> str:
    """Returns the page's number and question. The first page's question is the whole course's, so its file name is used instead."""
    found = text_of(notebook["cells"][0]["source"]).splitlines()[0].lstrip("# ")
    return found if found[:2].isdigit() else f"{name[:2]} · {name[3:].replace('-', ' ').capitalize()}"


def plain(words: str) -> str:
    """Returns a title for places where code can't be formatted."""
    return words.replace("`", "")


# ---- the front page


def html_of(output: Mapping[str, Any]) -> str:
    return text_of(output.get("data", {}).get("text/html", ""))


def is_ledger(record: records.Record) -> bool:
    return record["record"] == "ledger"


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


def front_page(titles: Mapping[str, str], ledger: Notebook, repository: str) -> Notebook:
    """Returns the front page: the verdicts as a summary and by article, then the pages."""
    counts, others = verdicts(ledger)
    opening = (
        f"# Which thread runs this?\n\n**{headline(counts)}.**\n\n"
        "Six well-known articles (2014–2020) say how threads of the JVM behave, and engineers copy their advice. This course takes "
        "their statements, runs each, times it, draws it and judges it. Here are the results on the machines that the rows name. "
        f"Another {others} statements have a verdict but aren't counted. They say less than their article, or the set-up decides them. "
        f"Page [{titles[LEDGER]}]({LEDGER}.html) has the whole ledger. "
        "The [decision sheet](decision-sheet.html) turns verdicts into advice, on one page."
    )
    headings = {cell["id"]: text_of(cell["source"]).lstrip("# ") for cell in ledger["cells"] if cell["cell_type"] == "markdown"}
    counting = next(cell for cell in ledger["cells"] if any(map(is_ledger, records.of_notebook({"cells": [cell]}))))
    statements = [
        shown_cell(cell, repository, folded=re.sub(r"\*", "", headings.get(cell["id"].removesuffix("-table"), cell["id"])))
        for cell in ledger["cells"]
        if cell["id"].startswith(ROWS) and cell.get("outputs")
    ]
    listed = "\n".join(f"- [{words}]({name}.html)" for name, words in titles.items())
    cells = [
        markdown_cell("opening", opening),
        shown_cell(counting, repository),
        markdown_cell("statements", "## Every statement, by article"),
        *statements,
        markdown_cell("pages", f"## The pages\n\n{listed}\n\nThe [glossary](glossary.html) has the terms of all pages."),
        markdown_cell("contents", toctree("Pages", [f"{plain(words)} <{name}>" for name, words in titles.items()])),
        markdown_cell("more", toctree("More", [*TEXTS, "solutions/index"])),
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
    pages = {**{name: site_page(notebook, repository) for name, notebook in notebooks.items()}}
    pages["index"] = front_page(titles, notebooks[LEDGER], repository)
    for path in sorted((NOTEBOOKS / "solutions").glob("[0-9][0-9]-*.ipynb")):
        pages[f"solutions/{path.stem}"] = site_page(read_notebook(path), repository)
    for name, page in pages.items():
        (folder / f"{name}.ipynb").write_text(json.dumps(page, ensure_ascii=False))
    (folder / "solutions" / "index.md").write_text(solutions_page({n: w for n, w in titles.items() if f"solutions/{n}" in pages}))
    for name in TEXTS:
        (folder / f"{name}.md").write_text(linked((NOTEBOOKS / f"{name}.md").read_text(), repository))
