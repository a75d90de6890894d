"""Tests JupyterLab in a real browser: the command opens page 00, the page runs, and every kind of chart is legible."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import SCREENSHOTS, Lab
from playwright.sync_api import TimeoutError as PlaywrightTimeout

PAGE = "00-start-here.ipynb"
RUN_LIMIT = 120_000  # milliseconds
IDLE = ".jp-Notebook-ExecutionIndicator[data-status='idle']"
BAR = ".js-plotly-plot .barlayer .point path"


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """Yields the address of JupyterLab on a copy of the pages, or of the one that COURSE_LAB names."""
    if "COURSE_LAB" in os.environ:
        yield os.environ["COURSE_LAB"]
        return
    with Lab(tmp_path_factory.mktemp("lab")) as lab:
        yield lab.address


@pytest.fixture(scope="module")
def page(browser, address):
    """Yields page 00 in JupyterLab after it has run to its end."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(address)
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=RUN_LIMIT)
    page.wait_for_selector(".jp-Toolbar-kernelName:has-text('Scala 2.13 (course)')", timeout=RUN_LIMIT)
    run_all(page)
    page.wait_for_selector(BAR, state="attached", timeout=RUN_LIMIT)
    if "COURSE_FIRST_PLOT" in os.environ:
        Path(os.environ["COURSE_FIRST_PLOT"]).write_text(str(time.time()))
    page.wait_for_selector(IDLE, state="attached", timeout=RUN_LIMIT)
    yield page
    page.close()


def run_all(page):
    """Runs all cells, and tries again if nothing begins. JupyterLab loses a run that comes just before it asks for the kernel."""
    for _ in range(5):
        page.wait_for_selector(IDLE, state="attached", timeout=RUN_LIMIT)
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        page.wait_for_timeout(2000)  # a reader's patience, because a lost run gives no sign to wait for
        if page.locator(".jp-CodeCell .jp-InputPrompt").first.text_content() != "[ ]:":
            return
    pytest.fail("no cell runs")


def await_painted(page):
    """Waits until no chart has changed for a while, neither its content nor its position."""
    unchanged = """() => {
      const charts = [...document.querySelectorAll('.js-plotly-plot')];
      const now = charts.map(chart => chart.innerHTML + JSON.stringify(chart.getBoundingClientRect())).join();
      const before = window.chartsBefore;
      window.chartsBefore = now;
      return now === before;
    }"""
    page.wait_for_function(unchanged, polling=250, timeout=RUN_LIMIT)


def test_the_bars_of_the_first_plot_are_drawn(page):
    first = page.locator(".js-plotly-plot").first
    first.evaluate("plot => plot.scrollIntoView({block: 'center'})")
    await_painted(page)
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


# A report of 20 ms, and eight requests that arrive in the meantime.
QUEUE = """(0 to 8).map { n =>
      val (began, ended) = if (n == 0) (0L, 20000000L) else (19000000L + n * 1000000L, 20000000L + n * 1000000L)
      TaskSpan(if (n == 0) "report" else s"request $n", "main", Some(Worker("thread", 1, false, false)), n * 1000000L, Some(began),
        Some(ended), Vector.empty, None)
    }"""

