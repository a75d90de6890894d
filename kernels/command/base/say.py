"""Progress, on standard error: each line carries the seconds since the command began."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable

# A program that the command becomes goes on counting where it was.
BEGAN = float(os.environ.pop("COURSE_BEGAN", 0)) or time.monotonic()
_turn = threading.Lock()
_listeners: list[Callable[[str], None]] = []


def elapsed() -> float:
    """Seconds since the command began."""
    return time.monotonic() - BEGAN


def listen(listener: Callable[[str], None]) -> None:
    """Calls `listener` with each line from now on, too."""
    _listeners.append(listener)


def say(text: str) -> None:
    """One line, whole, whichever thread says it."""
    with _turn:
        for listener in _listeners:
            listener(text)
        sys.stderr.write(f"[{elapsed():6.1f} s] {text}\n")
        sys.stderr.flush()


class Counter:
    """Says how far a long step is, at most once in `every` seconds, and only when it moved."""

    def __init__(self, what: str, total: int, every: float = 3.0) -> None:
        self.what, self.total, self.every = what, total, every
        self.said_at, self.said = time.monotonic(), 0

    def at(self, count: int) -> None:
        """So far it is now; it is said if it is time."""
        now = time.monotonic()
        if count > self.said and now - self.said_at >= self.every:
            self.said_at, self.said = now, count
            say(f"{self.what}: {min(count, self.total)} of {self.total}")
