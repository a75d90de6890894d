"""Tests the kernel's trial at the end of set-up: which kernels pass, and which fail for what reason."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import psutil
import pytest
from command.dependencies.python_env import Python
from command.setup import trial
from conftest import LAUNCH

# Answers by the beginning of a cell: [status, output, seconds to wait first].
STAND_IN = """
import json, sys, time
from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel

ANSWERS = json.loads(open(__file__ + ".json").read())

class StandIn(Kernel):
    implementation, implementation_version, banner = "stand-in", "1", ""
    language_info = {"name": "scala", "mimetype": "text/x-scala", "file_extension": ".sc"}

    def do_execute(self, code, silent, *more, **options):
        status, output, wait = next(answer for start, answer in ANSWERS.items() if code.startswith(start))
        time.sleep(wait)
        self.send_response(self.iopub_socket, "display_data", {"data": {"text/html": output}, "metadata": {}})
        more = {"ename": "Error", "evalue": output, "traceback": []} if status == "error" else {"payload": [], "user_expressions": {}}
        return {"status": status, "execution_count": 1, **more}
"""
RIGHT = {
    "import": ["ok", "res0: Int = 42", 0],
    "val machine": ["ok", "a table", 0],
    "val number": ["error", "type mismatch", 0],
    "%%jmh": ["error", "lab.magic.jmh.BenchmarkRefused", 0],
}


@pytest.fixture
def spec(tmp_path: Path):
    """Returns a function that makes a stand-in's kernelspec. It differs from a good kernel in the given answers."""

    def make(argv: list[str] | None = None, **answers: list) -> Path:
        folder = tmp_path / "kernels" / "stand-in"
        folder.mkdir(parents=True)
        program = tmp_path / "stand_in.py"
        program.write_text(STAND_IN + LAUNCH)
        starts = {"imports": "import", "machine": "val machine", "number": "val number", "magic": "%%jmh"}
        given = {starts[name]: answer for name, answer in answers.items()}
        program.with_name("stand_in.py.json").write_text(json.dumps({**RIGHT, **given}))
        words = argv or [sys.executable, str(program), "-f", "{connection_file}"]
        (folder / "kernel.json").write_text(json.dumps({"argv": words, "display_name": "stand-in", "language": "scala"}))
        return folder

    return make


def ours() -> Python:
    return Python(Path(sys.prefix), Path(sys.executable), next(Path(sys.prefix).glob("lib/python3*/site-packages")), "test")


def reason(folder: Path, limit: float = 20) -> str:
    with pytest.raises(trial.Refused) as refused:
        trial.put_through(folder, limit)
    return str(refused.value)


def test_one_that_answers_passes(spec) -> None:
    assert trial.fails(ours(), spec()) == ""


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (
            {"imports": ["error", "Missing dependency 'Add -Ytasty-reader'", 0]},
            "imports of Scala's library: Missing dependency 'Add -Ytasty",
        ),
        ({"imports": ["ok", "res0: Int = 41", 0]}, "imports of Scala's library: "),
        ({"machine": ["error", "not found: value Machine", 0]}, "the preflight: not found: value Machine"),
        ({"number": ["ok", "number: Int = text", 0]}, "a compile error: "),
        ({"number": ["error", "the compiler crashed", 0]}, "a compile error: the compiler crashed"),
        ({"magic": ["error", "identifier expected but % found", 0]}, "a magic: identifier expected but % found"),
    ],
)
def test_one_that_answers_otherwise_is_refused_with_what_it_said(spec, wrong, named) -> None:
    assert reason(spec(**wrong)).startswith(named)


def test_one_that_does_not_start_is_refused(spec) -> None:
    assert "did not start: it ended with exit code 7" in trial.fails(
        ours(), spec([sys.executable, "-c", "raise SystemExit(7)", "{connection_file}"])
    )


def test_one_that_does_not_answer_is_given_up_and_ended(spec) -> None:
    folder, began = spec(machine=["ok", "at last", 600]), time.monotonic()
    assert "no answer in time to the preflight" in reason(folder, 6)
    assert time.monotonic() - began < 6 + trial.GRACE
    program = json.loads((folder / "kernel.json").read_text())["argv"][1]
    left = [process for process in psutil.process_iter(["cmdline"]) if program in (process.info["cmdline"] or ())]
    assert psutil.wait_procs(left, timeout=10)[1] == []
