"""Tests `kernels/course run` with another kernel: it reports a page whatever the kernel sends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import nbformat
import psutil
import pytest
from command.base import records
from command.setup.starting import PORT_TAKEN, NotStarted, start
from conftest import StandIn
from jupyter_client.channels import HBChannel
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager

VERDICT = {
    "record": "verdict",
    "version": records.VERSION,
    "at": "2026-11-23T12:00:00Z",
    "statement": "B3.fixed-pool",
    "verdict": records.HOLDS,
    "measured": [{"name": "asleep simultaneously", "value": 2}],
    "reader": "r",
    "machine": {"cpus": 2, "jdk": 25, "profile": "quick"},
}


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ({"ename": "", "evalue": "Compilation Failed"}, "Compilation Failed"),
        ({"ename": "Refused", "evalue": "no", "traceback": None}, "Refused: no"),
        ({"ename": "Refused", "evalue": "no", "traceback": []}, "Refused: no"),
        ({}, "Error"),
    ],
)
def test_an_error_that_lacks_fields_is_a_failed_page_with_its_message(stand_in, error, told):
    done, report, page = stand_in.execute({}, {"stderr": "cell2.sc:1: not found: value missing\n", "error": error}, {})
    assert done.code == 1
    assert "Traceback" not in done.said, done.err
    assert report["status"] == "failed"
    assert "cell 2 of 3" in report["error"]
    assert told in report["error"]
    assert "not found: value missing" in report["error"], "a name alone doesn't help: what was written before does"
    (shown,) = (output for output in page.cells[1].outputs if output.output_type == "error")
    assert isinstance(shown.traceback, list)
    nbformat.validate(page)


def test_a_whole_error_is_told_by_itself(stand_in):
    error = {"ename": "Boom", "evalue": "on purpose", "traceback": ["Boom: on purpose", "  at line 1"]}
    _, report, page = stand_in.execute({"stderr": "a warning\n", "error": error})
    assert report["error"].endswith("Boom: on purpose")
    assert page.cells[0].outputs[-1].traceback == error["traceback"]


def test_an_update_that_names_no_cell_is_seen(stand_in):
    _, report, page = stand_in.execute({"update": {"text/plain": "done"}}, {})
    assert report["status"] == "ok"
    (shown,) = page.cells[0].outputs
    assert shown.data["text/plain"] == "done"


def bundle(**more: Any) -> dict[str, Any]:
    """Returns a panel's output with its verdict."""
    return {"text/plain": "a panel", records.MIME: {**VERDICT, **more}}


def test_the_verdicts_of_a_page_stand_in_its_outputs(stand_in):
    first = {"shows": [bundle(verdict=records.NOT_TRIED), bundle(statement="B4.managed-block"), {records.MIME: {"record": "ledger"}}]}
    done, report, page = stand_in.execute(first, {"update": bundle(statement="B6.starvation")}, {"shows": [bundle(), {"text/plain": "2"}]})
    assert (done.code, report["statements"]) == (0, 3), done.said
    found = [(record["statement"], record["verdict"]) for record in records.verdicts_of(page)]
    assert found == [("B3.fixed-pool", records.HOLDS), ("B4.managed-block", records.HOLDS), ("B6.starvation", records.HOLDS)]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [({"verdict": "perhaps"}, "verdict is not one of the course's"), ({"measured": "2"}, "measured has the wrong type")],
)
def test_a_page_with_a_verdict_that_is_no_record_has_failed(stand_in, wrong, told):
    done, report, _ = stand_in.execute({"shows": [bundle(**wrong)]}, {})
    assert done.code == 1
    assert report["error"].startswith(f"the verdict on B3.fixed-pool: {told}") and report["statements"] == 0


@pytest.mark.parametrize(
    ("code", "end"),
    [(7, "the kernel died (exit code 7)"), (0, "the kernel died (exit code 0)"), (-9, "the kernel was killed (for want of memory?)")],
)
def test_a_kernel_that_ends_is_told_with_how_it_ended(stand_in, code, end):
    done, report, page = stand_in.execute({}, {"exit": code}, {})
    assert done.code == 1
    assert "Traceback" not in done.said, done.err
    assert report["error"].startswith("cell 2 of 3 (")
    assert report["error"].endswith(end)
    assert report["peak_memory_mb"] > 0
    assert page.metadata.language_info.name == "scala"


