"""Starts kernels next to a program that takes and frees ports all the time, and prints each result as JSON.

    .venv/bin/python kernels/tests/kernel/port_thief.py STARTS [--once] [--alone]

`--once` starts no kernel a second time, like jupyter_client. `--alone` says that this process has a separate network, whose loopback device
is still down. `test_kernel_ports.py` runs this.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import json
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

from jupyter_client.manager import AsyncKernelManager

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # for the package `command`
from command.setup import starting

# If a program asks for any port, Linux chooses from about 14,000. A kernel needs five, so this many ports take one from every fifth kernel.
HELD = 700
ABREAST = 4  # kernels that start simultaneously
LIMIT = 120  # seconds


def take_and_free() -> None:
    """Holds HELD ports, and changes all of them several times per second."""
    held: list[socket.socket] = []
    while True:
        for _ in range(50):
            taken = socket.socket()
            taken.bind(("127.0.0.1", 0))
            held.append(taken)
            if len(held) > HELD:
                held.pop(0).close()
        if len(held) == HELD:
            print("ready", flush=True)
        time.sleep(0.01)


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        up = struct.pack("16sh14x", b"lo", 1)  # IFF_UP
        fcntl.ioctl(any_socket, 0x8914, up)  # SIOCSIFFLAGS


async def outcome(turn: asyncio.Semaphore) -> str:
    """Starts one kernel and ends it. Returns why it didn't start, or "" if it did."""
    manager = AsyncKernelManager(kernel_name="scala-course")
    async with turn:
        try:
            client = await starting.start_async(manager, LIMIT)
        except starting.NotStarted as failed:
            return str(failed)
        client.stop_channels()
        await manager.shutdown_kernel(now=True)
    return ""


async def outcomes(starts: int) -> list[str]:
    turn = asyncio.Semaphore(ABREAST)
    return await asyncio.gather(*(outcome(turn) for _ in range(starts)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("starts", type=int)
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--alone", action="store_true")
    asked = parser.parse_args()
    if asked.alone:
        raise_loopback()
    if asked.once:
        starting.TRIES = 1
    thief = [sys.executable, "-c", "import port_thief; port_thief.take_and_free()"]
    with subprocess.Popen(thief, cwd=Path(__file__).parent, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline()
        try:
            print(json.dumps(asyncio.run(outcomes(asked.starts))))
        finally:
            process.kill()


if __name__ == "__main__":
    main()
