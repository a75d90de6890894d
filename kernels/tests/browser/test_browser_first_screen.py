"""Tests what a newcomer sees first in JupyterLab, and what happens to the reader's work when it is closed."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

import pytest
from conftest import SCREENSHOTS, Lab, awaited

LIMIT = 120_000  # milliseconds
SAVED_WITHIN = 60_000  # milliseconds; longer than the interval of automatic saving
MARK = "// the reader was here"
# In the status bar once the page is connected to its kernel. The sign at the notebook's upper edge is that of an idle kernel before.
IDLE = ":text-is('Scala 2.13 (course) | Idle')"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reader")


@pytest.fixture(scope="module")
def address(folder) -> Iterator[str]:
    if "COURSE_LAB" in os.environ:
        yield os.environ["COURSE_LAB"]
        return
    with Lab(folder) as lab:
        yield lab.address


@pytest.fixture
def page(browser, address):
    """Yields page 00, opened but not touched."""
    with opened(browser, address) as page:
        yield page


@contextlib.contextmanager
def opened(browser, address, **context):
    context = browser.new_context(viewport={"width": 1366, "height": 800}, **context)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=LIMIT)
    page.wait_for_selector(".jp-Toolbar-kernelName:has-text('Scala 2.13 (course)')", timeout=LIMIT)
    yield page
    context.close()


def asked(page, path):
    """Returns the server's answer at this path."""
    script = """async path => {
      const config = JSON.parse(document.getElementById('jupyter-config-data').textContent);
      const answer = await fetch(config.baseUrl + path, { headers: { Authorization: `token ${config.token}` } });
      return answer.json();
    }"""
    return page.evaluate(script, path)


def workspace(page):
    """Returns what is open and where, as JupyterLab has saved it."""
    return asked(page, "lab/api/workspaces/default")["data"]["layout-restorer:data"]


def test_the_first_page_stands_beside_its_table_of_contents(page):
    page.wait_for_selector(".jp-TableOfContents-content:visible :text('Is this machine ready?')", timeout=LIMIT)
    assert page.locator(".lm-DockPanel-tabBar .lm-mod-current").first.text_content().startswith("00-start-here")
    page.screenshot(path=SCREENSHOTS / "first-screen.png")


def test_only_the_kernel_of_the_course_is_offered(page):
    assert list(asked(page, "api/kernelspecs")["kernelspecs"]) == ["scala-course"]


def test_a_page_that_was_only_opened_is_not_changed(page):
    page.wait_for_selector(IDLE, timeout=LIMIT)
    page.wait_for_timeout(2000)  # nothing should happen, and nothing signals that
    assert page.locator(".lm-DockPanel-tabBar .jp-mod-dirty").count() == 0


@pytest.mark.parametrize(("scheme", "light"), [("light", "true"), ("dark", "false")])
def test_the_theme_is_that_of_the_readers_system(browser, address, scheme, light):
    with opened(browser, address, color_scheme=scheme) as page:
        page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached", timeout=LIMIT)


def test_the_kernel_of_a_closed_page_is_shut_down(page):
    def has_a_kernel():
        return any(session["path"].endswith("00-start-here.ipynb") for session in asked(page, "api/sessions"))

    # JupyterLab shuts down no kernel that a page is still connecting to.
    page.wait_for_selector(IDLE, timeout=LIMIT)
    assert has_a_kernel()
    page.locator(".lm-DockPanel-tabBar .lm-mod-current .lm-TabBar-tabCloseIcon").first.click()
    until = time.monotonic() + 60
    while has_a_kernel():
        assert time.monotonic() < until, "the kernel goes on"
        page.wait_for_timeout(300)


def test_the_glossary_is_a_text_to_read_and_leads_to_a_pages_terms(page):
    page.wait_for_selector(IDLE, timeout=LIMIT)  # while it opens the page, JupyterLab may bring it to the front again
    page.locator(".jp-MarkdownCell a:text-is('glossary')").last.click()
    page.locator(".jp-MarkdownViewer li:has-text('starvation') a:text-is('page 04')").click(timeout=LIMIT)
    terms = page.locator(".jp-NotebookPanel:visible .jp-MarkdownCell h2:text('Terms of this page')")
    terms.wait_for(timeout=LIMIT)
    page.wait_for_function("e => e.getBoundingClientRect().top < innerHeight", arg=terms.element_handle(), timeout=LIMIT)


@pytest.mark.skipif("COURSE_LAB" in os.environ, reason="another one started this JupyterLab")
def test_the_readers_work_is_there_again(browser, tmp_path):
    with Lab(tmp_path) as lab, opened(browser, lab.address) as page:
        page.locator(".jp-CodeCell .cm-content").first.click()
        page.keyboard.press("Control+End")
        page.keyboard.type("\n" + MARK)
        page.wait_for_selector(".lm-DockPanel-tabBar .jp-mod-dirty", timeout=LIMIT)
        page.wait_for_selector(".lm-DockPanel-tabBar .jp-mod-dirty", state="detached", timeout=SAVED_WITHIN)
        page.locator(".jp-SideBar .lm-TabBar-tab[data-id='filebrowser']").click()
        assert awaited(lambda: workspace(page)["left"]["current"] == "filebrowser", 20), workspace(page)
    with Lab(tmp_path) as lab, opened(browser, lab.address) as page:
        assert MARK in page.locator(".jp-CodeCell .cm-content").first.text_content()
        assert page.locator("#filebrowser:visible").count() == 1, "the reader had closed the table of contents"
