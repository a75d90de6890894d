"""`kernels/course run` on a kernel that isn't the course's: what any kernel may send, a page is reported with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
import psutil
import pytest
from conftest import Clone, Done
from nbformat.v4 import new_code_cell, new_notebook

# Does in each cell what stands in it: writes, sends an `error` message of this content, ends; a cell that says nothing is answered well.
STAND_IN = """
import json, os, signal, time
from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel

class StandIn(Kernel):
    implementation, implementation_version, banner = "stand-in", "1", ""
    language_info = {"name": "scala", "mimetype": "text/x-scala", "file_extension": ".sc"}

    def do_execute(self, code, silent, *more, **options):
        told = json.loads(code)
        if "stderr" in told:
            self.send_response(self.iopub_socket, "stream", {"name": "stderr", "text": told["stderr"]})
        if "exit" in told:
            os._exit(told["exit"]) if told["exit"] >= 0 else os.kill(os.getpid(), -told["exit"])
        if "wait" in told:
            open(told["wait"], "w").write(str(os.getpid()) + chr(10))
            time.sleep(1000)
        if "update" in told:
            shown = {"metadata": {}, "transient": {"display_id": "line"}}
            self.send_response(self.iopub_socket, "display_data", {"data": {"text/plain": "begun"}, **shown})
            self.session.send(self.iopub_socket, "update_display_data", {"data": {"text/plain": told["update"]}, **shown})
        if "error" in told:
            self.send_response(self.iopub_socket, "error", told["error"])
            return {"status": "error", "execution_count": self.execution_count, **told.get("reply", told["error"])}
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}

IPKernelApp.launch_instance(kernel_class=StandIn)
"""


@dataclass(frozen=True)
class StandIn:
    """A clone in which the course's kernel is the one above, whose program can be changed."""

    clone: Clone
    program: Path

    def start(self, *pages: list[dict]) -> subprocess.Popen[str]:
        """Begins a run of pages of these cells: 90-stand-in and so on."""
        files = [self.clone.folder / "notebooks" / f"{number}-stand-in.ipynb" for number, _ in enumerate(pages, 90)]
        for file, cells in zip(files, pages, strict=True):
            nbformat.write(new_notebook(cells=[new_code_cell(json.dumps(cell)) for cell in cells]), file)
        env = self.clone.environment(PYTHONPATH=str(self.clone.folder / "kernels"), JUPYTER_PATH=str(self.program.parent))
        argv = [sys.executable, "-m", "command.execute", "stand-in 1", *map(str, files)]
        return subprocess.Popen(argv, cwd=self.clone.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def execute(self, *cells: dict) -> tuple[Done, dict, nbformat.NotebookNode]:
        """Runs one page of these cells. Returns what the command said, its report, and the executed page."""
        command = self.start(list(cells))
        out, err = command.communicate(timeout=120)
        (row,) = json.loads((self.clone.folder / ".build" / "run" / "report.json").read_text())
        page = nbformat.read(self.clone.folder / ".build" / "run" / "90-stand-in.ipynb", as_version=4)
        return Done(command.returncode, out, err), row, page


@pytest.fixture
def stand_in(clone: Clone, tmp_path: Path) -> StandIn:
    spec = tmp_path / "share" / "kernels" / "scala-course"
    spec.mkdir(parents=True)
    program = tmp_path / "share" / "stand_in.py"
    program.write_text(STAND_IN)
    argv = [sys.executable, str(program), "-f", "{connection_file}"]
    (spec / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "stand-in", "language": "scala"}))
    return StandIn(clone, program)


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
