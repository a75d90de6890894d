"""Selects what may be published of executed pages: the course's own cells, and outputs that the course's library makes.

An executed page may come from a foreign folder (`site --from`), and nothing proves that its cells made its outputs. So texts and metadata
come from the stored page, and outputs must match lists of what is allowed. bleach checks panels and tables, and plotly's model checks
charts. Anything else appears as plain text and is reported.

`site` starts this module on the installed Python (bleach, nbformat and plotly).
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bleach
import nbformat
import plotly.graph_objects
from bleach.css_sanitizer import CSSSanitizer
from bs4 import BeautifulSoup

from ..base import records
from ..base.paths import NOTEBOOKS
from ..pages.executed import Notebook
from .site_source import CHART, Cell, text_of

# The HTML of the lab's panels and tables (kernels/lab/src/show, chart, page, trace).
TAGS = {"a", "b", "br", "caption", "code", "details", "div", "p", "pre", "progress", "span", "strong", "summary"}
TAGS |= {"table", "tbody", "td", "th", "thead", "tr"}
ATTRIBUTES = ("aria-hidden", "aria-label", "max", "role", "scope", "style", "value")
LOOKS = {"border-left", "caption-side", "color", "cursor", "font-size", "font-weight", "line-height", "opacity", "text-align"}
LOOKS |= {"align-items", "display", "flex-wrap", "gap", "grid-template-columns", "margin", "max-width", "min-width", "padding", "width"}
LOOKS |= {"overflow-wrap", "table-layout", "vertical-align", "white-space"}
CLASSES = {"mathjax_ignore tex2jax_ignore", "jp-RenderedText"}  # Markup.noMath, and Almond's element around values
LINK = re.compile(r"\d\d-[\w-]+\.ipynb(#[\w=-]+)?")
# Styles for charts in JupyterLab's dark theme and for values that Almond fades in. Neither has an effect on the site.
UNUSED = re.compile(
    r'<style>(?:body\[data-jp-theme-light="false"\]|@keyframes fadein)[^<]*</style>|(?<=<span) style="animation: fadein 2s;"(?=>)'
)

TRACES = {"bar", "scatter"}
CONFIG = {"displaylogo", "responsive"}
ELSEWHERE = {"images", "map", "mapbox", "geo", "source", "template", "uid"}  # they load files, or get into markup unescaped
CHART_MARKUP = re.compile(r'</?(?:b|br|extra|i|sub|sup)>|<span style="font-(?:family:monospace|size:\d{1,2}px)">|</span>')


# ---- panels and tables


def allowed(tag: str, name: str, value: str) -> bool:
    """Returns whether an attribute is one that the lab uses. Links must lead to pages of the course."""
    if name == "href":
        return bool(LINK.fullmatch(value))
    return value in CLASSES if name == "class" else name in ATTRIBUTES


CLEANER = bleach.Cleaner(TAGS, allowed, {"https"}, strip=True, strip_comments=True, css_sanitizer=CSSSanitizer(LOOKS, []))


def parts(text: str) -> Counter[str]:
    """Counts the elements, attributes and style properties of a piece of HTML."""
    found: Counter[str] = Counter()
    for element in BeautifulSoup(text, "html.parser", multi_valued_attributes=None).find_all(True):
        styles = [each.partition(":")[0].strip() for each in element.attrs.pop("style", "").split(";")]
        found.update([f"<{element.name}>", *element.attrs, *(f"style {each}" for each in styles if each)])
    return found


def cleaned_html(text: str) -> tuple[str, list[str]]:
    """Returns the HTML that bleach leaves, and what it removed."""
    text = UNUSED.sub("", text)
    left = CLEANER.clean(text)
    return left, sorted(parts(text) - parts(left))


# ---- charts


def strings(value: Any) -> Iterator[str]:
    """Yields every text in a figure. Raises ValueError if a key isn't allowed."""
    if isinstance(value, dict):
        if found := ELSEWHERE & value.keys():
            raise ValueError(f"has {min(found)!r}")
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)
    elif isinstance(value, str):
        yield value


def check_controls(layout: dict[str, Any]) -> None:
    """Raises KeyError, IndexError or TypeError if the site's slider (site.js) couldn't read the figure's controls."""
    for slider in layout.get("sliders", [])[:1]:
        float(layout["margin"]["b"] + layout["height"] + slider["pad"]["t"] + slider["active"])
        _ = slider["currentvalue"]["prefix"] + slider["currentvalue"]["suffix"] + slider["steps"][0]["label"]
        _ = [[*step["args"]] for step in slider["steps"]]
        for menu in layout.get("updatemenus", [])[:1]:
            float(menu["buttons"][0]["args"][1]["frame"]["duration"])


def typed(frame: dict[str, Any], data: list[Any]) -> dict[str, Any]:
    """Returns a frame whose traces have the figure's types. Raises IndexError or TypeError if the figure has no such trace."""
    changed = frame.get("data", [])
    places = frame.get("traces", range(len(changed)))
    return {**frame, "data": [{"type": data[at].get("type", "scatter"), **trace} for at, trace in zip(places, changed, strict=False)]}


