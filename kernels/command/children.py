"""Programs that the command starts. None of them outlives it."""

from __future__ import annotations

import contextlib
import os
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
    )
    with _guard:
        _alive.add(child)
    late = threading.Event()
    watch = threading.Timer(limit, lambda: (late.set(), child.kill())) if limit else None
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
            child.kill()
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
        with contextlib.suppress(OSError):
            child.terminate()
    for child in children:
        try:
            child.wait(5)
        except subprocess.TimeoutExpired:
            child.kill()


def without(env: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in env.items() if name not in names}


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, **more}
