"""Tests records. Only the schema defines their shapes and the verdicts' names, and the former format is converted completely."""

from __future__ import annotations

import copy
import csv
import errno
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from multiprocessing import Process
from pathlib import Path
from typing import Any

import pytest
from command.base import records
from command.base.records import Refused
from command.main import perform
from command.pages import former
from conftest import ROOT, on_a_small_disk

SAMPLES = ROOT / "kernels" / "tests" / "samples" / "former"  # a part of what pages 00 and 01 kept on 23 November 2026
MACHINE = {"cpus": 2, "jdk": 25, "profile": "quick"}
FACT = {"name": "asleep simultaneously", "value": 2}
FIELDS: dict[str, dict[str, Any]] = {
    "export": {},
    "figure": {"name": "01 a figure", "value": 1, "unit": "ms"},
    "verdict": {"statement": "B3.fixed-pool", "verdict": records.HOLDS, "measured": [FACT]},
    "prediction": {"prediction": "01-free", "kind": "number", "question": "How many?", "answer": 3},
    "attempt": {"exercise": "01-count", "passed": 1, "cases": 7},
    "recorded": {
        "page": "04-blocking",
        "statement": "B3.fixed-pool",
        "verdict": records.HOLDS,
        "reached": 9,
        "runs": 10,
        "measured": [FACT],
        "on": "a laptop",
    },
}


def record(kind: str, /, **more: Any) -> dict[str, Any]:
    common = {"record": kind, "version": 1, "at": "2026-11-23T12:00:00.5Z"}
    own = {} if kind == "recorded" else {"reader": "r"} if kind == "export" else {"reader": "r", "machine": MACHINE}
    return {**common, **own, **copy.deepcopy(FIELDS[kind]), **more}


# ---- what the schema has


def test_a_whole_record_of_each_kind_is_taken():
    assert set(FIELDS) == set(records.KINDS)
    for kind in records.KINDS:
        records.check(record(kind))


@pytest.mark.parametrize("kind", records.KINDS)
def test_a_record_that_lacks_a_field_names_it(kind: str):
    definition = json.loads(records.SCHEMA.read_text())["definitions"][kind]
    for name in {"at", "version", *definition["required"]}:
        less = {field: value for field, value in record(kind).items() if field != name}
        with pytest.raises(Refused, match=f"^is a {kind} without {name}$"):
            records.check(less)


WRONG = [
    ("verdict", {"version": 2}, "version is not one of the course's"),
    ("verdict", {"at": "yesterday"}, "at has the wrong form"),
    ("verdict", {"at": "2026-11-23T12:00:00+01:00"}, "at has the wrong form"),
    ("verdict", {"verdict": "true"}, "verdict is not one of the course's"),
    ("verdict", {"statement": "B3"}, "statement has the wrong form"),
    ("verdict", {"statement": 3}, "statement has the wrong type"),
    ("verdict", {"because": "x" * 4001}, "because is too long"),
    ("verdict", {"measured": "2"}, "measured has the wrong type"),
    ("verdict", {"measured": [FACT] * 61}, "measured has too many parts"),
    ("verdict", {"measured": [{"value": 2}]}, "measured lacks a field"),
    ("verdict", {"measured": [{**FACT, "said": "two"}]}, "measured has an unknown field"),
    ("verdict", {"measured": [{**FACT, "value": True}]}, "measured has an invalid shape"),
    ("verdict", {"measured": [{**FACT, "value": 1e12}]}, "measured has an invalid shape"),
    ("verdict", {"published": [{**FACT, "low": None}]}, "published has the wrong type"),
    ("verdict", {"here": "yes"}, "here has the wrong type"),
    ("verdict", {"reader": "r" * 101}, "reader is too long"),
    ("verdict", {"machine": {"cpus": 2}}, "machine lacks a field"),
    ("verdict", {"machine": {**MACHINE, "cpus": 0}}, "machine is out of range"),
    ("verdict", {"machine": {**MACHINE, "cpus": "2"}}, "machine has the wrong type"),
    ("verdict", {"machine": {**MACHINE, "profile": "long"}}, "machine is not one of the course's"),
    ("figure", {"value": "7"}, "value has the wrong type"),
    ("figure", {"value": -1e12}, "value is out of range"),
    ("prediction", {"prediction": "free"}, "prediction has the wrong form"),
    ("prediction", {"kind": "words"}, "kind is not one of the course's"),
    ("prediction", {"options": ["x"] * 27}, "options has too many parts"),
    ("prediction", {"answer": "the third"}, "answer has an invalid shape"),
    ("prediction", {"answer": {"a": ["b"]}}, "answer has an invalid shape"),
    ("prediction", {"revealed": False}, "revealed is not one of the course's"),
    ("attempt", {"passed": -1}, "passed is out of range"),
    ("attempt", {"cases": 1.5}, "cases has the wrong type"),
    ("recorded", {"reached": 0}, "reached is out of range"),
    ("recorded", {"page": "04"}, "page has the wrong form"),
    ("export", {"reader": None}, "reader has the wrong type"),
    ("export", {"record": "ledger"}, "is not one that the course makes"),
    ("export", {"record": ["export"]}, "is not one that the course makes"),
]


