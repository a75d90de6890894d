"""Tests the files that readers hand in, and the page of a class: real files, and broken, foreign, huge or malicious ones."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import plotly
import pytest
from command.base import records
from command.base.problem import Problem
from command.base.records import DEPENDS, DOES_NOT_HOLD, HOLDS
from command.class_page import charts, course, handed_in, page, separate
from command.class_page import tally as counts
from command.class_page.handed_in import Machine
from command.main import perform
from command.pages import former
from conftest import COURSE, ROOT, Clone, awaited, new_kernel

FORMER = sorted((Path(__file__).parent / "class").glob("*.jsonl"))  # in the former format; made by class_of_thirty.py
NOW = datetime(2026, 11, 23, 12)
LIMIT = 120  # seconds
READER = "1e5cb8d3-14e9-445e-a387-{:012}"
MACHINE = {
    "cpus": 2,
    "jdk": 25,
    "jdkVersion": "25.0.2+10 (somebody)",
    "memoryBytes": 8 << 30,
    "kernel": "ammonite 3.0.8",
    "profile": "quick",
    "load": 0.5,
}
FREE = "How many of the ten put nothing into the queue at all?"  # 01-free on page 01, and 01-thread, which has options
THREAD = ("On which thread does a Future run whose context is a `Here`?", ["the cell's own", "one of the global pool's", "a new one"])
STATEMENT = "B2.more-at-once"  # page 00
POOL = "09-pool"  # a table


@pytest.fixture(scope="module")
def here() -> course.Course:
    return course.read()


def kept(record: str, **fields: Any) -> dict[str, Any]:
    common = {"record": record, "version": 1, "at": "2026-11-23T12:00:00.5Z", "reader": READER.format(1), "machine": MACHINE}
    return {**common, **fields}


def result(name: str, value: Any, unit: str = "ms", **more: Any) -> dict[str, Any]:
    return kept("figure", **{"name": name, "value": value, "unit": unit, **more})


def number_of(value: float, name: str = "at once", **more: Any) -> dict[str, Any]:
    return {"name": name, "value": value, **more}


def verdict(verdict: str, *measured: dict[str, Any], **more: Any) -> dict[str, Any]:
    told = list(measured or (number_of(10), number_of(2, "simultaneous without")))
    return kept("verdict", **{"statement": STATEMENT, "verdict": verdict, "measured": told, **more})


def number(answer: Any = None, happened: Any = None, **more: Any) -> dict[str, Any]:
    told = {name: value for name, value in (("answer", answer), ("happened", happened)) if value is not None}
    told |= {"revealed": True} if happened is not None else {}
    return kept("prediction", **{"prediction": "01-free", "kind": "number", "question": FREE, "unit": "of 10", **told, **more})


def choice(answer: str, happened: str, **more: Any) -> dict[str, Any]:
    told = {"answer": answer, "happened": happened, "revealed": True, "right": answer == happened}
    return kept("prediction", **{"prediction": "01-thread", "kind": "choice", "question": THREAD[0], "options": THREAD[1], **told, **more})


def attempt(passed: int, cases: int = 7, exercise: str = "01-count", **more: Any) -> dict[str, Any]:
    return kept("attempt", **{"exercise": exercise, "passed": passed, "cases": cases, **more})


def write(path: Path, *every: Any, reader: int = 1) -> Path:
    head = {"record": "export", "version": 1, "at": "2026-11-23T12:00:00Z", "reader": READER.format(reader)}
    path.write_text("\n".join(json.dumps(record) for record in (head, *every)) + "\n")
    return path


def built(course: course.Course, *files: Path) -> tuple[handed_in.HandedIn, counts.Tally, str]:
    found = handed_in.collect(files)
    tally = counts.count(course, found.readers)
    return found, tally, page.page(course, found, tally, "/* plotly */", NOW)


class Elements(HTMLParser):
    """Collects every element of a page with its attributes, and the text between."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


# ---- files that readers hand in


@contextmanager
def kernel(folder: Path, **env: str) -> Iterator[Callable[[str], str]]:
    """Yields a kernel that keeps its results in `folder`, as a function that runs a cell and returns its output."""
    env = {**os.environ, "COURSE_RESULTS": str(folder), "JPY_SESSION_NAME": "notebooks/01-execution-context-of-Ada.ipynb", **env}
    manager, client = new_kernel(LIMIT, env=env)

    def run(code: str) -> str:
        shown: list[str] = []

        def take(message: dict[str, Any]) -> None:
            shown.append(str(message["content"].get("data", {}).get("text/plain", "")) + message["content"].get("text", ""))

        reply = client.execute_interactive(code, timeout=LIMIT, output_hook=take)
        assert reply["content"]["status"] == "ok", reply["content"]
        return "\n".join(shown)

    try:
        yield run
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


SESSION = f"""
val free = Predict.number("01-free", "{FREE}", "of 10"); free.is(3); free.reveal(4)
lab.results.Results.keep(s"01 a figure of ${{sys.props("user.home")}}", 1, "ms")
Claim("{STATEMENT}").measured("at once" -> 10).must(true)
exercises.ThreadName.check(_ => scala.concurrent.Future.successful("thread-1"))
exercises.ThreadName.check(pool => scala.concurrent.Future(Thread.currentThread.getName)(pool))
"""


