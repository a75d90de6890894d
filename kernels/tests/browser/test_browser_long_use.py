"""Tests an afternoon with a page, with the hours compressed: a closed lid, a network that goes away, a kernel that is restarted, a clock
that jumps.

The clock jumps if the machine has `libfaketime`, which Debian and others have as a package.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import COURSE, ROOT, SCREENSHOTS, Lab, awaited, only_in_full
from test_browser import IDLE, RUN_LIMIT, run_all

LID = 60  # seconds for which a lid is closed
# Milliseconds, instead of 30 and 90 seconds. So JupyterLab closes the connection of a browser that doesn't answer, as it does after hours.
PING = ("--ServerApp.tornado_settings={'ws_ping_interval': 5000, 'ws_ping_timeout': 8000}",)
ERRORS = ".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.error']"
NUMBERS = "() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(prompt => prompt.textContent)"


def descendants(of: psutil.Process) -> list[psutil.Process]:
    return [of, *of.children(recursive=True)]


def browsers() -> list[psutil.Process]:
    return [one for one in psutil.Process().children(recursive=True) if "chrom" in one.name()]


@contextlib.contextmanager
def stopped(processes: list[psutil.Process]) -> Iterator[None]:
    """Stops processes as a closed lid does, and lets them go on at the end."""
    for sent in (signal.SIGSTOP, signal.SIGCONT):
        for one in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(one.pid, sent)
        if sent == signal.SIGSTOP:
            yield


@contextlib.contextmanager
def jumping_clock(folder: Path, every: float) -> Iterator[dict[str, str]]:
    """Yields an environment for processes whose clock is a day ahead and a day behind in turn, for `every` seconds.

    Only Python's clock of the day jumps. In a JVM, the library would also falsify the CPU time of threads, by which the course measures.
    """
    library = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if library is None:
        pytest.skip("no libfaketime on this machine: install your system's package faketime")
    clock, end = folder / "clock", threading.Event()
    clock.write_text("+0")

    def jump() -> None:
        for days in itertools.cycle(("+1d", "-1d")):
            if end.wait(every):
                return
            clock.write_text(days)

    jumps = threading.Thread(target=jump)
    jumps.start()
    fake = {"TIMESTAMP_FILE": str(clock), "CACHE_DURATION": "1", "DONT_FAKE_MONOTONIC": "1", "SKIP_CMDS": "java"}
    try:
        yield {**os.environ, "LD_PRELOAD": str(library), **{f"FAKETIME_{name}": value for name, value in fake.items()}}
    finally:
        end.set()
        jumps.join()


def numbers(page: Any) -> list[str]:
    return page.evaluate(NUMBERS)


def await_end(page: Any, cells: int) -> None:
    """Waits until as many cells have run and the kernel is idle. No cell may have failed or wait for ever."""
    page.wait_for_function(f"({NUMBERS})().filter(number => /\\d/.test(number)).length >= {cells}", timeout=RUN_LIMIT)
    page.wait_for_selector(IDLE, state="attached", timeout=RUN_LIMIT)
    assert page.locator(ERRORS).count() == 0, page.locator(ERRORS).all_text_contents()
    assert not [number for number in numbers(page) if "*" in number]


def opened(lab: Lab, browser: Any, file: Path) -> Any:
    """Opens a page of the course alone, without page 00, which the course's workspace opens."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(lab.address.replace("00-start-here.ipynb", file.name) + "&reset")
    page.wait_for_selector(".jp-Toolbar-kernelName:has-text('Scala 2.13 (course)')", timeout=RUN_LIMIT)
    return page


@only_in_full
@pytest.mark.parametrize("number", ["00", "01", "06"])
def test_an_afternoon_with_a_page(number: str, browser, tmp_path: Path):
    with Lab(tmp_path / "lab", verb=("lab",), more=PING) as lab:
        (saved,) = (tmp_path / "lab" / "notebooks").glob(f"{number}-*.ipynb")
        page = opened(lab, browser, saved)
        run_all(page)
        page.wait_for_selector(IDLE, state="attached", timeout=RUN_LIMIT * 2)
        cells = sum(any(sign.isdigit() for sign in one) for one in numbers(page))
        charts = page.locator(".js-plotly-plot").count()
        assert cells > 5 and charts > 0
        server = descendants(psutil.Process(lab.process.pid))
        # The lid is closed while the page runs, then while nothing does.
        run_all(page)
        with stopped([*server, *browsers()]):
            time.sleep(LID)
        await_end(page, cells)
        with stopped([*server, *browsers()]):
            time.sleep(LID)
        # The network goes away during a run: JupyterLab no longer hears the browser, and keeps what comes meanwhile.
        run_all(page)
        with stopped(browsers()):
            time.sleep(LID / 2)
        await_end(page, cells)
        assert page.locator(".js-plotly-plot").count() == charts
        page.screenshot(path=SCREENSHOTS / f"afternoon-{number}.png")
        # A restart keeps the page, and a new run works.
        page.get_by_role("menuitem", name="Kernel", exact=True).click()
        page.get_by_role("menuitem", name=re.compile("^Restart Kernel…")).click()
        page.locator("dialog.jp-Dialog button.jp-mod-accept").click()
        run_all(page)
        await_end(page, cells)
        page.get_by_role("menuitem", name="File", exact=True).click()
        page.get_by_role("menuitem", name=re.compile("^Save Notebook")).first.click()
        assert awaited(lambda: saved.read_text().count("application/vnd.plotly") >= charts, 30)
        assert lab.strange() == []
        page.close()


@only_in_full
def test_a_clock_that_jumps_harms_nothing_in_jupyterlab(browser, tmp_path: Path):
    with jumping_clock(tmp_path, every=20) as env, Lab(tmp_path / "lab", env=env) as lab:
        page = opened(lab, browser, tmp_path / "lab" / "notebooks" / "00-start-here.ipynb")
        run_all(page)
        page.wait_for_selector(IDLE, state="attached", timeout=RUN_LIMIT * 2)
        await_end(page, sum(any(sign.isdigit() for sign in one) for one in numbers(page)))
        assert page.locator(".js-plotly-plot").count() > 0
        assert lab.strange() == [], "".join(lab.lines)
        page.close()


@only_in_full
def test_a_clock_that_jumps_does_not_end_a_run(tmp_path: Path):
    with jumping_clock(tmp_path, every=3) as env:
        env |= {"COURSE_PROFILE": "smoke", "COURSE_RESULTS": str(tmp_path)}
        done = subprocess.run([sys.executable, ROOT / COURSE, "run", "00"], env=env, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
