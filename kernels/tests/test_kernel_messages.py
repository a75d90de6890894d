"""What comes to the kernel's five ports from others than its front end, and what comes broken from the front end itself."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import zmq
from jupyter_client.connect import write_connection_file
from jupyter_client.kernelspec import KernelSpecManager
from test_kernel import KERNEL, LIMIT, Session, embedded_only

DELIMITER = b"<IDS|MSG>"


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    session = Session()
    with contextlib.closing(session):
        yield session


class Stranger:
    """Somebody else on this machine: knows the ports, hasn't the key."""

    def __init__(self, session: Session) -> None:
        self.context = zmq.Context()
        self.info = session.client.get_connection_info()

    def socket(self, channel: str, kind: int = zmq.DEALER) -> zmq.Socket[bytes]:
        socket = self.context.socket(kind)
        socket.linger = LIMIT * 1000
        socket.connect(f"tcp://{self.info['ip']}:{self.info[channel + '_port']}")
        return socket

    def send(self, channel: str, frames: Sequence[bytes]) -> None:
        with self.socket(channel) as socket:
            socket.send_multipart(list(frames))

    def close(self) -> None:
        self.context.term()


@pytest.fixture
def stranger(session: Session) -> Iterator[Stranger]:
    with contextlib.closing(Stranger(session)) as stranger:
        yield stranger


# ---- a message's boundary


BROKEN = {
    "one frame": [b"a frame"],
    "an empty frame": [b""],
    "no delimiter": [b"one", b"two", b"three"],
    "a delimiter and no more": [DELIMITER],
    "no content": [DELIMITER, b"", b"{}", b"{}", b"{}"],
    "not signed": [DELIMITER, b"", b"{}", b"{}", b"{}", b"{}"],
    "two delimiters": [DELIMITER, DELIMITER, b"{}", b"{}", b"{}", b"{}"],
}


@embedded_only
@pytest.mark.parametrize("frames", BROKEN.values(), ids=BROKEN.keys())
def test_a_strangers_frames_take_no_reply_away_on_shell(session: Session, stranger: Stranger, frames: list[bytes]) -> None:
    with stranger.socket("shell") as socket:
        for number in range(5):
            socket.send_multipart(frames)
            request = session.client.execute(f"{number} + 40")
            assert session.answer(request)["status"] == "ok"


@embedded_only
@pytest.mark.parametrize("frames", BROKEN.values(), ids=BROKEN.keys())
def test_a_strangers_frames_take_no_reply_away_on_control(session: Session, stranger: Stranger, frames: list[bytes]) -> None:
    with stranger.socket("control") as socket:
        for _ in range(5):
            socket.send_multipart(frames)
            message = session.client.session.msg("interrupt_request", {})
            session.client.control_channel.send(message)
            reply = session.client.get_control_msg(timeout=LIMIT)
            assert reply["parent_header"]["msg_id"] == message["header"]["msg_id"]


@embedded_only
@pytest.mark.parametrize("frames", BROKEN.values(), ids=BROKEN.keys())
def test_a_strangers_frames_take_no_answer_away_on_stdin(session: Session, stranger: Stranger, frames: list[bytes]) -> None:
    with stranger.socket("stdin") as socket:

        def answer(_: object) -> None:
            socket.send_multipart(frames)
            session.client.input("from the reader")

        socket.send_multipart(frames)
        ran = session.run("scala.io.StdIn.readLine()", allow_stdin=True, stdin_hook=answer)
        assert ran.result.endswith('"from the reader"'), ran


# ---- what is signed and yet no request


UNREADABLE = [
    ("execute", '{"code": []}'),
    ("execute", '{"code": null}'),
    ("execute", "{}"),
    ("execute", '{"code": "1", "user_expressions": 7}'),
    ("execute", "[]"),
    ("complete", '{"code": "x", "cursor_pos": "y"}'),
    ("inspect", '{"code": []}'),
    ("is_complete", "{}"),
    ("history", '{"hist_access_type": "dance"}'),
    ("history", "{}"),
    ("comm_info", "7"),
    ("kernel_info", "null"),
]


@embedded_only
@pytest.mark.parametrize(("kind", "content"), UNREADABLE, ids=[f"{kind} {content}" for kind, content in UNREADABLE])
def test_each_request_gets_its_reply_and_idle_whatever_it_says(session: Session, kind: str, content: str) -> None:
    request = session.client.session.msg(f"{kind}_request", content)  # a text is sent as it is
    session.client.shell_channel.send(request)
    reply = session.client.get_shell_msg(timeout=LIMIT)
    while reply["parent_header"]["msg_id"] != request["header"]["msg_id"]:
        reply = session.client.get_shell_msg(timeout=LIMIT)
    assert reply["msg_type"] == f"{kind}_reply"
    assert reply["content"]["status"] == "error", reply["content"]
    assert reply["content"]["ename"] and isinstance(reply["content"]["traceback"], list)
    while session.client.get_iopub_msg(timeout=LIMIT)["content"].get("execution_state") != "idle":
        pass
    assert session.value("40 + 2").endswith("= 42")


# ---- a kernel that can't start, or need not


def start(connection: Path | str, **env: str) -> subprocess.Popen[str]:
    spec = KernelSpecManager().get_kernel_spec(KERNEL)
    argv = [word.replace("{connection_file}", str(connection)) for word in spec.argv]
    bare = {name: value for name, value in os.environ.items() if name != "JPY_PARENT_PID"}
    return subprocess.Popen(argv, env={**bare, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def said(kernel: subprocess.Popen[str]) -> list[str]:
    out, err = kernel.communicate(timeout=LIMIT)
    return [line for line in (out + err).splitlines() if not line.startswith(("Picked up ", "NOTE: Picked up "))]


@embedded_only
@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [("key", "", "empty"), ("signature_scheme", "hmac-rot13", "Java"), ("shell_port", 70000, "65535"), ("hb_port", "one", "whole number")],
)
def test_a_bad_connection_file_is_refused_in_a_line(tmp_path: Path, field: str, value: Any, rule: str) -> None:
    file = tmp_path / "connection.json"
    write_connection_file(str(file), key=b"a-key")
    file.write_text(json.dumps({**json.loads(file.read_text()), field: value}))
    kernel = start(file)
    lines = said(kernel)
    assert kernel.returncode == 2
    assert len(lines) == 1 and str(file) in lines[0] and f'"{field}": {json.dumps(value)}' in lines[0] and rule in lines[0], lines


@embedded_only
def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    file = tmp_path / "connection.json"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        write_connection_file(str(file), key=b"a-key", control_port=port)
        kernel = start(file)
        lines = said(kernel)
    assert kernel.returncode == 2
    assert len(lines) == 1 and f"tcp://127.0.0.1:{port}" in lines[0], lines


@embedded_only
def test_a_kernel_whose_jupyter_is_dead_at_start_ends(tmp_path: Path) -> None:
    file = tmp_path / "connection.json"
    write_connection_file(str(file), key=b"a-key")
    with subprocess.Popen([sys.executable, "-c", ""]) as jupyter:
        pass
    kernel = start(file, JPY_PARENT_PID=str(jupyter.pid))
    lines = said(kernel)
    assert kernel.returncode == 0
    assert len(lines) == 1 and str(jupyter.pid) in lines[0], lines
