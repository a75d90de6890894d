"""Tests a proxy between this machine and the registries: what the JVMs get to know of it, and the messages if it blocks."""

from __future__ import annotations

import base64
import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from command.base import problem
from command.base.paths import ROOT
from command.dependencies import coursier, java, proxy, python_env
from command.dependencies.jars import Lock
from command.dependencies.java import Java
from command.setup import kernel

MIRROR = "mirror.invalid"  # a name that no network resolves (RFC 2606), so that only a proxy can reach it
NAMES = [spelling for name in proxy.NAMES for spelling in (name, name.lower())]


@dataclass
class Recorder:
    """Acts as a proxy that blocks everything. It records each request, and answers 407 if the password is missing."""

    password: str = ""
    port: int = 0
    seen: list[tuple[str, str]] = field(default_factory=list)  # each target, with the request's name and password

    def answer(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(65536) or b"\r\n\r\n"
            lines = head.decode().splitlines()
            given = next((line.split()[-1] for line in lines if line.lower().startswith("proxy-authorization: basic")), "")
            said = base64.b64decode(given).decode()
            self.seen.append((lines[0].split()[1] if lines[0] else "", said))
            asks = self.password and said != self.password
            status = '407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="here"' if asks else "503 Not through here"
            connection.sendall(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())

    def serve(self, server: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the socket is closed at the end of the test
            while True:
                self.answer(server.accept()[0])


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        made = Recorder(port=server.getsockname()[1])
        threading.Thread(target=made.serve, args=(server,), daemon=True).start()
        yield made
        server.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def behind(tmp_path) -> dict[str, str]:
    """Returns an environment with a mirror outside this network and an empty cache, so that coursier must ask for everything."""
    bare = dict.fromkeys(NAMES, "")
    return {
        **bare,
        "COURSIER_REPOSITORIES": f"https://{MIRROR}/maven",
        "COURSIER_CACHE": str(tmp_path / "cache"),
        "COURSE_KERNEL": "ammonite",
    }


def test_jars_come_through_the_proxy_that_pip_takes(clone_with_coursier, behind, recorder, told):
    address = f"http://127.0.0.1:{recorder.port}"
    err = told(clone_with_coursier.run("setup", **{**behind, "HTTPS_PROXY": address}))
    assert {target for target, _ in recorder.seen} == {f"{MIRROR}:443"}
    assert "could not be reached" in err
    assert f"HTTPS_PROXY ({address})" in err


def test_hosts_that_need_no_proxy_are_asked_without(clone_with_coursier, behind, recorder, told):
    told(clone_with_coursier.run("setup", **{**behind, "https_proxy": f"http://127.0.0.1:{recorder.port}", "no_proxy": "other,.invalid"}))
    assert recorder.seen == []


def test_the_proxy_gets_its_password_and_nobody_else_sees_it(clone_with_coursier, behind, recorder, told):
    recorder.password = 'anna:s e@c"r\\et'
    address = f"http://anna:s%20e%40c%22r%5Cet@127.0.0.1:{recorder.port}"
    err = told(clone_with_coursier.run("setup", **{**behind, "HTTPS_PROXY": address}))
    assert (f"{MIRROR}:443", recorder.password) in recorder.seen
    assert f"HTTPS_PROXY (http://…@127.0.0.1:{recorder.port})" in err
    assert "s%20e" not in err
    doctor = clone_with_coursier.run("doctor", **{**behind, "HTTPS_PROXY": address})
    assert f"http://…@127.0.0.1:{recorder.port}" in doctor.out
    assert "s%20e" not in doctor.said


@pytest.mark.parametrize(("bypass", "targets"), [("", {f"{MIRROR}:443"}), (".invalid", set())])
def test_coursier_takes_the_proxy_too_with_its_password(monkeypatch, behind, recorder, bypass, targets):
    recorder.password = 'anna:s e@c"r\\et'
    proxied = {"HTTPS_PROXY": f"http://anna:s%20e%40c%22r%5Cet@127.0.0.1:{recorder.port}", "NO_PROXY": bypass}
    python, lock = python_env.ready(tests=True), Lock.read()
    assert python
    tool = coursier.Coursier(python, java.bundled(python.bundled_java), lock.coursier)
    assert tool._jars  # fetched without the proxy, if they are missing
    for name, value in {**behind, **proxied}.items():
        monkeypatch.setenv(name, value)
    code, output, _ = tool.resolve(["no.such:thing:1"])
    assert code
    assert {target for target, _ in recorder.seen} == targets
    assert ((f"{MIRROR}:443", recorder.password) in recorder.seen) == bool(targets)
    assert "s%20e" not in output and "s e@c" not in output


def test_a_proxy_that_asks_for_a_password_is_told_as_such(clone_with_coursier, behind, recorder, told):
    recorder.password = "anna:secret"
    err = told(clone_with_coursier.run("setup", **{**behind, "HTTPS_PROXY": f"http://127.0.0.1:{recorder.port}"}))
    assert "asks for a name and a password" in err
    assert "http://name:password@host:port" in err


@pytest.mark.parametrize("value", ["http://", "proxy.example:port", "http://proxy.example:99999"])
def test_a_word_that_is_no_proxy_is_refused(clone, told, value):
    err = told(clone.run("setup", https_proxy="", HTTPS_PROXY=value))
    assert repr(value) in err
    assert "Correct HTTPS_PROXY" in err


@pytest.mark.parametrize(
    ("env", "options"),
    [
        ({}, []),
        ({"HTTPS_PROXY": "http://a.example:3128"}, ["-Dhttps.proxyHost=a.example", "-Dhttps.proxyPort=3128"]),
        ({"HTTPS_PROXY": "http://a.example:1", "https_proxy": "b.example"}, ["-Dhttps.proxyHost=b.example", "-Dhttps.proxyPort=80"]),
        ({"ALL_PROXY": "socks5://a.example:1080"}, []),
        ({"HTTPS_PROXY": "http://a.example:1", "NO_PROXY": "*"}, []),
        ({"HTTPS_PROXY": "http://a.example:1", "JAVA_TOOL_OPTIONS": "-Dhttps.proxyHost=mine"}, []),
        ({"HTTPS_PROXY": "http://a.example:1", "JAVA_TOOL_OPTIONS": "-Djava.net.useSystemProxies=true"}, []),
    ],
)
def test_java_is_told_what_pip_reads(env, options):
    assert [option for option in proxy.java_options(env) if "nonProxyHosts" not in option] == options
    assert proxy.java_credentials(env) == ""


@pytest.mark.parametrize(
    ("no_proxy", "patterns"),
    [
        ("", []),
        ("a.example, .b.example,*.c.example:8080", ["a.example", "*.a.example", "b.example", "*.b.example", "c.example", "*.c.example"]),
        ("10.1.2.3,::1,[fe80::1]", ["10.1.2.3", "[fe80::1]"]),
        ("10.0.0.0/8,172.16.0.0/15,192.168.1.0/24,10.1.1.1/32", ["10.*", "172.16.*", "172.17.*", "192.168.1.*", "10.1.1.1"]),
        ("fe80::/10,0.0.0.0/0,a/b", []),  # Java has no pattern for these
    ],
)
def test_java_understands_which_hosts_need_no_proxy(no_proxy, patterns):
    assert proxy.direct_hosts({"NO_PROXY": no_proxy}) == [*proxy.ALWAYS_DIRECT, *patterns]


def test_running_kernels_are_told_too_but_not_the_password(monkeypatch):
    for name in (*NAMES, *problem.JAVAS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", "http://anna:secret@proxy.example:3128")
    found = kernel.options(kernel.Choice(kernel.EMBEDDED, "1", "because"), Java(ROOT / "no-java", "25", "test"))
    assert "-Dhttps.proxyHost=proxy.example" in found
    assert not any("secret" in option for option in found)