def check_chart(figure: Any) -> None:
    """Raises ValueError, KeyError, IndexError, AttributeError or TypeError if the figure isn't one that the lab makes."""
    data, layout, frames = figure["data"], figure["layout"], figure.get("frames", [])
    config = figure.get("config", {})
    if figure.keys() - {"data", "layout", "frames", "config"} or config.keys() - CONFIG:
        raise ValueError("has parts that no chart of the course has")
    traces = [trace.get("type", "scatter") for each in (figure, *frames) for trace in each.get("data", [])]
    if other := set(traces) - TRACES:
        raise ValueError(f"has traces of type {min(map(str, other))}")
    for text in strings(figure):
        if re.search(r"<(?![ =\d]|$)", CHART_MARKUP.sub("", text)):
            raise ValueError("has markup in its words")
    plotly.graph_objects.Figure({"data": data, "layout": layout, "frames": [typed(frame, data) for frame in frames]})
    check_controls(layout)


def refused_chart(figure: Any) -> str:
    """Returns why a chart isn't published, or "" if it is."""
    try:
        check_chart(figure)
    except (ValueError, KeyError, IndexError, AttributeError, TypeError) as error:
        return " ".join(str(error).split())[:80] or type(error).__name__
    return ""


# ---- cells


def cleaned_output(output: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Returns the publishable part of an output, and what was removed."""
    if "data" not in output:  # printed text, or an error, which stops the site
        return output, []
    data, left, dropped = output["data"], {"text/plain": text_of(output["data"].get("text/plain", ""))}, []
    if CHART in data:
        if why := refused_chart(data[CHART]):
            dropped.append(f"chart that {why}")
        else:
            left[CHART] = data[CHART]
    elif "text/html" in data:
        html, taken = cleaned_html(text_of(data["text/html"]))
        if taken:
            dropped.append(f"text/html with {', '.join(taken[:5])}")
        else:
            left["text/html"] = html
    if records.MIME in data:  # the site counts records, but doesn't show them
        left[records.MIME] = data[records.MIME]
    dropped += sorted(data.keys() - {"text/plain", "text/html", CHART, records.MIME})
    return {**output, "metadata": {}, "data": left}, dropped


def published(page: Notebook, ran: Notebook) -> tuple[Notebook, list[str]]:
    """Returns the stored page with the outputs of its cells, and a line for each kind of content that isn't published."""
    theirs = {cell.get("id", "nameless"): cell for cell in ran["cells"]}
    dropped: dict[str, list[str]] = {}
    cells = []
    for cell in page["cells"]:
        other = theirs.pop(cell["id"], {"cell_type": cell["cell_type"], "source": cell["source"]})
        same = text_of(other["source"]) == text_of(cell["source"])
        if cell["cell_type"] == "code" == other["cell_type"]:
            cell = with_outputs(cell, other, dropped)
            if not same:
                dropped.setdefault("code of the page: the code that ran is shown", []).append(cell["id"])
        elif not same or other["cell_type"] != cell["cell_type"]:
            dropped.setdefault("text: the page's own is shown", []).append(cell["id"])
        cells.append(cell)
    if theirs:
        dropped["cell that the page doesn't have"] = sorted(theirs)
    lines = [f"{len(ids)} × {what} (in {', '.join(dict.fromkeys(ids))})" for what, ids in dropped.items()]
    return {**page, "cells": cells}, ["".join(c if c.isprintable() else "�" for c in line)[:500] for line in lines]


def with_outputs(cell: Cell, other: Cell, dropped: dict[str, list[str]]) -> Cell:
    """Returns a cell of the page with the code that ran and its outputs. Adds to `dropped` what isn't published."""
    outputs = []
    for output in other.get("outputs", []):
        left, missing = cleaned_output(output)
        outputs.append(left)
        for what in missing:
            dropped.setdefault(what, []).append(cell["id"])
    return {**cell, "source": other["source"], "outputs": outputs, "execution_count": other.get("execution_count")}


def read(path: Path) -> Notebook:
    """Returns a notebook's content. Raises ValueError or RecursionError if it isn't a notebook, or has what JSON or UTF-8 can't."""
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise ValueError("no object")
    found = json.loads(json.dumps(found, ensure_ascii=False, allow_nan=False).encode(errors="replace"))
    try:
        nbformat.validate(found)
    except nbformat.ValidationError as error:
        raise ValueError(str(error).splitlines()[0]) from None
    return found


def main(words: list[str]) -> int:
    """Writes the pages (second word and later) into the folder (first word), and prints what it omits."""
    folder, *pages = map(Path, words)
    folder.mkdir(parents=True)
    for path in pages:
        try:
            ran = read(path)
        except (ValueError, RecursionError) as error:
            print(f"{path} is not a notebook that can be published: {str(error)[:300]!r}")
            return 1
        page, told = published(json.loads((NOTEBOOKS / path.name).read_text(encoding="utf-8")), ran)
        for line in told:
            print(f"{path.stem}: not published: {line}", flush=True)
        (folder / path.name).write_text(json.dumps(page, ensure_ascii=False), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