@pytest.mark.parametrize(("kind", "wrong", "said"), WRONG)
def test_what_the_schema_refuses_is_refused_with_its_reason(kind: str, wrong: dict[str, Any], said: str):
    with pytest.raises(Refused, match=f"^{re.escape(said)}$"):
        records.check(record(kind, **wrong))


@pytest.mark.parametrize("line", ["", "x", '{"a": NaN}', '{"a": Infinity}', "[" * 100_000, f'{{"a": {"9" * 5000}}}', '{"a": 1'])
def test_a_line_that_is_no_json_is_refused(line: str):
    with pytest.raises(Refused, match="is not JSON"):
        records.parsed(line)
    with pytest.raises(Refused, match="is not a record"):
        records.parsed("[1]")


def test_verdicts_are_named_in_the_schema_alone():
    """Checks that code takes the verdicts' names from the schema, so that a name is changed in one place."""
    files = [path for folder in ("command", "hub", "tools") for path in (ROOT / "kernels" / folder).rglob("*.py")]
    quoted = re.compile("|".join(rf"([\"']){name}\1" for name in records.VERDICTS).replace(r"\1", "[\"']"))
    assert [path.name for path in files if quoted.search(path.read_text())] == []
    assert len(files) > 70


def test_what_was_recorded_and_what_is_stated_fits():
    statements = records.statements()
    assert all(re.fullmatch(r"[A-G]\d+[a-c]?\.[a-z0-9-]+", name) for name in statements) and len(statements) > 100
    for one in records.recorded():
        records.check(one)
        assert one["statement"] in statements


