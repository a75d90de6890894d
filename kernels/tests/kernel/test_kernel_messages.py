"""Tests messages to the kernel's five ports from others than its front end, and broken ones from the front end."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
import zmq
from command.setup.starting import PORT_TAKEN
from conftest import FULL, only_in_full
from jupyter_client.connect import write_connection_file
from jupyter_client.kernelspec import KernelSpecManager
from sessions import KERNEL, LIMIT, Session, embedded_only, kernel_in_use
from strangers import DELIMITER, MB, Strangers

SEED = 20261122
MESSAGES = 10_000 if FULL else 1_000
ROUNDS = 10
# The allowed growth of the heap, in megabytes.
HEAP_BOUND = 32
BESIDE_BOUND = 96


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    session = Session()
    with contextlib.closing(session):
        yield session


class Stranger:
    """Acts as another user of this machine, who knows the ports but not the key."""

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


# ---- signed messages that are no requests


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
    request = session.client.session.msg(f"{kind}_request", content)  # a string is sent unchanged
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


# ---- a kernel that can't start, or needn't


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


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    file = tmp_path / "connection.json"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        write_connection_file(str(file), key=b"a-key", control_port=port)
        kernel = start(file)
        lines = said(kernel)
    assert kernel.returncode == PORT_TAKEN, lines
    if kernel_in_use() != "almond":  # the words are the embedded kernel's
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


@embedded_only
def test_a_warm_up_that_fails_ends_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    storage = f"-Dcourse.storage={tmp_path / 'file' / 'no folder'}"
    words = [storage if word.startswith("-Dcourse.storage=") else word for word in KernelSpecManager().get_kernel_spec(KERNEL).argv]
    argv = [word.replace("{connection_file}", "--warm-up") for word in words]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "the warm-up failed: " in done.stderr, done.stderr


# ---- many of them


@dataclass(frozen=True)
class Memory:
    """Measures the megabytes of a kernel's heap after a collection, and the resident memory outside the heap.

    The size of the heap itself means nothing, because it grows and shrinks within the limits of jvm.options.
    """

    held: float
    beside: float


def told(before: Memory, after: Memory) -> str:
    return f"in the heap {before.held:.1f} to {after.held:.1f} MB, beside it {before.beside:.0f} to {after.beside:.0f} MB"


class Client:
    """Acts as a front end that counts, so that each reply must be the next one."""

    def __init__(self, session: Session, heart: zmq.Socket[bytes]) -> None:
        self.session, self.client, self.heart = session, session.client, heart
        self.process = psutil.Process(session.manager.provisioner.pid)
        self.rounds = 0
        session.value("0")  # also reads the remaining messages of the kernel's start

    def reply(self, request: str, kind: str) -> dict[str, Any]:
        return self.checked(self.client.get_shell_msg(timeout=LIMIT), request, kind)

    def checked(self, message: dict[str, Any], request: str, kind: str) -> dict[str, Any]:
        assert (message["parent_header"]["msg_id"], message["msg_type"]) == (request, f"{kind}_reply")
        assert message["content"]["status"] == "ok", message["content"]
        return message["content"]

    def shown(self, request: str) -> str:
        """Returns the result of a cell after everything that it published has come."""
        text = ""
        while True:
            message = self.client.get_iopub_msg(timeout=LIMIT)
            if message["parent_header"].get("msg_id") == request:
                if message["msg_type"] == "execute_result":
                    text += message["content"]["data"]["text/plain"]
                if message["content"].get("execution_state") == "idle":
                    return text

    def round(self) -> None:
        """Sends several requests simultaneously, and checks their results."""
        self.rounds += 1
        control = self.client.session.msg("kernel_info_request", {})
        self.client.control_channel.send(control)
        cells = [self.client.execute(f"{self.rounds} * 1000 + {cell}", allow_stdin=False) for cell in range(3)]
        completion = self.client.complete("List(1).mapC")
        inspection = self.client.inspect("List(1).map", 10)
        question = self.client.execute("scala.io.StdIn.readLine().toInt * 2", allow_stdin=True)
        for cell, request in enumerate(cells):
            self.reply(request, "execute")
            assert self.shown(request).endswith(f"Int = {self.rounds * 1000 + cell}")
        assert self.reply(completion, "complete")["matches"] == ["mapConserve"]
        assert self.reply(inspection, "inspect")["found"]
        assert self.client.get_stdin_msg(timeout=LIMIT)["parent_header"]["msg_id"] == question
        self.client.input(f"{self.rounds}")
        self.reply(question, "execute")
        assert self.shown(question).endswith(f"Int = {self.rounds * 2}")
        self.checked(self.client.get_control_msg(timeout=LIMIT), control["header"]["msg_id"], "kernel_info")
        self.heart.send(f"beat {self.rounds}".encode())
        assert self.heart.recv() == f"beat {self.rounds}".encode()

    def memory(self) -> Memory:
        ran = self.session.run('System.gc(); print(s"${Runtime.getRuntime.totalMemory} ${Runtime.getRuntime.freeMemory}")')
        total, free = map(int, ran.text().split())
        return Memory((total - free) / MB, self.process.memory_info().rss / MB - total / MB)


@contextlib.contextmanager
def working() -> Iterator[Client]:
    """Yields a client of a new kernel."""
    with contextlib.closing(Session()) as session, zmq.Context() as context, context.socket(zmq.REQ) as heart:
        heart.rcvtimeo = LIMIT * 1000
        heart.linger = 0
        heart.connect(f"tcp://127.0.0.1:{session.client.get_connection_info()['hb_port']}")
        yield Client(session, heart)


@embedded_only
def test_bad_messages_take_no_reply_away() -> None:
    with working() as client, ThreadPoolExecutor(1) as pool:
        for _ in range(3):
            client.round()
        before = client.memory()
        strangers = Strangers(client.client.get_connection_info(), SEED, MESSAGES)
        for _ in range(ROUNDS):
            pool.submit(strangers.send, MESSAGES // ROUNDS)
            client.round()
        last = pool.submit(strangers.leave)
        while not last.done():
            client.round()
        last.result()
        client.round()
        after = client.memory()
        print(f"seed {SEED}: {strangers.sent} beside {client.rounds} rounds of a client's; {told(before, after)}")
        assert sum(strangers.sent.values()) == MESSAGES
        assert after.beside - before.beside < BESIDE_BOUND


@only_in_full  # a leak of fewer messages would be too small to measure
@embedded_only
def test_bad_messages_leave_nothing_in_memory() -> None:
    with working() as client:
        client.round()
        before = client.memory()
        strangers = Strangers(client.client.get_connection_info(), SEED + 1, MESSAGES)
        strangers.send(MESSAGES)
        strangers.leave()
        client.round()
        after = client.memory()
        print(f"seed {SEED + 1}: {told(before, after)}")
        assert after.held - before.held < HEAP_BOUND
        assert after.beside - before.beside < BESIDE_BOUND
