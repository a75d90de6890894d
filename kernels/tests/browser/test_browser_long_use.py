"""Tests an afternoon with a page, with the hours compressed: a closed lid, a network that goes away, a kernel that is restarted."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import SCREENSHOTS, Lab, awaited, only_in_full
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


def numbers(page: Any) -> list[str]:
    return page.evaluate(NUMBERS)


def await_end(page: Any, cells: int) -> None:
    """Waits until as many cells have run and the kernel is idle. No cell may have failed or wait for ever."""
    ran = f"({NUMBERS})().filter(number => /\\d/.test(number)).length >= {cells}"
    page.wait_for_function(f'{ran} || document.querySelector("{ERRORS}")', timeout=RUN_LIMIT)
    page.wait_for_selector(IDLE, state="attached", timeout=RUN_LIMIT)
    assert page.locator(ERRORS).count() == 0, page.locator(ERRORS).all_text_contents()
    assert not [number for number in numbers(page) if "*" in number]


@only_in_full
@pytest.mark.parametrize("number", ["00", "01", "06"])
def test_an_afternoon_with_a_page(number: str, browser, tmp_path: Path):
    with Lab(tmp_path / "lab", verb=("lab",), more=PING) as lab:
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        (name,) = [file.name for file in (tmp_path / "lab" / "notebooks").glob(f"{number}-*.ipynb")]
        page.goto(lab.address.replace("00-start-here.ipynb", name) + "&reset")  # without page 00, which the course's workspace opens
        page.wait_for_selector(".jp-Toolbar-kernelName:has-text('Scala 2.13 (course)')", timeout=RUN_LIMIT)
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
        saved = tmp_path / "lab" / "notebooks" / name
        assert awaited(lambda: saved.read_text().count("application/vnd.plotly") >= charts, 30)
        assert lab.strange() == []
        page.close()