# One chart of each kind, with everything that can be on one: errors, marks, parts, lanes.
CHARTS = {
    "bars": 'Chart.bars("`a` is more", "what", "tasks")(Seq("a" -> 2.0, "b" -> 1.0))',
    "groups": """Chart.groups("With errors", "what", "time (ms)")(
      (1 to 6).map(n => s"series $n" -> Seq("a" -> Chart.Value(n * 2.0, 1), "b" -> Chart.Value(n * 1.0, 1))))""",
    "lying groups": """Chart.groups("With names too long to stand", "what", "time (ms)")(Seq("here" ->
      (1 to 9).map(n => s"a-name-as-long-as-a-dispatcher-$n" -> Chart.Value(n * 2.0, 1))))""",
    "stacked": """Chart.stacked("Six parts", "where", "frames")(
      Seq("a", "b").map(_ -> (1 to 6).map(n => s"part $n" -> n * 5.0)))""",
    "lines": """Chart.lines("Measured beside theory", "threads", "rate", at = Seq("predicted" -> 3.0), logX = true)(Seq(
      "theory" -> Chart.Points(Seq(1.0 -> 1.0, 2.0 -> 2.0, 4.0 -> 4.0), band = Seq(0.5 -> 1.5, 1.5 -> 2.5, 3.5 -> 4.5)).lineOnly,
      "measured" -> Chart.Points(Seq(1.0 -> 1.1, 2.0 -> 1.9), errors = Seq(0.2, 0.2)).marksOnly.as("theory")))""",
    "percentiles": """Chart.percentiles("Two runs")(
      Seq("fast" -> 1000L, "slow" -> 90000L).map { case (name, step) => name -> Latencies.of((1 to 500).map(_ * step)) })""",
    "timeline": """Timeline("Two lanes", Seq(false, true).map { spare =>
      TaskSpan("task", "main", Some(Worker(s"thread-$spare", 1, false, spare)), 0L, Some(9000000L), Some(90000000L),
        Vector(Interval(20000000L, 80000000L)), None)
    })""",
    "load": """Load.chart("Two loads")(Seq(1, 2).map(clients =>
      Load.closed(clients, scala.concurrent.duration.Duration(100, "ms")).runBlocking(s"$clients", _.run())(() => Thread.sleep(1))): _*)""",
    "benchmark": """new JmhResults(for ((jdk, n) <- Vector("17", "25").zipWithIndex; (name, m) <- Vector("map", "flatMap").zipWithIndex)
      yield JmhScore(s"course.Futures.$name", "avgt", Map.empty, "2.13", jdk, 20.0 + 9 * n + m, 2, "ns/op")).charts.head""",
    "who waits": """WaitForGraph(Seq("outer" -> "a-lock-with-a-name", "a-lock-with-a-name" -> "inner", "inner" -> "outer"))
      .chart("A circle")""",
    "story": f"""Timeline("One of many", Scene({QUEUE}, story = Some({QUEUE}(5)), kind = _.label.takeWhile(_ != ' '),
      window = Some(Interval(5000000L, 40000000L)), notes = Seq(20000000L -> "a note")))""",
    "stacked timelines": f"""Timeline.stacked("One arrival in two runs")(
      Seq("first", "second").map(name => name -> Scene({QUEUE}, story = Some({QUEUE}(5)))): _*)""",
    "played": f"""Timeline.play("As it happened", {QUEUE})""",
    "explored": f"""Chart.explore("All", "requests")(Seq(3, 6, 9).map {{ n =>
      val runs = Seq(1, 2).map(run => s"run $run" -> Latencies.of((1 to n).map(_ * 1000L * run)))
      n.toString -> Chart.panels(s"found at $n")(Timeline("above", {QUEUE}.take(n)), Chart.percentiles("below")(runs))
    }})""",
}


@pytest.fixture(scope="module")
def gallery(browser, address):
    """Yields a page with one chart of each kind, in the order of `CHARTS`, after it has run."""
    cells = [
        {"cell_type": "code", "id": f"chart-{n}", "metadata": {}, "execution_count": None, "outputs": [], "source": f"{code}.show()"}
        for n, code in enumerate(CHARTS.values())
    ]
    spec = {"name": "scala-course", "display_name": "Scala 2.13 (course)", "language": "scala"}
    content = {"cells": cells, "metadata": {"kernelspec": spec}, "nbformat": 4, "nbformat_minor": 5}
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(address)
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=RUN_LIMIT)
    put = """async content => {
      const config = JSON.parse(document.getElementById('jupyter-config-data').textContent);
      const body = JSON.stringify({ type: 'notebook', format: 'json', content });
      const headers = { Authorization: `token ${config.token}` };
      const answer = await fetch(`${config.baseUrl}api/contents/charts.ipynb`, { method: 'PUT', headers, body });
      return answer.status;
    }"""
    assert page.evaluate(put, content) == 201
    page.goto(re.sub(r"/lab\S*\?", "/doc/tree/charts.ipynb?", address))
    page.wait_for_selector(".jp-Toolbar-kernelName:has-text('Scala 2.13 (course)')", timeout=RUN_LIMIT)
    run_all(page)
    page.wait_for_function(f"document.querySelectorAll('.js-plotly-plot .gtitle').length == {len(CHARTS)}", timeout=RUN_LIMIT)
    await_painted(page)
    page.screenshot(path=SCREENSHOTS / "lab-charts.png")
    yield page
    page.close()


# JupyterLab's background of a cell, in its light and in its dark theme.
BEHIND = {"light": (255, 255, 255), "dark": (17, 17, 17)}

