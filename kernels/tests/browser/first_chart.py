"""Measures the time from `git clone` to the first chart of page 00 in a browser, with an empty HOME and empty caches.

    .venv/bin/python kernels/tests/browser/first_chart.py [--rounds N]

A program clicks as soon as it can. Prints the seconds to the first page in JupyterLab, to its first chart, and until nothing is left to
download. `kernels/course test browser` does the same (test_browser_first_start.py), and lets the page run to its end.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for `conftest`
from conftest import ROOT, Lab, base_python, chromium, copy_sources
from test_browser import BAR, RUN_LIMIT, run_all

# Variables that would lead tools to earlier downloads, and the command to another installation's settings.
INHERITED = ("COURSIER_CACHE", "PIP_CACHE_DIR", "UV_CACHE_DIR", "PYTHONPATH", "VIRTUAL_ENV")
INHERITED_KINDS = ("XDG_", "COURSE_", "JUPYTER")
DONE = "The background part of the set-up is done"


@dataclass(frozen=True)
class FirstStart:
    """Holds a first start that has reached its first chart. Times are seconds since `git clone` began."""

    lab: Lab
    page: Any
    began: float
    opened: float
    drawn: float

    def await_parts(self) -> float:
        """Waits until nothing is left to download, and returns the seconds since the start."""
        self.lab.await_line(DONE)
        return time.monotonic() - self.began


@contextlib.contextmanager
def first_start(browser: Any, folder: Path) -> Iterator[FirstStart]:
    """Clones the course into `folder`, starts JupyterLab with empty caches, and runs page 00 up to its first chart."""
    clone, home = folder / "clone", folder / "home"
    home.mkdir(parents=True)
    kept = {name: value for name, value in os.environ.items() if name not in INHERITED and not name.startswith(INHERITED_KINDS)}
    began = time.monotonic()
    if subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=False).returncode:
        copy_sources(clone)  # the course may have no history
    with Lab(clone, clone, base_python(), {**kept, "HOME": str(home)}) as lab:
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.goto(lab.address)
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=RUN_LIMIT)
        opened = time.monotonic() - began
        page.wait_for_selector(".jp-Toolbar-kernelName:has-text('Scala 2.13 (course)')", timeout=RUN_LIMIT)
        run_all(page)
        page.wait_for_selector(BAR, state="attached", timeout=RUN_LIMIT)
        yield FirstStart(lab, page, began, opened, time.monotonic() - began)
        page.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1)
    with chromium() as browser:
        for number in range(1, parser.parse_args().rounds + 1):
            with tempfile.TemporaryDirectory() as folder, first_start(browser, Path(folder)) as start:
                whole = start.await_parts()
                seconds = f"JupyterLab after {start.opened:.0f} s, first chart after {start.drawn:.0f} s, all there after {whole:.0f} s"
                print(f"round {number}: {seconds}")
                print("".join(line for line in start.lab.lines if line.startswith("[ ")), flush=True)


if __name__ == "__main__":
    main()
