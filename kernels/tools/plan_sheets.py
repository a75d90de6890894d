"""Writes one sheet to print for each of the instructor's plans: the minute, the slide, the question, the expected answer, what to skip.

    .venv/bin/python kernels/tools/plan_sheets.py

writes notebooks/instructor/sheets/*.md again. The plans are tables of notebooks/instructor/README.md. A row names its questions by the ids
of their cells, in a comment: `<!-- ask five-lines-guess count-guess -->`, or `<!-- ask all -->` for those of the page. Questions and
expected answers come from the guides, and the slide is the page's section. `test_instructor.py` says when a sheet is out of date.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "notebooks" / "instructor"
SHEETS = FOLDER / "sheets"
AGAIN = "write the sheets again: .venv/bin/python kernels/tools/plan_sheets.py"
PLAN = re.compile(r"^### ((?:90 minutes|Half a day|Two days).*?)\n\n\| when .*\n\|[-|]+\|\n((?:\|.*\n)+)", re.M)
QUESTION = re.compile(r"^### \[“([^“]+?)”\]\(\.\./([^#)]+)#cell-id=([^)]+)\)[^\n]*\n(.*?)(?=^##|\Z)", re.M | re.S)
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


def section(page: str, cell: str) -> str:
    """Returns the heading of the section that contains a cell: the slide on which the question's section begins."""
    heading = ""
    for one in json.loads((FOLDER.parent / page).read_text(encoding="utf-8"))["cells"]:
        text = "".join(one["source"])
        if one["cell_type"] == "markdown" and (found := re.match(r"## (.+)", text)):
            heading = found[1]
        if one["id"] == cell:
            return heading
    raise ValueError(f"{page} has no cell {cell}, which a guide asks for; name the question's cell there, then {AGAIN}")


def questions(number: str) -> dict[str, tuple[str, str, str]]:
    """Returns slide, question and expected answer of each question in a page's guide, by the id of its cell."""
    (guide,) = FOLDER.glob(f"{number}-*.md")
    found = {}
    for question, page, cell, body in QUESTION.findall(guide.read_text(encoding="utf-8")):
        expected = re.search(r"\*Expect\* (.+?[.!?])(?=\s|$)", body, re.S)
        found[cell] = (section(page, cell), question, LINK.sub(r"\1", " ".join(expected[1].split())) if expected else "–")
    return found


def rows(table: str) -> Iterator[str]:
    """Yields the sheet's lines for a plan's table: one for each question, or one for a row without questions."""
    page = ""
    for line in table.splitlines():
        when, minutes, what, they, drop = (cell.strip() for cell in line.strip("|").split("|"))
        numbers = re.findall(r"\b(\d\d)(?=\]\(|:)", what)
        page = numbers[0] if numbers else page
        asked = re.search(r"<!-- ask (.*?) -->", what)
        plain = LINK.sub(r"\1", re.sub(r"\s*<!--.*?-->", "", what))
        task = LINK.sub(r"\1", they)
        yield f"| **{when}** | **{plain}** ({minutes}) | {task} | | {drop} |"
        if asked:
            there = questions(page)
            for cell in there if asked[1] == "all" else asked[1].split():
                slide, question, expected = there[cell]
                yield f"| | {slide} | {question} | {expected} | |"


def sheets() -> dict[Path, str]:
    """Returns each sheet's text by its path."""
    found = {}
    for title, table in PLAN.findall((FOLDER / "README.md").read_text(encoding="utf-8")):
        name = re.sub(r"[^a-z0-9]+", "-", title.partition(":")[0].lower()).strip("-")
        head = "<!-- Made by kernels/tools/plan_sheets.py: don't edit it here. -->\n"
        top = "| when | what, slide (minutes) | they; ask | expect | skip first |\n|---|---|---|---|---|\n"
        found[SHEETS / f"{name}.md"] = f"{head}# {title}\n\n{top}" + "".join(f"{line}\n" for line in rows(table))
    return found


def main() -> int:
    SHEETS.mkdir(exist_ok=True)
    for path, text in sheets().items():
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{path.relative_to(FOLDER.parents[1])}: {len(text.split())} words\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
