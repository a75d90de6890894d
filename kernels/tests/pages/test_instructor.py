"""Tests the instructor's guides. Each covers everything that its page asks, and the plans add up."""

from __future__ import annotations

import itertools
import json
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import page_measures
import pictures
import plan_sheets
import pytest
from command.base import records
from command.pages import notebooks
from conftest import ROOT

PAGES = notebooks.pages()
PLANS = pictures.GUIDES / "README.md"
ASKED = re.compile(r"^(?!\s*//).*\bPredict\.\w+\(", re.M)
BEFORE = re.compile(r"\*\*Before you \w+( \w+)?:\*\*")
CHOICE = re.compile(r"Predict\.choice\((.*?)\)\n", re.S)
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
STEP = re.compile(r"^\| (\d+):(\d\d)–(\d+):(\d\d) \| (\d+) \|", re.M)
BOUNDS = re.compile(r"(\d[\d.,]*) \(([\d.,]+) to ([\d.,]+)\)")  # 1.75 (1.62 to 1.90)
LASTS = re.compile(r"^### .*?(\d+) minutes", re.M)


def name(path: Path) -> str:
    return path.stem


def guide_of(page: Path) -> Path:
    return pictures.GUIDES / f"{page.stem}.md"


def cells(page: Path) -> list[dict[str, Any]]:
    return json.loads(page.read_text())["cells"]


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def asks(cell: dict[str, Any]) -> bool:
    """Returns whether the reader should predict something here, in a cell or silently."""
    return bool((ASKED if cell["cell_type"] == "code" else BEFORE).search(source(cell)))


def tagged(page: Path, kind: str) -> list[dict[str, Any]]:
    return [cell for cell in cells(page) if kind in cell["metadata"].get("tags", ())]


def exercises(page: Path) -> list[str]:
    """Returns the ids of the page's exercises, in order."""
    return [tag.removeprefix("exercise:") for cell in tagged(page, "stub") for tag in cell["metadata"]["tags"] if "exercise:" in tag]


def options(cell: dict[str, Any]) -> Iterator[str]:
    """Yields the options of a multiple-choice question that are literals in the cell, even if a string has several parts."""
    for call in CHOICE.findall(source(cell) + "\n"):
        yield from STRING.findall(re.sub(r'"\s*\+\s*s?"', "", call))[2:]


def left_out(page: Path, solutions: Path, guide: str) -> list[str]:
    """Returns what the guide doesn't cover: the page's questions and their answers, its exercises, and the solutions' wrong answers."""
    found = [f"the question of {cell['id']}" for cell in cells(page) if asks(cell) and f"({link(page, cell)})" not in guide]
    answers = [(cell["id"], one) for cell in cells(page) if asks(cell) for one in options(cell)]
    found += [f"the answer “{one}” of {cell}" for cell, one in answers if one not in guide]
    found += [f"the exercise {one}" for one in exercises(page) if f"(`{one}`)" not in guide]
    wrong = [cell for cell in tagged(solutions, "cheat") if f"({link(page, cell, 'solutions/')})" not in guide]
    return found + [f"the wrong answer {cell['id']}" for cell in wrong]


def link(page: Path, cell: dict[str, Any], folder: str = "") -> str:
    return f"../{folder}{page.name}#cell-id={cell['id']}"


def minutes(guide: str, row: str) -> str:
    """Returns the entry of this row in the guide's table of minutes."""
    found = re.search(rf"^\| {row} \| (.*) \|$", guide, re.M)
    return found[1] if found else "nothing"


