"""Tests a page as slides: which cells are on slides and have notes, live in JupyterLab, and exported without a network."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
import page_measures
import pytest
from command.base.problem import Problem
from command.main import perform
from command.pages import notebooks
from command.publish import speaker
from conftest import COURSE, FULL, ROOT, SCREENSHOTS, Lab, only_in_full
from lesson import LIMIT, SHOWN, audience, space

PAGES = notebooks.pages()
SMALL = next(page for page in PAGES if page.stem.startswith("00"))
TYPES = ("", "slide", "subslide", "fragment", "skip")
LEAST = 0.96  # the least factor by which an exported slide is scaled down
SIZES = "found => found.map(one => parseFloat(getComputedStyle(one).fontSize))"  # in pixels
LEAST_TEXT = 0.028  # of the screen's height


def name(path: Path) -> str:
    return path.stem


def cells(page: Path) -> list[dict[str, Any]]:
    return json.loads(page.read_text())["cells"]


# ---- which cells are slides


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_begins_with_a_slide_and_holds_no_cell_of_notes(page: Path):
    found = cells(page)
    assert speaker.slide_type(found[0]) == "slide"
    assert {speaker.slide_type(cell) for cell in found} <= set(TYPES)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_each_verdict_is_on_a_slide_and_no_exercise(page: Path):
    for cell in filter(page_measures.is_code, cells(page)):
        if page_measures.is_exercise(cell):
            assert speaker.slide_type(cell) == "skip", cell["id"]
        elif re.search(r"\bClaim\(", page_measures.source(cell)):
            assert speaker.slide_type(cell) != "skip", f"{cell['id']} gives a verdict, and is on no slide"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_each_slide_with_an_experiment_has_a_note(page: Path):
    for slide in speaker.slides(cells(page)):
        shown = speaker.seen(slide)
        runs = [cell["id"] for cell in shown if page_measures.visible(cell) and "Predict" not in page_measures.source(cell)]
        assert speaker.NOTES in shown[0]["metadata"] or not runs, f"{runs}: nothing says what to ask before they run, in {shown[0]['id']}"
        assert not [cell["id"] for cell in slide if cell is not shown[0] and speaker.NOTES in cell["metadata"]], (
            "notes behind the first cell"
        )


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_question_is_asked_before_anything_else_of_its_slide_runs(page: Path):
    for slide in speaker.slides(cells(page)):
        code = [cell for cell in speaker.seen(slide) if page_measures.is_code(cell)]
        asks = [cell for cell in code if re.search(r"^// \w+\.is\(", page_measures.source(cell), re.M)]
        assert not asks or (code[0] is asks[0] and len(asks) == 1), f"{[cell['id'] for cell in asks]}: begin a slide with the question"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_slide_needs_a_cell_that_is_on_none(page: Path):
    """Checks that the slides' cells, run in order, need no other cell."""
    on, off = set(), {}
    for cell in filter(page_measures.is_code, cells(page)):
        text = page_measures.source(cell)
        if "Jmh.live(" in text:
            continue  # it replaces a value of the cell before it
        if speaker.slide_type(cell) == "skip":
            off.update(dict.fromkeys(page_measures.defined(text), cell["id"]))
        else:
            needed = set(re.findall(r"\b[a-zA-Z]\w*", page_measures.code_only(text))) & off.keys() - on - page_measures.defined(text)
            assert not needed, f"{cell['id']} uses {needed}, from cells that are on no slide: {[off[one] for one in needed]}"
            on |= page_measures.defined(text)


# ---- speaker notes


def cell_of(kind: str, note: str = "", text: str = "") -> dict[str, Any]:
    metadata = {**({"slideshow": {"slide_type": kind}} if kind else {}), **({speaker.NOTES: note} if note else {})}
    return {"cell_type": "markdown", "id": f"{kind}{text}", "metadata": metadata, "source": text}


def test_notes_stand_behind_what_is_seen_of_their_slide():
    found = speaker.unfolded([cell_of("slide", "say a"), cell_of(""), cell_of("skip"), cell_of("subslide"), cell_of("slide", "say b")])
    assert [speaker.slide_type(cell) for cell in found] == ["slide", "", "notes", "skip", "subslide", "slide", "notes"]
    assert [cell["source"] for cell in found if speaker.slide_type(cell) == "notes"] == ["say a", "say b"]


def test_notes_that_are_written_while_one_presents_are_kept_with_the_slide():
    changed = [
        cell_of("slide", "old"),
        cell_of("notes", text="new"),
        cell_of("subslide"),
        cell_of("notes", text="more"),
        cell_of("slide", "gone"),
    ]
    found = speaker.folded(changed)
    assert [(speaker.slide_type(cell), cell["metadata"].get(speaker.NOTES)) for cell in found] == [
        ("slide", "new"),
        ("subslide", "more"),
        ("slide", None),
    ]


