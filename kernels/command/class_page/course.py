"""Reads what the course asks, states and sets as exercises. An item belongs to the page that contains its id.

Items that no page contains aren't part of the course, and aren't shown. So whatever a file says, every heading is the course's own.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base import records
from ..base.paths import ROOT
from ..base.records import Statement
from ..pages import notebooks

PUBLISHED = ROOT / "data" / "published" / "figures.csv"
ASKS = re.compile(r'\bPredict\.(choice|number|table)\(\s*"(\d\d-[a-z0-9-]+)"')
NAMES = re.compile(r'"([A-Z]\d+[a-z]?\.[a-z0-9-]+)"')


@dataclass(frozen=True)
class Question:
    """Describes a question by its page and kind."""

    id: str
    page: str
    kind: str


@dataclass(frozen=True)
class Course:
    titles: dict[str, str]  # by page number
    questions: dict[str, Question]  # by id, in the order of the pages
    statements: dict[str, Statement]
    tried: dict[str, str]  # the first page that names a statement, by the statement's id
    exercises: dict[str, str]  # the page of each exercise, by the exercise's id, in order
    figures: dict[str, list[str]]  # the published figures of a statement, in words
    recorded: dict[str, str]  # the results of recorded runs, by statement, in words
    because: dict[str, list[str]]  # why it came out so, by the question's id: the reasons that the question's section marks
    whys: dict[str, str]  # the same by the statement's id


def published_figures(statements: Iterable[Statement]) -> dict[str, list[str]]:
    """Returns each statement's published figures in words, with their source."""
    found: dict[str, dict[str, str]] = {}
    with PUBLISHED.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            error = f" ± {row['error']}" if row["error"] else ""
            who = row["author"].split()[-1] if row["author"] else row["article"]
            words = f"{row['quantity']}: {row['value']}{error} {row['unit']} ({who} {row['year']}, {row['conditions']})"
            found.setdefault(row["claim"], {})[row["quantity"]] = words
    of = {one.id: found.get(one.claim, {}) for one in statements}
    return {one.id: [of[one.id][name] for name in one.figures or of[one.id]] if one.figures != () else [] for one in statements}


SENTENCE = re.compile(r"(?:[.!?][)`*]?|-->|\n)\s+(?=[A-Z*`])")


def whys(prose: str) -> dict[str, str]:
    """Returns the sentence before each mark of a reason (`<!-- why B9.stealing -->`), by the statement's id.

    Several marks after one sentence share it. Markdown's links and emphasis are left out.
    """
    found: dict[str, str] = {}
    before, *marked = prose.split("<!-- why ")
    for part in marked:
        name, _, after = part.partition(" -->")
        sentence = SENTENCE.split(re.sub(r"^#+ .*\n", "", before.split("\n\n")[-1].strip()))[-1]
        found[name] = plain(sentence) if sentence else next(reversed(found.values()), "")
        before = after
    return found


def reasons(prose: str) -> list[str]:
    """Returns the marked reasons in a text, or else the first sentence of its section *Why*."""
    found = list(dict.fromkeys(whys(prose).values()))
    if not found and "### Why\n" in prose:
        found = [plain(SENTENCE.split(prose.partition("### Why\n")[2].strip())[0])]
    return found


def plain(sentence: str) -> str:
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", sentence).replace("*", "").strip()
    return text if text[-1] in ".!?)" else f"{text}."


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def read(pages: Iterable[Path] | None = None) -> Course:
    """Reads the course from this clone, or only from `pages`."""
    titles: dict[str, str] = {}
    questions: dict[str, Question] = {}
    tried: dict[str, str] = {}
    exercises: dict[str, str] = {}
    because: dict[str, list[str]] = {}
    every: dict[str, str] = {}
    statements = records.statements()
    for path in notebooks.pages() if pages is None else pages:
        page, cells = path.name[:2], json.loads(path.read_text(encoding="utf-8"))["cells"]
        title = re.match(r"#\s+(?:\d\d · )?(.+)", source(cells[0]))
        titles[page] = title[1].strip() if title else path.stem
        section: list[str] = []
        for cell in cells:
            code = source(cell)
            if cell["cell_type"] != "code":
                section = [] if code.startswith("## ") else section
                every |= whys(code)
                for name in section:
                    because[name] += reasons(code)
                continue
            section += [name for _, name in ASKS.findall(code) if name not in because]
            because |= {name: [] for name in section if name not in because}
            for kind, name in ASKS.findall(code):
                questions.setdefault(name, Question(name, page, kind))
            for name in NAMES.findall(code):
                tried.setdefault(name, page)
            for tag in cell.get("metadata", {}).get("tags", ()):
                if tag.startswith("exercise:"):
                    exercises.setdefault(tag.removeprefix("exercise:"), page)
    recorded = {
        row["statement"]: f"{row['verdict']} in {row['reached']} of {row['runs']} runs; {records.told(row['measured'])} (on {row['on']})"
        for row in records.recorded()
    }
    tried = {name: tried[name] for name in statements if name in tried}
    return Course(titles, questions, statements, tried, exercises, published_figures(statements.values()), recorded, because, every)
