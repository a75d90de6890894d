"""Tests errors that a person can resolve. They are provoked for real if that is cheap."""

from __future__ import annotations

import errno
import json
import shutil
from collections import namedtuple
from pathlib import Path

import pytest
from command.base import problem
from command.dependencies import packages
from command.dependencies.java import Java
from command.setup import compile, stages
from conftest import NOWHERE, ROOT, base_python

LOCK = "kernels/locks/jars.json"
MARKED_HALF_MADE = '{"done": []}'


def test_no_network_for_pip(clone, told):
    env = {"PIP_INDEX_URL": NOWHERE, "PIP_RETRIES": "1", "PIP_CONFIG_FILE": "/dev/null", "PIP_NO_CACHE_DIR": "1", "PIP_FIND_LINKS": ""}
    err = told(clone.run("setup", python=base_python(), **env))
    assert "could not be reached" in err
    # `doctor` recognises the environment that the failed set-up left.
    assert "incomplete" in clone.run("doctor", python=base_python()).out
    err = told(clone.run("setup", python=base_python(), **env))
    assert "making it again" in err


def test_no_network_for_jars(clone, told, tmp_path):
    env = {"COURSIER_REPOSITORIES": NOWHERE, "COURSIER_CACHE": str(tmp_path / "cache")}
    err = told(clone.run("setup", **env))
    assert "Fetching JARs: the package registry could not be reached" in err
    assert "COURSIER_REPOSITORIES" in err


def test_no_network_for_coursier(clone_with_coursier, told):
    """Checks a set-up whose locked JARs are in the cache, while Almond's aren't."""
    err = told(clone_with_coursier.run("setup", COURSIER_REPOSITORIES=NOWHERE, COURSE_KERNEL="almond"))
    assert "fetching sh.almond:" in err
    assert "could not be reached" in err


def test_a_mirror_that_lacks_a_jar(clone_with_coursier, told, tmp_path):
    (tmp_path / "mirror").mkdir()
    env = {"COURSIER_REPOSITORIES": (tmp_path / "mirror").as_uri(), "COURSIER_CACHE": str(tmp_path / "cache")}
    err = told(clone_with_coursier.run("setup", **env))
    assert "not found" in err
    assert "COURSIER_REPOSITORIES" in err


def tamper(clone, coordinate: str) -> None:
    path = clone.folder / LOCK
    content = json.loads(path.read_text())
    content["jars"][coordinate]["sha256"] = "0" * 64
    path.write_text(json.dumps(content))


def test_a_jar_that_differs_from_the_lock(clone_with_coursier, told):
    coordinate = next(c for c in json.loads((clone_with_coursier.folder / LOCK).read_text())["sets"]["lab"]["jars"] if "plotly-core" in c)
    tamper(clone_with_coursier, coordinate)
    err = told(clone_with_coursier.run("setup"))
    assert coordinate in err
    assert "expected  SHA-256 " + "0" * 64 in err
    assert "found     SHA-256 " in err
    assert "plotly-core" in err.split("file      ")[1].splitlines()[0]
    assert "COURSIER_REPOSITORIES" in err


def test_almond_that_is_asked_for_and_not_there(clone_with_products, told, tmp_path):
    """Checks that coursier's own reason is shown.

    The embedded kernel's JARs come from the cache, Almond from an empty mirror.
    """
    path = clone_with_products.folder / "kernels" / "build.json"
    content = json.loads(path.read_text())
    content["almond"] = {part: f"sh.almond:no-such-{part}_2.13.18:0.0.1" for part in ("kernel", "api")}
    path.write_text(json.dumps(content))
    err = told(clone_with_products.run("setup", COURSE_KERNEL="almond"))
    assert "no-such-kernel" in err
    assert "unset COURSE_KERNEL" in err


def test_scalac_speaks_for_itself(clone_with_coursier, told):
    source = clone_with_coursier.folder / "kernels" / "lab" / "src" / "Broken.scala"
    source.write_text("package lab\nobject Broken { val x: Int = nonsense }\n")
    err = told(clone_with_coursier.run("setup", COURSE_KERNEL="ammonite"))
    assert "Broken.scala:2: error: not found: value nonsense" in err


