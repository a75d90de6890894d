"""Provides sessions of the course's kernel for tests: they run cells and read the results."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any

import psutil
import pytest
from command.pages.execute import adopt_updates
from conftest import new_kernel
from jupyter_client.kernelspec import KernelSpecManager

KERNEL = "scala-course"
LIMIT = 60  # seconds for one cell of these tests, all of which end in a few


def kernel_in_use() -> str:
    return KernelSpecManager().get_kernel_spec(KERNEL).metadata.get("course", {}).get("kernel", "")


embedded_only = pytest.mark.skipif(kernel_in_use() == "almond", reason="Almond is in use, which does not do this")


@dataclass
class Ran:
    """Holds a cell's reply, and what was published for it, in order."""

    reply: dict[str, Any]
    published: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0

    @property
    def status(self) -> str:
        return self.reply["status"]

    @property
    def count(self) -> int:
        return self.reply["execution_count"]

    def text(self, stream: str = "stdout") -> str:
        return "".join(m["content"]["text"] for m in self.kind("stream") if m["content"]["name"] == stream)

    def kind(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.published if message["msg_type"] == kind]

    @property
    def result(self) -> str:
        results = self.kind("execute_result")
        assert len(results) <= 1, results
        return results[0]["content"]["data"]["text/plain"] if results else ""


class Session:
    """Holds a kernel and a client of it."""

    def __init__(self, **options: Any) -> None:
        self.manager, self.client = new_kernel(**options)
        adopt_updates(self.client.iopub_channel)

    def run(self, code: str, **options: Any) -> Ran:
        ran, started = Ran({}), time.monotonic()
        options = {"timeout": LIMIT, "output_hook": ran.published.append, "allow_stdin": False, **options}
        ran.reply = self.client.execute_interactive(code, **options)["content"]
        ran.seconds = time.monotonic() - started
        return ran

    def value(self, code: str) -> str:
        ran = self.run(code)
        assert ran.status == "ok", ran.reply
        return ran.result

    def run_interrupted(self, code: str) -> Ran:
        """Runs `code` and interrupts it as soon as it has printed."""
        ran, interrupting = Ran({}), threading.Event()

        def hook(message: dict[str, Any]) -> None:
            ran.published.append(message)
            if message["msg_type"] == "stream" and not interrupting.is_set():
                interrupting.set()
                self.manager.interrupt_kernel()
                ran.seconds = -time.monotonic()

        ran.reply = self.client.execute_interactive(code, timeout=LIMIT, output_hook=hook, allow_stdin=False)["content"]
        ran.seconds += time.monotonic()
        return ran

    def await_begin(self, request: str) -> None:
        """Waits until the kernel says that it has begun this cell."""
        begun: dict[str, Any] = {}
        while begun.get("parent_header", {}).get("msg_id") != request or begun["msg_type"] != "execute_input":
            begun = self.client.get_iopub_msg(timeout=LIMIT)

    def answer(self, request: str) -> dict[str, Any]:
        while True:
            reply = self.client.get_shell_msg(timeout=LIMIT)
            if reply["parent_header"].get("msg_id") == request:
                return reply["content"]

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def told(ran: Ran) -> str:
    """Returns a failed cell's error."""
    assert ran.status == "error", ran.reply
    return f"{ran.reply['ename']}: {ran.reply['evalue']}"


def shown(ran: Ran, mime: str) -> list[Any]:
    return [m["content"]["data"][mime] for m in ran.kind("display_data") if mime in m["content"]["data"]]


def below(session: Session) -> list[psutil.Process]:
    return psutil.Process(session.manager.provisioner.pid).children(recursive=True)