def test_a_cell_and_the_verb_hand_in_the_same_and_the_page_has_it(tmp_path: Path, here: course.Course, monkeypatch, capsys):
    monkeypatch.setenv("COURSE_RESULTS", str(tmp_path / "results"))
    with kernel(tmp_path / "results") as run:
        run(SESSION)
        run(f'lab.results.Results.exportTo("{tmp_path}/by-cell.jsonl")')
    assert perform("export", [str(tmp_path / "by-verb.jsonl")]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/by-verb.jsonl: 6 of your records, ready to hand in. The file names nobody.\n"
    cell, verb = ([json.loads(line) for line in (tmp_path / f"by-{way}.jsonl").read_text().splitlines()] for way in ("cell", "verb"))
    assert cell[0].pop("at") and verb[0].pop("at")
    assert cell == verb
    assert str(Path.home()) not in (tmp_path / "by-verb.jsonl").read_text() and "Ada" not in (tmp_path / "by-verb.jsonl").read_text()
    for record in cell[1:]:
        records.check(record)

    found, tally, html = built(here, tmp_path / "by-cell.jsonl", tmp_path / "by-verb.jsonl", tmp_path / "results")
    (reader,) = found.readers
    assert reader.name == cell[0]["reader"] and tally.unknown == 0
    (zero, one) = tally.pages
    assert [(each.id, each.tries) for each in zero.exercises] == [("00-thread-name", {2: 1})]
    assert one.guesses[0].values == ([3], [4]) and one.guesses[0].judged == [False]
    assert zero.judged[0].counts == {HOLDS: 1}
    assert FREE in html and reader.name not in html


def test_a_kernel_whose_folder_cannot_be_written_goes_on(tmp_path: Path):
    (tmp_path / "in-the-way").touch()
    with kernel(tmp_path / "in-the-way" / "results") as run:
        said = run(SESSION)
    for what in ("This prediction", f"01 a figure of {Path.home()}", f"The verdict on {STATEMENT}", "Your progress"):
        assert f"{what} couldn't be kept: java" in said, said
    assert "More than you said." in said and "all 2 cases pass" in said


def test_nothing_kept_is_said_with_a_remedy(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("COURSE_RESULTS", str(tmp_path))
    with pytest.raises(Problem, match="There are no results"):
        perform("export", [])
    (tmp_path / "records.jsonl").write_text(json.dumps(result("a", 1)) + '\n{"torn')
    with pytest.raises(Problem, match="where kernels keep"):
        perform("export", [str(tmp_path / "records.jsonl")])
    assert perform("export", []) == 0
    (written,) = tmp_path.glob("hand-in-*.jsonl")
    assert written.name == f"hand-in-{READER.format(1)[:8]}.jsonl"
    assert len(written.read_text().splitlines()) == 2


# ---- files that can't be used


def damaged(tmp_path: Path) -> dict[str, tuple[Path, str]]:
    """Returns damaged files, each with the expected remark."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "pickle.jsonl").write_bytes(pickle.dumps({"a": os.getcwd}))
    (tmp_path / "huge.jsonl").write_bytes(b" " * (handed_in.LARGEST + 1))
    (tmp_path / "long.jsonl").write_text('{"name": "' + "x" * (1 << 20) + '"}')
    (tmp_path / "deep.jsonl").write_text("[" * 60_000)
    (tmp_path / "records.jsonl").write_text("{}\n" * (handed_in.MOST_RECORDS + 1))
    (tmp_path / "notebook.ipynb").write_text(json.dumps({"cells": [], "nbformat": 4}, indent=1))
    (tmp_path / "foreign.jsonl").write_text('{"temperature": 21}\n[1, 2]\n"text"\nnull\n')
    (tmp_path / "page.html").write_text("<script>alert(1)</script>")
    (tmp_path / "shape.jsonl").write_text('{"name": 1, "value": [], "unit": {}}\n{"verdict": "fine"}\n{"question": null, "kind": "x"}\n')
    (tmp_path / "new-shape.jsonl").write_text('{"record": []}\n{"record": "figure"}\n{"record": "recorded", "version": 1}\n')
    (tmp_path / "folder").mkdir()
    (tmp_path / "\udcff\u202e").write_text("\n")  # the name of a file that isn't UTF-8
    said = {
        "pipe.jsonl": "not an ordinary file",
        "empty.jsonl": "is empty",
        "pickle.jsonl": "is not UTF-8 text",
        "huge.jsonl": "larger than 16 MiB",
        "long.jsonl": "nothing that the course measured",
        "deep.jsonl": "nothing that the course measured",
        "records.jsonl": "more than 20000 records",
        "notebook.ipynb": "is a notebook",
        "foreign.jsonl": "nothing that the course measured",
        "page.html": "nothing that the course measured",
        "shape.jsonl": "nothing that the course measured",
        "new-shape.jsonl": "nothing that the course measured",
        "folder": "no file that ends in .jsonl",
        "nowhere.jsonl": "No such file",
        "\udcff\u202e": "is empty",
    }
    return {name: (tmp_path / name, words) for name, words in said.items()}


def test_each_damaged_file_is_told_with_a_remedy_and_the_others_count(tmp_path: Path, here: course.Course):
    files = damaged(tmp_path)
    good = write(tmp_path / "good.jsonl", number(3, 4))
    began = time.monotonic()
    found, _, html = built(here, *(path for path, _ in files.values()), good)
    assert time.monotonic() - began < 10
    assert [reader.files for reader in found.readers] == [["good.jsonl"]]
    assert [remark.file.removeprefix(f"{tmp_path.name}/") for remark in found.remarks] == [*list(files)[:-1], "(a name without a letter)"]
    assert html.encode()
    text = Elements(html).text
    for remark, (_, words) in zip(found.remarks, files.values(), strict=True):
        assert words in remark.what and remark.remedy and remark.left_out, remark
        assert remark.what in text and remark.remedy.replace("`", "") in text


def test_another_file_in_a_folder_is_told(tmp_path: Path, here: course.Course):
    write(tmp_path / "good.jsonl", number(3, 4))
    (tmp_path / "plan.pdf").write_bytes(b"%PDF-1.7")
    (tmp_path / ".hidden").touch()
    found, _, html = built(here, tmp_path)
    assert [reader.files for reader in found.readers] == [["good.jsonl"]]
    (remark,) = found.remarks
    assert str(remark).startswith("plan.pdf: isn't read, because its name doesn't end in .jsonl. If a reader meant to hand it in")
    assert "1 file left out" in Elements(html).text


def test_the_verb_tells_what_is_left_out_and_fails_where_nothing_is_left(clone: Clone, tmp_path: Path, told):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "empty.jsonl").touch()
    err = told(clone.run("class", str(tmp_path / "in")))
    assert "Left out: empty.jsonl: is empty." in err and "None of these files" in err
    assert "lacks FILE" in told(clone.run("class"), code=2)


def test_of_a_file_that_is_partly_broken_the_rest_counts(tmp_path: Path):
    path = write(tmp_path / "part.jsonl", number(3, 4), {"value": "x"}, verdict("perhaps"), choice("d", "c"))
    with path.open("a") as stream:
        stream.write('{"name": "torn')
    found = handed_in.collect([path])
    assert [type(record).__name__ for record in found.readers[0].records] == ["Prediction"]
    (remark,) = found.remarks
    why = (
        "has the former format, but is incomplete",
        "is not JSON",
        "the answer is not one of the options",
        "verdict is not one of the course's",
    )
    assert not remark.left_out and f"skipped: {'; '.join(f'1 × {one}' for one in why)}." in remark.what


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999", '"7"', "true", "[1]", "1" * 400, "9" * 5000, "1e12"])
def test_what_is_no_finite_number_is_none(tmp_path: Path, value: str):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(result("01 x", "VALUE")).replace('"VALUE"', value) + "\n" + json.dumps(number(1, 1)) + "\n")
    assert [type(one).__name__ for one in handed_in.collect([path]).readers[0].records] == ["Prediction"]


def test_a_record_torn_inside_a_letter_is_passed_over_and_counted(tmp_path: Path):
    """Simulates a full disk: the file ends in the first byte of a ×, and more records come later."""
    path = write(tmp_path / "torn.jsonl", *(result("01 x", n) for n in range(67)))
    path.write_bytes(path.read_bytes() + '{"name": "01 ×'.encode()[:-1] + b"\n" + json.dumps(number(3, 4)).encode())
    found = handed_in.collect([path])
    assert len(found.readers[0].records) == 68
    (remark,) = found.remarks
    assert not remark.left_out and "skipped: 1 × is not UTF-8 text." in remark.what


def test_links_are_not_followed_inside_folders_and_each_file_counts_once(tmp_path: Path):
    (tmp_path / "in").mkdir()
    secret = write(tmp_path / "secret.jsonl", number(1, 1), reader=9)
    write(tmp_path / "in" / "one.jsonl", number(2, 2))
    (tmp_path / "in" / "two.jsonl").write_bytes((tmp_path / "in" / "one.jsonl").read_bytes())
    (tmp_path / "in" / "link.jsonl").symlink_to(secret)
    (tmp_path / "in" / "loop").symlink_to(tmp_path / "in")
    write(tmp_path / "in" / "zwei.jsonl", number(2, 2), number(7, 7))
    found = handed_in.collect([tmp_path / "in"])
    (reader,) = found.readers
    assert reader.files == ["one.jsonl", "zwei.jsonl"] and len(reader.records) == 2
    assert [(remark.file, remark.left_out) for remark in found.remarks] == [
        ("link.jsonl", True),
        ("two.jsonl", True),
        ("zwei.jsonl", False),
    ]
    assert "the same as one.jsonl" in found.remarks[1].what and "same reader as one.jsonl" in found.remarks[2].what
    assert handed_in.collect([tmp_path / "in" / "link.jsonl"]).readers[0].name == READER.format(9)


def test_a_hubs_volume_is_one_reader(tmp_path: Path):
    for number_, name in ((1, "ada"), (2, "ben")):
        place = tmp_path / name / "results"
        place.mkdir(parents=True)
        mine = {"reader": READER.format(number_)}
        (place / "records.jsonl").write_text("".join(json.dumps({**one, **mine}) + "\n" for one in (result("01 x", 1), verdict(HOLDS))))
        (place / "verdicts.jsonl.old").write_text("as it was before")
        (place / "hand-in-1.jsonl").write_text("an older export")
    found = handed_in.collect([tmp_path])
    assert [(reader.name, len(reader.records)) for reader in found.readers] == [(READER.format(1), 2), (READER.format(2), 2)]
    assert found.remarks == []


# ---- malicious files

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><svg onload=alert(3)>"
STEERS = "\x1b\u202e\u0000\x07"  # colours a terminal, reverses the writing, ends a text, rings the bell


def test_nothing_of_a_file_is_markup(tmp_path: Path, here: course.Course):
    evil = MARKUP + STEERS
    told = [number_of(5, evil, unit=evil), {"name": evil, "value": evil}, number_of(7)]
    every = [
        number(3, 4, unit=evil),
        number(3, 4, question=evil),
        choice("a", "b", options=[*THREAD[1], evil]),
        verdict(HOLDS, *told, because=evil, published=[number_of(5, evil)], recorded=evil),
        verdict(HOLDS, statement=evil),
        verdict(evil),
        result(f"01 {evil}", 1, evil),
        attempt(1, exercise=evil),
        result("01 x", 1, machine={**MACHINE, "jdkVersion": evil, "kernel": evil, "place": evil, evil: evil}),
        {**result("01 x", 1), evil: evil},
        {"name": evil, "value": 1, "unit": evil, "at": evil, "machine": {}},
    ]
    files = [write(tmp_path / f"{n}{MARKUP.replace('/', '|')}.jsonl", *every, reader=n) for n in (1, 2)]
    bad = tmp_path / "<b>bad<|b>.jsonl"
    bad.write_text(evil)
    found, _, html = built(here, *files, bad)
    elements = Elements(html)
    assert len(found.readers) == 2
    assert [attributes.get("type") for attributes in elements.of("script")] == ["application/json", None, None]
    assert not {"img", "svg", "iframe", "object", "embed", "form", "base"} & {tag for tag, _ in elements.found}
    assert not [name for _, attributes in elements.found for name in attributes if name.startswith("on")]
    assert not any(attributes["href"] and attributes["href"][0] != "#" for attributes in elements.of("a"))
    assert not set(STEERS) & set(html)
    (charts,) = re.findall(r'<script type="application/json" id="charts">(.*?)</script>', html, re.S)
    assert not set("<>&") & set(charts)
    assert "<" not in re.sub(r"</?(br|extra)>", "", json.dumps(json.loads(charts)))
    assert "&lt;b&gt;bad&lt;|b&gt;.jsonl" in html


def charts_of(html: str) -> Any:
    """Returns the charts as a browser reads them, which knows no NaN and no Infinity."""
    (charts,) = re.findall(r'<script type="application/json" id="charts">(.*?)</script>', html, re.S)
    return json.loads(charts, parse_constant=pytest.fail)


def test_a_number_that_is_not_finite_takes_no_chart_from_the_others(tmp_path: Path, here: course.Course):
    files = [write(tmp_path / f"{n}.jsonl", verdict(HOLDS, number_of(7 + n)), number(n, 4), reader=n) for n in range(4)]
    for path, value in ((files[2], "1E999"), (files[3], "9" * 390)):
        path.write_text(path.read_text().replace(f'"value": {7 + files.index(path)}', f'"value": {value}'))
    found, tally, html = built(here, *files)
    assert [trace["y"] for chart in charts_of(html) for trace in chart["data"] if "error_y" in trace] == [[7, 8]]
    assert tally.pages[0].judged[0].counts == {HOLDS: 2}
    assert [remark.file for remark in found.remarks] == ["2.jsonl", "3.jsonl"]
    assert all("1 × measured has an invalid shape" in remark.what for remark in found.remarks)


ODD = [
    "\ud800",
    "\u202emoc\u2066",
    "x\u200b\u3164\u0301\u0301\u0301\u0301",
    "\x00\x1b[2J\u2028",
    -0.0,
    1e308,
    -1e308,
    1e-308,
    float("inf"),
    float("nan"),
]
ODD += [10**4000, -(10**15), True, None, [], {}, [[]], {"\ud800": [1e308]}, "9" * 400, "-0", "1e999", "٣", "2026-11-23T12:00:00Z"]


def odd(every: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns each record with each field replaced by odd values, and each field of its machine and measurements.

    A fact in words may be any text.
    """
    found = [{**record, name: value} for record in every for name in (*record, "new") for value in ODD]
    machines = [
        {**record, "machine": {**record["machine"], name: value}} for record in every for name in (*MACHINE, "new") for value in ODD
    ]
    told = [number_of(1, low=0.5, high=2, unit="ms"), {"name": "a", "value": "b"}]
    numbers = [value for value in ODD if not isinstance(value, str)]
    return (
        found
        + machines
        + [verdict(HOLDS, {**one, name: value}) for one in told for name in one for value in (numbers if name == "value" else ODD)]
    )


def test_no_field_of_a_record_ends_the_page_or_makes_it_unreadable(tmp_path: Path, here: course.Course):
    said = {"rows": ["a"], "columns": ["b"], "answer": {"a": [1]}, "happened": {"a": [2]}, "revealed": True}
    table = kept("prediction", prediction="01-free", kind="table", question="?", **said)
    every = [result("01 x", 3), verdict(HOLDS, published=[number_of(5)]), number(3, 4), choice("a", "b"), attempt(3), table]
    old = [json.loads(line) for line in FORMER[0].read_text().splitlines()]
    every += [one for one in old if "machine" in one]
    found, _, html = built(here, *(write(tmp_path / f"{n}.jsonl", *every, *odd(every), reader=n) for n in (1, 2)))
    assert len(found.readers) == 2
    assert charts_of(html)
    assert html.encode()  # no half of a surrogate pair
    assert not {each for each in html if unicodedata.category(each) in ("Cc", "Cf") and each != "\n"}
    assert "\u3164" not in html and "\u0301\u0301\u0301" not in html
    assert not re.search(r"(?<![\w.])-0(?![\d.])|\b(inf|nan|Infinity)\b", Elements(html).text)


def test_a_reader_without_a_name_in_unicode_is_a_reader(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({**result("01 x", 1), "reader": "\ud800"}))
    (reader,) = handed_in.collect([path]).readers
    assert re.fullmatch(r"[0-9a-f]{64}", reader.name)


def test_a_flood_of_names_is_bounded_and_told(tmp_path: Path, here: course.Course):
    """Checks two files with 18,000 names each, which once made a page of 34 MB."""
    flood = [result(f"01 {n}", n) for n in range(18_000)]
    files = [write(tmp_path / f"{n}.jsonl", *flood, reader=n) for n in (1, 2)]
    files += [write(tmp_path / f"{n}.jsonl", result("01 ours", n), reader=n) for n in (3, 4, 5)]
    _, tally, html = built(here, *files)
    assert len(html) < 500_000
    assert tally.pages[0].measured[0].label == "ours, ms"
    assert html.count("Kept as a result") == counts.MOST_MEASURED
    assert f"{18_001 - counts.MOST_MEASURED} more figures" in Elements(html).text


def test_the_bounds_leave_room_for_a_class_of_a_hundred(here: course.Course):
    things = Counter(each.page for each in here.questions.values()) + Counter(here.tried.values()) + Counter(here.exercises.values())
    assert 2 * max(things.values()) <= counts.MOST_MEASURED
    each = 2 * len(here.questions) + len(here.statements) + 3 * len(here.exercises)  # records of a reader who runs all pages once
    assert 20 * each <= handed_in.MOST_RECORDS and 100 * 10 * each <= handed_in.MOST_IN_ALL
    assert handed_in.MOST_FILES >= 5 * 100


def test_what_is_more_than_a_class_brings_is_left_out_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    files = [write(tmp_path / f"{n}.jsonl", *(result("01 x", at) for at in range(3)), reader=n) for n in range(4)]
    monkeypatch.setattr(handed_in, "MOST_IN_ALL", 7)
    found = handed_in.collect(files)
    assert [reader.files for reader in found.readers] == [["0.jsonl"], ["1.jsonl"]]
    (remark,) = found.remarks
    assert (
        remark.file == "2.jsonl"
        and "2 in all, were not read: 500 files and 7 records are the limit" in remark.what
        and remark.left_out == 2
    )


def test_what_the_course_does_not_ask_is_not_shown(tmp_path: Path, here: course.Course):
    rude = "Somebody is a fool"
    every = [
        number(1, 2, prediction="01-rude"),
        number({}, {}, kind="table"),
        choice("b", "b", question=rude, options=[rude, rude]),
        verdict(HOLDS, statement="B2.rude"),
        verdict(HOLDS, {"name": rude, "value": rude}, number_of(1, rude, unit=rude), because=rude),
        attempt(1, exercise="01-rude"),
        result(f"01 {rude}", 1),
    ]
    _, tally, html = built(here, write(tmp_path / "a.jsonl", *every), write(tmp_path / "b.jsonl", number(3, 4), reader=2))
    assert rude not in html and "01-thread" in html
    assert tally.unknown == 4


def test_the_words_of_a_question_are_those_that_most_readers_saw(tmp_path: Path, here: course.Course):
    def heading(*of: list[dict[str, Any]]) -> str:
        return guesses(tmp_path, here, *of).heading

    other = "How many of the ten?"
    assert heading([number(3, 4)]) == FREE
    assert heading([number(3, 4)], [result("01 x", 1)]) == "01-free"
    assert heading([number(3, 4)], [number(3, 4, question=other)]) == "01-free"
    assert heading([number(3, 4, question=other)], [number(3, 4)], [number(3), number(3, 4)]) == FREE
    found = guesses(tmp_path, here, [choice("c", "b")], [result("01 x", 1)])
    assert (found.heading, found.bars) == ("01-thread", [("b", 0, 1), ("c", 1, 0)])


def test_the_page_may_run_its_own_scripts_and_nothing_else(tmp_path: Path, here: course.Course):
    *_, html = built(here, write(tmp_path / "a.jsonl", number(3, 4)))
    (policy,) = (each["content"] for each in Elements(html).of("meta") if each.get("http-equiv") == "Content-Security-Policy")
    assert policy and policy.startswith("default-src 'none';") and policy.count("'sha256-") == 2 and "unsafe-eval" not in policy
    for script in re.findall(r"<script>(.*?)</script>", html, re.S):
        assert page.checksum(script) in policy


# ---- what is counted


def guesses(tmp_path: Path, here: course.Course, *of: list[dict[str, Any]]) -> counts.Guesses:
    files = [write(tmp_path / f"{at}.jsonl", *records, reader=at) for at, records in enumerate(of)]
    _, tally, _ = built(here, *files)
    return tally.pages[0].guesses[0]


def at(minute: int) -> dict[str, str]:
    return {"at": f"2026-11-23T12:{minute:02}:00Z"}


def test_an_answer_counts_that_was_given_before_it_happened(tmp_path: Path, here: course.Course):
    found = guesses(
        tmp_path,
        here,
        [number(2, **at(1)), number(3, **at(2)), number(3, 4, right=False, **at(3)), number(4, 4, right=True, **at(4))],
        [number(None, 4, **at(1)), number(4, 4, right=True, **at(2))],
        [number(None, 4, **at(1))],
        [number(7, **at(1))],
    )
    assert [one.answer for one in found.given] == [3, 7]
    assert (found.silent, found.late, found.judged) == (2, 1, [False])
    assert found.values == ([3, 7], [4, 4, 4])


def test_options_that_nobody_chose_are_drawn_and_what_happened_stands_beside_them(tmp_path: Path, here: course.Course):
    found = guesses(tmp_path, here, [choice("a", "b")], [choice("b", "b")])
    assert found.bars == [(THREAD[1][0], 1, 0), (THREAD[1][1], 1, 2), (THREAD[1][2], 0, 0)]
    assert found.judged == [False, True]


def test_what_most_did_not_expect_was_asked_of_most(tmp_path: Path, here: course.Course):
    wrong, other = choice("a", "b"), number(3, 4, right=False)
    files = [write(tmp_path / f"{n}.jsonl", wrong, *([other] if n < 3 else []), reader=n) for n in range(1, 10)]
    worth = built(here, *files)[2].partition("Worth talking about</h2>")[2].partition("Statements whose verdict")[0]
    assert "0 of 9 right" in worth
    assert "of 2 right" not in worth


def test_each_number_is_a_dot_at_its_value_and_equal_ones_are_stacked(tmp_path: Path, here: course.Course):
    assert charts.stacked([1, 77, 2.01, 76.6, 2]) == [(1, 1), (2, 1), (2, 2), (77, 1), (77, 2)]
    for values, kind in (([3, 4], "linear"), ([1, 2000], "log"), ([0, 2000], "linear"), ([-5, 7], "linear")):
        files = [write(tmp_path / f"{at}.jsonl", number(value, 4), reader=at) for at, value in enumerate(values)]
        html = built(here, *files)[2]
        (chart,) = json.loads(re.search(r'id="charts">(.*?)</script>', html, re.S)[1])
        guessed, happened = chart["data"]
        assert (guessed["x"], happened["x"], chart["layout"]["xaxis"]["type"]) == (values, [4, 4], kind)
        assert (guessed["y"], happened["y"]) == ([1, 1], [-1, -2])


def test_what_happened_and_what_was_right_are_bands(tmp_path: Path, here: course.Course):
    bounds = {"low": 3.5, "high": 5.0, "right": False}
    files = [write(tmp_path / f"{at}.jsonl", number(9, happened, **bounds), reader=at) for at, happened in enumerate((4, 4.5))]
    html = built(here, *files)[2]
    (chart,) = charts_of(html)
    bands = {one["name"]: (one["x0"], one["x1"]) for one in chart["layout"]["shapes"]}
    assert bands == {"right": (3.5, 5.0), "happened": (4.0, 4.5)}
    assert "0 of 2 were right. Right is from 3.5 to 5." in Elements(html).text


def test_a_claim_tells_why_as_its_page_does(tmp_path: Path, here: course.Course):
    assert here.whys.keys() >= here.tried.keys()
    text = Elements(built(here, write(tmp_path / "a.jsonl", verdict(HOLDS)))[2]).text
    assert f"Because, as the page explains: {here.whys[STATEMENT].replace('`', '')}" in text


def test_a_question_tells_why_as_its_section_does(here: course.Course):
    assert here.because.keys() == here.questions.keys()
    assert sorted(name for name, reasons in here.because.items() if not reasons) == ["00-naps", "12-hold"]
    assert [each for reasons in here.because.values() for each in reasons if re.search(r"<!--|\]\(|\*|\n|^#", each)] == []
    assert here.because["08-probe"][0].startswith("On a dedicated pool of twenty threads the work takes longer")
    assert course.reasons("### Why\nOne *first* [link](a.md). Two.") == ["One first link."]


def test_solved_on_which_try(tmp_path: Path, here: course.Course):
    def tries(*passed: int) -> list[dict[str, Any]]:
        return [attempt(count, **at(minute)) for minute, count in enumerate(passed)]

    files = [write(tmp_path / f"{n}.jsonl", *tries(*passed), reader=n) for n, passed in enumerate([(7,), (6, 7, 3), (0, 0, 6), (7, 7)])]
    _, tally, html = built(here, *files)
    (exercise,) = tally.pages[0].exercises
    assert exercise.tries == {1: 2, 2: 1, 0: 1}
    assert "4 of 4 tried it." in html and "solved on the 1st try: 2" in html and "not yet: 1" in html


def judged(tmp_path: Path, here: course.Course, *told: list[dict[str, Any]], **more: Any) -> tuple[counts.Judged, str]:
    """Counts a statement for which each reader measured these values. Returns the count and the page."""
    _, tally, html = built(here, *(write(tmp_path / f"{n}.jsonl", verdict(HOLDS, *one, **more), reader=n) for n, one in enumerate(told)))
    return tally.pages[0].judged[0], html


def test_what_was_measured_is_drawn_by_its_names(tmp_path: Path, here: course.Course):
    told = [[number_of(10), number_of(2, "without")], [number_of(14), number_of(4, "without")], [number_of(11), number_of(2, "without")]]
    found, _ = judged(tmp_path, here, *told, [{"name": "at once", "value": "none: it broke 7 times"}, number_of(3, "at once", unit="s")])
    first, second = found.series
    assert (first.label, [point.value for point in first.points]) == ("at once", [10, 14, 11])
    assert (second.label, [point.value for point in second.points]) == ("without", [2, 4, 2])


def test_what_was_measured_alike_is_told_once(tmp_path: Path, here: course.Course):
    said = [{"name": "it runs on", "value": "cells, 3 of 3"}]
    found, html = judged(tmp_path, here, [*said, number_of(5)], [*said, number_of(5)], [{"name": "it runs on", "value": "elsewhere"}])
    assert found.series == []
    assert "Measured by 2 of 3: it runs on: cells, 3 of 3" in html and "Measured by 2 of 3: at once: 5" in html and "elsewhere" not in html


def test_what_was_said_in_a_sentence_is_told_and_never_drawn(tmp_path: Path, here: course.Course):
    """Checks measurements in words, as records of the former format have them."""
    found, html = judged(tmp_path, here, *([{"name": "", "value": "took 7 ms"}] for _ in range(2)), [{"name": "", "value": "took 9 ms"}])
    assert found.series == [] and "Measured by 2 of 3: took 7 ms" in html


def test_a_ratio_has_its_bounds_and_the_published_one_beside_it(tmp_path: Path, here: course.Course):
    ratio = "global / direct"
    told = [[number_of(9.5, ratio, low=8.1, high=1110, unit="×")], [number_of(12, ratio, low=11, high=None, unit="×")]]
    found, html = judged(tmp_path, here, *told, published=[number_of(15.5, ratio, unit="×")])
    (series,) = found.series
    assert [(point.low, point.high) for point in series.points] == [(8.1, 1110), (11, None)] and series.published == 15.5
    (trace,) = [trace for chart in charts_of(html) for trace in chart["data"] if trace["type"] == "scatter"]
    assert trace["error_y"]["array"] == [1100.5, 0] and "The dashed line is the published 15.5." in html


def test_a_published_figure_that_one_file_alone_has_is_not_drawn(tmp_path: Path, here: course.Course):
    published = [[number_of(15.5)], [number_of(99)]]
    files = [write(tmp_path / f"{n}.jsonl", verdict(HOLDS, number_of(n), published=one), reader=n) for n, one in enumerate(published)]
    assert built(here, *files)[1].pages[0].judged[0].series[0].published is None


def test_of_a_statement_judged_again_the_latest_counts_and_recorded_ones_stand_apart(tmp_path: Path, here: course.Course):
    recorded = verdict(DOES_NOT_HOLD, recorded="recorded on a laptop, 2026-11-22", here=False)
    again = [verdict(DEPENDS, **at(1)), verdict(HOLDS, at="2026-11-23T12:02:00.5Z"), verdict(DEPENDS, **at(2))]
    _, tally, _ = built(here, write(tmp_path / "a.jsonl", *again), write(tmp_path / "b.jsonl", recorded, reader=2))
    (found,) = tally.pages[0].judged
    assert (found.counts, found.recorded, found.differs) == ({HOLDS: 1}, 1, False)


def test_where_a_statement_would_be_false_stands_on_the_page_and_that_it_cannot_fail(tmp_path: Path, here: course.Course):
    def text(**fields: str) -> str:
        known = {STATEMENT: replace(here.statements[STATEMENT], **fields)}
        return Elements(built(replace(here, statements=here.statements | known), write(tmp_path / "a.jsonl", verdict(HOLDS)))[2]).text

    assert "Would be false where: on the moon" in text(false_where="on the moon", by_construction="")
    assert "By construction: the set-up decides the verdict here, so it doesn't count: as built" in text(by_construction="as built")


# ---- which property separates


def class_of(*groups: tuple[int, str, Machine]) -> tuple[list[str], list[Machine]]:
    return [said for count, said, _ in groups for _ in range(count)], [machine for count, _, machine in groups for _ in range(count)]


FEW, MANY = Machine(cpus=1, jdk=25), Machine(cpus=8, jdk=25)


def test_the_property_that_separates_is_named_with_both_sides():
    (found,) = separate.separations(*class_of((9, DEPENDS, FEW), (1, HOLDS, FEW), (19, HOLDS, MANY), (1, DEPENDS, MANY)), statements=5)
    assert str(found) == "CPUs: up to 1, 9 of 10 depends; from 8 on, 19 of 20 holds"
    assert found.chance < 0.01


def test_what_does_not_surely_separate_is_not_named():
    for groups in (
        [(5, DEPENDS, FEW), (5, HOLDS, FEW), (10, HOLDS, MANY), (10, DEPENDS, MANY)],  # nothing separates them
        [(2, DEPENDS, FEW), (2, HOLDS, MANY)],  # too few readers
        [(1, DEPENDS, FEW), (29, HOLDS, MANY)],  # one machine is not a side
        [(7, DEPENDS, FEW), (7, HOLDS, FEW)],  # all machines are alike
        [(14, HOLDS, FEW), (16, HOLDS, MANY)],
        [(3, DEPENDS, Machine()), (9, HOLDS, Machine())],  # all machines are unknown
    ):
        assert separate.separations(*class_of(*groups), statements=1) == [], groups  # type: ignore[arg-type]


def test_among_many_statements_a_separation_has_to_be_surer():
    groups = class_of((5, DEPENDS, FEW), (5, HOLDS, MANY))
    assert len(separate.separations(*groups, statements=1)) == 1
    assert separate.separations(*groups, statements=200) == []


def test_properties_that_split_alike_are_said_to_be_alike(tmp_path: Path, here: course.Course):
    old = {**MACHINE, "cpus": 1, "jdk": 21}
    files = [
        write(tmp_path / f"{n}.jsonl", verdict(DEPENDS if n < 6 else HOLDS, machine=old if n < 6 else MACHINE), reader=n) for n in range(14)
    ]
    *_, html = built(here, *files)
    text = Elements(html).text
    assert "What separates them is CPUs: up to 1, 6 of 6 depends; from 2 on, 8 of 8 holds." in text
    assert "CPUs and JDK split these readers in the same way" in text and "What separates them: CPUs and JDK." in text


# ---- the course's own questions, and a class that ran


def test_every_prediction_and_every_statement_of_the_course_has_its_page(here: course.Course):
    cells = [
        (path.name[:2], "".join(cell["source"]))
        for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))
        for cell in json.loads(path.read_text())["cells"]
        if cell["cell_type"] == "code"
    ]
    asked = [number for number, code in cells for _ in re.findall(r"\bPredict\.(?!all\b)\w+\(", code)]
    assert [question.page for question in here.questions.values()] == asked
    assert all(name.startswith(f"{question.page}-") for name, question in here.questions.items())
    assert here.tried.keys() == here.statements.keys()
    assert {found for _, _, found in former._table("prediction")} <= here.questions.keys()
    assert {one["statement"]: one["page"][:2] for one in records.recorded()}.items() <= here.tried.items()


