"""Tests `verdicts`: what it reports about several runs of the pages, and what it records."""

from __future__ import annotations

import json
import os
import platform
import re
import signal
import subprocess
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace

import pytest
from command.base import machine, records
from command.base.problem import Problem
from command.base.records import DEPENDS, DOES_NOT_HOLD, HOLDS, NOT_DECIDED, NOT_TRIED
from command.dependencies.java import sees_cpus
from command.pages import repeat, stability, verdicts
from command.pages.settings import COMPILER, Setting
from command.pages.stability import MISSING, REGRADED, REVERSED, WITHHELD, PageRun, Stability
from command.setup import programs
from conftest import ROOT, Clone, StandIn

PAGE, OTHER = "02-queue-mixing", "04-blocking"
WHEN = datetime(2026, 11, 22, 8, 30, 5, tzinfo=timezone.utc)


FIXED = "on a fixed pool of 2, `blocking` changes nothing"  # the text of B3.fixed-pool


def row(statement: str, verdict: str, value: int = 1, why: str = "") -> dict:
    return {
        "record": "verdict",
        "version": records.VERSION,
        "at": "2026-11-22T08:00:00Z",
        "statement": statement,
        "verdict": verdict,
        **({"because": why} if why else {}),
        "measured": [{"name": "took", "value": value, "unit": "ms"}],
        "reader": "r",
        "machine": {"cpus": 2, "jdk": 25, "profile": "quick"},
    }


def runs(*verdicts: str, page: str = PAGE) -> Stability:
    """Returns the runs of a page whose only statement got these verdicts in turn. "" means no verdict."""
    return Stability(
        PageRun(page, number, rows=[row("B3.fixed-pool", verdict, number)] if verdict else []) for number, verdict in enumerate(verdicts, 1)
    )


def test_how_much_of_the_machine_others_had_is_told():
    def text(*stolen: float | None) -> str:
        return Stability(PageRun(PAGE, number, stolen=share) for number, share in enumerate(stolen, 1)).text()

    assert f"gave 0.4% to 12.0% of the CPUs' time to other machines (most in run 2 of {PAGE})" in text(0.004, 0.12, None)
    assert "hypervisor" not in text(None, None) + text(0.0, 0.0)
    assert repeat.stolen([10, 0, 5, 80, 0, 0, 0, 5], [60, 0, 5, 110, 0, 0, 0, 25]) == 0.2
    assert repeat.stolen([], repeat.cpu_times()) is None


@pytest.mark.parametrize(
    ("verdicts", "change"),
    [
        ((HOLDS, HOLDS), ""),
        ((NOT_TRIED, NOT_TRIED), ""),
        ((HOLDS,), ""),
        ((HOLDS, DEPENDS, HOLDS), REGRADED),
        ((DEPENDS, DOES_NOT_HOLD), REGRADED),
        ((HOLDS, NOT_DECIDED, DOES_NOT_HOLD), REVERSED),
        ((HOLDS, DEPENDS, DOES_NOT_HOLD), REVERSED),
        ((DEPENDS, NOT_DECIDED, HOLDS), REGRADED),
        ((HOLDS, NOT_DECIDED), WITHHELD),
        ((NOT_TRIED, NOT_DECIDED), WITHHELD),
        ((NOT_TRIED, DOES_NOT_HOLD, DOES_NOT_HOLD), WITHHELD),
        ((HOLDS, "", HOLDS), MISSING),
        ((HOLDS, "", DEPENDS), REGRADED),
    ],
)
def test_a_change_is_called_by_its_worst(verdicts, change):
    found = runs(*verdicts)
    (judged,) = found.statements
    assert judged.change == change
    assert found.stable == (change == "")
    if change:
        assert found.text().count(f"\n{change}\n  02 B3.fixed-pool: {FIXED}\n    run 1  {verdicts[0]}") == 1
    else:
        assert "run 1 " not in found.text()


def test_every_run_of_a_changed_statement_is_told_with_what_it_measured():
    text = runs(HOLDS, NOT_DECIDED, DEPENDS, "").text()
    assert text.splitlines()[0] == "4 runs of a page, 1 statement, 1 changed the verdict"
    assert re.findall(r"^ +run (\d) +(\S.*?) +took: (\d ms)$", text, re.M) == [
        ("1", HOLDS, "1 ms"),
        ("2", NOT_DECIDED, "2 ms"),
        ("3", DEPENDS, "3 ms"),
    ]
    assert "not judged in 1 run of 4" in text


def test_what_was_not_decided_is_counted():
    def rows(first: str, second: str) -> list[dict]:
        return [row("A1.a", first), row("A2.b", second), row("A3.c", HOLDS), row("A4.d", NOT_DECIDED)]

    found = Stability([PageRun(PAGE, 1, rows=rows(HOLDS, NOT_DECIDED)), PageRun(PAGE, 2, rows=rows(HOLDS, DEPENDS))])
    assert "not decided here: 3 of 8 verdicts (38%); 2 of 4 statements (50%) at least once, 1 in every run" in found.text()