def starts_of(stand_in: StandIn, code: str) -> Callable[[], list[list[int]]]:
    """Makes the test's kernel record its ports in a file at each start, and then run `code`. Returns a function that reads the ports."""
    file = stand_in.program.with_suffix(".starts")
    note = f"""
import json, sys
starts = {str(file)!r}
with open(sys.argv[-1]) as connection, open(starts, "a") as stream:
    print([value for name, value in json.load(connection).items() if name.endswith("_port")], file=stream)
"""
    stand_in.program.write_text(f"{note}{code}\n{stand_in.program.read_text()}")
    return lambda: [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_kernel_that_ends_immediately_leaves_no_failing_thread(monkeypatch):
    run = HBChannel.run
    monkeypatch.setattr(HBChannel, "run", lambda channel: (time.sleep(0.3), run(channel)))  # as on a busy machine
    manager = AsyncKernelManager()
    manager._kernel_spec = KernelSpec(argv=[sys.executable, "-c", "raise SystemExit(7)"])
    with pytest.raises(NotStarted, match="exit code 7"):
        start(manager, 30)


def test_a_kernel_that_does_not_start_is_told(stand_in):
    starts = starts_of(stand_in, "raise SystemExit(7)")
    done, report, _ = stand_in.execute({})
    assert done.code == 1
    assert "Traceback" not in done.said
    assert report["error"] == "the kernel did not start: it ended with exit code 7 before it answered"
    assert len(starts()) == 1


def test_a_kernel_that_lost_a_port_is_started_again_with_new_ones(stand_in):
    starts = starts_of(stand_in, f"if len(open(starts).readlines()) < 3: raise SystemExit({PORT_TAKEN})")
    done, report, _ = stand_in.execute({})
    assert (done.code, report["status"]) == (0, "ok"), done.said
    assert done.err.count("starting the kernel again with new ports") == 2
    first, second, third = map(set, starts())
    assert len(first) == 5 and first != second != third


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_ends_the_whole_run(stand_in, tmp_path, number):
    os.mkfifo(tmp_path / "waits")
    command = stand_in.start([{}, {"wait": str(tmp_path / "waits")}], [{}])
    kernel = psutil.Process(int((tmp_path / "waits").read_text()))
    command.send_signal(number)
    _, said = command.communicate(timeout=30)
    assert command.returncode == 130, said
    assert "Page 1 of 2" in said and "Page 2 of 2" not in said
    assert "Interrupted" in said and "Traceback" not in said
    assert psutil.wait_procs([kernel], timeout=10)[1] == []


def test_a_run_under_nohup_goes_on_after_a_hang_up(stand_in, tmp_path):
    os.mkfifo(tmp_path / "waits")
    command = stand_in.start([{"wait": str(tmp_path / "waits")}], before=["nohup"])
    (tmp_path / "waits").read_text()
    command.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        command.wait(2)
    command.send_signal(signal.SIGTERM)
    command.communicate(timeout=30)
    assert command.returncode == 130


LONG_END = """
import sys, time
from command.pages import execute
execute.end = lambda started: time.sleep(2)
sys.exit(execute.main(sys.argv[1:]))
"""


def test_an_interrupt_leaves_nothing_running_that_needs_the_kernel(stand_in, tmp_path):
    """nbclient looks once a second whether the kernel is alive, and would go on while the run ends."""
    os.mkfifo(tmp_path / "waits")
    (stand_in.clone.folder / "kernels" / "long_end.py").write_text(LONG_END)
    command = stand_in.start([{"wait": str(tmp_path / "waits")}], program=("long_end", "stand-in 1"))
    (tmp_path / "waits").read_text()
    command.send_signal(signal.SIGINT)
    _, said = command.communicate(timeout=30)
    assert command.returncode == 130, said
    assert "Interrupted" in said and "Traceback" not in said