# Returns the fill of every word outside of bars, and fill and stroke of every bar and mark, of one chart.
COLOURS = """plot => {
  const styles = selector => [...plot.querySelectorAll(selector)].map(element => getComputedStyle(element));
  const outside = ['.gtitle', '.xtitle', '.ytitle', '.xtick text', '.ytick text', '.legendtext', '.textpoint text', '.annotation-text',
    '.slider-label', '.updatemenu-item-text'];
  const words = outside.flatMap(selector => styles(selector).map(style => style.fill));
  const shapes = styles('.bars .point path, .scatterlayer .points path').filter(style => style.opacity > 0);
  const errors = styles('.errorbar path, path.yerror, path.xerror');
  const hatch = fill => [...plot.querySelector(fill.match(/#[^"')]+/)[0]).children].flatMap(part => {
    const style = getComputedStyle(part);
    return [style.fill, style.stroke];
  });
  return {
    paper: getComputedStyle(plot.querySelector('.main-svg')).backgroundColor,
    words,
    shapes: shapes.map(style => [...(style.fill.startsWith('url') ? hatch(style.fill) : [style.fill]), style.stroke]),
    errors: errors.map(style => style.stroke),
  };
}"""


@pytest.mark.parametrize("theme", BEHIND)
@pytest.mark.parametrize("kind", CHARTS)
def test_a_chart_can_be_read_in_either_theme(gallery, kind, theme):
    colours = gallery.locator(".js-plotly-plot").nth(list(CHARTS).index(kind)).evaluate(COLOURS)
    assert re.fullmatch(r"rgba\(.*, 0\)|transparent", colours["paper"]), colours
    assert colours["words"]
    for words in colours["words"]:
        assert contrast(channels(words), BEHIND[theme]) >= 3, (words, theme)
    # A light colour needs a visible edge. Of an error bar's two strokes, one is enough.
    for shape in colours["shapes"]:
        seen = [part for part in shape if part != "none" and not re.fullmatch(r"rgba\(.*, 0\)", part)]
        assert max(contrast(channels(part), BEHIND[theme]) for part in seen) >= 3, (shape, theme)
    if colours["errors"]:
        assert max(contrast(channels(stroke), BEHIND[theme]) for stroke in colours["errors"]) >= 3, (colours["errors"], theme)


def title(chart):
    return chart.locator(".gtitle").first.text_content()


def test_a_slider_changes_picture_and_words_and_keeps_what_the_legend_hides(gallery):
    chart = gallery.locator(".js-plotly-plot").nth(list(CHARTS).index("explored"))
    chart.evaluate("plot => plot.scrollIntoView({block: 'center'})")
    before = chart.evaluate(STATE)
    assert "found at 3" in title(chart)
    chart.locator(".legendtoggle").last.click()
    gallery.wait_for_timeout(2 * DOUBLE_CLICK)
    hidden = chart.evaluate(STATE)["shown"]
    assert hidden != before["shown"]
    bars = "plot => plot._fullData.find(trace => trace.type === 'bar' && trace.name === 'running').x.length"
    for place, found in ((1.0, 9), (0.5, 6)):
        rail = chart.locator(".slider-rail-touch-rect").bounding_box()
        gallery.mouse.click(rail["x"] + 2 + place * (rail["width"] - 4), rail["y"] + rail["height"] / 2)
        gallery.wait_for_function(
            f"plot => plot.querySelector('.gtitle').textContent.includes('found at {found}')", arg=chart.element_handle()
        )
        assert chart.evaluate(bars) == found
        after = chart.evaluate(STATE)
        assert (after["heights"], after["shown"]) == (before["heights"], hidden)
        chart.screenshot(path=SCREENSHOTS / f"lab-explored-{found}.png")
    chart.locator(".legendtoggle").last.click()


