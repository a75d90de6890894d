"""`kernels/course run` on a kernel that isn't the course's: what any kernel may send, a page is reported with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

# Answers each cell by what stands in it: the content of its `error` message; a cell without any is answered well.
STAND_IN = """
import json
from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel

class StandIn(Kernel):
    implementation, implementation_version, banner = "stand-in", "1", ""
    language_info = {"name": "scala", "mimetype": "text/x-scala", "file_extension": ".sc"}

    def do_execute(self, code, silent, *more, **options):
        told = json.loads(code)
        if "stderr" in told:
            self.send_response(self.iopub_socket, "stream", {"name": "stderr", "text": told["stderr"]})
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


@pytest.fixture
def execute(clone, tmp_path: Path):
    """Runs a page of these cells on the stand-in. Returns what the command said, its report, and the executed page."""
    spec = tmp_path / "share" / "kernels" / "scala-course"
    spec.mkdir(parents=True)
    program = tmp_path / "stand_in.py"
    program.write_text(STAND_IN)
    argv = [sys.executable, str(program), "-f", "{connection_file}"]
    (spec / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "stand-in", "language": "scala"}))

    def run(*cells: dict) -> tuple[subprocess.CompletedProcess[str], dict, nbformat.NotebookNode]:
        page = clone.folder / "notebooks" / "99-stand-in.ipynb"
        nbformat.write(new_notebook(cells=[new_code_cell(json.dumps(cell)) for cell in cells]), page)
        env = clone.environment(PYTHONPATH=str(clone.folder / "kernels"), JUPYTER_PATH=str(tmp_path / "share"))
        argv = [sys.executable, "-m", "command.execute", "stand-in 1", str(page)]
        done = subprocess.run(argv, cwd=clone.folder, env=env, capture_output=True, text=True, timeout=120)
        report = json.loads((clone.folder / ".build" / "run" / "report.json").read_text())[0]
        return done, report, nbformat.read(clone.folder / ".build" / "run" / page.name, as_version=4)

    return run


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ({"ename": "", "evalue": "Compilation Failed"}, "Compilation Failed"),
        ({"ename": "Refused", "evalue": "no", "traceback": None}, "Refused: no"),
        ({"ename": "Refused", "evalue": "no", "traceback": []}, "Refused: no"),
        ({}, "Error"),
    ],
)
def test_an_error_that_lacks_fields_is_a_failed_page_with_its_message(execute, error, told):
    done, report, page = execute({}, {"stderr": "cell2.sc:1: not found: value missing\n", "error": error}, {})
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    assert report["status"] == "failed"
    assert "cell 2 of 3" in report["error"]
    assert told in report["error"] or not error
    assert "not found: value missing" in report["error"], "a name alone doesn't help: what was written before does"
    (shown,) = (output for output in page.cells[1].outputs if output.output_type == "error")
    assert isinstance(shown.traceback, list)
    nbformat.validate(page)


def test_a_whole_error_is_told_by_itself(execute):
    error = {"ename": "Boom", "evalue": "on purpose", "traceback": ["Boom: on purpose", "  at line 1"]}
    _, report, page = execute({"stderr": "a warning\n", "error": error})
    assert report["error"].endswith("Boom: on purpose")
    assert page.cells[0].outputs[-1].traceback == error["traceback"]


def test_an_update_that_names_no_cell_is_seen(execute):
    _, report, page = execute({"update": "done"}, {})
    assert report["status"] == "ok"
    (shown,) = page.cells[0].outputs
    assert shown.data["text/plain"] == "done"