def test_no_space_is_seen_before_it_runs_out(monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9, 10**6))
    with pytest.raises(problem.Problem) as caught:
        stages.check_space()
    assert f"{ROOT}" in caught.value.details
    assert "free 0 MB, needed " in caught.value.details


def test_room_for_the_caches_counts_where_they_are_and_only_until_they_are_filled(monkeypatch, tmp_path):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**10, 0, stages.CLONE_MB + 1 << 20))
    monkeypatch.setenv("COURSIER_CACHE", str(tmp_path / "cache" / "v1"))
    monkeypatch.setattr(stages, "ROOT", tmp_path)
    assert [
        f"{tmp_path} and {tmp_path}: free {stages.CLONE_MB + 1} MB, needed {stages.CLONE_MB + stages.CACHES_MB} MB"
    ] == stages.too_little_space()
    (tmp_path / "cache" / "v1").mkdir(parents=True)
    assert stages.too_little_space() == []


def test_a_tool_that_ran_out_of_space_is_told_with_what_is_free():
    output = "java.io.IOException: No space left on device\n" + "\tat java.base/somewhere\n" * 20
    found = problem.diagnose("Fetching", output)
    assert found.details.splitlines()[0] == "java.io.IOException: No space left on device"
    assert f"MB for the clone ({ROOT})" in found.details
    assert "\tat " not in found.details


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_no_space_while_writing(code):
    found = problem.from_os_error(OSError(code, "No space left on device", "/some/file"))
    assert "full" in found.what
    assert "Make room" in found.remedy


def test_a_folder_that_cannot_be_written(tmp_path):
    found = problem.from_os_error(PermissionError(errno.EACCES, "Permission denied", str(tmp_path / "file")))
    assert f"{tmp_path}/file can't be written" in found.what
    assert "chown" in found.remedy