def finished(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Runs a coroutine on another thread, because Playwright's event loop may be running on this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_that_is_saved_from_its_slides_is_as_it_was(page: Path, tmp_path: Path):
    from command.publish.slides_contents import SlidesContents

    (tmp_path / page.name).write_text(page.read_text())
    contents = SlidesContents(root_dir=str(tmp_path))
    opened = finished(contents.get(page.name))
    stored = json.loads(page.read_text())["cells"]
    notes = sum(speaker.slide_type(cell) == "notes" for cell in opened["content"]["cells"])
    assert notes == sum("speaker_notes" in cell["metadata"] for cell in stored) > 0
    nbformat.validate(opened["content"])
    finished(contents.save({"type": "notebook", "format": "json", "content": opened["content"]}, page.name))
    assert (tmp_path / page.name).read_text() == page.read_text()


# ---- what is asked


@pytest.mark.parametrize(
    ("words", "what", "remedy"),
    [
        (["77"], "There is no page '77'.", "There are: 00-start-here"),
        (["00", "--export", f"{SMALL}/slides"], "is a file, not a folder", "Name another folder."),
    ],
)
def test_what_can_not_be_is_told(words: list[str], what: str, remedy: str):
    with pytest.raises(Problem) as told:
        perform("slides", words)
    assert what in told.value.told()
    assert remedy in told.value.told()


# ---- exported


@pytest.fixture(scope="module", params=PAGES if FULL else [SMALL], ids=name)
def exported(request, tmp_path_factory) -> Path:
    """Returns the file with a page's slides, exported by the command."""
    folder = tmp_path_factory.mktemp("slides")
    words = [sys.executable, ROOT / COURSE, "slides", request.param.stem[:2], "--export", folder]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / f"{request.param.stem}.html"


@pytest.fixture
def at_hand(browser, exported: Path) -> Iterator[Any]:
    """Yields the exported slides in a browser. `asked` records the addresses that they request."""
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.asked = []
    context.on("request", lambda request: page.asked.append(request.url))
    page.goto(exported.as_uri())
    page.wait_for_function("Reveal.isReady()")
    yield page
    context.close()


def now(page: Any) -> dict[str, Any]:
    """Returns what is visible on the slide, after its charts are drawn. `below`, `beside`: pixels that the screen doesn't show."""
    page.wait_for_function("Reveal.getCurrentSlide().dataset.scale")
    return page.evaluate(
        """() => {
          const slide = Reveal.getCurrentSlide();
          const charts = [...slide.querySelectorAll('.course-chart')];
          return {
            place: location.hash, scrolled: slide.scrollTop, text: slide.innerText, scale: Number(slide.dataset.scale),
            below: slide.scrollHeight - slide.clientHeight - slide.scrollTop, beside: slide.scrollWidth - slide.clientWidth,
            charts: charts.map(chart => chart.querySelector('.main-svg')?.getBoundingClientRect().width ?? 0), last: Reveal.isLastSlide(),
          };
        }"""
    )


def through(page: Any, each: Callable[[dict[str, Any]], None]) -> int:
    """Goes through all slides by the key Space, and returns their number. Checks that nothing of a slide is left out."""
    places: list[str] = []
    for _ in range(400):
        slide = now(page)
        if slide["place"] not in places[-1:]:
            places.append(slide["place"])
            each(slide)
        if slide["last"] and slide["below"] <= 8:
            return len(places)
        page.keyboard.press("Space")
        page.wait_for_function(
            "before => location.hash != before.place || Reveal.getCurrentSlide().scrollTop != before.scrolled", arg=slide
        )
        assert now(page)["place"] == slide["place"] or slide["below"] <= 8, slide
    raise AssertionError("the slides have no end")


def test_exported_slides_fit_and_are_drawn_without_a_network(at_hand, exported: Path):
    charts: list[float] = []

    def look(slide: dict[str, Any]) -> None:
        assert slide["scale"] >= LEAST, slide
        assert slide["beside"] <= 1, slide
        charts.extend(slide["charts"])
        if slide["charts"]:
            at_hand.screenshot(path=SCREENSHOTS / "slides-exported.png")

    stored = next(page for page in PAGES if page.stem == exported.stem)
    assert through(at_hand, look) >= len(speaker.slides(cells(stored)))
    assert len(charts) >= 3
    assert min(charts) > 0.6 * 1280, charts
    assert not [address for address in at_hand.asked if not address.startswith(("file:", "data:", "blob:"))]


def test_the_speaker_has_the_notes(at_hand, exported: Path):
    stored = next(page for page in PAGES if page.stem == exported.stem)
    noted = [slide for slide in speaker.slides(cells(stored)) if speaker.NOTES in speaker.seen(slide)[0]["metadata"]]
    note = speaker.seen(noted[0])[0]["metadata"][speaker.NOTES]
    while note[:40] not in at_hand.evaluate("Reveal.getCurrentSlide().querySelector('aside.notes')?.textContent ?? ''"):
        at_hand.keyboard.press("Space")
    with at_hand.context.expect_page() as opened:
        at_hand.keyboard.press("s")
    opened.value.wait_for_selector(f".speaker-controls-notes:has-text({json.dumps(note[:40])})")


# ---- live


def present(page: Any, until: Callable[[dict[str, Any]], bool]) -> None:
    """Presents a page by one key until the condition is met.

    Checks that every cell of a slide runs, without an error, and that the audience sees all of it before the next slide.
    """
    places: list[str] = []
    while not until(seen := audience(page)):
        if seen["place"] not in places[-1:]:
            assert seen["place"] not in places, f"the audience is back at {seen['place']}: {places}"
            places.append(seen["place"])
        space(page)
        after = audience(page)
        assert not after["errors"], after["text"]
        if after["place"] != seen["place"]:
            assert not seen["unrun"], f"a cell didn't run: {seen}"
            assert seen["below"] <= 8 and seen["beside"] <= 1, f"the audience missed something: {seen}"


@only_in_full
@pytest.mark.parametrize("page", PAGES, ids=name)
def test_one_key_presents_each_page_at_both_sizes(page: Path, browser, tmp_path: Path):
    with Lab(tmp_path / "lab", verb=("slides", page.stem[:2])) as lab:
        tab = browser.new_page(viewport={"width": 1280, "height": 720})
        tab.goto(lab.address)
        tab.click(f"{SHOWN} h1", timeout=LIMIT)
        present(tab, lambda seen: seen["last"] and not seen["unrun"])
        tab.set_viewport_size({"width": 1920, "height": 1080})
        tab.reload()  # a second lesson, in the same kernel
        tab.click(f"{SHOWN} h1", timeout=LIMIT)
        present(tab, lambda seen: seen["last"] and not seen["unrun"])
        tab.close()


def test_one_key_presents_a_page(browser, tmp_path: Path):
    note = next(cell["metadata"][speaker.NOTES] for cell in cells(SMALL) if "val trace = Trace()" in "".join(cell["source"]))
    with Lab(tmp_path / "lab", verb=("slides", SMALL.stem[:2])) as lab:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(lab.address)
        page.click(f"{SHOWN} h1", timeout=LIMIT)
        notes = page.locator("aside.notes").all_text_contents()
        assert len(notes) == sum(speaker.NOTES in cell["metadata"] for cell in cells(SMALL))
        present(page, lambda seen: "val trace = Trace()" in seen["text"] and not seen["unrun"])
        here = audience(page)["place"]
        with page.expect_popup() as opened:
            page.keyboard.press("t")
        notes = opened.value.locator(".speaker-controls-notes")
        for frame in ("current-slide", "upcoming-slide"):
            opened.value.frame_locator(f"#{frame} iframe").locator("section.present section.present").wait_for(timeout=LIMIT)
        opened.value.wait_for_timeout(3000)  # in which the speaker's slides would take the audience to the beginning
        assert audience(page)["place"] == here
        assert notes.inner_text().count(note[:40]) == 1
        assert "val trace = Trace()" in opened.value.frame_locator("#current-slide iframe").locator(SHOWN).inner_text()
        opened.value.close()
        chart = page.wait_for_selector(f"{SHOWN} .js-plotly-plot .main-svg", timeout=LIMIT)
        page.screenshot(path=SCREENSHOTS / "slides-live.png")
        assert chart.bounding_box()["width"] > 0.85 * 1280
        assert not page.locator(f"{SHOWN} .modebar, .jp-Notebook-footer, {SHOWN} .jp-OutputArea-executeResult").filter(visible=True).count()
        for height in (720, 1080):  # text grows with the screen
            page.set_viewport_size({"width": height * 16 // 9, "height": height})
            sizes = page.locator(".reveal .jp-RenderedMarkdown p").evaluate_all(SIZES)
            assert sizes and min(sizes) >= LEAST_TEXT * height, (height, sizes)
        page.set_viewport_size({"width": 1280, "height": 720})
        # → still skips the rest of the section.
        section = page.text_content("section.present h2")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("old => document.querySelector('section.present h2').textContent != old", arg=section)
        present(page, lambda seen: seen["last"] and not seen["unrun"])
        assert lab.strange() == []
        page.close()
