"""Tests that rewording every sentence changes no fact, and that a new article needs no code."""

from __future__ import annotations

import csv
import html
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from command.base import records
from conftest import Clone, only_in_full

LEDGER = "12-ledger"
NAMES = {one["name"] for row in records.recorded() for one in row["measured"]}  # names of measurements, by which code finds them
QUANTITIES = [row["quantity"] for row in csv.DictReader((records.STATEMENTS.parent / "figures.csv").open())]
HELD = {*records.VERDICTS, *NAMES, *QUANTITIES, *(part for name in (*NAMES, *QUANTITIES) for part in re.split(", |: ", name))}


# ---- other words


def turned(text: str) -> str:
    """Returns a text of the same length in which each letter is replaced, while digits and signs stay."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return text.translate(str.maketrans(letters + letters.upper(), letters[13:] + letters[:13] + (letters[13:] + letters[:13]).upper()))


def outside(kept: str, text: str) -> str:
    """Rewords a text except where the pattern `kept` matches."""
    found = re.split(f"({kept})", text, flags=re.S)
    return "".join(part if at % 2 else turned(part) for at, part in enumerate(found))


def strings(code: str) -> Iterator[tuple[int, int]]:
    """Yields where the strings of Scala code begin and end, without their quotes. Doesn't look into interpolated code."""
    at, within = 0, 0
    while at < len(code):
        if code.startswith("//", at):
            at = code.find("\n", at) % (len(code) + 1)
        elif code[at] == '"' and not code.startswith('"""', at):
            begin, at = at + 1, at + 1
            while code[at] != '"' or within:
                within += code.startswith("${", at) - (within and code[at] == "}")
                at += 1 + (code[at] == "\\")
            yield begin, at
        at += 1


def reworded_code(code: str) -> str:
    """Rewords every string that contains a space, unless it is a name that code looks for."""
    for begin, end in reversed(list(strings(code))):
        text = code[begin:end]
        looks = ".+".join(map(re.escape, re.split(r"\$\{[^}]*\}|\$\w+", text)))  # matches a name or its beginning
        if " " in text and not any(re.match(looks, name) for name in HELD):
            code = code[:begin] + outside(r"\$\{[^}]*\}|\$\w+|\\.|`[^`]*`", text) + code[end:]
    return code


