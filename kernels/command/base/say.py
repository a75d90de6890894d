"""Prints progress on standard error. Each line shows the seconds since the command began."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable

# If the command replaced itself by another program, the seconds go on counting.
BEGAN = float(os.environ.pop("COURSE_BEGAN", 0)) or time.monotonic()
_turn = threading.Lock()
_listeners: list[Callable[[str], None]] = []


def elapsed() -> float:
    """Returns the seconds since the command began."""
    return time.monotonic() - BEGAN


def listen(listener: Callable[[str], None]) -> None:
    """Passes each later line to `listener` as well."""
    _listeners.append(listener)


def say(text: str) -> None:
    """Prints one line. Lines of several threads never mix."""
    with _turn:
        for listener in _listeners:
            listener(text)
        sys.stderr.write(f"[{elapsed():6.1f} s] {text}\n")
        sys.stderr.flush()


class Counter:
    """Reports the progress of a long step, at most once in `every` seconds and only if it has advanced."""

    def __init__(self, what: str, total: int, every: float = 3.0) -> None:
        self.what, self.total, self.every = what, total, every
        self.said_at, self.said = time.monotonic(), 0

    def at(self, count: int) -> None:
        """Updates the count, and prints it if it is time."""
        now = time.monotonic()
        if count > self.said and now - self.said_at >= self.every:
            self.said_at, self.said = now, count
            say(f"{self.what}: {min(count, self.total)} of {self.total}")
