"""What the course asks, claims and sets, in its order: read from the stored pages, so that what readers handed in finds its place.

A question or a claim that no page holds isn't the course's, and isn't shown: whatever stands in a file, the headings are the pages' own.
"""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base.paths import ROOT
from ..pages import notebooks

PUBLISHED = ROOT / "data" / "published" / "figures.csv"
RECORDED = ROOT / "data" / "recorded" / "verdicts.csv"


@dataclass(frozen=True)
class Question:
    """A prediction of a page. What a cell puts into its text is a hole: it may differ between machines."""

    page: str
    cell: str
    order: tuple[int, int, int]
    text: str
    pattern: re.Pattern[str] = field(repr=False)
    holes: bool
    literals: frozenset[str] = field(repr=False)  # of the page: an option, a row or a unit that isn't one of them is not the page's


@dataclass(frozen=True)
class Claimed:
    """A sentence in which a page tries a claim."""

    page: str
    claim: str
    order: tuple[int, int, int]
    text: str
    pattern: re.Pattern[str] = field(repr=False)
    holes: bool


@dataclass(frozen=True)
class Page:
    number: str
    title: str


@dataclass
class Course:
    pages: list[Page]
    questions: list[Question]
    claims: list[Claimed]
    exercises: dict[str, str]  # the page of each, by its id, in order
    figures: dict[str, list[str]]  # what was published for a claim, in words
    recorded: dict[tuple[str, str], str]  # what recorded runs came to, by claim and sentence, in words

    def question(self, asked: str, *parts: str) -> Question | None:
        """The page's question behind what was asked, with these options, rows, columns or units."""
        same = next((each for each in self.questions if each.text == asked or (each.holes and each.pattern.fullmatch(asked))), None)
        return same if same and same.literals.issuperset(parts) else None

    def claimed(self, claim: str, sentence: str) -> Claimed | None:
        """The page's sentence behind one that was judged."""
        mine = [each for each in self.claims if each.claim == claim]
        same = (each for each in mine if each.text == sentence or (each.holes and each.pattern.fullmatch(sentence)))
        return next(same, None)


# ---- Scala's strings


HOLE = "\0"  # stands for what a cell puts in
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "'": "'"}


def end_of_hole(code: str, at: int) -> int:
    """Where the braces end that begin at `at`, with the strings in them."""
    depth = 0
    while at < len(code):
        if code[at] == '"':
            at = string_at(code, at)[1] - 1
        depth += (code[at] == "{") - (code[at] == "}")
        at += 1
        if depth == 0:
            break
    return at


def string_at(code: str, at: int) -> tuple[str, int]:
    """The literal that begins at `at`, with or without an s, and where it ends. Raises a ValueError if there is none."""
    filled = code.startswith('s"', at)
    at += filled
    if not code.startswith('"', at) or code.startswith('"""', at):
        raise ValueError("no literal")
    found, at = "", at + 1
    while at < len(code) and code[at] != '"':
        if code[at] == "\\":
            found, at = found + ESCAPES.get(code[at + 1 : at + 2], "?"), at + 2
        elif filled and code.startswith("${", at):
            found, at = found + HOLE, end_of_hole(code, at + 1)
        elif filled and (name := re.match(r"\$(\w+)", code[at:])):
            found, at = found + HOLE, at + name.end()
        else:
            found, at = found + code[at], at + 1
    return found, at + 1


def text_at(code: str, at: int) -> str:
    """The literals from there on, joined by +. Raises a ValueError if there is none."""
    at += len(code[at:]) - len(code[at:].lstrip())
    found, at = string_at(code, at)
    while more := re.match(r"\s*\+\s*", code[at:]):
        try:
            part, at = string_at(code, at + more.end())
        except ValueError:
            return found + HOLE
        found += part
    return found


def pattern_of(text: str) -> re.Pattern[str]:
    """What a text with holes may look like once it is filled; spaces count as one."""
    parts = (r"\s+".join(map(re.escape, re.split(r"\s+", part))) for part in text.split(HOLE))
    return re.compile(".{1,80}?".join(parts))


