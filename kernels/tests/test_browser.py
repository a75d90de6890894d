"""JupyterLab in a real browser: page 00 is opened by the one command, run, and its bars are drawn."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

playwright = pytest.importorskip("playwright.sync_api")

PAGE = "00-start-here.ipynb"
SCREENSHOTS = ROOT / ".build" / "test"
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S*token=\w+")
RUN_LIMIT = 120_000  # milliseconds
BAR = ".js-plotly-plot .barlayer .point path"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """JupyterLab on a copy of the pages: what it saves must not reach the stored ones."""
    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    words = ["--no-browser", f"--port={free_port()}", f"--ServerApp.root_dir={folder}"]
    words.append(f"--FileContentsManager.preferred_dir={folder / 'notebooks'}")
    homes = {name: str(folder / name.lower()) for name in ("JUPYTERLAB_WORKSPACES_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTER_CONFIG_DIR")}
    argv = [sys.executable, ROOT / "kernels" / "course", "lab", "--", *words]
    lab = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **homes})
    try:
        lines = []
        for line in lab.stdout:
            lines.append(line)
            if found := ADDRESS.search(line):
                break
        else:
            pytest.fail("JupyterLab printed no address:\n" + "".join(lines))
        threading.Thread(target=lab.stdout.read, daemon=True).start()
        yield found[0]
    finally:
        lab.send_signal(signal.SIGTERM)
        lab.wait(30)


@pytest.fixture(scope="module")
def browser() -> Iterator:
    """Debian's Chromium, or another that is installed, or Playwright's own."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    installed = next(filter(None, map(shutil.which, names)), None)
    with playwright.sync_playwright() as starter:
        if not installed and not Path(starter.chromium.executable_path).exists():
            pytest.skip("no Chromium on this machine: install your system's, or `playwright install chromium`")
        sandbox = [] if os.geteuid() else ["--no-sandbox"]
        browser = starter.chromium.launch(executable_path=installed, args=sandbox)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def page(browser, address):
    """Page 00 in JupyterLab, run to its end."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(address)
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=RUN_LIMIT)
    page.wait_for_selector(".jp-Toolbar-kernelName:has-text('Scala 2.13 (course)')", timeout=RUN_LIMIT)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / "lab-opened.png")
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_selector(BAR, state="attached", timeout=RUN_LIMIT)
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status='idle']", state="attached", timeout=RUN_LIMIT)
    yield page
    page.close()


def test_the_bars_of_the_first_plot_are_drawn(page):
    first = page.locator(".js-plotly-plot").first
    first.evaluate("plot => plot.scrollIntoView({block: 'center'})")
    page.wait_for_timeout(500)
    page.screenshot(path=SCREENSHOTS / "lab-first-plot.png")
    boxes = [bar.bounding_box() for bar in first.locator(".barlayer .point path").all()]
    drawn = [box for box in boxes if box and box["width"] >= 1 and box["height"] >= 1]
    assert len(drawn) >= 2, boxes


def test_the_plot_has_a_title_and_units_on_its_axes(page):
    first = page.locator(".js-plotly-plot").first
    assert len(first.locator(".gtitle").first.text_content()) > 10
    assert first.locator(".xtitle").first.text_content()


def test_no_cell_failed_and_every_output_has_a_renderer(page):
    assert page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.error']").count() == 0
    assert page.locator(".jp-OutputArea-output:has-text('application/vnd.plotly')").count() == 0


def test_nothing_pops_up(page):
    assert page.locator(".jp-Dialog").count() == 0
    assert page.locator(".jp-toastContainer .Toastify__toast").count() == 0


# What JupyterLab paints behind a cell, in its light and in its dark theme.
BEHIND = {"light": (255, 255, 255), "dark": (17, 17, 17)}


@pytest.mark.parametrize("theme", BEHIND)
def test_the_words_of_a_chart_can_be_read_in_either_theme(page, theme):
    colours = page.locator(".js-plotly-plot").first.evaluate(
        """plot => {
          const style = selector => getComputedStyle(plot.querySelector(selector));
          const words = ['.gtitle', '.xtitle', '.xtick text'].map(selector => style(selector).fill);
          return { paper: style('.main-svg').backgroundColor, words };
        }"""
    )
    assert re.fullmatch(r"rgba\(.*, 0\)|transparent", colours["paper"]), colours
    for words in colours["words"]:
        assert contrast(channels(words), BEHIND[theme]) >= 3, (words, theme)


def channels(colour):
    """The three channels of `rgb(1, 2, 3)`, 0 to 255."""
    return tuple(int(part) for part in re.findall(r"\d+", colour)[:3])


def contrast(first, second):
    """The contrast ratio of WCAG 2.2: 1 (none) to 21; 3 is asked of large words and of graphics."""
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour):
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in (part / 255 for part in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