def test_what_could_not_be_tried_is_told_with_its_reason_once():
    tried = [row("B3.fixed-pool", NOT_TRIED, why="no JDK 17"), row("A2.less-work", HOLDS)]
    found = Stability([PageRun(PAGE, 1, rows=tried), PageRun(PAGE, 2, rows=tried)])
    assert found.stable
    assert f"\nCould not be tried\n  02 B3.fixed-pool: {FIXED} – no JDK 17\n\n" in found.text()


def test_a_page_that_failed_is_told_and_is_not_stable():
    found = Stability([PageRun(PAGE, 1, rows=[row("A1.a", HOLDS)]), PageRun(PAGE, 2, "cell 3 of 4: Boom", [row("A1.a", HOLDS)])])
    assert not found.stable
    assert f"\nFailed\n  run 2 of {PAGE}: cell 3 of 4: Boom\n\n" in found.text()
    assert found.of(MISSING) == []


def test_the_last_lines_say_what_changed_what_turned_over_and_what_is_open():
    def sums(*each: tuple[str, ...]) -> list[str]:
        """Returns the last lines of the report on statements that got these verdicts in turn. "" means no verdict."""
        numbered = [(f"A{n}.a", verdicts) for n, verdicts in enumerate(each, 1)]
        found = Stability(PageRun(PAGE, i + 1, rows=[row(name, all[i]) for name, all in numbered if all[i]]) for i in range(len(each[0])))
        return found.text().splitlines()[-4:]

    assert sums((HOLDS, HOLDS, HOLDS), (HOLDS, NOT_DECIDED, DOES_NOT_HOLD), (NOT_TRIED, NOT_DECIDED, NOT_TRIED)) == [
        "Of 3 statements",
        "  changed their verdict: 2",
        '  turned over between "holds" and "does not hold": 1',
        "  open (not decided or not tried): 2 in at least one run, 1 in every run",
    ]
    assert sums((HOLDS, DEPENDS), (HOLDS, ""))[1:] == [
        '  turned over between "holds" and "does not hold": 0',
        "  open (not decided or not tried): 0 in at least one run, 0 in every run",
        "  not judged in every run: 1",
    ]


def test_nothing_ran():
    assert Stability([]).text().startswith("0 runs of a page, 0 statements, 0 changed the verdict\n")


def test_statements_and_pages_are_told_apart():
    first = [row("A1.a", HOLDS), row("A1.b", DEPENDS)]
    found = Stability([PageRun(OTHER, 1, rows=[row("A1.a", DOES_NOT_HOLD)]), PageRun(PAGE, 1, rows=first)])
    assert [(one.page, one.statement, one.usual) for one in found.statements] == [
        (PAGE, "A1.a", (HOLDS, 1)),
        (PAGE, "A1.b", (DEPENDS, 1)),
        (OTHER, "A1.a", (DOES_NOT_HOLD, 1)),
    ]
    assert found.stable


def test_a_record_has_the_usual_verdict_and_what_its_middle_run_measured():
    (judged,) = runs(NOT_DECIDED, HOLDS, HOLDS, "", HOLDS).statements
    kept = judged.record("a machine", WHEN)
    records.check(kept)
    assert kept == {
        "record": "recorded",
        "version": 1,
        "at": "2026-11-22T08:30:05Z",
        "page": PAGE,
        "statement": "B3.fixed-pool",
        "verdict": HOLDS,
        "reached": 3,
        "runs": 5,
        "measured": [{"name": "took", "value": 3, "unit": "ms", "least": 1, "most": 5, "runs": 4}],
        "on": "a machine",
    }


def test_a_record_has_the_spread_of_each_number_that_several_runs_have():
    def measured(value: float | str, **more: float) -> dict:
        return {
            **row("B3.fixed-pool", HOLDS),
            "measured": [{"name": "ratio", "value": value, "unit": "×"}, *({"name": n, "value": v} for n, v in more.items())],
        }

    found = Stability(
        [PageRun(PAGE, 1, rows=[measured(2.5)]), PageRun(PAGE, 2, rows=[measured(2.75, once=1)]), PageRun(PAGE, 3, rows=[measured("none")])]
    )
    kept = found.statements[0].record("a machine", WHEN)
    records.check(kept)
    assert kept["measured"] == [
        {"name": "ratio", "value": 2.75, "unit": "×", "least": 2.5, "most": 2.75, "runs": 2},
        {"name": "once", "value": 1},
    ]
    same = {"name": "ratio", "value": 2.5, "low": 2, "high": 3}
    both = [PageRun(PAGE, number, rows=[{**row("B3.fixed-pool", HOLDS), "measured": [same]}]) for number in (1, 2)]
    assert Stability(both).statements[0].record("a machine", WHEN)["measured"] == [same], "the runs read it from a recording"
    assert "least" not in str(runs(HOLDS).statements[0].record("a machine", WHEN))
    with pytest.raises(records.Refused):
        records.check({**kept, "measured": [{"name": "ratio", "value": 2.75, "least": 2.5}]})


