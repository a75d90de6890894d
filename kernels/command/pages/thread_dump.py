"""Reads what the threads of a kernel and of the JVMs below it do, for a page that doesn't end. Works on Linux.

It asks a JVM as `jstack -l PID` does, which the course's Java runtime doesn't have: through HotSpot's attach protocol, version 1
(`attachListener_posix.cpp`, `attachListener.cpp`). The answer lacks virtual threads without a carrier.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
import time
from pathlib import Path

import psutil

PATIENCE = 5.0  # seconds until a JVM has answered
PLACE = Path("/tmp")  # HotSpot's, whatever TMPDIR says
PRINT_THREADS = b"1\0threaddump\0-l\0\0\0"  # the protocol's version, the operation, and its three arguments
DONE = b"0\n"  # the answer's first line, unless the JVM refused


def of_all(kernel: int) -> str:
    """Returns the threads of a kernel and of every process below it, given the kernel's process id.

    Says for each process whose threads it can't read why. Returns "" if there is no such process, and on other systems than Linux.
    """
    try:
        top = psutil.Process(kernel)
        return "".join(_titled(process) for process in [top, *top.children(recursive=True)]) if sys.platform == "linux" else ""
    except psutil.NoSuchProcess:
        return ""


def _titled(process: psutil.Process) -> str:
    try:
        text = f"==== process {process.pid}: {' '.join(process.cmdline())[-2000:]}\n"
        if process.name() == "java":
            try:
                return text + of_jvm(process.pid)
            except OSError as error:  # it stands still, or is about to end
                text += f"(the JVM did not answer: {error})\n"
        return text + of_system(process.pid)
    except psutil.Error as error:
        return f"==== process {process.pid}: {error}\n"


def of_jvm(pid: int) -> str:
    """Returns a JVM's own thread dump. Raises an OSError if it doesn't answer within `PATIENCE`."""
    end = time.monotonic() + PATIENCE
    door, wish = PLACE / f".java_pid{pid}", PLACE / f".attach_pid{pid}"
    if not _handles(pid, signal.SIGQUIT):  # which would end the process
        raise OSError("it doesn't take requests yet, or no more")
    known = door.exists()
    if not known:
        wish.touch(exist_ok=False)
        try:
            os.kill(pid, signal.SIGQUIT)
            while not door.exists():
                if time.monotonic() > end:
                    raise TimeoutError(f"{door} didn't appear within {PATIENCE:.0f} s")
                time.sleep(0.05)
        finally:
            wish.unlink(missing_ok=True)
    try:
        return _asked(door, end)
    finally:
        if not known:  # a JVM that is killed leaves it; HotSpot makes it again if somebody asks again
            door.unlink(missing_ok=True)


def _handles(pid: int, number: int) -> bool:
    caught = re.search(r"^SigCgt:\s*(\w+)", Path(f"/proc/{pid}/status").read_text(errors="replace"), re.M)
    return bool(caught and int(caught[1], 16) >> (number - 1) & 1)


def _asked(door: Path, end: float) -> str:
    if door.lstat().st_uid != os.geteuid():
        raise PermissionError(f"{door} belongs to another user")
    answer = b""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(max(0.1, end - time.monotonic()))
        connection.connect(str(door))
        connection.sendall(PRINT_THREADS)
        while block := connection.recv(1 << 16):
            answer += block
            connection.settimeout(max(0.1, end - time.monotonic()))
    if not answer.startswith(DONE):
        raise OSError(f"its answer to {door} begins with {answer[:20]!r}")
    return answer.removeprefix(DONE).decode("utf-8", "replace")


def of_system(pid: int) -> str:
    """Returns what Linux says of each thread of a process: its name, its state, its CPU time in ticks of 10 ms, and where it waits."""
    return "".join(_of_thread(task) for task in sorted(_threads(pid), key=lambda path: int(path.name)))


def _threads(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:  # it has ended
        return []


def _of_thread(task: Path) -> str:
    def read(name: str) -> str:
        try:
            return (task / name).read_text(errors="replace").strip()
        except OSError as error:  # it has ended, or the system doesn't let an ordinary user know
            return error.strerror

    # The name is in parentheses, and may contain anything.
    name, _, rest = read("stat").partition("(")[2].rpartition(")")
    fields = rest.split()
    known = f"{fields[0]}, {int(fields[11]) + int(fields[12])} ticks" if len(fields) > 12 else "ended"
    return f"{task.name} {name}: {known}, {read('wchan')}, {read('syscall')}\n"