def test_each_page_has_a_guide_and_the_plans_lead_to_it():
    assert [path.name for path in sorted(pictures.GUIDES.glob("[0-9][0-9]-*.md"))] == [guide_of(page).name for page in PAGES]
    assert [page.name for page in PAGES if f"({guide_of(page).name})" not in PLANS.read_text()] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_guide_deals_with_all_that_its_page_asks(page: Path):
    assert left_out(page, page.parent / "solutions" / page.name, guide_of(page).read_text()) == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_guide_has_the_minutes_of_its_page(page: Path):
    guide, stated = guide_of(page).read_text(), page_measures.Page(page).stated
    assert stated
    assert minutes(guide, "the page states") == "{}: {} reading and trying, {} running".format(*stated)
    rows = re.findall(rf"^\| {page.name[:2]} \| (.*?) \| (.*?) \|", (ROOT / "data" / "README.md").read_text(), re.M)
    assert rows, f"data/README.md has no row for page {page.name[:2]} in its table of what the pages take"
    two, one = rows[0]
    assert minutes(guide, "a run takes") == f"{two} on 2 CPUs" + (f", {one} on 1" if one[0].isdigit() else "")
    assert minutes(guide, "to teach").isdigit()
    assert len(re.findall(r"\d+", minutes(guide, "the exercises?"))) == len(exercises(page))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_guide_shows_charts_of_its_page(page: Path):
    there = {cell["id"] for cell in cells(page)}
    for words, picture in pictures.named(guide_of(page)):
        assert (picture.page, picture.cell in there) == (page.name[:2], True), f"{picture.name}: no such cell on the page"
        assert len(words) > 10, f"{picture.name}: no words beside it. Draw it: kernels/tools/pictures.py {picture.page}"
        content = (pictures.PICTURES / picture.name).read_bytes()
        assert content[1:4] == b"PNG" and struct.unpack(">I", content[16:20])[0] == pictures.WIDTH, picture.name
        assert len(content) <= pictures.MOST_BYTES, f"{picture.name}: {len(content)} bytes"


def test_no_picture_is_left_over():
    shown = {picture.name for page in PAGES for _, picture in pictures.named(guide_of(page))}
    assert {path.name for path in pictures.PICTURES.iterdir()} == shown


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_ranges_that_a_guide_quotes_are_recorded(page: Path):
    measured = [one for row in records.recorded() for one in row["measured"]]
    recorded = {tuple(shown(one.get(bound)) for bound in ("value", "low", "high")) for one in measured}
    quoted = BOUNDS.findall(pictures.IMAGE.sub("", guide_of(page).read_text()))  # a picture describes its own run
    ranges = [tuple(float(number.replace(",", "")) for number in one) for one in quoted]
    assert [one for one in ranges if one not in recorded] == [], "say what data/recorded/verdicts.jsonl has now"


def shown(value: float | str | bool | None) -> float | str | bool | None:
    """Returns a number as the course prints it, with three significant digits, or whole from 100 on. Texts are unchanged."""
    if isinstance(value, (str, bool)) or value is None:
        return value
    return round(value) if abs(value) >= 100 else float(f"{value:.3g}")


def test_each_page_is_in_the_table_of_guides_with_its_minutes():
    row = "| [{}]({}) | {} | {} | {} |"
    for page in PAGES:
        guide = guide_of(page).read_text()
        question = re.sub(r"^# Teaching \d\d · ", "", guide.splitlines()[0])
        told = row.format(page.name[:2], guide_of(page).name, question, minutes(guide, "to teach"), minutes(guide, "the exercises?"))
        assert told in PLANS.read_text(), told


def plans(text: str) -> dict[str, list[tuple[int, int, int]]]:
    """Returns for each heading the start, the end and the length of each step, in minutes."""
    parts = re.split(r"(?=^### )", text, flags=re.M)
    return {
        part.splitlines()[0]: [(60 * a + b, 60 * c + d, e) for a, b, c, d, e in (map(int, step) for step in STEP.findall(part))]
        for part in parts
        if STEP.search(part)
    }


def wrong_plans(text: str) -> Iterator[str]:
    for heading, steps in plans(text).items():
        lasts = LASTS.search(heading)
        if not lasts or steps[-1][1] - steps[0][0] != int(lasts[1]):
            yield f"{heading}: {steps[-1][1] - steps[0][0]} minutes from its first step to its last"
        for before, after in itertools.pairwise(steps):
            if before[1] != after[0]:
                yield f"{heading}: a step ends at {clock(before[1])}, the next begins at {clock(after[0])}"
        for start, end, long in steps:
            if end - start != long:
                yield f"{heading}: from {clock(start)} to {clock(end)} are {end - start} minutes, not {long}"


def clock(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02}"


