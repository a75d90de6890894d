"""The Chromium of this machine, by Playwright. Only what contributors use needs one: the tests, and the first pictures of `site`."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class NoChromium(Exception):
    """There is none on this machine."""


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Debian's Chromium, or another that is installed, or Playwright's own. Raises NoChromium."""
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
