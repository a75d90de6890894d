"""Finds sockets of a page's programs that are open to other machines, on Linux."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

import psutil

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
LISTENS = "0A"
LOOPBACK = ("0100007F:", "0000000000000000FFFF00000100007F:", "00000000000000000000000001000000:")


def exposed() -> set[str]:
    """Returns the inodes of all listening sockets except those on the loopback interface."""
    lines = [line.split() for table in TABLES if table.exists() for line in table.read_text().splitlines()[1:]]
    return {line[9] for line in lines if line[3] == LISTENS and not line[1].startswith(LOOPBACK)}


def holders(root: psutil.Process, inodes: Iterable[str]) -> set[str]:
    """Returns the command lines of `root` and its descendants that have one of these sockets."""
    links, found = {f"socket:[{inode}]" for inode in inodes}, set()
    for process in [root, *root.children(recursive=True)]:
        with contextlib.suppress(OSError, psutil.Error):  # it may end in the meantime
            if any(os.readlink(fd) in links for fd in Path(f"/proc/{process.pid}/fd").iterdir()):
                found.add(" ".join(process.cmdline()))
    return found


def watched(process: subprocess.Popen, limit: float) -> set[str]:
    """Waits for the end of `process`. Returns the command lines of its descendants that were open to other machines."""
    root, known, found = psutil.Process(process.pid), exposed(), set()
    deadline = time.monotonic() + limit
    while True:
        try:
            process.wait(1)
            return found
        except subprocess.TimeoutExpired:
            if time.monotonic() > deadline:
                process.terminate()
                raise
        if news := exposed() - known:
            known |= news
            found |= holders(root, news)
