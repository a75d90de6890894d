"""Tests truncated output of a full disk or a killed program. It is reported with place and remedy, and never counts as a result."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command.base.problem import Problem
from command.dependencies import certificates, coursier
from command.dependencies.java import Java
from command.dependencies.python_env import Python
from command.learner import export
from command.pages import executed
from command.setup import compile
from command.testing import image
from conftest import ROOT, StandIn, on_a_small_disk

LONG = "x" * 200_000


# ---- run and verdicts on a full disk


def told_of_a_full_disk(command: subprocess.Popen[str]) -> tuple[str, str]:
    """Returns what a run printed, and the name of the file that didn't fit on the disk."""
    out, err = command.communicate(timeout=120)
    assert command.returncode == 1, out + err
    assert "Traceback" not in err, err
    assert "What to do: Make room there" in err, err
    return out + err, err.partition("The disk that holds ")[2].partition(" is full.")[0]


@pytest.mark.parametrize(("kilobytes", "file"), [(100, "run/90-stand-in.ipynb"), (4, "run/report.json")])
def test_a_run_on_a_full_disk_names_the_file_that_it_could_not_write(stand_in: StandIn, kilobytes: int, file: str) -> None:
    build = stand_in.clone.folder / ".build"
    page = [{"stderr": LONG}] if kilobytes == 100 else [{}]
    _, named = told_of_a_full_disk(stand_in.start(page, before=on_a_small_disk(build, kilobytes)))
    assert named == str(build / file)


def test_verdicts_on_a_full_disk_tell_what_ran_and_record_nothing(stand_in: StandIn) -> None:
    build = stand_in.clone.folder / ".build"
    program = ["command.pages.repeat", "stand-in 1", "2", "a machine"]
    said, named = told_of_a_full_disk(stand_in.start([{}], program=program, before=on_a_small_disk(build, 8)))
    assert named == str(build / "run" / "90-stand-in.ipynb")
    assert "Ended after 1 of 2 runs" in said and "1 run of a page, 0 statements" in said and "Interrupted runs are not recorded" in said


def test_a_run_whose_files_may_not_grow_is_told_as_an_ordinary_user_can_try_it(stand_in: StandIn) -> None:
    command = stand_in.start([{"stderr": LONG}], before=["sh", "-c", 'ulimit -f 64 && exec "$@"', "sh"])
    out, err = command.communicate(timeout=120)
    assert command.returncode == 1, out + err
    assert "Traceback" not in err and "What to do: " in err, err
    assert f"{stand_in.clone.folder / '.build' / 'run' / '90-stand-in.ipynb'}: File too large" in err


# ---- kernels that were killed, and what they leave


def test_verdicts_of_a_kernel_that_was_killed_are_not_stable(stand_in: StandIn) -> None:
    command = stand_in.start([{}, {"exit": -9}, {}], program=["command.pages.repeat", "stand-in 1", "1", ""])
    out, err = command.communicate(timeout=120)
    assert command.returncode == 1, err
    assert "run 1 of 90-stand-in: cell 2 of 3" in out and "the kernel was killed" in out


def test_a_page_whose_kernel_was_killed_shows_it_and_never_passes_for_executed(stand_in: StandIn) -> None:
    _, report, page = stand_in.execute({"stderr": "begun"}, {"stderr": "and then"}, {"exit": -9})
    (shown,) = page.cells[-1].outputs
    assert shown.output_type == "error" and shown.evalue == report["error"] and "the kernel was killed" in shown.evalue
    with pytest.raises(Problem, match="failed when it was executed: Stopped: cell 3 of 3"):
        executed.read(stand_in.clone.folder / ".build" / "run" / "90-stand-in.ipynb")


def test_records_that_are_torn_are_left_out_of_an_export_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = json.dumps({"reader": "r", "name": "n"})
    (tmp_path / "records.jsonl").write_text(f"{record}\n{record[:9]}{record}\n{record}\n{record[:5]}")
    assert len(export.lines(tmp_path)) == 3
    said = capsys.readouterr().err
    assert f"{tmp_path / 'records.jsonl'}, line 2: an incomplete record" in said and "line 4: an incomplete record" in said


# ---- programs that set-up and the image start


def program(path: Path, says: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(0o755)
    return path


def test_certificates_of_a_program_that_was_killed_are_no_certificates(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "keytool", "echo '-----BEGIN CERTIFICATE-----'; kill -9 $$")
    with pytest.raises(Problem, match=r"Listing certificates with .*keytool"):
        certificates.java_certificates(Java(tmp_path, "25", "test"))


@pytest.mark.parametrize("torn", [None, "", '{"dependencies": [', '{"dependencies": [{"file": "x"}]}', "[]"])
def test_a_report_of_coursiers_that_is_missing_or_torn_is_told(tmp_path: Path, torn: str | None) -> None:
    report = tmp_path / "report.json"
    if torn is not None:
        report.write_text(torn)
    with pytest.raises(Problem, match=f"{report} is missing or torn") as told:
        coursier.read_report(report)
    assert told.value.remedy.startswith("Run the same command again.")


def test_jars_of_which_the_fetching_program_said_nothing_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_short(argv: list, env: dict, each_line, **more) -> tuple[int, str]:
        each_line(f"ok a:b:1 {__file__}")
        return 0, ""

    monkeypatch.setattr(coursier.children, "run", cut_short)
    monkeypatch.setattr(coursier, "check", lambda *words: None)
    with pytest.raises(Problem, match="without a result for 1 of them, for example c:d:2"):
        coursier.Coursier(ours(), Java(Path(), "25", "test"), {}).bring({"a:b:1": "0", "c:d:2": "0"})


def ours() -> Python:
    return Python(Path(sys.prefix), Path(sys.executable), next(Path(sys.prefix).glob("lib/python3*/site-packages")), "test")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("echo 'error: error writing lab/X.class: No space left on device'; exit 1", "is full"),
        ("echo half; kill -9 $$", "it was killed"),
        ("echo 'X.scala:1: error: not found'; exit 1", "Correct what scalac reports"),
    ],
)
def test_a_compiler_that_found_no_room_or_was_killed_is_told_as_such(tmp_path: Path, said: str, told: str) -> None:
    runtime = Java(program(tmp_path / "bin" / "java", said).parent.parent, "25", "test")
    (tmp_path / "lab.new").mkdir()
    with pytest.raises(Problem) as problem:
        compile._scalac([], runtime, [], [], [ROOT / "X.scala"], tmp_path / "lab.new", ROOT)
    assert told in problem.value.told()


def test_what_a_container_left_torn_is_told() -> None:
    class Torn:
        def answer(self, *words: str) -> str:
            return '[{"page": "00-st'

    with pytest.raises(Problem, match=r"report\.json in the container is torn"):
        image.Container(Torn(), "any").read(".build/run/report.json")