def test_each_statement_that_counts_was_tried_where_it_would_be_false():
    def lines(name: str) -> list[dict[str, str]]:
        with (ROOT / "data" / "published" / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    counted = [line["statement"] for line in lines("statements.csv") if not line["weaker"] and not line["by_construction"]]
    settings = [(line["statement"], line["measured"]) for line in lines("false_settings.csv")]
    measured = {(one["statement"], fact["name"]) for one in records.recorded() for fact in one["measured"]}
    assert [statement for statement, _ in settings] == counted
    assert [setting for setting in settings if setting not in measured] == []


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        # The same cases as in the lab's `MeasurementSuite`.
        ({"name": "whole", "value": 1046}, "whole: 1,046"),
        ({"name": "ratio", "value": 8.94, "low": 7.32, "high": 10.9, "unit": "×"}, "ratio: × 8.94 (7.32 to 10.9)"),
        ({"name": "open", "value": 2, "low": 1, "high": None}, "open: 2.00 (no bounds are known)"),
        ({"name": "apart", "value": 2, "low": 0.001, "high": 20}, "apart: 2.00 (bounds that are too far apart to say anything)"),
        ({"name": "on", "value": "cells"}, "on: cells"),
        ({"name": "heap", "value": 12.5, "unit": "MiB"}, "heap: 12.5 MiB"),
        ({"name": "small", "value": 0.0449, "low": 0.0257, "high": 0.064, "unit": "ms/op"}, "small: 0.0449 (0.0257 to 0.0640) ms/op"),
        ({"name": "", "value": "as it was said"}, "as it was said"),
        (
            {"name": "ratio", "value": 8.12, "low": 7.4, "high": 8.91, "unit": "×", "least": 7.05, "most": 9.3, "runs": 5},
            "ratio: × 8.12 (7.40 to 8.91; in 5 runs 7.05 to 9.30)",
        ),
        ({"name": "asleep", "value": 50, "unit": "threads", "least": 48, "most": 52, "runs": 5}, "asleep: 50 (in 5 runs 48 to 52) threads"),
        ({"name": "whole", "value": 2, "least": 2, "most": 2.5, "runs": 3}, "whole: 2 (in 3 runs 2.00 to 2.50)"),
        ({"name": "exact", "value": 1046, "least": 1046, "most": 1046, "runs": 3}, "exact: 1,046 (the same in 3 runs)"),
    ],
)
def test_what_was_measured_is_told_as_a_panel_tells_it(fact: dict[str, Any], said: str):
    assert records.told([fact]) == said
    assert records.told([fact, fact]) == f"{said}; {said}" and records.told([]) == "–"


# ---- the former form


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Returns a reader's folder as an earlier version left it."""
    return Path(shutil.copytree(SAMPLES, tmp_path / "results"))


def new(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (place / records.OWN).read_text().splitlines()]


def content(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in place.iterdir()}


def test_a_folder_of_the_former_form_is_brought_to_the_new_one_once(place: Path, capsys: pytest.CaptureFixture[str]):
    before = content(place)
    former.migrate(place)
    said = capsys.readouterr().err
    assert (
        "records of an earlier version are in" in said and f"Skipped: 2 × {former.UNKNOWN}; they stay in the files that end in .old" in said
    )
    after = content(place)
    assert {name.removesuffix(".old"): held for name, held in after.items() if name != records.OWN} == before
    found = new(place)
    for one in found:
        records.check(one)
    assert len(found) == sum(held.count(b"\n") for held in before.values()) - 2
    assert Counter(one["record"] for one in found).keys() == {"figure", "attempt", "verdict", "prediction"}
    assert [one["at"] for one in found] == sorted(one["at"] for one in found)
    assert len({one["reader"] for one in found}) == 1
    former.migrate(place)
    assert content(place) == after and capsys.readouterr().err == ""


def test_each_kind_of_record_gets_its_new_form(place: Path):
    former.migrate(place)
    found = new(place)
    (tried, *_) = (one for one in found if one["record"] == "attempt")
    assert (tried["exercise"], tried["passed"], tried["cases"]) == ("00-thread-name", 0, 2)
    verdicts = {one["statement"]: one for one in found if one["record"] == "verdict"}
    assert {"B2.more-at-once", "A3.two-methods", "C8.one-queue-each"} <= verdicts.keys()
    assert verdicts["A3.two-methods"]["measured"] == [{"name": "", "value": "execute, reportFailure"}]
    asked = [one for one in found if one["record"] == "prediction"]
    assert {one["prediction"] for one in asked} == {"00-naps", "01-thread", "01-free"}
    thread = next(one for one in asked if one["prediction"] == "01-thread" and one.get("revealed"))
    assert thread["happened"] == "a" and set(thread.get("answer", "a")) <= set("abc")
    machine = found[0]["machine"]
    assert (machine["cpus"], machine["jdk"], machine["jdkVersion"]) == (2, 25, "25.0.2+10-LTS (Eclipse Adoptium)")
    assert isinstance(machine["memoryBytes"], int) and isinstance(machine["load"], float)