def test_the_plans_add_up():
    text = PLANS.read_text()
    assert list(wrong_plans(text)) == []
    assert len(plans(text)) == 4  # 90 minutes, half a day, and each of two days


def test_a_plan_that_does_not_add_up_is_found():
    row = "| {} | {} | words |\n"
    right = "### A plan: 90 minutes\n\n" + row.format("9:00–9:30", 30) + row.format("9:30–10:30", 60)
    assert list(wrong_plans(right)) == []
    wrong = "### A plan: 90 minutes\n\n" + row.format("9:00–9:30", 20) + row.format("9:35–10:00", 25)
    assert [fault.split(": ", 2)[2] for fault in wrong_plans(wrong)] == [
        "60 minutes from its first step to its last",
        "a step ends at 9:30, the next begins at 9:35",
        "from 9:00 to 9:30 are 30 minutes, not 20",
    ]


def test_what_a_guide_leaves_out_is_found(tmp_path: Path):
    def book(folder: str, *of: tuple[str, str, str]) -> Path:
        all_cells = [{"id": n, "source": s, "cell_type": "code" if t else "markdown", "metadata": {"tags": t.split()}} for n, s, t in of]
        path = tmp_path / folder / "99-made-up.ipynb"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"cells": all_cells}))
        return path

    choice = 'val guess = Predict.choice("99-who",\n  "Who, " +\n    "then?",\n  "this one, say", "another")\n// guess.is("a")'
    page = book(
        "a",
        ("head", "**Before you run it:** who?", ""),
        ("ask", choice, "x"),
        ("told", "// Predict.choice is above", "x"),
        ("shape", "*Before you run it* is written like that", ""),
        ("do", "???", "exercise:99-do stub"),
    )
    solutions = book("b", ("do-cheat", "f()", "exercise:99-do cheat"), ("do-right", "g()", "exercise:99-do solution"))
    assert left_out(page, solutions, "") == [
        "the question of head",
        "the question of ask",
        "the answer “this one, say” of ask",
        "the answer “another” of ask",
        "the exercise 99-do",
        "the wrong answer do-cheat",
    ]
    links = " ".join(f"[x](../{link}.ipynb#cell-id={cell})" for link, cell in [("99-made-up", "head"), ("99-made-up", "ask")])
    whole = links + " this one, say; another (`99-do`) [x](../solutions/99-made-up.ipynb#cell-id=do-cheat)"
    assert left_out(page, solutions, whole) == []


def test_a_pictures_name_tells_its_chart(tmp_path: Path):
    chart = {
        "layout": {"title": {"text": '<span style="font-family:monospace">f</span> &lt; 2<br>and <span style="font-size:13px">so</span>'}}
    }
    outputs = [{"data": {pictures.CHART: {"layout": {"title": {"text": "first"}}}}}, {"data": {pictures.CHART: chart}}, {"text": "x"}]
    (tmp_path / "99-made-up.ipynb").write_text(json.dumps({"cells": [{"id": "draw-2", "outputs": outputs}]}))
    titles = [pictures.finding(pictures.Picture.of(name).chart(tmp_path)) for name in ("99-draw-2.png", "99-draw-2.2.png")]
    assert titles == ["first", "f < 2 and so"]
    for missing, words in (("99-draw-2.3.png", "drew 2 charts"), ("98-draw.png", "kernels/course run 98")):
        with pytest.raises(LookupError, match=words):
            pictures.Picture.of(missing).chart(tmp_path)
    with pytest.raises(ValueError, match=r"expected NN-CELL\.png"):
        pictures.Picture.of("draw.png")
    guide = "![](pictures/99-draw-2.png) ![kept](pictures/98-draw.png)"
    assert pictures.described(guide, {"99-draw-2.png": "so"}) == "![so](pictures/99-draw-2.png) ![kept](pictures/98-draw.png)"


def test_each_plan_has_its_sheet_as_its_table_and_the_guides_say():
    written = {path: path.read_text() for path in plan_sheets.SHEETS.glob("*.md")}
    assert written == plan_sheets.sheets(), plan_sheets.AGAIN
    assert len(written) == 4 and all(text.count("\n| | ") >= 6 for text in written.values()), "each sheet has questions"
