"""Reads what the threads of a kernel and of the JVMs below it do, for a page that doesn't end. Works on Linux.

It asks a JVM as `jcmd PID Thread.print` does, which the course's Java runtime doesn't have: through HotSpot's attach protocol
(`attachListener_posix.cpp` and `attachListener.hpp` in the JDK's source).
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from pathlib import Path

import psutil

PATIENCE = 5.0  # seconds until a JVM has answered
PLACE = Path("/tmp")  # HotSpot's, whatever TMPDIR says
PRINT_THREADS = b"1\0threaddump\0-l\0\0\0"  # the protocol's version, the command, and its three arguments


def of_all(kernel: int) -> str:
    """Returns the threads of a kernel and of every process below it, given the kernel's process id. Returns "" if it has ended."""
    texts = []
    with contextlib.suppress(psutil.NoSuchProcess):
        top = psutil.Process(kernel)
        for process in [top, *top.children(recursive=True)]:
            with contextlib.suppress(psutil.Error, OSError):
                texts.append(f"==== process {process.pid}: {' '.join(process.cmdline())[-2000:]}\n{_of(process)}")
    return "\n".join(texts)


def _of(process: psutil.Process) -> str:
    try:
        return of_jvm(process.pid) if process.name() == "java" else of_system(process.pid)
    except OSError as error:  # it stands still, or has ended meanwhile
        return f"(the JVM did not answer within {PATIENCE:.0f} s: {error})\n{of_system(process.pid)}"


def of_jvm(pid: int) -> str:
    """Returns a JVM's own thread dump. Raises an OSError if it doesn't answer.

    A program that isn't a JVM would end, because the signal that asks for an answer ends it.
    """
    end = time.monotonic() + PATIENCE
    door, wish = PLACE / f".java_pid{pid}", PLACE / f".attach_pid{pid}"
    if not door.exists():
        wish.touch(exist_ok=False)
        try:
            os.kill(pid, signal.SIGQUIT)
            while not door.exists():
                if time.monotonic() > end:
                    raise TimeoutError(f"{door} didn't appear")
                time.sleep(0.05)
        finally:
            wish.unlink(missing_ok=True)
    if door.lstat().st_uid != os.geteuid():
        raise PermissionError(f"{door} belongs to another user")
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(max(0.1, end - time.monotonic()))
        connection.connect(str(door))
        connection.sendall(PRINT_THREADS)
        return b"".join(iter(lambda: connection.recv(1 << 16), b"")).decode("utf-8", "replace")


def of_system(pid: int) -> str:
    """Returns what Linux says of each thread of a process: its name, its state, its CPU time in ticks of 10 ms, and where it waits."""
    lines = []
    for task in sorted(Path(f"/proc/{pid}/task").iterdir(), key=lambda path: int(path.name)):
        name, _, rest = (task / "stat").read_text().partition("(")[2].rpartition(")")
        fields = rest.split()
        waits = [(task / file).read_text().strip() for file in ("wchan", "syscall")]
        lines.append(f"{task.name} {name}: {fields[0]}, {int(fields[11]) + int(fields[12])} ticks, {', '.join(waits)}\n")
    return "".join(lines)