def test_a_verdict_that_rests_on_a_recording_says_so():
    old = json.loads((SAMPLES / "verdicts.jsonl").read_text().splitlines()[0])
    found = former.renewed({**old, "where": "recorded on a laptop, 2026-11-22"}, "r")
    assert (found["recorded"], found["here"], found["reader"]) == ("recorded on a laptop, 2026-11-22", False, "r")
    assert not {"recorded", "here"} & former.renewed(old, "r").keys()


def test_what_is_torn_is_counted_and_what_is_there_already_is_not_added_again(place: Path, capsys: pytest.CaptureFixture[str]):
    former.migrate(place)
    whole = new(place)
    for path in place.glob("*.old"):  # simulate a kill after it wrote records and before it renamed the files
        shutil.copy(path, path.with_suffix(""))
    (place / records.OWN).write_text("".join((place / records.OWN).read_text().splitlines(keepends=True)[:5]) + '{"record":"ver')
    with (place / "measured.jsonl").open("a") as stream:
        stream.write('{"name": "to')
    capsys.readouterr()
    former.migrate(place)
    lines = (place / records.OWN).read_text().splitlines()
    assert lines.pop(5) == '{"record":"ver' and [json.loads(line) for line in lines] == whole
    assert "1 × is torn" in capsys.readouterr().err
    assert (place / "measured.jsonl.old").exists() and (place / "measured.jsonl.old2").exists()


def test_a_folder_that_cannot_be_written_stays_as_it_was(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    (place / records.OWN).write_text(json.dumps(record("figure")) + "\n")
    before = content(place)

    def refuse(path: Path, target: Path) -> None:
        if path.name == "predictions.jsonl":  # the last one
            raise OSError(errno.EACCES, "Permission denied", str(path))
        os.rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    former.migrate(place)
    assert content(place) == before
    said = capsys.readouterr().err
    assert "stays in" in said and "predictions.jsonl can't be" in said and "Give yourself permission" in said


FILLS = """
import shutil, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from command.pages import former
place = Path(sys.argv[3])
shutil.copytree(sys.argv[2], place, dirs_exist_ok=True)
def held(): return {path.name: path.read_bytes() for path in place.iterdir() if path.stat().st_size}
before = held()
former.migrate(place)
print("same:", held() == before)
"""


def test_on_a_full_disk_everything_stays_as_it_was(tmp_path: Path):
    place = tmp_path / "results"
    argv = [*on_a_small_disk(place, 20), sys.executable, "-c", FILLS, ROOT / "kernels", SAMPLES, place]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "is full" in done.stderr and done.stdout == "same: True\n", done.stderr


def test_two_that_migrate_at_the_same_time_do_it_once(place: Path):
    both = [Process(target=former.migrate, args=(place,)) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join(60)
    assert [one.exitcode for one in both] == [0, 0]
    lines = (place / records.OWN).read_text().splitlines()
    assert len(lines) == len(set(lines)) > 10


def test_an_export_brings_the_former_records_along(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COURSE_RESULTS", str(place))
    assert perform("export", [str(tmp_path / "out.jsonl")]) == 0
    head, *lines = (tmp_path / "out.jsonl").read_text().splitlines()
    records.check(json.loads(head))
    assert lines == (place / records.OWN).read_text().splitlines() and json.loads(head)["reader"] == json.loads(lines[0])["reader"]


def test_the_table_of_former_texts_names_what_the_course_has():
    statements = [found for _, _, found in former._table("statement")]
    assert set(statements) <= records.statements().keys()  # statements that were added later have no former text
    assert len(statements) == len(set(statements)) > 90
    asked = [found for _, _, found in former._table("prediction")]
    assert len(asked) == len(set(asked)) > 60


@pytest.mark.parametrize("odd", [None, 7, [], {}, "", "x", True, "\ud800", "9" * 6000, [[]], {"a": 1}])
def test_an_odd_record_of_the_former_form_is_refused_and_nothing_worse(odd: Any):
    for path in SAMPLES.glob("*.jsonl"):
        old = json.loads(path.read_text().splitlines()[0])
        for name in old:
            try:
                former.renewed({**old, name: odd}, "r")
            except Refused as refused:
                assert "former format" in str(refused) or "not one that" in str(refused)