def test_whatever_pages_asked_while_they_were_tested_finds_its_place(here: course.Course):
    every = [record for _, record in records.lines(records.results() / records.OWN)]
    predictions = [record for record in every if record["record"] == "prediction"]
    asked = [record for record in predictions if not record["prediction"].startswith("99-")]  # the lab's own suites use page 99
    if not asked:
        pytest.skip("no page has run: this looks at what the part `notebooks` leaves")
    assert {(one["prediction"], one["kind"]) for one in asked} <= {(one.id, one.kind) for one in here.questions.values()}


def test_the_class_that_ran_finds_its_place(here: course.Course):
    """Reads a real class with records in the former format, including a question of page 01 that has been reworded since."""
    found, tally, html = built(here, *FORMER)
    assert len(found.readers) == len(FORMER) >= 3 and tally.unknown == 0
    assert [(one.file, one.left_out) for one in found.remarks] == [("reader-02.jsonl", 0), ("reader-03.jsonl", 0)]
    assert all(f"skipped: 2 × {former.UNKNOWN}." in one.what for one in found.remarks)
    assert [each.number for each in tally.pages] == ["00", "01", "05"]
    assert all(each.guesses and each.judged and each.exercises for each in tally.pages)
    assert len({machine.cpus for machine in tally.machines}) > 1 and all(machine.load is not None for machine in tally.machines)
    assert not any(reader.name in html for reader in found.readers) and all(f"reader {reader.name[:8]}" in html for reader in found.readers)
    levels = [int(tag[1]) for tag, _ in Elements(html).found if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1 and levels.count(1) == 1 and all(below <= above + 1 for above, below in pairwise(levels))
    ids = [attributes["id"] for _, attributes in Elements(html).found if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {attributes["href"] for attributes in Elements(html).of("a")} <= {f"#{each}" for each in ids}


def test_committed_files_hold_machine_facts_and_no_place():
    for path in (*FORMER, *(ROOT / "kernels" / "tests" / "samples").rglob("*.jsonl")):
        assert not re.search(r"/(home|root|work|Users|tmp)/|https?://", path.read_text()), path.name


def test_the_page_in_a_browser(browser: Any, tmp_path: Path):
    """Checks that the page draws without a network and without an error, in light and dark, and that axe finds nothing."""
    from axe_playwright_python.sync_playwright import Axe

    target = tmp_path / "class.html"
    words = [sys.executable, ROOT / COURSE, "class", *FORMER, "--to", target]
    assert subprocess.run(words, stdin=subprocess.DEVNULL, timeout=600).returncode == 0
    said: list[str] = []
    for scheme in ("light", "dark"):
        tab = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.on("request", lambda request: said.append(request.url) if not request.url.startswith(("file:", "data:", "blob:")) else None)
        tab.goto(target.as_uri())
        tab.wait_for_selector(".chart .main-svg")
        tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        tab.wait_for_function("document.querySelectorAll('.chart').length == document.querySelectorAll('.chart.js-plotly-plot').length")
        assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        ink = tab.evaluate("getComputedStyle(document.querySelector('.chart .xtick text')).fill")
        assert ink == tab.evaluate("getComputedStyle(document.body).color")
        violations = Axe().run(tab).response["violations"]
        assert [(each["id"], [node["html"][:120] for node in each["nodes"]][:3]) for each in violations] == []
        tab.close()
    assert said == []


def test_a_presenter_shows_the_guesses_then_what_happened_then_why(browser: Any, tmp_path: Path, here: course.Course):
    files = [write(tmp_path / f"{at}.jsonl", choice("a", "b"), number(3 + at, 4, right=at == 1), reader=at) for at in range(3)]
    found = handed_in.collect(files)
    script = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    target = tmp_path / "class.html"

    def make(found: handed_in.HandedIn) -> None:
        target.write_text(page.page(here, found, counts.count(here, found.readers), script.read_text(), NOW, reload=600))

    make(found)
    tab = browser.new_page(viewport={"width": 1280, "height": 720})
    tab.goto(target.as_uri())
    tab.click("#present")

    def seen() -> tuple[int, bool, bool, int]:
        tab.wait_for_selector(".now .chart .main-svg")
        now = tab.locator(".now")
        traces = tab.evaluate("document.querySelector('.now .chart').data.length")
        return now.count(), now.locator(".happened").is_visible(), now.locator(".because").is_visible(), traces

    for _ in range(2):
        assert seen() == (1, False, False, 1), "the guesses alone"
        tab.keyboard.press("Space")
        assert seen() == (1, True, False, 2)
        tab.reload()  # as the page itself does while files come in
        assert seen() == (1, True, False, 2)
        tab.keyboard.press("Space")
        assert seen() == (1, True, True, 2)
        assert tab.evaluate("document.documentElement.scrollHeight <= window.innerHeight")
        tab.screenshot(path=tmp_path / "presenting.png")
        tab.keyboard.press("Space")
    asked = tab.locator(".now h4").text_content()
    naps = kept("prediction", prediction="00-naps", kind="number", question="How many?", unit="", answer=2)
    make(handed_in.collect([*files, write(tmp_path / "later.jsonl", naps, reader=9)]))  # a question that comes before the others
    tab.reload()
    assert tab.locator("section.asked").count() == 3 and tab.locator(".now h4").text_content() == asked
    tab.keyboard.press("Escape")
    assert tab.locator("h2#files").is_visible() and tab.locator(".now").count() == 0
    tab.close()


def test_a_live_page_shows_who_comes_later(tmp_path: Path):
    share, target = tmp_path / "share", tmp_path / "class.html"
    share.mkdir()
    words = [sys.executable, ROOT / COURSE, "class", share, "--live", "1", "--to", target]
    live = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert "0 readers" in live.stdout.readline()
        assert "0 readers handed in" in target.read_text() and 'data-reload="1"' in target.read_text()
        write(share / "a.jsonl", number(3, 4))
        assert awaited(lambda: "1 reader handed in" in target.read_text(), 20)
        (share / "a.jsonl").write_text("torn")
        assert awaited(lambda: "0 readers handed in" in target.read_text(), 20)
    finally:
        live.terminate()
        live.wait(10)
        live.stdout.close()