def test_a_timeline_plays_and_pauses(gallery):
    chart = gallery.locator(".js-plotly-plot").nth(list(CHARTS).index("played"))
    chart.evaluate("plot => plot.scrollIntoView({block: 'center'})")
    before = chart.evaluate(STATE)
    drawn = "plot => plot._fullData.flatMap(trace => [...trace.x]).reduce((one, other) => one + other)"
    whole, words = chart.evaluate(drawn), title(chart)
    assert "0 wait, 0 run, 9 done" in words
    play, pause = chart.locator(".updatemenu-button").all()
    play.click()
    gallery.wait_for_function(
        "plot => /: [1-8] waits?, 1 runs/.test(plot.querySelector('.gtitle').textContent)", arg=chart.element_handle()
    )
    pause.click()
    gallery.wait_for_timeout(2 * DOUBLE_CLICK)
    stopped = title(chart)
    assert 0 < chart.evaluate(drawn) < whole
    gallery.wait_for_timeout(2 * DOUBLE_CLICK)
    assert title(chart) == stopped != words
    assert chart.evaluate(STATE)["heights"] == before["heights"]
    assert chart.evaluate("plot => plot.layout.sliders[0].active") < 59
    chart.screenshot(path=SCREENSHOTS / "lab-played.png")


# Returns the height of the picture and of its container, and what is shown of each trace.
STATE = """plot => ({
  heights: ['.main-svg', '.svg-container'].map(part => plot.querySelector(part).getBoundingClientRect().height),
  shown: plot._fullData.map(trace => trace.visible),
  across: plot._fullLayout.xaxis.range.join(),
})"""
DOUBLE_CLICK = 350  # milliseconds; Plotly takes two faster clicks for a double click


@pytest.mark.parametrize("kind", CHARTS)
def test_a_chart_stays_when_its_legend_is_clicked_and_when_it_is_zoomed(gallery, kind):
    chart = gallery.locator(".js-plotly-plot").nth(list(CHARTS).index(kind))
    chart.evaluate("plot => plot.scrollIntoView({block: 'center'})")
    before = chart.evaluate(STATE)
    assert min(before["heights"]) > 150, before

    def changed(part, was):
        """Returns the chart's state after its `part` has changed."""
        gallery.wait_for_function(
            f"([plot, was]) => JSON.stringify(({STATE})(plot).{part}) !== was",
            arg=[chart.element_handle(), json.dumps(was, separators=(",", ":"))],
            timeout=5000,
        )
        gallery.wait_for_timeout(DOUBLE_CLICK)
        after = chart.evaluate(STATE)
        assert after["heights"] == before["heights"], (kind, part)
        return after

    entries = chart.locator(".legendtoggle")
    state = before
    for _ in ("off", "on again"):
        for entry in range(entries.count()):
            entries.nth(entry).click()
            state = changed("shown", state["shown"])
    assert state["shown"] == before["shown"]

    box = chart.locator(".nsewdrag").first.bounding_box()
    across, middle = [box["x"] + box["width"] * share for share in (0.3, 0.7)], box["y"] + box["height"] / 2
    gallery.mouse.move(across[0], middle)
    gallery.mouse.down()
    gallery.mouse.move(across[1], middle, steps=4)
    gallery.mouse.up()
    zoomed = changed("across", before["across"])
    for attempt in range(4):
        gallery.mouse.dblclick(across[0], middle)
        try:
            gallery.wait_for_function(
                f"([plot, was]) => ({STATE})(plot).across === was", arg=[chart.element_handle(), before["across"]], timeout=3000
            )
            break
        except PlaywrightTimeout:  # on a busy machine, the two clicks may be too far apart for a double click
            assert attempt < 3, (kind, before["across"], zoomed["across"], chart.evaluate(STATE)["across"])
    assert chart.evaluate(STATE)["heights"] == before["heights"]


def test_no_number_stands_on_an_error_bar(gallery):
    for kind in ("groups", "lying groups"):
        chart = gallery.locator(".js-plotly-plot").nth(list(CHARTS).index(kind))
        numbers = [text.bounding_box() for text in chart.locator(".textpoint text").all()]
        bars = [bar.bounding_box() for bar in chart.locator("path.yerror, path.xerror").all()]
        assert numbers and bars
        hits = [(number, bar) for number in numbers for bar in bars if number and bar and on(number, bar)]
        assert not hits, (kind, hits[0])


def on(one, other):
    """Returns whether the middle of one box is inside another."""
    return all(other[at] <= one[at] + one[size] / 2 <= other[at] + other[size] for at, size in (("x", "width"), ("y", "height")))


def channels(colour):
    """Returns the three channels of `rgb(1, 2, 3)`, from 0 to 255."""
    return tuple(int(part) for part in re.findall(r"\d+", colour)[:3])


def contrast(first, second):
    """Returns the contrast ratio of WCAG 2.2, from 1 (none) to 21. Large words and graphics need 3."""
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour):
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in (part / 255 for part in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
