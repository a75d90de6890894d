"""Teaches a lesson to an empty room: shows the slides of a plan's sections by keyboard, runs their cells, and waits while notes are spoken.

    .venv/bin/python kernels/tools/lesson.py [--pictures FOLDER]

A slide with notes stays as long as it takes to speak them at 130 words a minute. Prints the table of notebooks/instructor/figures.md, and
how many cells failed, if any did. Nobody answers a question, and no exercise is done.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))  # for `conftest`
from conftest import Lab, chromium

WORDS_A_MINUTE = 130
TITLE = "title and preflight"
PLAN = {  # the lesson of 90 minutes
    "00": (TITLE, "What does a pool look like while it works?", "And with one extra word?"),
    "01": (TITLE, "Can five lines be an ExecutionContext?", "What does a pool add?", "How many tasks does a chain of maps make?"),
    "04": (
        TITLE,
        "How many tasks can sleep?",
        "Whom does blocking notify?",
        "How many tasks can block?",
        "Can a Future wait for a Future?",
    ),
}
SELECTED = 1500  # milliseconds; RISE selects a slide's cell 0.45 s after it shows the slide, and is slow to show it
LIMIT = 180_000

# Returns the present slide, with the cells that can be run there. Each cell gets a number once.
HERE = """() => {
  const column = document.querySelector('.slides > section.present')
  const slide = column.querySelector(':scope > section.present') ?? column
  const heading = [...column.querySelectorAll('h1, h2')][0]
  const title = heading?.cloneNode(true)
  title?.querySelectorAll('.jp-InternalAnchorLink').forEach(link => link.remove())
  const shown = [...slide.querySelectorAll('.jp-CodeCell')].filter(cell => !cell.closest('.fragment:not(.visible)'))
  shown.forEach(cell => cell.dataset.lesson ??= window.lessonCells = (window.lessonCells ?? 0) + 1)
  const said = note => (note.querySelector('.jp-RenderedMarkdown') ?? note).textContent  // not its Markdown source
  const notes = [...slide.querySelectorAll('aside.notes')].map(said).join(' ')
  return {
    across: [...column.parentNode.children].indexOf(column), down: [...column.children].indexOf(slide),
    fragments: slide.querySelectorAll('.fragment.visible').length,
    title: (heading?.tagName == 'H1' ? 'title and preflight' : title?.textContent ?? '').trim(),
    cells: shown.map(cell => cell.dataset.lesson), notes: notes.split(/\\s+/).filter(word => word).length,
  }
}"""

# A collapsed cell has no number. It has run if it shows something.
PROMPT = """cell => cell.querySelector('.jp-InputPlaceholder')
  ? (cell.classList.contains('jp-mod-noOutputs') ? '[*]:' : '[0]:') : cell.querySelector('.jp-InputPrompt').textContent"""


@dataclass
class Section:
    """Counts a section's slides, the words of its notes and its cells. `runs` and `longest` are in seconds."""

    slides: int = 0
    words: int = 0
    cells: int = 0
    runs: float = 0.0
    longest: float = 0.0
    failed: int = 0


def run_cell(tab: Any, number: str, section: Section) -> None:
    """Runs a cell with Ctrl + Enter, after a click if RISE hasn't selected it. Raises a TimeoutError if it doesn't end."""
    cell = tab.locator(f".jp-CodeCell[data-lesson='{number}']")
    for selected in ("jp-mod-active" in (cell.get_attribute("class") or ""), False):
        if not selected:
            cell.locator(".jp-InputArea, .jp-Placeholder").first.click(position={"x": 3, "y": 3}, force=True)
        began = time.monotonic()
        tab.keyboard.press("Control+Enter")
        tab.wait_for_timeout(300)
        if cell.evaluate(PROMPT) != "[ ]:":
            break
    while not re.search(r"\d", cell.evaluate(PROMPT)):
        if time.monotonic() > began + LIMIT / 1000:
            raise TimeoutError(f"cell {number} hasn't ended")
        tab.wait_for_timeout(50)
    tab.keyboard.press("Escape")  # leave the edit mode of a clicked cell, so that it doesn't get the next keys
    took = time.monotonic() - began
    section.cells, section.runs, section.longest = section.cells + 1, section.runs + took, max(section.longest, took)
    section.failed += cell.locator("[data-mime-type='application/vnd.jupyter.error']").count()


def teach(browser: Any, page: str, wanted: tuple[str, ...], folder: Path, pictures: Path | None) -> dict[str, Section]:
    found: dict[str, Section] = {}
    with Lab(folder, verb=("slides", page)) as lab:
        tab = browser.new_page(viewport={"width": 1280, "height": 720})
        tab.goto(lab.address)
        tab.click("section.present section.present h1", timeout=LIMIT)
        spoken, ran = set(), set()
        while True:
            tab.wait_for_timeout(SELECTED)
            here = tab.evaluate(HERE)
            slide = (here["across"], here["down"])
            if here["title"] in wanted:
                section = found.setdefault(here["title"], Section())
                if slide not in spoken:
                    spoken.add(slide)
                    section.slides += 1
                    section.words += here["notes"]
                    time.sleep(here["notes"] * 60 / WORDS_A_MINUTE)
                for number in here["cells"]:
                    if number not in ran:
                        ran.add(number)
                        run_cell(tab, number, section)
                if pictures:
                    tab.wait_for_timeout(SELECTED)
                    tab.screenshot(path=pictures / f"{page}-{slide[0]:02}-{slide[1]:02}-{here['fragments']}.png")
            last = list(found) == list(wanted) and here["title"] not in wanted
            tab.keyboard.press("Space" if here["title"] in wanted else "ArrowRight")
            tab.wait_for_timeout(SELECTED)
            there = tab.evaluate(HERE)
            if last or all(there[name] == here[name] for name in ("across", "down", "fragments")):
                break
        tab.close()
    missing = [title for title in wanted if title not in found]
    if missing:
        raise SystemExit(f"Page {page} has no slides of {missing}. Expected the headings of its sections: correct PLAN in this file.")
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pictures", type=Path, help="the folder for a screenshot of each slide")
    asked = options.parse_args()
    if asked.pictures:
        asked.pictures.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    print("| page: section | slides | notes, min | runs, s | the longest, s |\n|---|---|---|---|---|")
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        for page, wanted in PLAN.items():
            for title, section in teach(browser, page, wanted, Path(folder) / page, asked.pictures).items():
                row = (section.slides, f"{section.words / WORDS_A_MINUTE:.1f}", f"{section.runs:.0f}", f"{section.longest:.0f}")
                print(f"| {page}: {title} | " + " | ".join(map(str, row)) + " |", flush=True)
                if section.failed:
                    print(f"{section.failed} of {section.cells} cells failed", file=sys.stderr)
    print(f"{(time.monotonic() - began) / 60:.1f} minutes in all")


if __name__ == "__main__":
    main()