def readable(text: str) -> str:
    """A text to be shown, with N where it has a hole."""
    return re.sub(r"\s+", " ", text.replace(HOLE, "N"))


# ---- the pages


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def number(page: str) -> int:
    return int(page) if page.isdigit() else 99


def literals_of(cells: list[dict[str, Any]]) -> frozenset[str]:
    """Every text between quotes in the code of these cells, and the empty one."""
    code = "\n".join(source(cell) for cell in cells if cell["cell_type"] == "code")
    return frozenset({"", *(re.sub(r"\s+", " ", found) for found in re.findall(r'"((?:[^"\\\n]|\\.)*)"', code))})


def asked_in(page: str, index: int, cell: dict[str, Any], literals: frozenset[str]) -> list[Question]:
    found = []
    for match in re.finditer(r"\bPredict(?:\.(?:choice|number|words)|Table)\(", source(cell)):
        try:
            text = text_at(source(cell), match.end())
        except ValueError:
            continue
        found.append(
            Question(page, cell["id"], (number(page), index, match.start()), readable(text), pattern_of(text), HOLE in text, literals)
        )
    return found


def claimed_in(page: str, index: int, cell: dict[str, Any]) -> list[Claimed]:
    found = []
    for match in re.finditer(r'\bClaim\(\s*"([A-Z]\d+[a-c]?)"\s*,', source(cell)):
        try:
            text = text_at(source(cell), match.end())
        except ValueError:
            continue
        found.append(Claimed(page, match[1], (number(page), index, match.start()), readable(text), pattern_of(text), HOLE in text))
    return found


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def recorded_claims(written: list[Claimed]) -> list[Claimed]:
    """The sentences of the recorded runs: what a page makes of those that it has with holes. Their order is that of the page."""
    found = []
    for at, row in enumerate(rows_of(RECORDED)):
        page, claim, sentence = row["page"][:2], row["claim"], row["sentence"]
        place = next((each.order for each in written if each.claim == claim and each.pattern.fullmatch(sentence)), None)
        found.append(Claimed(page, claim, place or (number(page), 10_000, at), sentence, pattern_of(sentence), False))
    return found


def recorded_words() -> dict[tuple[str, str], str]:
    """What the recorded runs came to, in words."""
    return {
        (row["claim"], row["sentence"]): f"{row['verdict']} in {row['share']} runs; {row['measured']} (on {row['on']})"
        for row in rows_of(RECORDED)
    }


def published_figures() -> dict[str, list[str]]:
    """Each figure in words, with its source."""
    found: dict[str, list[str]] = {}
    for row in rows_of(PUBLISHED):
        error = f" ± {row['error']}" if row["error"] else ""
        who = row["author"].split()[-1] if row["author"] else row["article"]
        words = f"{row['quantity']}: {row['value']}{error} {row['unit']} ({who} {row['year']}, {row['conditions']})"
        found.setdefault(row["claim"], []).append(words)
    return found


def read() -> Course:
    """The course as it lies in this clone."""
    pages, questions, claims, exercises = [], [], [], {}
    for path in notebooks.pages():
        page, cells = path.name[:2], json.loads(path.read_text(encoding="utf-8"))["cells"]
        title = re.match(r"#\s+(?:\d\d · )?(.+)", source(cells[0]))
        literals = literals_of(cells)
        pages.append(Page(page, title[1].strip() if title else path.stem))
        for index, cell in enumerate(cells):
            if cell["cell_type"] != "code":
                continue
            questions += asked_in(page, index, cell, literals)
            claims += claimed_in(page, index, cell)
            tags = cell.get("metadata", {}).get("tags", [])
            exercises.update({tag.removeprefix("exercise:"): page for tag in tags if tag.startswith("exercise:")})
    return Course(pages, questions, [*recorded_claims(claims), *claims], exercises, published_figures(), recorded_words())
