"""Tests files and locks that survive a kill, and the lock files of the dependencies."""

from __future__ import annotations

import errno
import json
import os
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest
from command.base import files
from command.base.paths import JAR_LOCK, LOCKS, PYTHON_HUB_LOCK, PYTHON_LOCK, PYTHON_TEST_LOCK
from command.base.problem import Problem
from command.dependencies import python_env
from command.dependencies.jars import Definition, Lock
from conftest import ROOT

# ---- files and stamps


@pytest.fixture
def stamps(monkeypatch, tmp_path):
    monkeypatch.setattr(files, "STAMPS", tmp_path / "stamps")
    return tmp_path


def test_a_file_is_whole_or_not_there(tmp_path, monkeypatch):
    target = tmp_path / "file"
    files.write_whole(target, "old")
    monkeypatch.setattr(files.os, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        files.write_whole(target, "new")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_an_unchanged_file_keeps_its_time(tmp_path):
    target = tmp_path / "file"
    files.write_whole(target, "same")
    before = target.stat().st_mtime_ns
    files.write_whole(target, "same")
    assert target.stat().st_mtime_ns == before


def test_a_stamp_holds_for_its_input_and_output_only(stamps):
    output = stamps / "output"
    output.write_text("1")
    files.stamp("step", "key", [output], {"x": 1})
    assert files.stamped("step", "key")["data"] == {"x": 1}
    assert files.stamped("step", "other key") is None
    output.write_text("22")
    assert files.stamped("step", "key") is None


@pytest.mark.parametrize(
    ("moment", "holds"), [(1_500_000_000, True), (1_000_000_000, True), (1_499_999_999, False), (2_000_000_000, False)]
)
def test_a_stamp_outlives_the_whole_seconds_of_an_image(stamps, moment, holds):
    """Checks that a time of 1.5 s matches 1 s in a layer, but no other time."""
    output = stamps / "output"
    output.write_text("1")
    os.utime(output, ns=(0, 1_500_000_000))
    files.stamp("step", "key", [output])
    os.utime(output, ns=(0, moment))
    assert (files.stamped("step", "key") is not None) == holds


def test_a_folder_that_cannot_be_renamed_is_replaced(tmp_path, monkeypatch):
    """Simulates a container, in which a folder of the image can't be renamed."""
    new, place = tmp_path / "new", tmp_path / "place"
    for folder in (new, place):
        folder.mkdir()
        (folder / folder.name).touch()
    rename = Path.rename

    def as_in_a_container(folder, target):
        if folder == place:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return rename(folder, target)

    monkeypatch.setattr(Path, "rename", as_in_a_container)
    files.replace_folder(new, place)
    assert [path.name for path in place.iterdir()] == ["new"]
    assert not new.exists()


def test_a_broken_stamp_is_no_stamp(stamps):
    (stamps / "stamps").mkdir()
    (stamps / "stamps" / "step.json").write_text('{"key": "ke')
    assert files.stamped("step", "ke") is None


@pytest.mark.parametrize("content", [None, "", '{"key": "ke', b"\xff\xfe"])
def test_what_is_not_there_or_no_json_is_as_good_as_none(tmp_path, content):
    file = tmp_path / "file.json"
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert files.read_json(file, "none") == "none"
    assert files.read_json(file / "below", "none") == "none"


def test_what_is_there_and_cannot_be_read_is_told(tmp_path, monkeypatch):
    with pytest.raises(IsADirectoryError):
        files.read_json(tmp_path, "none")

    def refuse(path, *_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(PermissionError):
        files.read_json(tmp_path / "file.json", "none")


# Holds the lock until it is told to release it.
HOLDING = """
import pathlib, sys
from command.base import files
files.BUILD = pathlib.Path(sys.argv[1])
with files.only_one("setup"):
    print("in", flush=True)
    sys.stdin.readline()
"""


def test_two_set_ups_wait_for_each_other(tmp_path):
    def start():
        argv, pipe = [sys.executable, "-c", HOLDING, str(tmp_path)], subprocess.PIPE
        return subprocess.Popen(argv, cwd=ROOT / "kernels", stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    first = start()
    assert first.stdout.readline() == "in\n"
    second = start()
    assert f"process {first.pid}" in second.stderr.readline()
    assert select.select([second.stdout], [], [], 1)[0] == [], "in, while the first one is"
    assert first.communicate("go\n", timeout=20) == ("", "")
    assert second.communicate("go\n", timeout=20) == ("in\n", "")


# ---- the lock of the Python packages


def locked(path: Path) -> dict[tuple[str, str], str]:
    """Returns the version of each package, by its name and its marker."""
    found = re.findall(r"^([\w.-]+)==(\S+)(?: ; (.*?))? \\$", path.read_text(), re.M)
    return {(name, marker): version for name, version, marker in found}


@pytest.mark.parametrize("path", sorted(LOCKS.rglob("*.txt")), ids=lambda path: path.name)
def test_every_locked_package_has_hashes_and_no_address(path):
    text = path.read_text()
    assert "://" not in text
    assert "--index" not in text
    assert len(locked(path)) == len(re.findall(r"^\S", text, re.M)) > 0
    assert len(re.findall(r"\\\n    --hash=sha256:[0-9a-f]{64}", text)) == text.count("sha256") >= len(locked(path))


@pytest.mark.parametrize("path", [PYTHON_TEST_LOCK, PYTHON_HUB_LOCK], ids=lambda path: path.name)
def test_the_locks_agree(path):
    runtime, more = locked(PYTHON_LOCK), locked(path)
    assert runtime.keys() & more.keys()
    assert all(runtime[key] == more[key] for key in runtime.keys() & more.keys())


def test_this_python_holds_all_that_it_needs():
    assert python_env.lacking(tests=True) == []


def test_a_missing_package_is_seen(monkeypatch, tmp_path):
    lock = tmp_path / "lock.txt"
    lock.write_text("no-such-package==1.0 \\\n  --hash=sha256:0\npytest==0.1 \\\nelsewhere==1 ; sys_platform == 'there' \\\n")
    monkeypatch.setattr(python_env, "PARTS", [(lock, "a test")])
    missing, old = python_env.lacking(tests=False)
    assert missing == "no-such-package"
    assert "instead of ==0.1" in old


# ---- the lock of the JARs


def test_every_locked_jar_has_a_checksum():
    lock = Lock.read().content
    coordinates = {c for one in lock["sets"].values() for c in one["jars"]}
    assert coordinates == lock["jars"].keys()
    assert all(re.fullmatch(r"[0-9a-f]{64}", jar["sha256"]) for jar in lock["jars"].values())
    assert "://" not in JAR_LOCK.read_text()


def test_a_set_has_one_version_of_a_module():
    for name, one in Lock.read().content["sets"].items():
        modules = [c.rsplit(":", 1)[0] for c in one["jars"]]
        assert len(modules) == len(set(modules)), name


def test_a_changed_build_needs_a_new_lock(monkeypatch):
    content = json.loads(json.dumps(Definition.read().content))
    content["modules"]["lab"]["dependencies"].append("org.example:more:1.0")
    monkeypatch.setattr(Definition, "read", classmethod(lambda cls: cls(content)))
    with pytest.raises(Problem, match="lab"):
        Lock.read()


@pytest.mark.parametrize(
    ("imported", "plain"),
    [("g:a:1", "g:a:1"), ("g::a:1", "g:a_2.13:1"), ("g:::a:1", "g:a_2.13.18:1")],
)
def test_an_import_is_locked_under_its_full_name(imported, plain):
    content = {**Definition.read().content, "scala": "2.13.18", "notebooks": [imported]}
    sets = Definition(content).sets()
    assert sets["import " + imported] == {"roots": [plain], "exclude": [], "boms": [], "force": []}
