"""`kernels/course run` on a kernel that isn't the course's: what any kernel may send, a page is reported with."""

from __future__ import annotations

import os
import signal

import nbformat
import psutil
import pytest


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
    _, report, page = stand_in.execute({"update": "done"}, {})
    assert report["status"] == "ok"
    (shown,) = page.cells[0].outputs
    assert shown.data["text/plain"] == "done"


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


def test_a_kernel_that_does_not_start_is_told(stand_in):
    stand_in.program.write_text("raise SystemExit(7)")
    done, report, _ = stand_in.execute({})
    assert done.code == 1
    assert "Traceback" not in done.out
    assert report["error"].startswith("the kernel did not start: ")


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
