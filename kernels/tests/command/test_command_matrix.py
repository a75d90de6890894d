"""Tests `verdicts --matrix`: which runs are left, what a row says, and that a stopped call goes on."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
from datetime import datetime, timezone
from pathlib import Path

import psutil
import pytest
from command.base import records
from command.base.problem import Problem
from command.base.records import DEPENDS, DOES_NOT_HOLD, HOLDS, NOT_DECIDED, NOT_TRIED
from command.pages import matrix, notebooks, settings
from command.pages.settings import COMPILER, QUIET, Setting
from conftest import ROOT, Clone, StandIn, awaited

WHEN = datetime(2026, 11, 22, 8, 30, 5, tzinfo=timezone.utc)
PAGES = notebooks.find(["02", "04"])
REPORT = {"seconds": 61.5, "peak_memory_mb": 412}


def row(step: matrix.Step, verdicts: dict[str, str] | None = None, on: str = "here", **report: str) -> matrix.Row:
    judged = [{"statement": name, "verdict": verdict} for name, verdict in (verdicts or {}).items()]
    return matrix.row_of(step, "quick", on, {**REPORT, **report}, judged, WHEN)


def test_the_matrix_has_every_setting_once_and_changes_the_jdk_once():
    every = settings.every(Setting())
    assert len(set(every)) == len(every) == 16
    assert [one.jdk for one in every] == [25] * 8 + [21] * 8
    assert {(one.cpus, one.next_to) for one in every} == {(cpus, load) for cpus in (1, 2, 4, 8) for load in (QUIET, COMPILER)}
    assert settings.every(Setting(cpus=3, next_to=COMPILER)) == [Setting(3, 25, COMPILER), Setting(3, 21, COMPILER)]
    assert settings.every(Setting(jdk=17, next_to=QUIET)) == [Setting(cpus, 17, QUIET) for cpus in settings.CPUS]


def test_what_has_a_row_is_not_run_again():
    asked = Setting(2, 25, QUIET)
    every = matrix.left(2, asked, PAGES, [], "quick", "here")
    assert [(step.round, step.page.stem[:2]) for step in every] == [(1, "02"), (1, "04"), (2, "02"), (2, "04")]
    rows = [row(every[0]), row(every[1], error="Boom")]
    assert matrix.left(2, asked, PAGES, rows, "quick", "here") == every[2:]
    assert matrix.left(2, asked, PAGES, rows, "smoke", "here") == every
    assert matrix.left(2, asked, PAGES, rows, "quick", "elsewhere") == every


def test_a_page_that_needs_a_newer_jdk_has_no_run_on_an_older_one():
    pages = notebooks.find(["04", "10"])
    on = {jdk: matrix.left(1, Setting(2, jdk, QUIET), pages, [], "quick", "here") for jdk in settings.VERSIONS}
    assert {jdk: [step.page.stem[:2] for step in steps] for jdk, steps in on.items()} == {25: ["04", "10"], 21: ["04"]}


def test_a_row_says_what_was_reached_and_what_flipped(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(records, "RECORDED", tmp_path / "verdicts.jsonl")
    known = {"A1.a": HOLDS, "A1.b": HOLDS, "A2.c": DEPENDS, "A3.d": NOT_DECIDED}
    records.RECORDED.write_text("".join(records.as_line({"statement": name, "verdict": verdict}) for name, verdict in known.items()))
    found = {"A1.a": HOLDS, "A1.b": DOES_NOT_HOLD, "A2.c": NOT_DECIDED, "A3.d": HOLDS, "A4.e": NOT_TRIED}
    made = row(matrix.Step(1, Setting(8, 21, COMPILER), PAGES[0]), found, error="cell 1:\n  Boom")
    assert made == {
        "profile": "quick",
        "round": "1",
        "cpus": "8",
        "jdk": "21",
        "next_to": "compiler",
        "page": "02-queue-mixing",
        "seconds": "61.5",
        "memory_mb": "412",
        "error": "cell 1: Boom",
        "holds": "A1.a A3.d",
        "depends": "",
        "does_not_hold": "A1.b",
        "open": "A2.c A4.e",
        "flipped": "A1.b",
        "at": "2026-11-22T08:30:05Z",
        "on": "here",
    }
    matrix.keep([made], tmp_path / "matrix.csv")
    assert matrix.read(tmp_path / "matrix.csv") == [made]


def test_the_report_compares_settings_and_names_what_they_decide_differently():
    first, second = (matrix.Step(1, Setting(cpus, 25, QUIET), PAGES[0]) for cpus in (1, 2))
    text = matrix.text([row(first, {"A1.a": HOLDS, "A2.c": NOT_DECIDED}), row(second, {"A1.a": DEPENDS, "A2.c": HOLDS}, error="Boom")])
    assert [line.split() for line in text.splitlines()[1:3]] == [
        ["1", "25", "nothing", "1", "0", "1", "0", "1", "412"],
        ["2", "25", "nothing", "1", "1", "0", "0", "1", "412"],
    ]
    assert text.endswith("Of 2 statements, decided differently in two runs: 1\n  A1.a: holds 1, depends 1\n")


def test_the_time_that_is_left_comes_from_each_pages_last_run():
    steps = matrix.left(1, Setting(2, 25, QUIET), PAGES, [], "quick", "here")
    assert matrix.expected(steps, []) == 2 * matrix.USUAL_SECONDS
    assert matrix.expected(steps, [row(steps[0])]) == 2 * 61.5
    assert [matrix.hours(seconds) for seconds in (90, 5000, 7200)] == ["2 min", "83 min", "2.0 h"]


# ---- runs

PROGRAM = """
import sys
from pathlib import Path
from types import SimpleNamespace as Some

