"""Tests `kernels/course reset`, which restores a page and keeps the reader's, from git, from the image's copy, and without either."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from datetime import datetime
from pathlib import Path

import pytest
from command.learner import reset
from command.pages import notebooks
from conftest import Clone

NOW = datetime(2026, 11, 23, 11, 30)
NAME = "01-execution-context.ipynb"
MINE = b'{"cells": "mine"}'


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=A Reader", "-c", "user.email=reader@example.org", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def cloned(clone: Clone) -> Clone:
    """Returns a clone of a repository with the pages, as `git clone` makes it."""
    home = clone.folder.with_name("home")
    home.mkdir()
    shutil.copytree(clone.folder / "notebooks", home / "notebooks")
    git(home, "init", "-q")
    git(home, "add", "notebooks")
    git(home, "commit", "-q", "-m", "The pages")
    git(home.parent, "clone", "-q", "home", "cloned")
    (home.parent / "cloned" / ".git").rename(clone.folder / ".git")
    return clone


def copies(clone: Clone) -> list[Path]:
    return sorted(clone.folder.glob("notebooks/*.mine-*.ipynb"))


def test_a_changed_page_is_fresh_again_and_the_readers_lies_beside_it(cloned):
    page = cloned.folder / "notebooks" / NAME
    fresh = page.read_bytes()
    page.write_bytes(MINE)
    done = cloned.run("reset", "1")
    assert done.code == 0, done.said
    (copy,) = copies(cloned)
    assert (page.read_bytes(), copy.read_bytes()) == (fresh, MINE)
    assert f"is in notebooks/{copy.name}." in done.out
    assert "Reload Notebook from Disk" in done.out
    assert "??" not in git(cloned.folder, "status", "--short", "notebooks")  # git ignores the copy
    assert copy not in notebooks.in_order(copy.parent.iterdir())


def test_what_the_reader_committed_or_nbgitpuller_for_him_is_not_the_fresh_page(cloned):
    page = cloned.folder / "notebooks" / NAME
    fresh = page.read_bytes()
    page.write_bytes(MINE)
    git(cloned.folder, "commit", "-q", "-a", "-m", "Automatic commit")
    assert cloned.run("reset", "01").code == 0
    assert (page.read_bytes(), copies(cloned)[0].read_bytes()) == (fresh, MINE)


def test_a_page_that_was_deleted_comes_back(cloned):
    page = cloned.folder / "notebooks" / NAME
    fresh = page.read_bytes()
    page.unlink()
    done = cloned.run("reset", "01")
    assert (done.code, page.read_bytes(), copies(cloned)) == (0, fresh, []), done.said
    assert "was missing, and is back" in done.out


def test_nothing_is_to_be_reset_where_nothing_changed(cloned):
    done = cloned.run("reset", "00", "12")
    assert (done.code, copies(cloned)) == (0, []), done.said
    assert done.out.count("there is nothing to reset") == 2


def test_all_changed_pages_are_reset_so_that_git_can_pull(cloned):
    changed = [cloned.folder / "notebooks" / name for name in (NAME, "02-queue-mixing.ipynb")]
    home = cloned.folder.with_name("home")
    newer = home / "notebooks" / NAME
    newer.write_text(newer.read_text().replace("Who runs my Future?", "Who runs your Future?"))
    git(home, "commit", "-q", "-a", "-m", "A newer page")
    for page in changed:
        page.write_bytes(MINE)
    with pytest.raises(subprocess.CalledProcessError):
        git(cloned.folder, "pull", "-q")
    done = cloned.run("reset", "--all")
    assert done.code == 0, done.said
    assert done.out.count("is again as it was cloned") == 2
    assert "nothing to reset" not in done.out
    git(cloned.folder, "pull", "-q")
    assert changed[0].read_text() == newer.read_text()
    assert [copy.read_bytes() for copy in copies(cloned)] == [MINE, MINE]
    assert cloned.run("reset", "--all").out == "All pages are as they were cloned, so there is nothing to reset.\n"


@pytest.mark.parametrize("words", [[], ["01", "--all"]])
def test_either_pages_or_all_are_named(clone, told, words):
    assert "kernels/course reset --all" in told(clone.run("reset", *words), code=2)


def test_another_page_is_refused_before_anything_is_done(cloned, told):
    page = cloned.folder / "notebooks" / NAME
    page.write_bytes(MINE)
    assert "There is no page '77'." in told(cloned.run("reset", "01", "77"))
    assert page.read_bytes() == MINE


def test_an_archive_has_no_history(clone, told):
    err = told(clone.run("reset", "01", GIT_CEILING_DIRECTORIES=str(clone.folder.parent)))
    assert "not a git repository" in err
    assert "take the page from the archive" in err


def test_another_repository_around_the_course_has_no_pages(clone, told):
    git(clone.folder.parent, "init", "-q")
    git(clone.folder.parent, "commit", "-q", "--allow-empty", "-m", "Something else")
    assert "git has no page of this course" in told(clone.run("reset", "01"))


def test_the_image_has_the_pages_a_second_time(clone):
    page, fresh = clone.folder / "notebooks" / NAME, clone.folder / ".build" / "fresh-pages"
    fresh.mkdir(parents=True)
    shutil.copy(page, fresh)
    (fresh / "glossary.md").touch()
    page.write_bytes(MINE)
    done = clone.run("reset", "01", PATH=os.defpath.replace("/usr/bin", "/nowhere"))  # without git
    assert (done.code, page.read_bytes(), copies(clone)[0].read_bytes()) == (0, (fresh / NAME).read_bytes(), MINE), done.said


def test_a_copy_replaces_no_other(tmp_path):
    page = tmp_path / NAME
    names = []
    for number in range(3):
        page.write_bytes(b"try %d" % number)
        reset.reset(page, b"fresh", NOW)
        names.append(f"01-execution-context.mine-2026-11-23-1130{['', '-2', '-3'][number]}.ipynb")
    assert [(tmp_path / name).read_bytes() for name in names] == [b"try 0", b"try 1", b"try 2"]


def test_on_a_full_disk_nothing_is_lost_and_nothing_half_written(cloned):
    page = cloned.folder / "notebooks" / NAME
    page.write_bytes(MINE)
    argv = [cloned.python, "kernels/course", "reset", "01"]
    # No file may grow, as on a full disk.
    done = subprocess.run(
        argv, cwd=cloned.folder, capture_output=True, text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    )
    assert done.returncode == 1, done.stderr
    assert ".mine-" in done.stderr and "What to do: " in done.stderr, done.stderr
    assert (page.read_bytes(), copies(cloned)) == (MINE, [])
