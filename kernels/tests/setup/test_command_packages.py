"""How Python packages are installed, and how `.venv` is made."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import zipfile
from pathlib import Path

import pytest
from command.base.files import sha256
from command.base.problem import Problem
from command.dependencies import packages, python_env
from conftest import NOWHERE, base_python


def test_whom_the_users_configuration_trusts_is_understood(monkeypatch, tmp_path):
    monkeypatch.delenv("PIP_CERT", raising=False)
    as_pip_is_told(monkeypatch)
    assert not packages.trusts_another(base_python())
    (tmp_path / "pip.conf").write_text("[global]\ncert = /my/own.pem\n")
    as_pip_is_told(monkeypatch, PIP_CONFIG_FILE=str(tmp_path / "pip.conf"))
    assert packages.trusts_another(base_python())


CONTENT = "here = True\n"


def wheel(folder: Path) -> Path:
    """A package of one line, and the lock that names it."""
    name = "which_thread_test-1.0"
    with zipfile.ZipFile(folder / f"{name}-py3-none-any.whl", "w") as made:
        made.writestr("which_thread_test.py", CONTENT)
        made.writestr(f"{name}.dist-info/METADATA", "Metadata-Version: 2.1\nName: which-thread-test\nVersion: 1.0\n")
        made.writestr(f"{name}.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        checksum = base64.urlsafe_b64encode(hashlib.sha256(CONTENT.encode()).digest()).rstrip(b"=").decode()
        made.writestr(f"{name}.dist-info/RECORD", f"which_thread_test.py,sha256={checksum},{len(CONTENT)}\n")
    lock = folder / "lock.txt"
    lock.write_text(f"which-thread-test==1.0 --hash=sha256:{sha256(folder / f'{name}-py3-none-any.whl')}\n")
    return lock


def as_pip_is_told(monkeypatch, **env: str) -> None:
    for name, value in {"PIP_CONFIG_FILE": "/dev/null", "PIP_RETRIES": "0", **env}.items():
        monkeypatch.setenv(name, value)
    packages.trusts_another.cache_clear()


@pytest.fixture
def environment(tmp_path) -> python_env.Python:
    folder = tmp_path / "venv"
    subprocess.run([base_python(), "-m", "venv", "--without-pip", folder], check=True, timeout=60)
    return python_env.Python(folder, folder / "bin" / "python", python_env.site_of(folder), "a test")


@pytest.mark.parametrize("at_hand", [True, False])
def test_pip_installs_whether_the_running_python_has_one_or_not(monkeypatch, tmp_path, environment, capsys, at_hand):
    lock = wheel(tmp_path)
    as_pip_is_told(monkeypatch, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    if not at_hand:
        monkeypatch.setattr(packages, "version", lambda name: "22.2.1")
    packages.install(environment.program, environment.site, lock, "A test")
    assert (environment.site / "which_thread_test.py").read_text() == CONTENT
    assert (environment.site / "pip").is_dir() != at_hand
    assert capsys.readouterr().err.count("\n") == 1


def test_packages_go_into_another_folder(monkeypatch, tmp_path, environment):
    as_pip_is_told(monkeypatch, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    packages.install(environment.program, environment.site, wheel(tmp_path), "A test", target=tmp_path / "target")
    assert (tmp_path / "target" / "which_thread_test.py").is_file() and not (environment.site / "which_thread_test.py").exists()


def test_an_altered_package_is_told_as_such(monkeypatch, tmp_path, environment):
    lock = wheel(tmp_path)
    lock.write_text("which-thread-test==1.0 --hash=sha256:" + "0" * 64)
    as_pip_is_told(monkeypatch, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    with pytest.raises(Problem, match=r"differs from kernels/locks/python\.txt"):
        packages.install(environment.program, environment.site, lock, "A test")


def test_an_index_that_is_not_reached_is_a_problem(monkeypatch, tmp_path, environment):
    as_pip_is_told(monkeypatch, PIP_INDEX_URL=NOWHERE, PIP_FIND_LINKS="")
    with pytest.raises(Problem, match="could not be reached"):
        packages.install(environment.program, environment.site, wheel(tmp_path), "A test")


def test_a_half_made_environment_is_made_anew(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(python_env, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(python_env, "MARK", tmp_path / ".venv" / "course.json")
    asked = []
    monkeypatch.setattr(packages, "install", lambda program, site, lock, what: asked.append(what))
    (tmp_path / ".venv").mkdir()
    assert python_env.make(tests=False) == python_env.own()
    assert "making it anew" in capsys.readouterr().err
    python_env.make(tests=True)
    python_env.make(tests=True)
    assert asked == ["Python packages", "test tools"]
    python_env.MARK.write_text(json.dumps({"done": ["another lock"]}))
    python_env.make(tests=False)
    assert asked == ["Python packages", "test tools", "Python packages"]
