"""Converts the executed course into Sphinx's source.

The source still consists of notebooks. Their cells say what is collapsed, where links lead, and which element shows each chart that
`kernels/site/static/site.js` draws.
"""

from __future__ import annotations

import copy
import html
import re
from collections.abc import Mapping
from typing import Any

from ..base import records
from ..base.embedded import embedded
from ..pages.executed import Notebook

CHART = "application/vnd.plotly.v1+json"
LEDGER = "12-ledger"
TEXTS = ("decision-sheet", "glossary")  # Markdown files next to the pages
ROWS = "all-"  # page 12's cells that show every statement of an article
PROGRESS = "progress-show"  # the first page's cell with the reader's own progress
PREFLIGHT = "preflight"  # every page's cell that describes the machine
MACHINE = "The machine that ran this page"
# The cells after which the site lets a reader try other numbers, by page. site.js simulates the rule that page 04 checks.
SIMULATED = {"00-start-here": "second-plot-read", "04-blocking": "limit-why"}
SIMULATION = '\n\n<div class="simulation"></div>'
QUESTION = re.compile(r"^// \w+\.is\(", re.M)
# The last line of a question's panel, which says how to answer in a kernel. site.js puts its own buttons into the empty element.
HOW_TO_ANSWER = re.compile(r"<div>(?:(?!<div).)*</div>(?=\s*</div>\s*$)", re.S)
NOBODYS_PROGRESS = {
    "output_type": "display_data",
    "metadata": {},
    "data": {"text/html": "<p>Nothing runs on this site. In the notebook this cell shows how far you are, and what comes next.</p>"},
}
CLAIM = re.compile(r'(<th scope="row"[^>]*>)([A-Z]\d+[a-z]?)(?=</th>)')
AGAIN = "Execute it again: kernels/course run 12"
LIVE = re.compile(r"(?:\A|\n\n)(?:(?!\n\n).)*<!-- live -->(?=\n\n|\s*\Z)", re.S)  # a paragraph that says what to do in a notebook
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
    """Returns HTML with the site's links. A question is without the kernel's instructions.

    A table of the ledger gets a class, and each claim in it leads to its own page.
    """
    text = re.sub(r'(?<=href=")[^"]+', lambda match: site_link(match[0]), text)
    if ">?</span>" in text:
        return HOW_TO_ANSWER.sub("<div></div>", text)
    if ">as tried</th>" not in text:
        return text
    return CLAIM.sub(r'\1<a href="claims/\2.html">\2</a>', text.replace('<table class="', '<table class="ledger ', 1))


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


def site_cell(cell: Cell, repository: str, first: bool = False, folds: bool = True) -> Cell:
    """Returns the cell as the site shows it, with an anchor for links. `folds` folds all code, not only what is stored collapsed."""
    cell = copy.deepcopy(cell)
    metadata = cell["metadata"]
    metadata.pop("execution", None)
    source = text_of(cell["source"])
    if cell["cell_type"] == "markdown":
        anchor = "" if first else f'<span id="cell-id={cell["id"]}"></span>\n\n'
        return {**cell, "source": anchor + linked(LIVE.sub("", source), repository)}
    asks = QUESTION.search(source)  # its code is for the kernel; the site asks by itself
    if folds or metadata.get("jupyter", {}).get("source_hidden"):
        metadata["tags"] = [*metadata.get("tags", ()), "remove-input" if asks else "hide-input"]
    if cell["id"] == PREFLIGHT:
        metadata["tags"] = ["remove-input", "hide-output"]
        metadata["mystnb"] = {"code_prompt_show": MACHINE, "code_prompt_hide": MACHINE}
    if cell["id"] == PROGRESS:  # never show the progress of the person who executed the page
        return {**cell, "source": source, "outputs": [NOBODYS_PROGRESS]}
    if folds and "stub" in metadata["tags"]:  # its check says what to do in a notebook
        return {**cell, "source": source, "outputs": []}
    # Readers of the site see charts and tables, not the values of names in code that is folded.
    shown = [output for output in cell.get("outputs", ()) if not folds or output["output_type"] != "execute_result"]
    return {**cell, "source": source, "outputs": [site_output(output) for output in shown]}


def site_page(notebook: Notebook, repository: str, folds: bool = True, name: str = "") -> Notebook:
    cells = [site_cell(cell, repository, first=n == 0, folds=folds) for n, cell in enumerate(notebook["cells"])]
    for cell in cells:
        if cell["id"] == SIMULATED.get(name):
            cell["source"] += SIMULATION
    return {**notebook, "cells": cells}


def title(notebook: Notebook, name: str) -> str:
    """Returns the page's number and question. The first page's question is the whole course's, so its file name is used instead."""
    found = text_of(notebook["cells"][0]["source"]).splitlines()[0].lstrip("# ")
    return found if found[:2].isdigit() else f"{name[:2]} · {name[3:].replace('-', ' ').capitalize()}"


def plain(words: str) -> str:
    """Returns a title for places where code can't be formatted."""
    return words.replace("`", "")


def html_of(output: Mapping[str, Any]) -> str:
    return text_of(output.get("data", {}).get("text/html", ""))


def is_ledger(record: records.Record) -> bool:
    return record["record"] == "ledger"
