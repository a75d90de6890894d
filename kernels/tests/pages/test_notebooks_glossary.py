"""Tests the glossary. It matches the pages, each term has one spelling, and each page links to it."""

from __future__ import annotations

import json
from pathlib import Path

import glossary
import pytest
from glossary import Term


def told(name: str, means: str, page: str) -> Term:
    return Term(name, means, page, "end")


TOLD = [told("event loop", "one thread for many", "05-a.ipynb"), told("direct", "at once", "01-b.ipynb")]


def page_of(folder: Path, text: str) -> Path:
    path = folder / "01-page.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": "1"}, {"cell_type": "markdown", "id": "end", "source": [text]}]}))
    return path


def test_a_page_s_terms_are_the_lines_of_its_table(tmp_path: Path):
    table = "| term | means here |\n|---|---|\n| `a` | *b* \\| c |"
    text = f"## Key points\n\n- one\n\n{glossary.HEADING}\n\n{table}\n\n## Further\n\n| d | e |\n"
    assert glossary.terms([page_of(tmp_path, text)]) == [told("`a`", "*b* \\| c", "01-page.ipynb")]
    assert glossary.terms([page_of(tmp_path, "no table")]) == []


def test_terms_stand_under_their_letters_with_links_to_their_pages():
    text = glossary.glossary([*TOLD, told("to leak", "to stay", "01-b.ipynb"), told("`pg_x`", "a list", "01-b.ipynb")])
    assert text.startswith(glossary.HEAD)
    assert "\n## D\n\n- **direct**: at once ([page 01](01-b.ipynb#cell-id=end))\n\n## E\n" in text
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == ["D", "E", "L", "P"]


def test_a_term_has_one_entry_with_all_that_pages_say_of_it():
    same, other = told("direct", "at once", "02-c.ipynb"), told("direct", "without a queue", "03-d.ipynb")
    assert "- **direct**: at once ([page 01](01-b.ipynb#cell-id=end), [page 02](02-c.ipynb#" in glossary.glossary([*TOLD, same])
    assert "- **direct**\n  - at once ([page 01](" in glossary.glossary([*TOLD, other])
    assert "\n  - without a queue ([page 03](" in glossary.glossary([*TOLD, other])


def test_of_terms_explained_together_each_can_be_looked_up():
    text = glossary.glossary([told("reserved, committed", "set aside; there", "01-b.ipynb")])
    assert "- **committed**: see *reserved, committed*\n" in text
    assert "- **reserved, committed**: set aside" in text


@pytest.mark.parametrize("other", ["Event loop", "event loops", "event-loop", "`event loop`"])
def test_another_spelling_is_found(other: str):
    assert glossary.spellings([*TOLD, told(other, "one", "09-e.ipynb")]) == [{"event loop", other}]
    assert glossary.spellings([*TOLD, TOLD[0]]) == []


def test_the_glossary_is_what_the_pages_say():
    found = glossary.terms(glossary.pages())
    assert len(found) > 80
    assert glossary.FILE.read_text() == glossary.glossary(found), "write it anew: .venv/bin/python kernels/tools/glossary.py"


def test_each_term_has_one_spelling():
    assert glossary.spellings(glossary.terms(glossary.pages())) == []


@pytest.mark.parametrize("page", glossary.pages(), ids=lambda page: page.stem)
def test_each_page_ends_with_its_terms_and_leads_to_the_others(page: Path):
    assert glossary.terms([page])
    assert f"[glossary]({glossary.FILE.name})" in glossary.table(page)[1]
