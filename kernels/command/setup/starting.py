"""Starts kernels without JupyterLab, on the installed Python, which has jupyter_client.

Jupyter chooses five ports for a kernel and releases them again. Another program may take one before the kernel listens there. Then the
kernel ends with a special exit code, and is started again with new ports.
"""

from __future__ import annotations

import time
from typing import Any

from jupyter_client.manager import KernelManager
from jupyter_core.utils import ensure_async, run_sync

from ..base.say import say

PORT_TAKEN = 75  # the exit code of both kernels, in ConnectionFile.scala and Almond's Main.scala
TRIES = 10


class NotStarted(RuntimeError):
    """Reports that a kernel didn't answer. The text says why."""


async def start_async(manager: KernelManager, limit: float, **options: Any) -> Any:
    """Starts a kernel with Jupyter's `options`, with a blocking or an asynchronous manager. Returns a client that the kernel has answered.

    Raises NotStarted if the kernel ended, if it didn't answer within `limit` seconds, or if it lost a port TRIES times. Then no kernel is
    running.
    """
    manager.cache_ports = False  # a manager that caches ports keeps them even if it is asked for new ones
    await ensure_async(manager.start_kernel(**options))
    tries = 1
    while (client := await answered(manager, limit)) is None:
        code, ports = await ensure_async(manager.provisioner.poll()), manager.ports
        if code != PORT_TAKEN or tries == TRIES:
            await ensure_async(manager.shutdown_kernel(now=True))
            raise NotStarted(reason(code, ports, limit))
        tries += 1
        say(f"Another program took a port of the kernel; starting the kernel again with new ports ({tries} of {TRIES})")
        await ensure_async(manager.restart_kernel(now=True, newports=True))
    return client


start = run_sync(start_async)


async def answered(manager: KernelManager, limit: float) -> Any | None:
    """Returns a client that the kernel has answered, or None if the kernel ended or didn't answer within `limit` seconds."""
    client = manager.client()
    client.start_channels(hb=False)  # a heartbeat that is stopped before it begins opens sockets until there are none left
    until = time.monotonic() + limit
    while (left := until - time.monotonic()) > 0 and await ensure_async(manager.provisioner.poll()) is None:
        try:
            await ensure_async(client.wait_for_ready(timeout=left))
            return client
        except RuntimeError:
            pass  # Jupyter looks at the clock, so it also gives up early if the clock is set forward or the computer slept
    client.stop_channels()
    return None


def reason(code: int | None, ports: list[int], limit: float) -> str:
    """Returns why a kernel hasn't answered. `code` is its exit code, or None if it is still running."""
    if code is None:
        return f"it gave no answer within {limit:g} s"
    if code == PORT_TAKEN:
        last = ", ".join(map(str, sorted(ports)))
        return (
            f"{TRIES} times another program took one of its ports before it could listen there (at last one of {last}). "
            "A kernel needs five ports of 127.0.0.1 that nobody else uses. End the program that takes ports all the time "
            "(`ss -tanp` or `lsof -nP -i TCP` lists who uses which), then run the same command again."
        )
    return f"it ended with exit code {code} before it answered"
