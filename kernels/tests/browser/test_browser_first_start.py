"""Tests a reader's first minutes, from an empty clone and empty caches. Page 00 runs while the set-up's second stage continues."""

from __future__ import annotations

import itertools
import os

import pytest
from conftest import SCREENSHOTS
from first_chart import first_start

WHOLE_PAGE = 300_000  # milliseconds; later cells wait for parts that are still downloading
ALL_CELLS_HAVE_RUN = (
    "() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].every(prompt => !prompt.textContent.includes('*'))"
)


@pytest.fixture(scope="module")
def start(browser, tmp_path_factory):
    if "COURSE_LAB" in os.environ:
        pytest.skip("another one started this JupyterLab")
    with first_start(browser, tmp_path_factory.mktemp("first")) as start:
        yield start


def test_jupyterlab_opens_before_later_pages_have_what_they_need(start):
    lines = list(start.lab.lines)
    address = next(number for number, line in enumerate(lines) if start.lab.address in line)
    systems = next((number for number, line in enumerate(lines) if "system-play" in line), len(lines))
    assert address < systems, "".join(lines)


def test_page_00_runs_to_its_end_and_waits_for_what_it_needs(start):
    start.page.wait_for_function(ALL_CELLS_HAVE_RUN, timeout=WHOLE_PAGE)
    start.page.screenshot(path=SCREENSHOTS / "first-start.png")
    assert start.page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.error']").count() == 0
    assert start.page.locator(".js-plotly-plot").count() >= 4


def test_then_nothing_is_left_to_download(start):
    start.await_parts()
    build = start.lab.root / ".build"
    assert not (build / "set-up.json").exists()
    assert (build / "kernel" / "kernel.aot").is_file()


def test_set_up_is_never_silent_for_more_than_10_seconds(start):
    start.await_parts()
    lines = [line for line in start.lab.lines if line.startswith("[ ")]
    seconds = [float(line[1:].split()[0]) for line in lines]
    pauses = [after - before for before, after in itertools.pairwise(seconds)]
    assert [line for line, pause in zip(lines[1:], pauses, strict=True) if pause > 10] == []
