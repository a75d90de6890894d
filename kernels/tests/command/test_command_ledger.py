"""The ledger: rows of pages that ran replace older ones of the same pages, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command.pages import ledger

PAGES = ("00-start-here", "01-execution-context")


@pytest.fixture
def place(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setattr(ledger, "LEDGER", tmp_path / "ledger.json")
    monkeypatch.setattr(ledger, "RUNS", tmp_path / "run")
    return tmp_path / "ledger.json"


def line(claim: str, verdict: str = "holds", sentence: str = "a sentence") -> str:
    fields = {"id": claim, "sentence": sentence, "kind": "ratio", "verdict": verdict, "because": "", "measured": "2", "published": "–"}
    fields |= {"conditions": "2 CPUs", "where": "not the ledger's"}
    return json.dumps(fields, ensure_ascii=False) + "\n"


def write(page: str, text: str) -> list[ledger.Row]:
    """As one run of a page does it."""
    with ledger.claims_of(page) as path:
        path.write_text(text)
        rows, _ = ledger.read(path, page)
        return ledger.merge({page: rows})


def test_a_row_has_the_fields_of_the_ledger(place):
    write(PAGES[0], line("A1"))
    (row,) = json.loads(place.read_text())
    assert list(row) == ["id", "page", "sentence", "kind", "verdict", "because", "measured", "published", "conditions"]
    assert row["page"] == PAGES[0]


def test_a_page_that_runs_again_replaces_its_rows_and_no_others(place):
    write(PAGES[1], line("A1") + line("C8"))
    write(PAGES[0], line("A3"))
    write(PAGES[1], line("A1", "depends"))
    found = [(row["page"], row["id"], row["verdict"]) for row in json.loads(place.read_text())]
    assert found == [(PAGES[0], "A3", "holds"), (PAGES[1], "A1", "depends")]


@pytest.mark.parametrize("torn", ["[1]\n", "{}\n", "noise\n", line("A3")[:-20], '{"id": "A3"}' + line("A4")])
def test_a_torn_line_is_told_and_takes_no_other_away(tmp_path, torn):
    path = tmp_path / "claims"
    path.write_text(line("A1") + torn + ("" if torn.endswith("\n") else "\n") + line("A2", sentence="NEL \x85 and LS \u2028"))
    rows, wrong = ledger.read(path, PAGES[0])
    assert [row["id"] for row in rows] == ["A1", "A2"]
    assert wrong.startswith(f"verdicts are lost: line 2 of {path}") and repr(torn.strip()[:60]) in wrong and "the disk has room" in wrong


def test_a_file_of_whole_lines_has_nothing_wrong(tmp_path):
    path = tmp_path / "claims"
    assert ledger.read(path, PAGES[0]) == ([], "")
    path.touch()
    assert ledger.read(path, PAGES[0]) == ([], "")
    path.write_text(line("A1") + line("A2").rstrip())
    assert ledger.read(path, PAGES[0])[1] == ""


def test_of_a_claim_judged_twice_the_latest_counts(place):
    rows = write(PAGES[0], line("A1", "not tried") + line("A1", "holds") + line("A1", sentence="another"))
    assert [(row["id"], row["verdict"], row["sentence"]) for row in rows] == [("A1", "holds", "a sentence"), ("A1", "holds", "another")]


def test_rows_of_pages_that_are_gone_go_too(place):
    place.write_text(json.dumps([{"id": "Z1", "page": "77-gone"}, "noise"]))
    assert [row["id"] for row in write(PAGES[0], line("A1"))] == ["A1"]


@pytest.mark.parametrize("damaged", ['[{"id": ', "7", "null", "{}"])
def test_a_damaged_ledger_is_begun_anew_and_said(place, damaged, capsys):
    place.write_text(damaged)
    assert [row["id"] for row in write(PAGES[0], line("A1"))] == ["A1"]
    assert f"{place} was torn" in capsys.readouterr().err


def test_a_run_leaves_no_file_of_its_own(place, tmp_path):
    write(PAGES[0], line("A1"))
    assert list((tmp_path / "run").iterdir()) == []
