"""Runs other programs. Every program that the command starts ends with the command, together with its own child processes."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from .files import HELD

# Seconds without output after which an ended program's output is complete, even if a process that it started keeps the pipe open.
HELD_OPEN = 2.0
LOOK = 0.2  # seconds between two checks whether a silent program, or the parent, has ended

_alive: set[subprocess.Popen[bytes]] = set()
_guard = threading.Lock()
_stopping = threading.Event()


class Stopped(Exception):
    """Ends a thread of the set-up silently, because another part failed or the user interrupted it."""


def run(
    argv: Sequence[str | Path],
    env: Mapping[str, str] | None = None,
    each_line: Callable[[str], None] | None = None,
    limit: float | None = None,
    cwd: Path | None = None,
    given: str | None = None,
) -> tuple[int, str]:
    """Runs a program to its end. Returns its exit code and everything that it printed, both streams as one.

    Calls `each_line` with every line as it comes, passes `given` as standard input, and kills the program after `limit` seconds (code -1).
    Raises Stopped if the whole command is ending, and an OSError if there is no such program.
    """
    child = subprocess.Popen(
        [str(word) for word in argv],
        env=env,
        stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=cwd,
        pass_fds=HELD,
        start_new_session=True,  # so that one signal reaches the whole process group
    )
    lines: list[str] = []
    with _under_way(child, limit) as late:
        be_as_nice(child.pid)
        if given is not None and child.stdin:
            with contextlib.suppress(BrokenPipeError):
                child.stdin.write(given.encode())
                child.stdin.close()
        for line in _lines(child):
            lines.append(line)
            if each_line:
                each_line(line.rstrip("\n"))
        code = child.wait()
    return (-1 if late.is_set() else code), "".join(lines)


def be_as_nice(session: int) -> None:
    """Applies this thread's niceness to the session with this id as a whole, if it is positive.

    Linux divides the CPUs among sessions (autogroups), and compares niceness only inside one. See sched(7).
    """
    nice = os.nice(0)
    for _ in range(10 if nice > 0 else 0):
        try:
            Path(f"/proc/{session}/autogroup").write_text(str(nice))
            return
        except BlockingIOError:  # an ordinary user may change one session in 0.1 s
            time.sleep(0.05)
        except OSError:  # the session has ended, or the system has no autogroups
            return


def give_way(nice: int) -> None:
    """Increases the niceness of this thread, and of the programs that it starts from now on.

    Only Linux has threads with their own niceness (see sched(7)), so nothing happens on other systems.
    """
    if sys.platform == "linux":
        os.nice(nice)


def _lines(child: subprocess.Popen[bytes]) -> Iterator[str]:
    """Yields what a program prints, line by line. Kills processes that it left behind if they keep the output open."""
    assert child.stdout
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8")("replace"), translate=True)
    rest, ended = "", 0.0
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        while not ended or time.monotonic() < ended + HELD_OPEN:
            if selector.select(LOOK):
                block = os.read(child.stdout.fileno(), 1 << 16)
                *whole, rest = (rest + decoder.decode(block, final=not block)).split("\n")
                yield from (line + "\n" for line in whole)
                ended = 0.0
                if not block:
                    break
            elif not ended and child.poll() is not None:
                ended = time.monotonic()
        else:
            _signal(child, signal.SIGKILL)
    if rest:
        yield rest


@contextlib.contextmanager
def _under_way(child: subprocess.Popen[bytes], limit: float | None) -> Iterator[threading.Event]:
    """Ensures that the program has ended after the block, whatever happens.

    Yields an event, which is set if the program was killed because it reached `limit`.
    """
    late = threading.Event()
    watch = threading.Timer(limit or 0, lambda: (late.set(), _signal(child, signal.SIGKILL)))
    watch.daemon = True
    with _guard:
        _alive.add(child)
    try:
        if limit:
            watch.start()
        _stop_here()
        yield late
    finally:
        watch.cancel()
        if child.poll() is None:
            _signal(child, signal.SIGKILL)
            child.wait()
        with _guard:
            _alive.discard(child)
    _stop_here()


def _stop_here() -> None:
    if _stopping.is_set():
        raise Stopped


def stop_all() -> None:
    """Ends every running program, and prevents later ones from starting."""
    _stopping.set()
    with _guard:
        children = list(_alive)
    for child in children:
        _signal(child, signal.SIGTERM)
    for child in children:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(5)
        # Also if it ended by itself, because processes that it started may still run.
        _signal(child, signal.SIGKILL)


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    """Sends a signal to a program and to every process that it started."""
    with contextlib.suppress(OSError):
        os.killpg(child.pid, number)


def end_with(parent: int, number: int = signal.SIGKILL) -> None:
    """Waits until this process's parent has ended, then sends `number` to this process.

    `parent` must come from the parent itself, which may have ended before this process can ask for its number.
    """
    while os.getppid() == parent:
        time.sleep(LOOK)
    os.kill(os.getpid(), number)


def without(env: Mapping[str, str], *names: str) -> dict[str, str]:
    """Returns a copy of `env` without the variables `names`."""
    return {name: value for name, value in env.items() if name not in names}


def environment(**more: str) -> dict[str, str]:
    """Returns this process's environment with the variables `more` added."""
    return {**os.environ, **more}
