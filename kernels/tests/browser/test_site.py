"""Tests `kernels/course site` on the executed pages, as its readers use it: from a folder, without a network, by the keyboard.

axe judges every page, and each of its findings is an error. It judges the front page in both themes, in a wide and in a narrow window. It
judges a page of each kind in the light theme when wide and in the dark one when narrow, and all other pages in one of these two. `--full`
judges all of them in both.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from command.base import records
from command.base.paths import RUNS
from command.base.problem import Problem
from command.main import perform
from command.pages import executed, notebooks
from command.publish import site, site_claims, site_clean, site_pages, site_pictures, site_source
from command.publish.site_source import CHART, LEDGER
from command.setup.stages import with_packages
from conftest import COURSE, FULL, ROOT

PAGES = [page.stem for page in notebooks.pages()]
BESIDE = ["index", *site_source.TEXTS, "search", "claims/index", "solutions/index"]
SOLUTIONS = [f"solutions/{page}" for page in PAGES]
REPOSITORY = "reader/which-thread"
CLAIM = "claims/B9"
WIDE, NARROW = {"width": 1400, "height": 1000}, {"width": 390, "height": 844}
PLAYED = "02-queue-mixing"  # it has a chart with a play button, and one with only a slider
SETTINGS = [(WIDE, "light"), (WIDE, "dark"), (NARROW, "light"), (NARROW, "dark")]
JUDGED = [*BESIDE, CLAIM, *PAGES, *SOLUTIONS]
KINDS = (*site_source.TEXTS, "search", "claims/index", CLAIM, "solutions/index", PLAYED, SOLUTIONS[4])  # a page of each kind
AXE = {"resultTypes": ["violations"], "preload": False}  # a page from a folder can't read its style sheets as axe would
FADED = 400  # milliseconds until the colours of the other theme have faded in
# The theme makes scrolling elements focusable, a moment after they changed.
REACHED = """() => [...document.querySelectorAll("pre, .cell_output > .output, .pst-scrollable-table-container")]
  .every(one => one.scrollWidth <= one.clientWidth || one.tabIndex === 0)"""
SHOWS_ALL = "sessionStorage.setItem('which-thread shows all', 'true')"  # a reader who wants no questions
MOST_BYTES = 3_000_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of the site, made once, for a repository on GitHub."""
    place = tmp_path_factory.mktemp("made") / "site"
    words = [sys.executable, ROOT / COURSE, "site", place]
    env = {**os.environ, "GITHUB_REPOSITORY": REPOSITORY}
    done = subprocess.run(words, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"Open {(place / 'index.html').as_uri()}\n"
    assert "not published" not in done.stderr  # the course's own pages are published completely
    return place


@pytest.fixture(scope="module")
def reader(browser: Any, folder: Path) -> Iterator[Reader]:
    found = Reader(browser, folder)
    yield found
    found.context.close()


class Reader:
    """Opens pages of the folder. Records requests to other places and errors, and blocks the network."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self.folder, self.foreign, self.errors = folder, [], []
        self.context = browser.new_context(viewport=WIDE, color_scheme="light")
        self.context.add_init_script(SHOWS_ALL)
        self.context.route(re.compile(r"^(?!file:|data:|blob:)"), self.refuse)

    def refuse(self, route: Any) -> None:
        self.foreign.append(route.request.url)
        route.abort()

    def open(self, page: str) -> Any:
        """Opens a page, and draws everything on it."""
        tab = self.glance(page)
        tab.evaluate("() => Promise.all(charts.map(draw))")
        return tab

    def glance(self, page: str) -> Any:
        """Opens a page without drawing charts that aren't in view."""
        tab = self.context.new_page()
        tab.on("pageerror", lambda error: self.errors.append(f"{page}: {error}"))
        tab.on("console", lambda message: self.errors.append(f"{page}: {message.text}") if message.type == "error" else None)
        tab.goto((self.folder / f"{page}.html" if "?" not in page else self.folder / "x").as_uri().replace("/x", f"/{page}"))
        return tab


def outputs_of(page: str) -> list[dict[str, Any]]:
    """Returns the outputs of an executed page."""
    cells = json.loads((RUNS / f"{page}.ipynb").read_text())["cells"]
    return [output for cell in cells for output in cell.get("outputs", ())]


# ---- what is there


class Parsed(HTMLParser):
    """Collects a page's anchors and links."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.addresses: list[str] = []
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids |= {found["id"]} if found.get("id") else set()
        self.addresses += [found[name] for name in ("href", "src") if found.get(name)]


def test_every_page_is_there_and_none_is_too_large(folder: Path):
    pages = [*BESIDE, *PAGES, *SOLUTIONS]
    assert [page for page in pages if not (folder / f"{page}.html").is_file()] == []
    assert [page for page in pages if (folder / f"{page}.html").stat().st_size > MOST_BYTES] == []


def test_no_link_on_the_site_is_broken(folder: Path):
    parsed = {path: Parsed(path) for path in folder.rglob("*.html") if "_static" not in path.parts}
    broken = []
    for path, page in parsed.items():
        for address in page.addresses:
            file, _, anchor = address.partition("#")
            there = (path.parent / file.partition("?")[0]).resolve() if file else path
            inside = not re.match(r"[a-z]+:", address)
            if inside and not (there.is_file() and (not anchor or there not in parsed or anchor in parsed[there].ids)):
                broken.append(f"{path.relative_to(folder)}: {address}")
    assert broken == []
    assert sum("cell-id=" in address for page in parsed.values() for address in page.addresses) > 100


def test_the_front_page_says_what_the_ledger_says(folder: Path):
    page = executed.read_notebook(RUNS / f"{LEDGER}.ipynb")
    (rows,) = (record["rows"] for record in records.of_notebook(page) if record["record"] == "ledger")
    counts = Counter(row["verdict"] for row in rows if row["counts"])
    assert {row["statement"] for row in rows} == records.statements().keys()
    front = (folder / "index.html").read_text()
    said = f"We tested {counts.total()} statements from six articles and four manuals about threads on the JVM"
    assert f"{said}: {counts[records.HOLDS]} hold" in front and f"{counts[records.DEPENDS]} depend on something" in front
    assert f"Another {len(rows) - counts.total()} statements" in " ".join(front.split())
    assert front.count("<tr>") > len(rows)


def test_the_front_page_leads_to_the_decision_sheet_and_the_sheet_to_the_reasons(folder: Path):
    assert "decision-sheet.html" in Parsed(folder / "index.html").addresses
    sheet = Parsed(folder / "decision-sheet.html")
    links = set(re.findall(r"\]\(([^)]+)\)", (ROOT / "notebooks" / "decision-sheet.md").read_text()))
    assert "decision-sheet" in sheet.ids and {site_source.site_link(link) for link in links} <= set(sheet.addresses)


@pytest.mark.parametrize(
    "rows", [None, [], 7, [7], [{"verdict": "fine"}], [{"statement": "A1.a"}], [{"verdict": []}], [{"verdict": "holds"}]]
)
def test_a_ledger_without_its_record_makes_no_front_page(rows: Any):
    output = {"output_type": "display_data", "metadata": {}, "data": {records.MIME: {"record": "ledger", "rows": rows}}}
    with pytest.raises(Problem, match="no record of its verdicts"):
        site_pages.verdicts({"cells": [{"cell_type": "code", "outputs": [output]}]})


def text(output: dict[str, Any]) -> str:
    return "".join(output.get("data", {}).get("text/plain", ""))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_leads_to_itself_on_binder(folder: Path, page: str):
    address = f"https://mybinder.org/v2/gh/{REPOSITORY}/HEAD?urlpath=lab/tree/notebooks/{page}.ipynb"
    assert address in Parsed(folder / f"{page}.html").addresses


def test_the_readme_names_the_site_of_the_repository_that_its_badge_opens():
    words = (ROOT / "README.md").read_text()
    for owner, name in re.findall(r"mybinder\.org/v2/gh/([\w.-]+)/([\w.-]+)/HEAD", words):
        assert f"https://{owner}.github.io/{name}/" in words


# ---- as it is read


def settings(page: str) -> list[tuple[dict[str, int], str]]:
    """Returns the settings in which a page is judged. Two of them cover each theme and each size."""
    both = SETTINGS[::3]
    if page == "index":
        return SETTINGS
    return both if FULL or page in KINDS else [both[JUDGED.index(page) % 2]]


@pytest.mark.parametrize("page", JUDGED)
def test_axe_finds_nothing_and_nothing_comes_from_elsewhere(reader: Reader, page: str):
    reader.foreign.clear(), reader.errors.clear()
    tab = reader.open(page)
    charts = sum(CHART in output.get("data", {}) for output in outputs_of(page)) if page in PAGES else {"index": 6, CLAIM: 2}.get(page, 0)
    assert tab.locator("figure.chart.drawn .main-svg").count() >= tab.locator("figure.chart").count() == charts
    found = []
    for size, theme in settings(page):
        tab.set_viewport_size(size)
        tab.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        tab.wait_for_timeout(FADED)
        tab.wait_for_function(REACHED)
        for violation in Axe().run(tab, options=AXE).response["violations"]:
            found += [f"{size['width']} px, {theme}: {violation['help']}: {node['html'][:200]}" for node in violation["nodes"]]
    tab.close()
    assert found == []
    assert (reader.foreign, reader.errors) == ([], [])


def test_nothing_runs_out_of_a_narrow_window(reader: Reader):
    tab = reader.glance(PLAYED)
    tab.set_viewport_size(NARROW)
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.close()


def test_a_chart_is_drawn_when_it_comes_near(reader: Reader):
    tab = reader.glance(PLAYED)
    last = tab.locator("figure.chart").last
    tab.wait_for_timeout(300)
    assert "drawn" not in last.get_attribute("class")
    last.scroll_into_view_if_needed()
    tab.wait_for_selector("figure.chart.drawn >> nth=-1")
    tab.close()


def test_a_chart_has_its_words(reader: Reader):
    tab = reader.open(PLAYED)
    said = [" ".join(text(output).split("\n\n")[0].split()) for output in outputs_of(PLAYED) if CHART in output.get("data", {})]
    labels = [figure.get_attribute("aria-label") for figure in tab.locator("figure.chart").all()]
    assert all(label.startswith(words) for label, words in zip(labels, said, strict=True))
    tab.close()


# Returns what Plotly shows: every trace's numbers, and the positions of title and notes.
STATE = (
    "plot => JSON.stringify([plot._fullData.map(t => [t.x, t.y, t.base]), plot.layout.title, plot.layout.annotations, plot.layout.shapes])"
)


def test_the_keyboard_moves_a_slider_and_plays(reader: Reader):
    tab = reader.open(PLAYED)
    figure = tab.locator("figure.chart:has(.controls button)").first
    slider, plot, button = figure.locator("input"), figure.locator(".plot"), figure.locator(".controls button")
    slider.focus()
    seen = []
    for key in ("Home", "ArrowRight", "End"):
        tab.keyboard.press(key)
        seen.append((slider.get_attribute("aria-valuetext"), plot.evaluate(STATE)))
    assert len(set(seen)) == 3, [words for words, _ in seen]
    assert figure.locator("output").text_content().endswith(seen[-1][0])
    button.focus()
    tab.keyboard.press("Enter")  # at its end, it starts again
    assert "pause" in button.text_content()
    early = slider.input_value()
    tab.wait_for_function("([slider, early]) => Number(slider.value) > Number(early) + 1", arg=[slider.element_handle(), early])
    tab.keyboard.press("Enter")
    stopped = slider.input_value()
    tab.wait_for_timeout(400)
    assert slider.input_value() == stopped
    assert plot.locator(".slider-group, .updatemenu-button").count() == 0
    tab.close()


def test_folded_code_opens_by_a_key(reader: Reader):
    tab = reader.glance(PLAYED)
    folded = tab.locator("details.above-input")
    stored = json.loads((RUNS / f"{PLAYED}.ipynb").read_text())["cells"]
    code = [cell for cell in stored if cell["cell_type"] == "code" and cell["id"] != site_source.PREFLIGHT]
    assert folded.count() == sum(not site_source.QUESTION.search(site_source.text_of(cell["source"])) for cell in code)
    assert tab.locator("details.hide[open]").count() == 0
    folded.first.locator("summary").focus()
    tab.keyboard.press("Enter")
    assert folded.first.locator("pre").is_visible()
    tab.get_by_role("button", name="Show all code").click()
    assert tab.locator("details.above-input:not([open])").count() == 0
    tab.close()


def test_a_reader_guesses_before_the_answer_is_shown(browser: Any, folder: Path):
    with contextlib.closing(browser.new_context(viewport=WIDE)) as context:
        tab = context.new_page()
        tab.goto((folder / "04-blocking.html").as_uri())
        answer = tab.locator("#how-many-tasks-can-sleep [role=group]:has-text('happened')").first
        assert answer.count() and not answer.is_visible()
        tab.locator(".guesses input").first.fill("7000")
        tab.get_by_role("button", name="Guess").first.click()
        assert answer.is_visible() and "You said 7000 ✗." in tab.locator(".guesses").first.text_content()
        assert tab.locator(".score").text_content() == "You guessed 0 of 1 right."
        option = tab.locator(".guesses button:not(.quiet)").filter(has_text="ask whether it may block")
        option.click()
        assert tab.locator(".score").text_content() == "You guessed 1 of 2 right."
        tab.get_by_role("button", name="Show all answers").first.click()
        assert tab.locator(".not-yet").count() == 0
        tab.goto((folder / "05-direct-execution.html").as_uri())
        assert tab.locator(".not-yet").count() == 0


def test_a_reader_guesses_a_table(browser: Any, folder: Path):
    with contextlib.closing(browser.new_context(viewport=NARROW)) as context:
        tab = context.new_page()
        tab.goto((folder / "07-pool-sizing.html").as_uri())
        name = tab.locator("[role=group]:has(> .guesses table)").get_attribute("aria-label")
        question = tab.get_by_label(name, exact=True).first
        answer = tab.locator("table", has=tab.locator("caption", has_text=name))
        assert not answer.is_visible()
        happened = answer.locator("tbody tr").first.locator("td").first.text_content()
        question.locator("input").nth(0).fill(happened.replace(",", ""))
        question.locator("input").nth(1).fill("7")
        question.get_by_role("button", name="Guess").click()
        assert answer.is_visible() and question.locator(".guesses").text_content().startswith("1 of your 2 numbers is near")
        assert [mark.text_content() for mark in answer.locator("small").all()] == [f" you said {happened} ✓", " you said 7 ✗"]
        assert tab.locator(".score").text_content() == "You guessed 1 of 2 right."


def test_each_question_can_be_answered(browser: Any, folder: Path):
    with contextlib.closing(browser.new_context()) as context:
        tab = context.new_page()
        for page in sorted(folder.glob("[01][0-9]-*.html")):
            tab.goto(page.as_uri())
            asked = tab.evaluate("panels.filter((panel) => panel.querySelector('span')?.textContent === '?').length")
            assert tab.evaluate("guesses.length") == asked == tab.locator(".guesses:has(.guess:not(.quiet))").count(), page.name


def test_no_page_of_the_site_tells_what_to_do_in_a_kernel(folder: Path):
    for page in folder.glob("[01][0-9]-*.html"):
        told = re.search(
            r"remove the <code|Fill in each row|Or skip it and just see|Replace <code[^>]*>\?\?\?|two slashes|&lt;!-- live",
            page.read_text(),
        )
        assert not told, (page.name, told)


def test_a_guess_is_judged_by_what_happened(browser: Any, folder: Path):
    judge = """([happened, right, options, said]) => {
      const facts = new Map(right && [['right is', {textContent: right}]]);
      return OneGuess.prototype.judge.call({happened, options, facts}, said);
    }"""
    with contextlib.closing(browser.new_context()) as context:
        tab = context.new_page()
        tab.goto((folder / "04-blocking.html").as_uri())
        for happened, right, options, said, expected in [
            ("2 of 6", None, [], "2", True),
            ("2 of 6", None, [], "4", False),  # between the two numbers
            ("8.2 naps", None, [], "8", True),
            ("8.2 naps", None, [], "10", False),
            ("16 threads", "11 to 24", [], "23", True),
            ("1,947 ms", None, [], "1900", True),
            ("2.12.20, 2.13.18", None, ["2.12.20", "2.12.20, 2.13.18"], "2.12.20", False),
            ("2.12.20, 2.13.18", None, ["2.12.20", "2.12.20, 2.13.18"], "2.12.20, 2.13.18", True),
        ]:
            assert tab.evaluate(judge, [happened, right, options, said]) is expected, (happened, said)


def test_a_page_is_printed_to_its_end_in_dark_words_on_white(browser: Any, folder: Path, tmp_path: Path):
    with contextlib.closing(browser.new_context(color_scheme="dark")) as context:
        tab = context.new_page()
        tab.goto((folder / "04-blocking.html").as_uri())
        tab.pdf(path=tmp_path / "04.pdf", format="A4")  # opens the folds, and is back on the screen afterwards
        assert tab.locator("html").get_attribute("data-theme") == "dark"
        tab.emulate_media(media="print")
        tab.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert tab.evaluate("dispatchEvent(new Event('beforeprint')) && document.documentElement.dataset.theme") == "light"
        assert tab.locator("details:not([open])").count() == 0
        ends = tab.evaluate(
            """() => ['.bd-article-container', '.bd-content', '.bd-main', '.bd-container__inner', '.bd-container']
              .map(one => [one, getComputedStyle(document.querySelector(one)).display])"""
        )
        assert {shown for _, shown in ends} == {"block"}, ends
        assert tab.evaluate("dispatchEvent(new Event('afterprint')) && document.documentElement.dataset.theme") == "dark"


def test_the_keys_that_print_wait_for_all_charts(browser: Any, folder: Path):
    with contextlib.closing(browser.new_context(viewport=WIDE)) as context:
        tab = context.new_page()
        tab.goto((folder / "04-blocking.html").as_uri())
        widths = "charts.map((figure) => figure.classList.contains('drawn') && figure.querySelector('.main-svg').clientWidth)"
        tab.evaluate(f"() => {{ window.print = () => {{ window.drawn = {widths} }} }}")
        tab.keyboard.press("Control+p")
        tab.wait_for_function("window.drawn !== undefined")
        drawn = tab.evaluate("window.drawn")
        assert len(drawn) > 5 and min(drawn) > 600, drawn  # a chart that was hidden when it was drawn would be narrow


def test_a_phone_shows_titles_without_markup_and_numbers_whole(browser: Any, folder: Path):
    with contextlib.closing(browser.new_context(viewport=NARROW)) as context:
        tab = context.new_page()
        tab.add_init_script(SHOWS_ALL)
        tab.goto((folder / "04-blocking.html").as_uri())
        for figure in tab.locator("figure.chart").all():
            figure.scroll_into_view_if_needed()
            tab.wait_for_function("figure => figure.classList.contains('drawn')", arg=figure.element_handle())
            assert "<" not in figure.locator(".plot").inner_text()
            assert figure.locator(".modebar").count() == 0
            # Plotly cuts off what leaves the axes, for example the number beside the longest bar.
            assert figure.evaluate("figure => figure.querySelector('.plot').data.every(trace => trace.cliponaxis === false)")


@pytest.mark.parametrize("page", site_source.SIMULATED)
def test_a_reader_moves_threads_tasks_and_the_limit(reader: Reader, page: str):
    tab = reader.glance(page)
    place = tab.locator(".simulation")
    assert place.locator("rect").count() == 10 and "5 of 10 tasks sleep simultaneously" in place.text_content()
    place.get_by_label("Extra threads at most").fill("16")
    assert "10 of 10 tasks" in place.text_content() and "after 1 nap." in place.text_content()
    place.get_by_label("each task sleeps").uncheck()
    assert "2 of 10 tasks" in place.text_content() and "after 5 naps" in place.text_content()
    tab.close()


def test_a_link_into_what_is_hidden_shows_it(browser: Any, folder: Path):
    with contextlib.closing(browser.new_context(viewport=WIDE)) as context:
        tab = context.new_page()
        tab.goto((folder / "04-blocking.html").as_uri() + "#cell-id=sleepers-why")
        assert tab.locator("[id='cell-id=sleepers-why']").evaluate("anchor => anchor.closest('.not-yet')") is None
        assert tab.locator(".not-yet").count() > 0


def test_a_link_to_a_page_has_a_preview(folder: Path):
    for page in ("index", "04-blocking", CLAIM):
        words = (folder / f"{page}.html").read_text()
        found = dict(re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)"', words))
        assert found["og:title"] and len(found["description"]) > 100
        assert found["og:image"] == f"https://reader.github.io/which-thread/_previews/{page.rpartition('/')[2]}.png"
        picture = (folder / "_previews" / f"{page.rpartition('/')[2]}.png").read_bytes()
        assert picture.startswith(b"\x89PNG") and len(picture) > 5000
    assert "<title>Which thread runs this?</title>" in (folder / "index.html").read_text()


def test_every_claim_has_a_page_with_its_verdicts(folder: Path):
    page = executed.read_notebook(RUNS / f"{LEDGER}.ipynb")
    rows = site_claims.rows(page)
    assert {row.claim for row in rows} == {claim.id for claim in site_claims.claims()}
    for row in rows:
        words = (folder / "claims" / f"{row.claim}.html").read_text()
        assert row.name in words and f"kernels/course run {row.place[0][:2]}" in words.replace("</span>", "").replace(
            '<span class="pre">', ""
        )
    assert "claims/B9.html" in Parsed(folder / f"{LEDGER}.html").addresses


def test_the_front_page_names_every_statement_that_does_not_hold(folder: Path):
    rows = site_claims.rows(executed.read_notebook(RUNS / f"{LEDGER}.ipynb"))
    _, _, after = (folder / "index.html").read_text().partition('id="what-does-not-hold"')
    fallen, _, _ = after.partition("</ul>")
    assert fallen.count("<li>") == sum(row.counts and row.name == records.DOES_NOT_HOLD for row in rows) > 0


def test_rows_that_differ_from_their_record_make_no_claims(folder: Path):
    page = copy.deepcopy(executed.read_notebook(RUNS / f"{LEDGER}.ipynb"))
    next(cell for cell in page["cells"] if cell["id"] == "all-b-table")["outputs"] = []  # as if it held a script
    with pytest.raises(Problem, match="rows in its tables"):
        site_claims.rows(page)


def test_the_words_of_charts_can_be_read_in_either_theme(reader: Reader):
    tab = reader.open("index")
    greys = []
    for theme in ("light", "dark"):
        tab.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        greys.append(tab.locator(".xtick text").first.evaluate("element => getComputedStyle(element).fill"))
    assert greys == ["rgb(118, 118, 118)", "rgb(168, 168, 168)"]
    tab.close()


def test_search_finds_a_term_without_a_server(reader: Reader):
    reader.errors.clear()
    tab = reader.glance("search.html?q=compensation")
    tab.wait_for_selector("#search-results li a")
    found = tab.locator("#search-results li a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert any(address.startswith("04-blocking.html") for address in found), found
    assert not any(address.startswith("solutions/") for address in found), found
    tab.close()
    assert reader.errors == []


def test_paper_gets_every_chart(reader: Reader):
    tab = reader.glance(PLAYED)
    tab.locator("figure.chart").first.scroll_into_view_if_needed()
    tab.mouse.move(5, 5)
    tab.wait_for_function("() => window.Plotly")
    tab.pdf()
    assert tab.locator("details:not([open])").count() == 0
    assert tab.locator("figure.chart.drawn").count() == tab.locator("figure.chart").count()
    tab.close()


def test_the_decision_sheet_is_one_page_of_paper(reader: Reader):
    tab = reader.glance("decision-sheet")
    assert len(re.findall(rb"/Type\s*/Page\b", tab.pdf(format="A4"))) == 1
    tab.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words: Any) -> None:
        """Logs nothing."""


PICTURE = "() => document.querySelector('figure.chart .plot > svg')?.getBoundingClientRect().height"


@pytest.mark.parametrize("page", ["index", PLAYED])
def test_the_first_chart_comes_in_a_second(browser: Any, folder: Path, page: str):
    """Loads a page from a server with an empty cache. The fastest of three tries counts, because other tests run meanwhile.

    The chart is first a picture. When the reader comes near it, the interactive chart takes its place.
    """
    took = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for _ in range(3):
            context = browser.new_context(viewport=WIDE)
            context.add_init_script(SHOWS_ALL)  # a question would hide the chart
            tab = context.new_page()
            began = time.monotonic()
            tab.goto(f"http://127.0.0.1:{server.server_port}/{page}.html", wait_until="commit")
            height = tab.wait_for_function(PICTURE).json_value()  # immediately, because a chart near the window is soon drawn in its place
            took.append(time.monotonic() - began)
            tab.locator("figure.chart").first.scroll_into_view_if_needed()
            tab.mouse.move(5, 5)  # a picture stays until the reader does something
            tab.wait_for_selector("figure.chart.drawn")
            after = tab.locator("figure.chart .plot").first.bounding_box()
            assert abs(height - after["height"]) < 2
            context.close()
        server.shutdown()
    print(f"the first chart of {page} after {min(took):.2f} s")
    assert min(took) < 1


def test_a_page_whose_first_chart_has_no_place_is_told():
    with pytest.raises(ValueError, match="no chart has a place"):
        site_pictures.with_picture("<p>nothing</p>", {})


# ---- what it is asked


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--from", "nowhere"], "nowhere is not a folder"),
        (["README.md"], "README.md is a file"),
        (["kernels"], "kernels holds other files"),
    ],
)
def test_what_cant_be_is_told(monkeypatch: pytest.MonkeyPatch, words: list[str], told: str):
    monkeypatch.chdir(ROOT)
    with pytest.raises(Problem) as problem:
        perform("site", words)
    assert told in problem.value.what
    assert "kernels/course site" in problem.value.remedy


def test_an_earlier_site_is_replaced(tmp_path: Path):
    (tmp_path / site.OURS).touch()
    site.check_place(tmp_path)


def notebook(path: Path, *outputs: dict[str, Any]) -> Path:
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": "1", "outputs": outputs, "execution_count": len(outputs) or None}
    path.write_text(json.dumps({"cells": [cell], "metadata": {executed.MADE_WITH: executed.lab()}}))
    return path


def test_a_page_that_wasnt_executed_or_failed_is_told(tmp_path: Path):
    error = {"output_type": "error", "ename": "Boom", "evalue": "as said", "traceback": []}
    for page, told in ((notebook(tmp_path / "07-a.ipynb", error), "Boom: as said"), (notebook(tmp_path / "08-b.ipynb"), "not executed")):
        with pytest.raises(Problem, match=told) as problem:
            executed.read(page)
        assert problem.value.remedy.endswith(f"kernels/course run {page.name[:2]}")


def test_a_page_is_executed_again_if_it_or_the_lab_changed_since(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    stored = notebook(tmp_path / "07-a.ipynb", {"output_type": "stream", "name": "stdout", "text": "1"})
    runs = tmp_path / "run"
    runs.mkdir()
    assert executed.outdated([stored], runs) == [stored]
    (runs / stored.name).write_text(stored.read_text())
    assert executed.outdated([stored], runs) == []
    (runs / stored.name).write_text(stored.read_text().replace('"source": "1"', '"source": "2"'))
    assert executed.outdated([stored], runs) == [stored]
    (runs / stored.name).write_text(stored.read_text())
    monkeypatch.setattr(executed, "LAB", tmp_path / "lab")
    (tmp_path / "lab").mkdir()
    assert executed.outdated([stored], runs) == [stored]


def test_pages_are_looked_at_before_anything_else_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(site, "with_packages", lambda **words: pytest.fail("set-up began before the pages were looked at"))
    for page in notebooks.pages():
        content = json.loads(page.read_text())
        for cell in content["cells"]:
            if cell["cell_type"] == "code":
                cell |= {"execution_count": 1, "outputs": [{"output_type": "stream", "name": "stdout", "text": "1"}]}
        (tmp_path / page.name).write_text(json.dumps(content))
    left = next(cell for cell in content["cells"] if cell["cell_type"] == "code")
    left |= {"execution_count": None, "outputs": []}
    (tmp_path / page.name).write_text(json.dumps(content))
    with pytest.raises(Problem, match=f"executed in part: 1 of its cells have not run, first '{left['id']}'") as problem:
        perform("site", [str(tmp_path / "site"), "--from", str(tmp_path)])
    assert problem.value.remedy.endswith(f"kernels/course run {page.name[:2]}")


@pytest.mark.parametrize("failed", [[], [{"output_type": "error", "ename": "Boom", "evalue": "", "traceback": []}]])
def test_a_page_that_did_not_run_to_its_end_is_executed_again(tmp_path: Path, failed: list):
    page = notebook(tmp_path / "07-a.ipynb", *failed)
    assert executed.outdated([page], tmp_path) == [page]


@pytest.mark.parametrize(
    ("repository", "expected"),
    [
        (REPOSITORY, f"[b](https://github.com/{REPOSITORY}/blob/HEAD/kernels/b.scala)"),
        ("", "b (`kernels/b.scala` in the repository)"),
    ],
)
def test_links_lead_to_pages_and_what_isnt_on_the_site_to_the_repository(repository: str, expected: str):
    source = (
        "[a](01-x.ipynb#cell-id=key-points), [`g`](glossary.md), [c](#When-a-cell-fails), [d](https://e.f/g.md), [b](../kernels/b.scala)"
    )
    linked = "[a](01-x.html#cell-id=key-points), [`g`](glossary.html), [c](#when-a-cell-fails), [d](https://e.f/g.md), " + expected
    assert site_source.linked(source, repository) == linked
    code = "`[a](b.ipynb)`\n```\n[a](b.ipynb)\n```"
    assert site_source.linked(code, repository) == code


def test_who_executed_the_course_is_not_its_reader(folder: Path):
    page = (folder / "00-start-here.html").read_text()
    assert "this cell shows how far you are" in page
    assert "opened in JupyterLab</span>" not in page
    assert "opened in JupyterLab</span>" in json.dumps(outputs_of("00-start-here"))


def test_a_chart_cant_end_its_script():
    figure = {"layout": {"height": '7"><b>', "title": "</script><!--<script>\u2028"}}
    page = site_source.chart_html(figure, 'a "title"\n\nand\nwords\n\ntable')
    assert page.count("</script>") == page.count("<script") == 1 and "<b>" not in page and "<!--" not in page
    assert json.loads(re.search(r'<script type="application/json">(.*)</script>', page)[1]) == figure
    assert 'aria-label="a &quot;title&quot; and words"' in page


# ---- pages from a foreign folder

HOSTILE = "00-start-here"
LINK = '<a href="javascript:hacked.push(1)">a link</a>'
SCRIPT, HANDLER = "<script>window.hacked = ['script']</script>", '<img src="x" onerror="window.hacked = [2]">'
FIGURE = {"data": [{"type": "bar", "x": ["a"], "y": [1]}], "layout": {"height": 300, "title": {"text": "< a > & \u2028 fine"}}}


def shows(**data: Any) -> dict[str, Any]:
    named = {
        {"html": "text/html", "chart": CHART, "svg": "image/svg+xml"}.get(name, f"application/{name}"): what for name, what in data.items()
    }
    return {"output_type": "display_data", "metadata": {"image/svg+xml": {"isolated": True}}, "data": {"text/plain": "in words", **named}}


def drawn(**layout: Any) -> dict[str, Any]:
    return shows(chart={**FIGURE, "layout": {**FIGURE["layout"], **layout}})


EVIL = {
    "text/html with <script>": shows(html=SCRIPT),
    "text/html with <img>, onerror, src": shows(html=HANDLER),
    "text/html with href": shows(html=LINK),
    "text/html with ontoggle, open": shows(html='<details open ontoggle="window.hacked = [3]">a</details>'),
    "text/html with style position": shows(html='<p style="position:fixed;top:0">over all</p>'),
    "text/html with <style>": shows(html="<style>body { display: none }</style>"),
    "application/javascript": shows(javascript="window.hacked = [4]"),
    "application/vnd.jupyter.widget-view+json": shows(**{"vnd.jupyter.widget-view+json": {"model_id": "a"}}),
    "image/svg+xml": shows(svg="<svg onload='window.hacked = [5]'/>"),
    "text/markdown": {**shows(), "data": {"text/markdown": SCRIPT}},
    "chart that has markup in its words": drawn(title={"text": "<!--<script>"}),
    "chart that has 'images'": drawn(images=[{"source": "https://example.org/a.png"}]),
    "chart that has traces of type scattergeo": shows(chart={**FIGURE, "data": [{"type": "scattergeo"}]}),
    "chart that Invalid value": drawn(height='1px" onclick="window.hacked = [6]'),
    "chart that 'pad'": drawn(sliders=[{"steps": []}], margin={"b": 1}),
}


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Returns an executed page and the ledger from an attacker, and the other pages without outputs."""
    place = tmp_path_factory.mktemp("foreign")
    page = json.loads((RUNS / f"{HOSTILE}.ipynb").read_text())
    words, code = (next(cell for cell in page["cells"][1:] if cell["cell_type"] == kind) for kind in ("markdown", "code"))
    words["source"] = f"{SCRIPT}\n\n{{{{a}}}}`<script>`"
    code["source"] += f"\n// </pre>{SCRIPT}"
    code["metadata"]["mystnb"] = {"code_prompt_show": SCRIPT}
    said = {"output_type": "stream", "name": "stdout", "text": f"printed \ud800\0{SCRIPT}"}
    code["outputs"] = [*EVIL.values(), shows(chart=FIGURE), said]
    page["cells"] += [{**words, "id": "more"}, {"cell_type": "raw", "id": "raw", "metadata": {"format": "text/html"}, "source": SCRIPT}]
    page["metadata"]["mystnb"] = {"execution_mode": "force"}  # MyST-NB would run the page's cells
    ledger = json.loads((RUNS / f"{LEDGER}.ipynb").read_text())
    found = {}
    others = {name: json.loads((RUNS / f"{name}.ipynb").read_text()) for name in PAGES}
    for other in others.values():
        for cell in other["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"] = []
    for name, notebook in {**others, HOSTILE: page, LEDGER: ledger}.items():
        found[name] = place / f"{name}.ipynb"
        found[name].write_text(json.dumps(notebook))
    return found


def test_nothing_of_a_foreign_page_is_active_and_what_is_left_out_is_told(foreign, browser, tmp_path, monkeypatch, capfd):
    (tmp_path / "notebooks" / "solutions").mkdir(parents=True)  # only the necessary other parts of the site
    for name in site_source.TEXTS:
        shutil.copy(ROOT / "notebooks" / f"{name}.md", tmp_path / "notebooks")
    for name in (HOSTILE, LEDGER):
        shutil.copy(ROOT / "notebooks" / "solutions" / f"{name}.ipynb", tmp_path / "notebooks" / "solutions")
    monkeypatch.setattr(site_pages, "NOTEBOOKS", tmp_path / "notebooks")
    site.render(with_packages(tests=True), foreign, tmp_path / "site", "")
    told = re.findall(f"{HOSTILE}: not published: (.*)", capfd.readouterr().err)
    missing = [what for what in EVIL if not any(line.startswith(f"1 × {what}") for line in told)]
    assert missing == [], told
    others = ("1 × code of the page", "1 × text: the page's own", "2 × cell that the page doesn't have (in more, raw)")
    assert all(any(line.startswith(other) for line in told) for other in others) and len(told) == len(EVIL) + len(others), told

    reader = Reader(browser, tmp_path / "site")
    tab = reader.open(HOSTILE)
    assert tab.locator("figure.chart.drawn").count() == tab.locator("figure.chart").count()
    assert "< a > &" in tab.locator("figure.chart").first.text_content()
    for link in tab.locator("article a:has-text('a link')").all():
        link.click()
    tab.locator("article details").evaluate_all("every => every.forEach(one => one.open = true)")
    text = tab.locator("article").text_content()
    assert text.count("in words") >= len(EVIL) - 1 and "window.hacked = ['script']" in text  # as text
    assert tab.evaluate("window.hacked") is None
    assert tab.locator("article :is(img, iframe, object, embed, base, form)").count() == 0
    assert tab.locator("article script:not([type='application/json'])").count() == 0
    assert (reader.foreign, reader.errors) == ([], [])
    reader.context.close()


@pytest.mark.parametrize("text", ["[]", "{}", '{"cells": 1}', "[" * 100_000, '{"cells": [], "nbformat": 4, "a": NaN}', "\udcff"])
def test_what_is_no_notebook_is_told(tmp_path: Path, capsys, text: str):
    path = tmp_path / f"{HOSTILE}.ipynb"
    path.write_text(text, errors="surrogateescape")
    assert site_clean.main([str(tmp_path / "cleaned"), str(path)]) == 1
    assert f"{path} is not a notebook that can be published" in capsys.readouterr().out


def test_the_repository_is_githubs_or_none(monkeypatch: pytest.MonkeyPatch):
    for origin, name in (("git@github.com:a/b.git", "a/b"), ("https://github.com/a/b", "a/b"), ("https://e.f/a/b", ""), ("/a/b", "")):
        monkeypatch.setattr(site.children, "run", lambda *words, origin=origin, **options: (0, origin + "\n"))
        monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
        assert site.repository() == name
    monkeypatch.setenv("GITHUB_REPOSITORY", "c/d")
    assert site.repository() == "c/d"