def reworded(page: Path) -> None:
    """Rewords a page's text, its questions and its titles."""
    notebook = nbformat.read(page, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = cell.source if cell.source.startswith("%%") else reworded_code(cell.source)
        else:
            cell.source = outside(r"<!--.*?-->|`[^`]*`|\]\([^)]*\)|<[^>]*>|^#+ \d\d", cell.source)
    nbformat.write(notebook, page)


def reword(clone: Clone) -> None:
    for page in (clone.folder / "notebooks").glob("[0-9][0-9]-*.ipynb"):
        reworded(page)
    for name in ("statements", "claims"):
        file = clone.folder / "data" / "published" / f"{name}.csv"
        with file.open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        for row in rows:
            row["text"] = outside("`[^`]*`", row["text"])
        with file.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def test_other_words_leave_code_alone():
    code = 'val a = s"of ${n("x y")} tasks, $all `of it`\\n" + "B1.x" // "so so"\nf("two words")'
    assert reworded_code(code) == 'val a = s"bs ${n("x y")} gnfxf, $all `of it`\\n" + "B1.x" // "so so"\ns("gjb jbeqf")'.replace("s(", "f(")


# ---- facts


def executed(clone: Clone, name: str) -> dict[str, Any]:
    return json.loads((clone.folder / ".build" / "run" / f"{name}.ipynb").read_text())


def numbers(text: str) -> list[str]:
    return re.findall(r"\d[\d.,:]*", text)


def plain(page: str) -> str:
    return html.unescape(re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", page, flags=re.S))


def drawn(notebook: dict[str, Any]) -> list[Any]:
    """Returns the numbers of every chart that a page drew."""

    def of(value: Any) -> Any:
        if isinstance(value, dict):
            return [of(one) for one in value.values()]
        return [of(one) for one in value] if isinstance(value, list) else value if isinstance(value, float | int) else None

    outputs = [output["data"] for cell in notebook["cells"] for output in cell.get("outputs", ()) if "data" in output]
    return [of(data["application/vnd.plotly.v1+json"]["data"]) for data in outputs if "application/vnd.plotly.v1+json" in data]


def facts(clone: Clone) -> dict[str, Any]:
    """Returns the facts of the ledger, page 12, the site, progress and the class's page, without their words."""
    done = clone.run("run", "12", limit=600)
    assert done.code == 0, done.said
    ledger = executed(clone, LEDGER)
    (counted,) = [record for record in records.of_notebook(ledger) if record["record"] == "ledger"]
    progress = clone.run("progress")
    assert progress.code == 0, progress.said
    page = clone.folder / ".build" / "class.html"
    made = clone.run("class", str(clone.folder / "data" / "results"), "--to", str(page))
    assert made.code == 0, made.said
    front = (
        "import json; from command.pages.executed import read_notebook; from command.base.paths import RUNS; "
        "from command.publish import site_pages; "
        f"print(site_pages.headline(site_pages.verdicts(read_notebook(RUNS / '{LEDGER}.ipynb'))[0]))"
    )
    site = clone.program(sys.executable, "-c", front, PYTHONPATH=str(clone.folder / "kernels"))
    assert site.code == 0, site.said
    shown = plain(page.read_text())
    return {
        "ledger": counted["rows"],
        "charts": drawn(ledger),
        "site": site.out,
        "progress": numbers(progress.out),
        "class": numbers(re.sub(r"put together on [\d: -]+|load: median \(least to most\)\s+[\d.]+", "", shown)),
        "verdicts": [re.findall(rf"{name}: \d+", shown) for name in records.VERDICTS],
    }


@pytest.fixture
def read(clone_with_products: Clone, monkeypatch: pytest.MonkeyPatch) -> Clone:
    """Returns a clone whose reader has run and answered page 00, as its records say."""
    monkeypatch.setenv("COURSE_RESULTS", str(clone_with_products.folder / "data" / "results"))
    done = clone_with_products.run("run", "00", limit=600)
    assert done.code == 0, done.said
    return clone_with_products


@only_in_full
def test_other_words_change_no_fact_and_a_new_article_needs_no_code(read: Clone):
    before = facts(read)
    assert len(before["ledger"]) == len(records.statements()) and len(before["charts"]) >= 12
    assert sum(row["here"] for row in before["ledger"]) == 1, "page 00 tries one statement"
    reword(read)
    assert facts(read) == before

    # Add article H, with claim Z1 of another article, on page 14.
    published = read.folder / "data" / "published"
    with (published / "claims.csv").open("a") as claims, (published / "statements.csv").open("a") as statements:
        for claim in ("H1", "Z1"):
            claims.write(f"{claim},An article to come,Nobody,2026,none,what nobody has said yet\n")
            statements.write(f"{claim}.to-come,structure,,Opening,1,none,where nothing comes,,what nobody has said yet\n")
    page = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell("# 14 · What is to come?\n\nTwo.<!-- why H1.to-come --><!-- why Z1.to-come -->", id="title"),
            nbformat.v4.new_code_cell('val guess = Predict.number("14-come", "How many come?")\nguess.reveal(2)', id="ask"),
            nbformat.v4.new_code_cell('for (id <- Seq("H1.to-come", "Z1.to-come")) Claim(id).measured("seen" -> 2).must(true)', id="judge"),
        ]
    )
    nbformat.write(page, read.folder / "notebooks" / "14-to-come.ipynb")
    done = read.run("run", "14", limit=600)
    assert done.code == 0, done.said
    after = facts(read)
    new = [row for row in after["ledger"] if row not in before["ledger"]]
    assert new == [{"statement": f"{claim}.to-come", "verdict": "holds", "here": True, "counts": True} for claim in ("H1", "Z1")]
    shown = plain((read.folder / ".build" / "class.html").read_text())
    assert "14 · What is to come?" in shown and "How many come?" in shown and "Z1 · what nobody has said yet" in shown
    assert "page 14 · What is to come?" in read.run("progress").out
