"""Prints progress on standard error. Each line shows the seconds since the command began."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# If the command replaced itself by another program, the seconds go on counting.
BEGAN = float(os.environ.pop("COURSE_BEGAN", 0)) or time.monotonic()
SILENT = 7.0  # seconds without a line after which `never_silent` prints one
_turn = threading.Lock()
_listeners: list[Callable[[str], None]] = []
_last = ("", BEGAN)  # the last line that says something new, and when something was printed


def elapsed() -> float:
    """Returns the seconds since the command began."""
    return time.monotonic() - BEGAN


def listen(listener: Callable[[str], None]) -> None:
    """Passes each later line to `listener` as well, except repetitions."""
    _listeners.append(listener)


def say(text: str) -> None:
    """Prints one line. Lines of several threads never mix."""
    _print(text, text)


def _print(text: str, news: str) -> None:
    global _last
    with _turn:
        _last = (news, time.monotonic())
        for listener in _listeners if text == news else ():
            listener(text)
        sys.stderr.write(f"[{elapsed():6.1f} s] {text}\n")
        sys.stderr.flush()


@contextmanager
def never_silent(seconds: float = SILENT) -> Iterator[None]:
    """Repeats the last line whenever nothing else was printed for so many seconds, so that a reader sees that the command is at work."""
    done = threading.Event()

    def repeat() -> None:
        while not done.wait(min(1.0, seconds / 4)):
            news, at = _last
            if time.monotonic() - at >= seconds:
                _print(f"Still at work. Last news: {news}" if news else "Still at work", news)

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


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