def test_a_file_that_cannot_be_read(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setattr(problem.os, "access", lambda path, mode: False)
    for name in ("file", "another"):  # permission is missing for the file, or for the folder above it
        found = problem.from_os_error(PermissionError(errno.EACCES, "Permission denied", str(tmp_path / name)))
        assert f"{name} can't be read" in found.what
        assert "chown" in found.remedy


def test_an_unwritable_clone(monkeypatch):
    monkeypatch.setattr(stages.os, "access", lambda *_: False)
    with pytest.raises(problem.Problem, match="can't be written"):
        stages.check_writable()


@pytest.mark.parametrize(
    ("output", "says"),
    [
        ("OSError: [Errno 28] No space left on device", "full"),
        ("pip._vendor.urllib3.exceptions.NewConnectionError: Failed to establish", "could not be reached"),
        ("download error: Caught java.net.UnknownHostException (host) while downloading", "could not be reached"),
        ("javax.net.ssl.SSLHandshakeException: PKIX path building failed", "not trusted"),
        ("# There is insufficient memory for the Java Runtime Environment to continue.", "memory"),
        ("something else", "failed"),
    ],
)
def test_what_tools_print_is_understood(output, says):
    assert says in problem.diagnose("Fetching", output).told()


@pytest.mark.parametrize("raised", [lambda: problem.diagnose("Fetching", "", code=-9), lambda: packages.pip_problem("", -9)])
def test_a_killed_tool_is_told_as_one(raised):
    found = raised()
    assert "killed" in found.what
    assert "2 GiB" in found.remedy


def test_a_home_folder_that_cannot_be_written(nothing_said, clone_with_coursier, told, tmp_path):
    """Checks the message of the program that fetches locked JARs.

    coursier itself would end with a stack trace, or name the folder as the cause of each failed download.
    """
    (tmp_path / "file").touch()
    err = told(clone_with_coursier.run("setup", COURSIER_CACHE=str(tmp_path / "file" / "v1"), COURSE_KERNEL="ammonite"))
    assert f"{tmp_path}/file" in err
    assert "COURSIER_CACHE" in err
    assert "at coursier." not in err
    for said in (
        "Exception in thread java.nio.file.AccessDeniedException: /home/x\n\tat java.base/y(z)",
        "java.nio.file.AccessDeniedException (/home/x) while",
        "failed g:a:1 PermissionError: [Errno 13] Permission denied: '/home/x'",
    ):
        found = problem.diagnose("Fetching", said)
        assert "/home/x can't be written" in found.what
        assert "HOME" in found.remedy
        assert "at java" not in found.details


def test_a_killed_scalac_is_told_as_one(monkeypatch, tmp_path):
    monkeypatch.setattr(compile.children, "run", lambda *_, **__: (-9, ""))
    with pytest.raises(problem.Problem, match="Compiling lab: it was killed"):
        compile._scalac([], Java(Path("/"), "25", ""), [], [], [], tmp_path / "lab", tmp_path)


RETRYING = "WARNING: Retrying (Retry(total={})) after connection broken by 'NewConnectionError(...)': /simple/certifi/\n"
NOWHERE_TO_BE_HAD = "ERROR: No matching distribution found for certifi==1"


def test_what_tools_say_many_times_is_shown_once():
    output = "".join(RETRYING.format(left) for left in range(4, -1, -1)) + NOWHERE_TO_BE_HAD
    assert problem.essence(output).splitlines() == [RETRYING.format(0).strip(), NOWHERE_TO_BE_HAD]


def test_what_tools_say_shows_no_password():
    output = "Cannot connect to http://anna:p@ss@proxy.example:3128/ or //bob@other/x@y"
    assert problem.essence(output) == "Cannot connect to http://…@proxy.example:3128/ or //…@other/x@y"


@pytest.fixture
def nothing_said(monkeypatch):
    """Removes all of the user's variables about proxies and certificates."""
    for name in (*problem.BUNDLES, *problem.JAVAS, "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


PIPS = "SSLError(SSLCertVerificationError(1, 'certificate verify failed: self-signed certificate in certificate chain"
JAVAS = "javax.net.ssl.SSLHandshakeException: PKIX path building failed"


@pytest.mark.parametrize(
    ("output", "name", "value"),
    [(PIPS, "PIP_CERT", "/my/own.pem"), (JAVAS, "JAVA_TOOL_OPTIONS", "-Xmx1g -Djavax.net.ssl.trustStore=/my/own.jks")],
)
def test_a_users_own_word_on_trust_is_named_where_it_decides(nothing_said, output, name, value):
    assert "SSL_CERT_FILE" in problem.diagnose("Fetching", output).remedy
    nothing_said.setenv(name, value)
    remedy = problem.diagnose("Fetching", output).remedy
    assert f"{name} ({value})" in remedy
    assert "unset it" in remedy
    # The other tool ignores that variable.
    assert name not in problem.diagnose("Fetching", JAVAS if output == PIPS else PIPS).remedy


def test_a_file_of_certificates_that_is_not_there(clone, told):
    env = {
        "PIP_CERT": "/no/such.pem",
        "REQUESTS_CA_BUNDLE": "",
        "CURL_CA_BUNDLE": "",
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_NO_CACHE_DIR": "1",
        "PIP_FIND_LINKS": "",
    }
    err = told(clone.run("setup", python=base_python(), **env))
    assert "/no/such.pem should hold trusted certificates" in err
    assert "unset PIP_CERT" in err


def test_who_named_a_proxy_is_asked_about_it_and_who_named_none_is_told_how(nothing_said):
    assert "name it in HTTPS_PROXY" in problem.diagnose("Fetching", "java.net.UnknownHostException").remedy
    nothing_said.setenv("https_proxy", "http://anna:secret@proxy.example:3128")
    assert "https_proxy (http://…@proxy.example:3128)" in problem.diagnose("Fetching", "java.net.UnknownHostException").remedy
