"""Tests the decision sheet: each row rests on the recorded verdicts that it requires, and the sheet is short and up to date."""

from __future__ import annotations

from collections.abc import Mapping

import decision_sheet
import page_measures
import pytest
from command.base import records
from conftest import ROOT
from decision_sheet import Decision

ROWS = decision_sheet.decisions()
VERDICTS = decision_sheet.recorded()
MOST_WORDS = 460  # so that the sheet is one page of A4
MOST_IN_ROW = 40


def of(rows: list[Decision], verdicts: Mapping[str, records.Record] = VERDICTS) -> str:
    return decision_sheet.sheet(rows, verdicts, decision_sheet.reasons())


def recorded_as(verdict: str, statement: str) -> dict[str, records.Record]:
    return {**VERDICTS, statement: {**VERDICTS[statement], "verdict": verdict}}


def test_the_sheet_is_what_its_rows_say():
    assert decision_sheet.FILE.read_text() == of(ROWS), decision_sheet.AGAIN


def test_each_row_requires_the_recorded_verdicts():
    assert list(decision_sheet.faults(ROWS, VERDICTS)) == []


def test_another_verdict_is_told_with_row_and_remedy():
    row = next(row for row in ROWS if row.id == "await")
    (told,) = decision_sheet.faults([row], recorded_as(records.HOLDS, "A21.await"))
    assert told.startswith("row await: the recorded verdict on A21.await is 'holds', but the row requires 'depends'. ")
    assert "data/decisions.csv" in told and told.endswith(decision_sheet.AGAIN)
    (told,) = decision_sheet.faults([row], {name: record for name, record in VERDICTS.items() if name != "B6.starvation"})
    assert "B6.starvation is 'missing'" in told


def test_a_row_may_be_true_with_several_verdicts():
    row = next(row for row in ROWS if row.id == "jdbc")
    for verdict in (records.HOLDS, records.DEPENDS):
        assert list(decision_sheet.faults([row], recorded_as(verdict, "A6.answers-meanwhile"))) == []
    (told,) = decision_sheet.faults([row], recorded_as(records.DOES_NOT_HOLD, "A6.answers-meanwhile"))
    assert "requires 'holds' or 'depends'" in told


def test_a_star_marks_a_claim_that_depends():
    row = next(row for row in ROWS if row.id == "client")
    assert r"[E2](" in of([row], recorded_as(records.HOLDS, "E2.not-blocked"))
    assert r"[E2\*](" in of([row], recorded_as(records.DEPENDS, "E2.not-blocked"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_row_rests_on_statements_that_could_have_failed_and_is_short(row: Decision):
    known = records.statements()
    assert [name for name in row.statements if name not in known] == [], "not in data/published/statements.csv"
    assert [name for name in row.statements if not known[name].by_construction], "each of them holds by construction"
    assert {verdict for required in row.statements.values() for verdict in required} <= set(records.VERDICTS)
    words = page_measures.words(of([row]).split("|---|\n")[1].split("\n")[0])
    assert words < MOST_IN_ROW, f"{words} words"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_credit_is_given_for_what_the_row_repeats(row: Decision):
    """Checks that the row rests on the credited claims, and that none of their statements was found wrong."""
    for claim in row.credit:
        required = [verdicts for name, verdicts in row.statements.items() if decision_sheet.claim(name) == claim]
        assert required and {verdict for some in required for verdict in some} <= {records.HOLDS, records.DEPENDS}


def test_the_sheet_is_one_page():
    words = page_measures.words(decision_sheet.FILE.read_text())
    assert words <= MOST_WORDS, f"{words} words"
    assert 10 <= len(ROWS) <= 14
    assert len({row.id for row in ROWS}) == len(ROWS)


def test_a_wrong_verdict_writes_nothing(tmp_path, monkeypatch, capsys):
    table = tmp_path / "decisions.csv"
    table.write_text(decision_sheet.TABLE.read_text().replace("A21.await=depends", "A21.await=holds"))
    rows = decision_sheet.decisions(table)
    monkeypatch.setattr(decision_sheet, "FILE", tmp_path / "sheet.md")
    monkeypatch.setattr(decision_sheet, "decisions", lambda: rows)
    monkeypatch.setattr("sys.argv", ["decision_sheet.py"])
    assert decision_sheet.main() == 1
    assert "row await: " in capsys.readouterr().err and not (tmp_path / "sheet.md").exists()


def test_the_sheet_can_be_found():
    assert "(notebooks/decision-sheet.md)" in (ROOT / "README.md").read_text()
    assert "(decision-sheet.md)" in (ROOT / "notebooks" / "12-ledger.ipynb").read_text()
