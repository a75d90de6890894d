"""Tries the kernel that set-up chose, which counts as working only after it has answered.

Set-up calls `fails`, which starts this file on the installed Python, where jupyter_client is.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base import children
from ..base.paths import BUILD, RUNTIME
from ..base.problem import essence
from ..dependencies.python_env import Python

LIMIT = 60.0  # seconds for the whole trial, on a busy machine and without the start-up archive
GRACE = 10.0  # extra seconds in which to end the kernel
REFUSED = 3  # exit code if the kernel failed, with the reason on standard output


def fails(python: Python, spec: Path, limit: float = LIMIT) -> str:
    """Starts the kernel of the kernelspec `spec` and sends it a few cells. Returns why it failed, or "" if it passed."""
    # The trial's results aren't the reader's.
    env = children.environment(JUPYTER_RUNTIME_DIR=str(RUNTIME), COURSE_RESULTS=str(BUILD / "trial"))
    code, output = python.run_module("setup.trial", spec, f"{limit:g}", env=env, limit=limit + GRACE)
    if code == 0:
        return ""
    if code == REFUSED and output.strip():
        return output.strip().splitlines()[-1]
    return f"its trial ended with exit code {code}: {essence(output)}"


# ---- in the installed Python


@dataclass(frozen=True)
class Cell:
    """Describes a cell, and how to judge the status of its reply together with everything that was published for it, as text."""

    what: str
    code: str
    well: Callable[[str, str], bool]


CELLS = [
    Cell(
        "imports of Scala's library",
        "import scala.util.Using, scala.concurrent.Future, scala.collection.mutable\nmutable.Buffer(40, 2).sum",
        lambda status, answer: status == "ok" and "42" in answer,
    ),
    Cell("the preflight", "val machine = Machine.preflight()", lambda status, answer: status == "ok" and "text/html" in answer),
    Cell("a compile error", 'val number: Int = "text"', lambda status, answer: status == "error" and "type mismatch" in answer),
    Cell("a magic", "%%jmh --no-such-option", lambda status, answer: status == "error" and "BenchmarkRefused" in answer),
]


class Refused(Exception):
    """Reports that the kernel failed its trial."""


def ask(client: Any, cell: Cell, left: float) -> None:
    """Sends a cell to the kernel. Raises Refused if the answer is wrong or late."""
    published: list[dict[str, Any]] = []
    try:
        content = client.execute_interactive(cell.code, timeout=max(left, 0.1), output_hook=published.append, allow_stdin=False)["content"]
    except TimeoutError:
        raise Refused(f"no answer in time to {cell.what}") from None
    answer = str([message["content"] for message in published if message["msg_type"] not in ("status", "execute_input")] + [content])
    if not cell.well(content["status"], answer):
        reason = content.get("evalue") or answer
        raise Refused(f"{cell.what}: {' '.join(str(reason).split())[:200] or 'no message'}")


def put_through(spec: Path, limit: float) -> None:
    """Starts the kernel, sends it all cells and ends it. Raises Refused if the kernel fails."""
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import KernelManager

    from .starting import NotStarted, start

    ends = time.monotonic() + limit
    manager = KernelManager(kernel_name=spec.name, kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(spec.parent)]))
    client = None
    try:
        # The kernel's log would hide the one line of the result. If the kernel doesn't start, its exit code is reported.
        client = start(manager, limit, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for cell in CELLS:
            ask(client, cell, ends - time.monotonic())
    except NotStarted as error:
        raise Refused(f"it did not start: {error}") from None
    finally:
        with contextlib.suppress(Exception):
            if client:
                client.stop_channels()
            manager.shutdown_kernel(now=True)


def main(words: list[str]) -> int:
    spec, limit = Path(words[0]), float(words[1])
    try:
        put_through(spec, limit)
    except Refused as refused:
        sys.stdout.write(f"{refused}\n")
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
