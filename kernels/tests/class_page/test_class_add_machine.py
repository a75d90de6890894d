"""Tests `tools/add_machine.py`, with which a maintainer adds a reader's machine to the ledger."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from command.base import records
from command.base.records import DEPENDS, HOLDS
from conftest import ROOT

sys.path.insert(0, str(ROOT / "kernels" / "tools"))
import add_machine

READER = "1e5cb8d3-14e9-445e-a387-000000000001"
KNOWN = list(records.statements())[:30]


def line(statement: str, verdict: str = HOLDS, minute: int = 0, **machine: Any) -> dict[str, Any]:
    return {
        "record": "verdict",
        "version": 1,
        "at": f"2026-11-26T20:{minute:02}:00Z",
        "statement": statement,
        "verdict": verdict,
        "because": "somebody's own words",
        "measured": [{"name": "ratio", "value": 2.5, "low": 2.0, "high": 3.0, "unit": "×"}],
        "reader": READER,
        "machine": {"cpus": 8, "jdk": 25, "profile": "quick", "kernel": "almond 0.14.5", "load": 0.5, "place": "…/notebooks", **machine},
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setattr(add_machine, "FOLDER", tmp_path / "machines")
    return tmp_path / "machines"


def written(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text(
        "".join(
            json.dumps(one) + "\n" for one in [{"record": "export", "version": 1, "at": "2026-11-26T20:00:00Z", "reader": READER}, *lines]
        )
    )
    return path


def test_a_machine_has_the_last_verdicts_and_nothing_of_the_reader(tmp_path, folder):
    guess = {**line("x"), "record": "prediction", "prediction": "01-free", "kind": "number", "question": "?", "answer": 3}
    lines = [
        *map(line, KNOWN),
        line(KNOWN[0], DEPENDS, minute=5),
        {name: value for name, value in guess.items() if name not in ("statement", "verdict", "measured", "because")},
    ]
    assert add_machine.add(written(tmp_path / "hand-in.jsonl", *lines)) == "8-cpus-jdk-25-1e5cb8d3: verdicts on 30 statements"
    text = (folder / "8-cpus-jdk-25-1e5cb8d3.jsonl").read_text()
    kept = {one["statement"]: one for one in map(json.loads, text.splitlines())}
    assert list(kept) == KNOWN
    assert kept[KNOWN[0]]["verdict"] == DEPENDS
    assert kept[KNOWN[1]]["measured"] == [{"name": "ratio", "value": 2.5, "low": 2.0, "high": 3.0, "unit": "×"}]
    assert not [word for word in (READER, "somebody's own words", "prediction", "notebooks") if word in text]


def test_a_machine_names_its_processor_but_nothing_else_in_that_field(tmp_path, folder):
    def kept(processor: str) -> set[str]:
        add_machine.add(written(tmp_path / "a.jsonl", *(line(name, processor=processor) for name in KNOWN)))
        lines = (folder / "8-cpus-jdk-25-1e5cb8d3.jsonl").read_text().splitlines()
        return {json.loads(one)["machine"].get("processor", "") for one in lines}

    assert kept("Intel Core i7-8700K CPU @ 3.70GHz") == {"Intel Core i7-8700K CPU @ 3.70GHz"}
    assert kept("<img src=x>") == kept("a" * 81) == {""}


def test_verdicts_of_another_processor_are_left_out(tmp_path, folder):
    others = [line(name, DEPENDS, 9, processor="another") for name in KNOWN[:5]]
    add_machine.add(written(tmp_path / "a.jsonl", *map(line, KNOWN), *others))
    assert DEPENDS not in (folder / "8-cpus-jdk-25-1e5cb8d3.jsonl").read_text()


def test_a_readers_second_file_replaces_the_first(tmp_path, folder):
    add_machine.add(written(tmp_path / "a.jsonl", *map(line, KNOWN)))
    add_machine.add(written(tmp_path / "b.jsonl", *(line(name, jdk=21) for name in KNOWN)))
    assert [file.name for file in folder.iterdir()] == ["8-cpus-jdk-21-1e5cb8d3.jsonl"]


def test_verdicts_of_another_machine_or_only_of_a_recording_are_left_out(tmp_path, folder):
    lines = [*map(line, KNOWN), *(line(name, DEPENDS, 9, cpus=1) for name in KNOWN[:5]), {**line(KNOWN[6], DEPENDS, 9), "here": False}]
    add_machine.add(written(tmp_path / "a.jsonl", *lines))
    kept = list(map(json.loads, (folder / "8-cpus-jdk-25-1e5cb8d3.jsonl").read_text().splitlines()))
    assert {one["verdict"] for one in kept} == {HOLDS}


def test_a_file_that_says_too_little_or_nothing_is_refused(tmp_path, folder, monkeypatch, capsys):
    few, none = written(tmp_path / "few.jsonl", *map(line, KNOWN[:3])), tmp_path / "none.jsonl"
    none.write_text("not a record\n")
    unknown = written(tmp_path / "unknown.jsonl", *(line(f"Z1.{n}") for n in range(30)))
    monkeypatch.setattr(sys, "argv", ["add_machine.py", *map(str, (few, none, unknown, tmp_path / "missing.jsonl"))])
    assert add_machine.main() == 1
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("few.jsonl: has verdicts on 3 of the course's")
    assert told[1].startswith("none.jsonl: contains nothing that the course measured.")
    assert told[2].startswith("unknown.jsonl: has verdicts on 0 of")
    assert told[3].startswith("missing.jsonl: can't be read")
    assert not folder.exists()


def test_the_stored_machines_are_valid():
    for file in (ROOT / "data" / "recorded" / "machines").glob("*.jsonl"):
        lines = list(map(json.loads, file.read_text().splitlines()))
        for one in lines:
            records.check(one)
        assert {one["reader"] for one in lines} == {file.stem}
        assert {one["statement"] for one in lines} <= records.statements().keys()
