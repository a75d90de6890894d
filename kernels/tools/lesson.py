"""Teaches a lesson to an empty room: presents the slides of a plan's sections by Space, and waits while notes are spoken.

    .venv/bin/python kernels/tools/lesson.py [--pictures FOLDER]

A slide with notes stays as long as it takes to speak them at 130 words a minute. Prints the table of notebooks/instructor/figures.md, and
how many cells failed, if any did. Nobody answers a question, and no exercise is done.
"""

from __future__ import annotations

import argparse
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
SHOWN = "section.present section.present"  # the slide that the audience sees
LIMIT = 180_000  # milliseconds
SETTLED = 600  # milliseconds; RISE selects a slide's cell 0.45 s after it shows the slide

# Describes the present slide: its place and its section's title, the number of words in its notes, of its cells that ran and that didn't,
# and of errors. `below` and `beside` are the pixels of the slide that the screen doesn't show.
SEEN = """() => {
  const slide = document.querySelector('.slides section.present section.present')
  const heading = slide.parentNode.querySelector('h1, h2')
  const title = heading?.cloneNode(true)
  title?.querySelectorAll('.jp-InternalAnchorLink').forEach(link => link.remove())
  const notes = [...slide.querySelectorAll('aside.notes')].map(note => note.textContent).join(' ')
  const cells = [...slide.querySelectorAll('.jp-CodeCell:not(.reveal-skip)')].filter(cell => cell.getClientRects().length)
  return {
    place: slide.id, scrolled: slide.scrollTop, text: slide.innerText,
    title: (heading?.tagName == 'H1' ? 'title and preflight' : title?.textContent ?? '').trim(),
    notes: notes.split(/\\s+/).filter(word => word).length,
    ran: cells.filter(cell => 'ran' in cell.dataset).length, unrun: cells.filter(cell => !('ran' in cell.dataset)).length,
    errors: slide.querySelectorAll('[data-mime-type="application/vnd.jupyter.error"]').length,
    below: slide.scrollHeight - slide.clientHeight - slide.scrollTop, beside: slide.scrollWidth - slide.clientWidth,
    last: !document.querySelector('section.present ~ section, section.present section.present ~ section'),
  }
}"""
CHANGED = f"""before => {{
  const now = ({SEEN})()
  return ['place', 'scrolled', 'ran'].some(name => now[name] != before[name])
}}"""


@dataclass
class Section:
    """Counts a section's slides, the words of its notes and its cells. `runs` and `longest` are in seconds."""

    slides: int = 0
    words: int = 0
    cells: int = 0
    runs: float = 0.0
    longest: float = 0.0
    failed: int = 0


def audience(tab: Any) -> dict[str, Any]:
    """Returns what the audience sees; SEEN describes it."""
    return tab.evaluate(SEEN)


def space(tab: Any, key: str = "Space") -> float:
    """Presses a key, and returns the seconds until a cell has run, or the slide was scrolled or changed."""
    tab.wait_for_timeout(SETTLED)
    before, began = audience(tab), time.monotonic()
    tab.keyboard.press(key)
    tab.wait_for_function(CHANGED, arg=before, timeout=LIMIT)
    return time.monotonic() - began


def teach(browser: Any, page: str, wanted: tuple[str, ...], folder: Path, pictures: Path | None) -> dict[str, Section]:
    found: dict[str, Section] = {}
    with Lab(folder, verb=("slides", page)) as lab:
        tab = browser.new_page(viewport={"width": 1280, "height": 720})
        tab.goto(lab.address)
        tab.click(f"{SHOWN} h1", timeout=LIMIT)
        spoken: set[str] = set()
        while list(found) != list(wanted) or audience(tab)["title"] in wanted:
            here = audience(tab)
            if here["title"] not in wanted:
                space(tab, "ArrowRight")
                continue
            section = found.setdefault(here["title"], Section())
            if here["place"] not in spoken:
                spoken.add(here["place"])
                section.slides += 1
                section.words += here["notes"]
                time.sleep(here["notes"] * 60 / WORDS_A_MINUTE)
            took = space(tab)
            after = audience(tab)
            if after["place"] == here["place"] and after["ran"] > here["ran"]:
                section.cells, section.runs, section.longest = section.cells + 1, section.runs + took, max(section.longest, took)
                section.failed += after["errors"] - here["errors"]
            if pictures:
                tab.screenshot(path=pictures / f"{page}-{len(spoken):03}-{after['ran']}.png")
            if here["last"] and after == here:
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
