"""Programs that the command starts. None of them outlives it, nor does what they start themselves."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .files import HELD

_alive: set[subprocess.Popen[str]] = set()
_guard = threading.Lock()
_stopping = threading.Event()


class Stopped(Exception):
    """Another part of the set-up failed, or the user interrupted it: there is nothing more to say here."""


def run(
    argv: Sequence[str | Path],
    env: Mapping[str, str] | None = None,
    each_line: Callable[[str], None] | None = None,
    limit: float | None = None,
    cwd: Path | None = None,
    given: str | None = None,
) -> tuple[int, str]:
    """Runs a program to its end. Returns its exit code and all that it printed (both streams as one).

    `each_line` sees every line as it comes; `given` is its standard input; after `limit` seconds it is ended (code -1).
    """
    child = subprocess.Popen(
        [str(word) for word in argv],
        env=dict(env) if env is not None else None,
        stdin=subprocess.PIPE if given is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=cwd,
        pass_fds=HELD if os.name != "nt" else (),
        start_new_session=True,  # a group of its own, which can be ended whole
    )
    with _guard:
        _alive.add(child)
    late = threading.Event()
    watch = threading.Timer(limit, lambda: (late.set(), _signal(child, _KILL))) if limit else None
    if watch:
        watch.daemon = True
        watch.start()
    lines: list[str] = []
    try:
        if _stopping.is_set():
            raise Stopped
        if given is not None and child.stdin:
            with contextlib.suppress(BrokenPipeError):
                child.stdin.write(given)
            child.stdin.close()
        assert child.stdout
        for line in child.stdout:
            lines.append(line)
            if each_line:
                each_line(line.rstrip("\n"))
        code = child.wait()
    finally:
        if watch:
            watch.cancel()
        if child.poll() is None:
            _signal(child, _KILL)
            child.wait()
        with _guard:
            _alive.discard(child)
    if _stopping.is_set():
        raise Stopped
    return (-1 if late.is_set() else code), "".join(lines)


def stop_all() -> None:
    """Ends every program under way; later ones are not started any more."""
    _stopping.set()
    with _guard:
        children = list(_alive)
    for child in children:
        _signal(child, signal.SIGTERM)
    for child in children:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(5)
        # Also where it ended by itself: what it started may still be there.
        _signal(child, _KILL)


_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def _signal(child: subprocess.Popen[str], number: int) -> None:
    """Signals a program and all that it started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, number)
        else:
            child.send_signal(number)


def without(env: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in env.items() if name not in names}


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, **more}
