"""What the course asks, claims and sets, in its order: read from the stored pages, so that what readers handed in finds its place.

A question or a claim that no page holds isn't the course's, and isn't shown: whatever stands in a file, the headings are the pages' own.
"""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass, field
from typing import Any

from ..base.paths import ROOT
from ..pages import notebooks, stability

PUBLISHED = ROOT / "data" / "published" / "figures.csv"
ASKS = re.compile(r"\bPredict(?:\.(?:choice|number|words)|Table)\(")
CLAIMS = re.compile(r'\bClaim\(\s*"([A-Z]\d+[a-c]?)"\s*,')

# Scala's strings, with or without an s; what a cell puts in is a hole.
STRING = r'"((?:[^"\\]|\\.)*)"'
BRACES = r'\{(?:[^{}"]|"(?:[^"\\]|\\.)*"|\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\})*\}'
FILLED = re.compile(rf"\$(?:{BRACES}|\w+)")
LITERAL = re.compile(rf's"((?:\\.|\${BRACES}|[^"\\])*)"|{STRING}', re.S)
ESCAPES = {"n": "\n", "t": "\t"}
HOLE = "\0"


@dataclass(frozen=True)
class Place:
    """Where a page asks a question, or tries a claim in a sentence."""

    page: str
    order: tuple[int, int]  # the cell, and where in it
    text: str
    pattern: re.Pattern[str] | None = field(default=None, repr=False)  # of a text with holes: these may differ between machines
    claim: str = ""
    literals: frozenset[str] = field(default=frozenset(), repr=False)  # of the page: another option, row or unit is not the page's

    def fits(self, text: str) -> bool:
        return self.text == text or bool(self.pattern and self.pattern.fullmatch(text))


@dataclass(frozen=True)
class Course:
    pages: dict[str, str]  # their titles, by number
    questions: list[Place]
    claims: list[Place]
    exercises: dict[str, str]  # the page of each, by its id, in order
    figures: dict[str, list[str]]  # what was published for a claim, in words
    recorded: dict[tuple[str, str], str]  # what recorded runs came to, by claim and sentence, in words

    def question(self, asked: str, *parts: str) -> Place | None:
        """The page's question behind what was asked, with these options, rows, columns or units."""
        same = next((each for each in self.questions if each.fits(asked)), None)
        return same if same and same.literals.issuperset(parts) else None

    def claimed(self, claim: str, sentence: str) -> Place | None:
        """The page's sentence behind one that was judged."""
        return next((each for each in self.claims if each.claim == claim and each.fits(sentence)), None)


def text_of(code: str) -> str:
    """The literals that code begins with, joined by +; anything else that is joined is a hole. Empty if there is no literal."""
    found = ""
    while literal := LITERAL.match(code):
        part = literal[2] if literal[1] is None else FILLED.sub(HOLE, literal[1])
        found += re.sub(r"\\(.)", lambda escape: ESCAPES.get(escape[1], escape[1]), part)
        rest = code[literal.end() :].lstrip()
        if not rest.startswith("+"):
            return found
        code = rest[1:].lstrip()
    return found and found + HOLE


def pattern_of(text: str) -> re.Pattern[str] | None:
    """What a text with holes may look like once it is filled; spaces count as one."""
    parts = (r"\s+".join(map(re.escape, re.split(r"\s+", part))) for part in text.split(HOLE))
    return re.compile(".{1,80}?".join(parts)) if HOLE in text else None


def places(what: re.Pattern[str], page: str, index: int, code: str, literals: frozenset[str]) -> list[Place]:
    """The questions or the claims of a cell. In their text, N stands for a hole."""
    found = []
    for match in what.finditer(code):
        if text := text_of(code[match.end() :].lstrip()):
            readable = re.sub(r"\s+", " ", text.replace(HOLE, "N"))
            found.append(Place(page, (index, match.start()), readable, pattern_of(text), "".join(match.groups()), literals))
    return found


def literals_of(sources: list[str]) -> frozenset[str]:
    """Every text between quotes in the code of these cells, and the empty one."""
    found = re.findall(r'"((?:[^"\\\n]|\\.)*)"', "\n".join(sources))
    return frozenset({"", *(re.sub(r"\s+", " ", each) for each in found)})


def published_figures() -> dict[str, list[str]]:
    """Each figure in words, with its source."""
    found: dict[str, list[str]] = {}
    with PUBLISHED.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            error = f" ± {row['error']}" if row["error"] else ""
            who = row["author"].split()[-1] if row["author"] else row["article"]
            words = f"{row['quantity']}: {row['value']}{error} {row['unit']} ({who} {row['year']}, {row['conditions']})"
            found.setdefault(row["claim"], []).append(words)
    return found


def recorded_claims(written: list[Place], rows: list[dict[str, str]]) -> list[Place]:
    """The sentences of the recorded runs: what a page makes of those that it has with holes. Their order is that of the page."""
    found = []
    for at, row in enumerate(rows):
        same = next((each for each in written if each.claim == row["claim"] and each.fits(row["sentence"])), None)
        found.append(Place(row["page"][:2], same.order if same else (10_000, at), row["sentence"], claim=row["claim"]))
    return found


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def read() -> Course:
    """The course as it lies in this clone."""
    titles: dict[str, str] = {}
    questions, claims, exercises = [], [], {}
    for path in notebooks.pages():
        page, cells = path.name[:2], json.loads(path.read_text(encoding="utf-8"))["cells"]
        title = re.match(r"#\s+(?:\d\d · )?(.+)", source(cells[0]))
        titles[page] = title[1].strip() if title else path.stem
        code = {index: source(cell) for index, cell in enumerate(cells) if cell["cell_type"] == "code"}
        literals = literals_of(list(code.values()))
        for index, text in code.items():
            questions += places(ASKS, page, index, text, literals)
            claims += places(CLAIMS, page, index, text, literals)
            tags = cells[index].get("metadata", {}).get("tags", [])
            exercises.update({tag.removeprefix("exercise:"): page for tag in tags if tag.startswith("exercise:")})
    rows = stability.recorded()
    recorded = {
        (row["claim"], row["sentence"]): f"{row['verdict']} in {row['share']} runs; {row['measured']} (on {row['on']})" for row in rows
    }
    return Course(titles, questions, [*recorded_claims(claims, rows), *claims], exercises, published_figures(), recorded)
