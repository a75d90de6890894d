"""Starts this machine's Chromium with Playwright. Only contributors need it, for the tests and for the first pictures of `site`."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class NoChromium(Exception):
    """Reports that this machine has no Chromium."""


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Yields a running Debian Chromium, another installed one, or Playwright's. Raises NoChromium if there is none."""
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    installed = next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as starter:
        if not installed and not Path(starter.chromium.executable_path).exists():
            raise NoChromium
        sandbox = [] if os.geteuid() else ["--no-sandbox"]
        browser = starter.chromium.launch(executable_path=installed, args=sandbox)
        yield browser
        browser.close()
