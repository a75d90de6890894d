"""Tests that a browser that goes away and comes back gets all messages of its kernel and its state, and that JupyterLab's server ends."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

import pytest
import websocket
from conftest import Lab, awaited
from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1, serialize_msg_to_ws_v1

V1 = "v1.kernel.websocket.jupyter.org"  # the protocol of JupyterLab's messages

# Milliseconds. The server begins to close the connection of a browser that hasn't answered for so long, at the next ping.
PING = ("--ServerApp.tornado_settings={'ws_ping_interval': 1000, 'ws_ping_timeout': 2500}",)
BREAK = 10  # seconds for which a browser doesn't read. The server begins to close the connection after 3, and tornado would end it after 8.


class Browser:
    """Speaks with a kernel as a browser does. It answers pings only while it reads."""

    def __init__(self, address: str, kernel: str, timeout: float = 120) -> None:
        self.wire = websocket.create_connection(f"{address}/channels?session_id=same&{kernel}", timeout, subprotocols=[V1])

    def ask(self, request: str, kind: str, **content: Any) -> None:
        header = {"msg_id": request, "msg_type": kind, "session": "same", "username": "", "version": "5.3"}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        self.wire.send_binary(serialize_msg_to_ws_v1(message, "shell", lambda part: json.dumps(part).encode()))

    def execute(self, request: str, code: str) -> None:
        self.ask(request, "execute_request", code=code, silent=False, store_history=True, user_expressions={}, allow_stdin=False)

    def until_done(self, request: str) -> list[dict[str, Any]]:
        """Returns the messages until this request has its reply and the kernel is idle after it, within a minute."""
        return self.until(request, "execute_reply", "idle")

    def until(self, request: str | None, *kinds: str) -> list[dict[str, Any]]:
        """Returns the messages until those of these kinds have come that answer this request (or none), within a minute."""
        found: list[dict[str, Any]] = []
        end = time.monotonic() + 60
        while not set(kinds) <= {kind(one) for one in found if one["parent_header"].get("msg_id") == request}:
            assert time.monotonic() < end, list(map(kind, found))
            found += self.message()
        return found

    def message(self) -> list[dict[str, Any]]:
        """Returns the next message, or none if a ping came, which it answers."""
        code, frame = self.wire.recv_data_frame(control_frame=True)
        if code != websocket.ABNF.OPCODE_BINARY:
            return []
        names = ("header", "parent_header", "metadata", "content")
        return [dict(zip(names, map(json.loads, deserialize_msg_from_ws_v1(frame.data)[1]), strict=False))]

    def until_closed(self) -> list[dict[str, Any]]:
        """Returns the messages until the server has closed the connection."""
        found: list[dict[str, Any]] = []
        with contextlib.suppress(OSError, websocket.WebSocketConnectionClosedException):
            while True:
                found += self.message()
        return found


def kind(message: dict[str, Any]) -> str:
    return message["content"].get("execution_state") or message["header"]["msg_type"]


def listens(host: str, port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) == 0


@contextlib.contextmanager
def server(folder: Path) -> Iterator[tuple[str, str]]:
    """Yields the address of a server's API, without its protocol, and the token to be added to each request."""
    with Lab(folder, more=PING) as lab:
        place = urlsplit(lab.address)
        assert awaited(lambda: listens(place.hostname, place.port), 30)
        yield f"{place.netloc}/api", f"token={parse_qs(place.query)['token'][0]}"
    assert lab.strange() == []


@pytest.fixture
def kernel(tmp_path: Path):
    """Yields a function that connects with the same kernel each time."""
    with server(tmp_path / "lab") as (api, token):
        started = Request(f"http://{api}/kernels?{token}", json.dumps({"name": "scala-course"}).encode(), method="POST")
        with urlopen(started) as reply:
            one = json.load(reply)["id"]
        yield partial(Browser, f"ws://{api}/kernels/{one}", token)


def after_a_break(kernel, cell: str) -> list[dict[str, Any]]:
    """Returns what a browser gets on a second connection after it asked for a cell and read nothing."""
    browser = kernel()
    browser.execute("first", "1")
    browser.until_done("first")
    browser.execute("asked", cell)
    time.sleep(BREAK)
    browser.wire.shutdown()
    return kernel().until_done("asked")


def test_a_reply_that_comes_while_the_connection_closes_reaches_a_browser_that_comes_back(kernel):
    found = after_a_break(kernel, 'Thread.sleep(4000); println("slept")')
    assert [one["content"]["status"] for one in found if kind(one) == "execute_reply"] == ["ok"]
    assert [one["content"]["text"] for one in found if kind(one) == "stream"] == ["slept\n"]


def test_what_the_system_has_not_taken_reaches_a_browser_that_comes_back(kernel):
    """The system takes some of the 20 MB, and keeps it for the connection that is closed."""
    found = after_a_break(kernel, '(1 to 20).foreach(number => println(s"$number " + "x" * 1000000))')
    text = "".join(one["content"]["text"] for one in found if kind(one) == "stream")
    lines = [line.replace("x" * 1_000_000, "whole") for line in text.splitlines()][1:]  # the first may be the end of one
    assert len(lines) > 5 and lines == [f"{number} whole" for number in range(21 - len(lines), 21)]


def test_a_browser_that_reads_on_loses_nothing(kernel):
    """The cell prints before the first ping without answer, and while the connection closes. A second one is asked for meanwhile."""
    browser = kernel()
    browser.execute("asked", "(1 to 120).foreach { number => println(number); Thread.sleep(100) }")
    time.sleep(BREAK / 2)
    browser.execute("later", "println(121)")
    time.sleep(BREAK / 2)
    found = [*browser.until_closed(), *kernel().until_done("later")]
    text = "".join(one["content"]["text"] for one in found if kind(one) == "stream")
    assert text.split() == [str(number) for number in range(1, 122)]


def test_a_browser_that_leaves_while_the_kernel_starts_costs_later_ones_nothing(kernel):
    with pytest.raises(websocket.WebSocketTimeoutException):
        kernel(timeout=0.3)
    test_a_reply_that_comes_while_the_connection_closes_reaches_a_browser_that_comes_back(kernel)


@pytest.mark.parametrize(("cell", "state"), [("1", "idle"), ("Thread.sleep(60000)", "busy")])
def test_a_browser_that_comes_back_is_told_the_kernels_state(kernel, cell, state):
    """JupyterLab ignores the state that comes with the answer to its own request, so it would show none until the next cell runs."""
    browser = kernel()
    browser.execute("asked", cell)
    browser.until("asked", *(["execute_reply", "idle"] if state == "idle" else ["execute_input"]))
    browser.wire.shutdown()
    assert [kind(one) for one in kernel().until(None, state) if not one["parent_header"]] == [state]


def test_the_server_ends_while_requests_are_unfinished(tmp_path):
    """Python waits for the threads of these requests. `Lab` allows 30 s for the end."""

    def ask() -> None:
        with contextlib.suppress(OSError, HTTPException):
            while urlopen(f"http://{api}/contents/notebooks?{token}").read():
                answers.append(time.monotonic())

    answers: list[float] = []
    with server(tmp_path / "lab") as (api, token):
        for _ in range(4):
            threading.Thread(target=ask, daemon=True).start()
        assert awaited(lambda: len(answers) > 20, 30)
