"""Tests that `git pull` makes a reader's clone of the oldest state that has `reset` the newest one, and loses nothing of the reader's.

`kernels/course test --full` runs it, because it sets up two states of the course.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import COURSE, ROOT, Clone, Done, look_alike, only_in_full

OLDEST = "c371065"  # of 23 November 2026
LIMIT = 900  # seconds for the set-up of a state and a run of page 00


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def passed(done: Done) -> Done:
    assert done.code == 0, done.said
    return done


@only_in_full
def test_git_pull_upgrades_a_clone_and_keeps_what_is_the_readers(tmp_path: Path, monkeypatch):
    monkeypatch.delenv("COURSE_RESULTS")
    if subprocess.run(["git", "cat-file", "-e", OLDEST], cwd=ROOT, capture_output=True).returncode:
        pytest.skip("this clone has no history")
    home, folder = tmp_path / "home", tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--bare", str(ROOT), str(home))
    newest = git(home, "rev-parse", "HEAD").strip()
    git(home, "branch", "-f", "course", OLDEST)
    git(tmp_path, "clone", "-q", "--branch", "course", str(home), str(folder))
    clone = Clone(folder, look_alike(tmp_path / "python"))
    page = folder / "notebooks" / "00-start-here.ipynb"

    def course(*words: str) -> Done:
        return clone.program("python3", str(COURSE), *words, limit=LIMIT)

    passed(course("run", "00"))
    old = sorted(file.name for file in (folder / "data" / "results").iterdir())
    mine = page.read_text().replace("Is everything here", "Is everything there")
    page.write_text(mine)
    git(home, "branch", "-f", "course", newest)
    with pytest.raises(subprocess.CalledProcessError):
        git(folder, "pull", "-q")
    passed(course("reset", "00"))
    git(folder, "pull", "-q")

    done = passed(course("run", "00"))
    print(done.err)
    assert "00-start-here: ok" in done.out
    assert "Compiling lab" in done.err, "nothing said that a newer lab was compiled"
    (copy,) = folder.glob("notebooks/00-start-here.mine-*.ipynb")
    assert copy.read_text() == mine
    results = {file.name for file in (folder / "data" / "results").iterdir()}
    assert {f"{name}.old" if name.endswith(".jsonl") else name for name in old} <= results, results
    records = [json.loads(line) for line in (folder / "data" / "results" / "records.jsonl").read_text().splitlines()]
    assert len({record["reader"] for record in records}) == 1
    assert passed(course("progress")).out
    assert "othing is missing." in passed(course("doctor")).out