def test_a_recording_replaces_the_pages_that_ran_and_no_others(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(records, "RECORDED", tmp_path / "recorded" / "verdicts.jsonl")
    stability.record(runs(HOLDS, page=OTHER), "here", WHEN)
    stability.record(runs(HOLDS, HOLDS), "here", WHEN)
    stability.record(runs(DEPENDS, DEPENDS, DEPENDS), "a machine, with a “name”", WHEN)
    kept = [json.loads(line) for line in records.RECORDED.read_text().splitlines()]
    assert kept == records.recorded()
    assert [(one["page"], one["verdict"], one["reached"], one["runs"], one["on"]) for one in kept] == [
        (PAGE, DEPENDS, 3, 3, "a machine, with a “name”"),
        (OTHER, HOLDS, 1, 1, "here"),
    ]


# ---- the verb


def test_a_recording_names_the_machine_and_its_processor(tmp_path, monkeypatch):
    monkeypatch.setattr(machine.sys, "platform", "linux")
    monkeypatch.setattr(machine, "CPUINFO", tmp_path / "cpuinfo")
    machine.CPUINFO.write_text("processor\t: 0\nmodel name\t: Intel(R) Core(TM) i9  CPU\n\nprocessor\t: 1\nmodel name\t: another\n")
    env = {"COURSE_RECORD": " a laptop "}
    assert [verdicts.machine(setting, env) for setting in (Setting(), Setting(1), Setting(2, 21, COMPILER))] == [
        "a laptop (Intel Core i9 CPU)",
        "a laptop (Intel Core i9 CPU), JVMs see 1 CPU",
        "a laptop (Intel Core i9 CPU), JVMs see 2 CPUs, JDK 21, next to a compiler",
    ]
    assert machine.in_words({"COURSE_RECORD": machine.in_words(env)}) == machine.in_words(env)  # a program that the command starts
    machine.CPUINFO.write_text("processor\t: 0\nBogoMIPS\t: 50.00\n")  # on ARM, Linux has no name
    assert machine.in_words(env) == f"a laptop ({platform.machine()})"


def test_this_machines_processor_is_known():
    assert machine.processor().strip(), "neither a name nor an architecture"


def test_what_pages_record_names_the_processor_too(monkeypatch):
    course = SimpleNamespace(spec=Path("/kernel.json"), python=SimpleNamespace(program=Path("/bin/python")))
    monkeypatch.setenv("COURSE_RECORD", "a laptop")
    assert programs.environment(course)["COURSE_RECORD"] == f"a laptop ({machine.processor()})"
    monkeypatch.setenv("COURSE_RECORD", " ")
    assert programs.environment(course)["COURSE_RECORD"] == " ", "nothing is recorded"


def test_a_recording_needs_the_machines_name():
    with pytest.raises(Problem, match="needs a description of the machine"):
        verdicts.machine(Setting(), {"COURSE_RECORD": " "})


def test_the_users_own_java_options_stay():
    assert sees_cpus(3) == "-XX:ActiveProcessorCount=3"
    assert sees_cpus(3, "-Xmx1g") == "-Xmx1g -XX:ActiveProcessorCount=3"


def start(stand_in: StandIn, runs: int, *pages: list[dict], on: str = "") -> subprocess.Popen[str]:
    return stand_in.start(*pages, program=["command.pages.repeat", "stand-in 1", str(runs), on])


def test_pages_take_turns(stand_in, tmp_path):
    out, err = (command := start(stand_in, 2, [{}], [{}])).communicate(timeout=120)
    assert command.returncode == 0, err
    assert re.findall(r"Run (\d of 2: \d\d)", err) == ["1 of 2: 90", "1 of 2: 91", "2 of 2: 90", "2 of 2: 91"]
    assert out.startswith("4 runs of a page, 0 statements, 0 changed")


def test_a_page_that_fails_once_is_told(stand_in):
    out, err = (command := start(stand_in, 2, [{"error": {"ename": "Boom", "evalue": ""}}], [{}], on="here")).communicate(timeout=120)
    assert command.returncode == 1, err
    assert len(re.findall(r"^  run \d of 90-stand-in: cell 1 of 1 .*Boom", out, re.M)) == 2
    assert (stand_in.clone.folder / records.RECORDED.relative_to(ROOT)).exists()


def test_an_interrupt_tells_what_ran_and_records_nothing(stand_in, tmp_path):
    os.mkfifo(tmp_path / "waits")
    record = stand_in.clone.folder / records.RECORDED.relative_to(ROOT)
    record.write_text("what the clone came with")
    command = start(stand_in, 3, [{}], [{"wait": str(tmp_path / "waits")}], on="here")
    (tmp_path / "waits").read_text()
    command.send_signal(signal.SIGINT)
    out, err = command.communicate(timeout=30)
    assert command.returncode == 130, err
    assert "Interrupted after 1 of 6 runs of a page" in err
    assert "kernels/command/" not in err, "a traceback of the command's own; the stand-in's kernel may log one of its own when it is ended"
    assert out.startswith("1 run of a page")
    assert record.read_text() == "what the clone came with"


def test_the_help_names_the_exit_code(clone: Clone):
    done = clone.run("verdicts", "--help")
    assert done.code == 0
    assert "exit code is 1 if a statement changes" in done.out