from command import main
from command.pages import matrix, settings

course = Some(choice=Some(kernel="stand-in", version="1"), python=Some(program=Path(sys.executable)), spec=Path("/"))
settings.prepare = lambda jdk: course
main.perform = lambda name, words: matrix.run(1, settings.Setting(1, 25, "nothing"), [Path(word) for word in words], "here")
sys.exit(main.main(["verdicts", *sys.argv[1:]]))
"""


def start(stand_in: StandIn, *pages: list[dict]) -> subprocess.Popen[str]:
    (stand_in.clone.folder / "kernels" / "matrix_of_stand_ins.py").write_text(PROGRAM)
    return stand_in.start(*pages, program=["matrix_of_stand_ins"])


def rows(clone: Clone) -> list[matrix.Row]:
    with (clone.folder / matrix.MATRIX.relative_to(ROOT)).open() as file:
        return list(csv.DictReader(file))


def test_a_stopped_matrix_keeps_its_rows_and_goes_on(stand_in, tmp_path):
    os.mkfifo(tmp_path / "waits")
    (stand_in.clone.folder / matrix.MATRIX.relative_to(ROOT)).unlink(missing_ok=True)
    command = start(stand_in, [{}], [{"wait": str(tmp_path / "waits")}])
    kernel = int((tmp_path / "waits").read_text())
    command.send_signal(signal.SIGTERM)
    out, err = command.communicate(timeout=30)
    assert (command.returncode, out) == (130, ""), err
    with pytest.raises(ProcessLookupError):
        os.kill(kernel, 0)
    assert [row["page"] for row in rows(stand_in.clone)] == ["90-stand-in"]

    command = start(stand_in, [{}], [{"error": {"ename": "Boom", "evalue": ""}}])
    out, err = command.communicate(timeout=120)
    assert command.returncode == 1, err
    assert "Matrix: 1 runs of a page are left" in err
    assert [(row["page"], "Boom" in row["error"], row["cpus"], row["on"]) for row in rows(stand_in.clone)] == [
        ("90-stand-in", False, "1", "here"),
        ("91-stand-in", True, "1", "here"),
    ]


# ---- settings


def test_a_setting_limits_this_process_and_its_jvms_only_inside_the_block():
    env, before = {"JAVA_TOOL_OPTIONS": "-Xmx1g"}, os.sched_getaffinity(0)
    with settings.applied(Setting(cpus=1), env):
        assert len(os.sched_getaffinity(0)) == 1
        assert env["JAVA_TOOL_OPTIONS"] == "-Xmx1g -XX:ActiveProcessorCount=1"
    assert os.sched_getaffinity(0) == before


def test_a_compiler_runs_next_to_the_block_and_ends_with_it():
    with settings.applied(Setting(next_to=COMPILER), {}) as beside:
        beside.check()
        process = psutil.Process(beside.process.pid)
        assert awaited(lambda: any("scala.tools.nsc.Main" in one.cmdline() for one in process.children(recursive=True)), 60)
        started = process.children(recursive=True)
    assert awaited(lambda: not [one for one in started if one.is_running()], 20)


def test_a_compiler_that_ends_is_a_problem(monkeypatch):
    with settings.applied(Setting(next_to=COMPILER), {}) as beside:
        beside.process.kill()
        beside.process.wait()
        with pytest.raises(Problem, match="next to the pages ended"):
            beside.check()
    monkeypatch.setattr(settings.neighbour, "READY", "something else")
    with pytest.raises(Problem, match="ended"), settings.applied(Setting(next_to=COMPILER), {}):
        pass


def test_an_unknown_jdk_is_refused_with_those_that_there_are(monkeypatch):
    class Course:
        python = None

    monkeypatch.setattr(settings, "set_up", lambda everything=False: Course)
    monkeypatch.setattr(settings.jdks, "installed", dict)
    monkeypatch.setattr(settings.jdks, "homes", lambda python: {"21": "/jdk21", "25": "/jdk25"})
    with pytest.raises(Problem, match="There is no JDK 12 here") as refused:
        settings.prepare(12)
    assert "21, 25" in refused.value.remedy
