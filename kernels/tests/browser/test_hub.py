"""Tests a hub's learners: how nbgitpuller merges pages that learners and the course have changed, and what values.yaml configures."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml
from command import main
from conftest import ROOT, look_alike

PAGE, OTHER = "01-execution-context.ipynb", "02-queue-mixing.ipynb"
LOCK = ROOT / "kernels" / "locks" / "python-hub.txt"


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=The course", "-c", "user.email=course@example.org", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="session")
def gitpuller(tmp_path_factory) -> Path:
    """Returns the program in the image's version, installed into a separate environment."""
    folder = tmp_path_factory.mktemp("nbgitpuller")
    locked = re.search(r"^nbgitpuller==.*(?:\n    .*)*", LOCK.read_text(), re.M)
    assert locked
    (folder / "locked.txt").write_text(locked[0] + "\n")
    python = look_alike(folder / "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "--quiet", "install"]
    subprocess.run([*pip, "--no-deps", "--require-hashes", "-r", folder / "locked.txt"], check=True)
    return python.parent / "gitpuller"


@dataclass(frozen=True)
class Copy:
    """Holds a repository's pages, the course's or a learner's copy of them."""

    folder: Path

    def change(self, name: str, change: Callable[[nbformat.NotebookNode], None]) -> None:
        """Changes a page as JupyterLab would save it."""
        path = self.folder / "notebooks" / name
        page = nbformat.read(path, as_version=4)
        change(page)
        path.write_text(nbformat.writes(page) + "\n")

    def cells(self, name: str) -> dict[str, nbformat.NotebookNode]:
        page = nbformat.read(self.folder / "notebooks" / name, as_version=4)
        nbformat.validate(page)
        return {cell.id: cell for cell in page.cells}


def cell(page: nbformat.NotebookNode, name: str) -> nbformat.NotebookNode:
    return next(cell for cell in page.cells if cell.id == name)


def run_all(page: nbformat.NotebookNode) -> None:
    for number, code in enumerate((cell for cell in page.cells if cell.cell_type == "code"), 1):
        code.execution_count = number
        code.outputs = [nbformat.v4.new_output("stream", text=f"{number}\nlines\n")]


@pytest.fixture
def course(tmp_path) -> Copy:
    """Returns the source of updates, a repository with the pages, the command and what it reads."""
    home = tmp_path / "course"
    shutil.copytree(ROOT / "notebooks", home / "notebooks", ignore=shutil.ignore_patterns(".ipynb_checkpoints", "*.mine-*"))
    shutil.copytree(ROOT / "kernels" / "command", home / "kernels" / "command", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "data", home / "data", ignore=shutil.ignore_patterns("results"))
    shutil.copy(ROOT / "kernels" / "course", home / "kernels" / "course")
    shutil.copy(ROOT / ".gitignore", home)
    git(home, "init", "-q")
    git(home, "add", ".")
    git(home, "commit", "-q", "-m", "The course")
    return Copy(home)


def test_what_a_learner_changed_survives_an_update_and_what_not_is_updated(gitpuller, course, tmp_path):
    learner = Copy(tmp_path / "learner")

    def pull() -> None:
        done = subprocess.run([gitpuller, course.folder.as_uri(), "main", learner.folder], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    def works(page: nbformat.NotebookNode) -> None:
        run_all(page)
        cell(page, "exercise-count").source = "my answer"
        cell(page, "preflight").source = "mine"
        page.cells.insert(9, nbformat.v4.new_code_cell("my own cell", id="mine"))

    def is_improved(page: nbformat.NotebookNode) -> None:
        cell(page, "title").source += "\n\nA new sentence."
        cell(page, "preflight").source = "theirs"  # the same lines
        cell(page, "exercise-at-most").source = "// new\n" + cell(page, "exercise-at-most").source  # the learner has its output
        page.cells.append(nbformat.v4.new_markdown_cell("A new cell", id="new"))

    pull()
    learner.change(PAGE, works)
    results = learner.folder / "data" / "results" / "records.jsonl"
    results.parent.mkdir(parents=True)
    results.write_text("mine")
    shutil.copy(learner.folder / "notebooks" / OTHER, learner.folder / "notebooks" / "13-new.ipynb")
    (learner.folder / "notebooks" / "00-start-here.ipynb").unlink()

    course.change(PAGE, is_improved)
    course.change(OTHER, is_improved_elsewhere)
    (course.folder / "notebooks" / "13-new.ipynb").write_text("a page with that name\n")
    git(course.folder, "add", ".")
    git(course.folder, "commit", "-q", "-m", "Improved")
    pull()

    cells = learner.cells(PAGE)
    assert cells["exercise-count"].source == "my answer" and "mine" in cells
    assert cells["preflight"].source == "mine"  # if both changed the same lines, the learner's stay
    assert cells["title"].source.endswith("A new sentence.") and "new" in cells
    assert cells["exercise-at-most"].source.startswith("// new\n") and cells["exercise-at-most"].outputs
    assert (learner.folder / "notebooks" / OTHER).read_text() == (course.folder / "notebooks" / OTHER).read_text()
    assert (learner.folder / "notebooks" / "00-start-here.ipynb").exists()  # a deleted page comes back
    assert results.read_text() == "mine"
    (kept,) = learner.folder.glob("notebooks/13-new__*.ipynb")  # a learner's file with the name of a new page
    assert kept.read_text() == (ROOT / "notebooks" / OTHER).read_text()

    mine = (learner.folder / "notebooks" / PAGE).read_text()
    done = subprocess.run([sys.executable, "kernels/course", "reset", "01"], cwd=learner.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (learner.folder / "notebooks" / PAGE).read_text() == (course.folder / "notebooks" / PAGE).read_text()
    (copy,) = learner.folder.glob("notebooks/01-*.mine-*.ipynb")
    assert copy.read_text() == mine
    pull()
    assert copy.read_text() == mine and learner.cells(PAGE)["preflight"].source == "theirs"


def is_improved_elsewhere(page: nbformat.NotebookNode) -> None:
    page.cells[0].source += "\n\nAnother sentence."


# ---- what a hub starts

SERVER = """#!/bin/sh
echo "results $COURSE_RESULTS"
echo "in $(pwd)"
echo "words $*"
"""


@pytest.fixture
def start(tmp_path, course) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Returns a function that starts the hub's server for a learner with an empty home folder. The server only prints how it was called."""
    (course.folder / "kernels" / "hub").mkdir()
    shutil.copy(ROOT / "kernels" / "hub" / "start", course.folder / "kernels" / "hub")
    programs, home = tmp_path / "programs", tmp_path / "home"
    programs.mkdir()
    home.mkdir()
    (programs / "jupyterhub-singleuser").write_text(SERVER)
    (programs / "jupyterhub-singleuser").chmod(0o755)

    def run(gitpuller: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(programs), *([str(gitpuller.parent)] if gitpuller else []), os.environ["PATH"]])
        all_env = {"PATH": path, "HOME": str(home), **env}
        argv = [course.folder / "kernels" / "hub" / "start", "--port=1"]
        return subprocess.run(argv, env=all_env, cwd="/", capture_output=True, text=True)

    return run


def test_without_a_repository_a_learner_has_the_images_pages_and_keeps_them(start, tmp_path):
    pages = tmp_path / "home" / "which-thread"
    said = f"results {pages}/data/results\nin {pages}\nwords --ServerApp.root_dir={pages} --port=1\n"
    done = start()
    assert (done.returncode, done.stdout) == (0, said), done.stderr
    page = pages / "notebooks" / PAGE
    assert page.read_text() == (ROOT / "notebooks" / PAGE).read_text()
    page.write_text("mine")
    assert (start().returncode, page.read_text()) == (0, "mine")


def test_what_an_earlier_version_kept_becomes_records(start, tmp_path):
    results = tmp_path / "home" / "which-thread" / "data" / "results"
    shutil.copytree(ROOT / "kernels" / "tests" / "samples" / "former", results)
    done = start()
    assert done.returncode == 0 and "13 records of an earlier version" in done.stderr, done.stderr
    assert (results / "records.jsonl").exists() and (results / "verdicts.jsonl.old").exists()


def test_in_a_learners_folder_the_command_is_the_images(start, course, tmp_path):
    """Checks a copy of the image's pages and a clone, neither of which has a set-up."""
    pages = tmp_path / "home" / "which-thread"
    shutil.copytree(course.folder / "notebooks", course.folder / ".build" / "fresh-pages")
    assert start().returncode == 0
    (pages / "notebooks" / PAGE).write_text("mine")
    env = {**os.environ, "COURSE_HOME": str(course.folder), "COURSE_PAGES": str(pages)}

    def reset() -> str:
        words = [sys.executable, "kernels/course", "reset", "01"]
        done = subprocess.run(words, cwd=pages, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert f"{pages}/notebooks/{PAGE} is again as it was cloned" in reset()
    assert (pages / "notebooks" / PAGE).read_text() == (course.folder / "notebooks" / PAGE).read_text()
    shutil.rmtree(pages)
    git(course.folder.parent, "clone", "-q", course.folder, pages)
    (pages / "kernels" / "command" / "learner" / "reset.py").write_text("raise SystemExit('the clone itself was asked')")
    (pages / "notebooks" / PAGE).write_text("mine")
    assert f"{pages}/notebooks/{PAGE} is again as it was cloned" in reset()


def test_with_a_repository_a_learner_has_its_pages_and_then_its_updates(start, gitpuller, course, tmp_path):
    pages = tmp_path / "home" / "which-thread"
    where = {"gitpuller": gitpuller, "COURSE_REPOSITORY": course.folder.as_uri()}
    assert start(**where).returncode == 0
    course.change(OTHER, is_improved_elsewhere)
    git(course.folder, "commit", "-q", "-a", "-m", "Improved")
    assert start(**where).returncode == 0
    assert (pages / "notebooks" / OTHER).read_text() == (course.folder / "notebooks" / OTHER).read_text()
    course.folder.joinpath(".git").rename(course.folder / "gone")  # the source is unavailable for a while
    done = start(**where)
    assert done.returncode == 0 and "going on with the pages that are there" in done.stderr, done.stderr


def test_a_repository_that_was_never_reached_is_told(start, gitpuller, tmp_path):
    done = start(gitpuller=gitpuller, COURSE_REPOSITORY=(tmp_path / "nowhere").as_uri())
    assert done.returncode == 1 and "words" not in done.stdout, done.stdout
    assert "could not be cloned from COURSE_REPOSITORY=" in done.stderr and "What to do: " in done.stderr


# The part of Zero to JupyterHub's schema (jupyterhub/values.schema.yaml, chart of JupyterHub 5.5) that values.yaml uses. Helm rejects an
# unknown key.
KNOWN = {
    "singleuser": {
        "image": {"name": str, "tag": str},
        "cmd": list,
        "defaultUrl": str,
        "extraEnv": dict,
        "storage": {"type": str, "capacity": str, "homeMountPath": str},
        "memory": {"guarantee": str, "limit": str},
        "cpu": {"guarantee": (int, float), "limit": (int, float)},
        "startTimeout": int,
    },
    "cull": {"enabled": bool, "timeout": int, "every": int},
}


def unknown(found: dict[str, Any], known: dict[str, Any], where: str = "") -> list[str]:
    """Returns the keys that the schema doesn't have, and values of a wrong type."""
    faults = []
    for name, value in found.items():
        expected = known.get(name)
        if isinstance(expected, dict) and isinstance(value, dict):
            faults += unknown(value, expected, f"{where}{name}.")
        elif expected is None or not isinstance(value, expected):
            faults.append(f"{where}{name}: {value!r}")
    return faults


def test_helm_knows_what_the_values_say():
    values = yaml.safe_load((ROOT / "kernels" / "hub" / "values.yaml").read_text())
    assert unknown(values, KNOWN) == []
    assert unknown({"singleuser": {"memory": {"limit": 2}, "cpus": 1}}, KNOWN) == ["singleuser.memory.limit: 2", "singleuser.cpus: 1"]
    server = values["singleuser"]
    assert server["cmd"] == ["/srv/course/kernels/hub/start"]
    assert all(isinstance(value, str) for value in server["extraEnv"].values())
    named = set(re.findall(r"COURSE_\w+", (ROOT / "kernels" / "hub" / "start").read_text() + main.USAGE))
    assert set(server["extraEnv"]) <= named


def test_the_guide_has_the_table_that_was_measured(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "kernels" / "hub"))
    import measure

    assert measure.table(measure.recorded()) in (ROOT / "notebooks" / "instructor" / "figures.md").read_text()
