"""Implements `slides`, which presents a page as slides, or exports them to a folder that a browser opens without a network.

Live slides run in JupyterLab with jupyterlab-rise, the course's own extension `live-slides` and the course's kernel. The page itself says
which cells are slides and has the speaker's notes (`speaker`).
"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..base.command_line import Parser, as_path, check_folder
from ..base.files import read_json, write_whole
from ..base.paths import BUILD, JUPYTER, ROOT, shown
from ..base.problem import Problem, essence
from ..base.say import say
from ..learner import lab
from ..pages import executed, notebooks
from ..setup.stages import with_packages

LOOK = JUPYTER / "slides" / "slides.css"
SETTINGS = BUILD / "slides" / "settings"
# Reveal's other light themes load their fonts from the web.
RISE = {"theme": "white", "transition": "none", "center": False, "scroll": True, "slideNumber": True, "start_slideshow_at": "beginning"}

# In a notebook, the arrow keys move between cells and fold headings. On slides, reveal.js needs them.
CELL = ".jp-Notebook.jp-mod-commandMode:not(.jp-mod-readWrite) :focus"
ARROWS = {
    "ArrowDown": "move-cursor-down",
    "ArrowUp": "move-cursor-up",
    "ArrowLeft": "move-cursor-heading-above-or-collapse",
    "ArrowRight": "move-cursor-heading-below-or-expand",
}
REVEAL = ".lm-Widget.reveal"
COMMANDS = f"{REVEAL} .jp-mod-commandMode"
PAGE = f"body:has({COMMANDS})"  # for keys that also work if no cell has the focus


# ---- what is asked


def arguments(parser: Parser) -> None:
    parser.passes_on = True
    parser.usage = "%(prog)s NN [--export FOLDER | -- OPTION …]"
    parser.epilog = "Without --export, the slides are live in JupyterLab. Options after -- go to JupyterLab."
    parser.add_argument("page", metavar="NN", help="the page, by its number or its name")
    parser.add_argument(
        "--export",
        metavar="FOLDER",
        type=as_path,
        help="write slides that need no network and no kernel into FOLDER; first runs the page, if its last run is outdated",
    )


# ---- live


def write_settings(folder: Path) -> None:
    """Writes JupyterLab's settings for the course and for the slides, including their style."""
    settings = read_json(JUPYTER / "settings" / "overrides.json", {})
    settings["jupyterlab-rise:plugin"] = {**RISE, "overlay": f"<style>{LOOK.read_text()}</style>"}
    settings["@jupyterlab/shortcuts-extension:shortcuts"] = {"shortcuts": list(shortcuts())}
    write_whole(folder / "overrides.json", json.dumps(settings, indent=1) + "\n")


def shortcuts() -> Iterator[dict[str, Any]]:
    """Yields the keys of the slides that differ from those of JupyterLab and RISE."""

    def key(name: str, command: str, selector: str, **more: Any) -> dict[str, Any]:
        return {"command": command, "keys": [name], "selector": selector, **more}

    for name, command in ARROWS.items():
        yield key(name, f"notebook:{command}", CELL, disabled=True)
    yield key("Space", "live-slides:go-on", PAGE)
    yield key("F", "RISE:fullscreenHelp", PAGE)


def present(page: Path, more: list[str]) -> int:
    """Replaces this process by JupyterLab, opened on the slides. Passes `more` to JupyterLab."""
    write_settings(SETTINGS)
    say(f"Slides of {page.stem}: click on the first slide, so that it gets the keys, and press T for the speaker's view with the notes.")
    say("Space runs the cells of a slide, one each time, scrolls if there is more, and then shows the next slide. F fills the screen.")
    ours = [
        f"--LabApp.default_url=/rise/{page.relative_to(ROOT)}",
        f"--LabApp.app_settings_dir={SETTINGS}",
        f"--LabServerApp.extra_labextensions_path={JUPYTER / 'extensions'}",  # live-slides
        "--ServerApp.contents_manager_class=command.publish.slides_contents.SlidesContents",
    ]
    return lab.start([*ours, *more])


# ---- exported


def export(page: Path, folder: Path) -> int:
    """Writes the slides of the page's last run into the folder. Runs the page again if that run is outdated."""
    executed.run_outdated([page])
    python = with_packages(tests=True)  # among them sphinx-revealjs, which contains reveal.js
    code, output = python.run_module("publish.slides_export", page, folder, each_line=lambda line: sys.stderr.write(line + "\n"))
    if code:
        raise Problem(f"The slides can't be exported (exit code {code}).", "Fix what is reported above.", essence(output))
    sys.stdout.write(
        f"{shown(folder / page.stem)}.html: open it in a browser. Space shows the next slide, S opens the speaker's view with the notes.\n"
    )
    return 0


def main(given: Namespace) -> int:
    """Presents or exports the page. Raises a Problem if there is no such page or the folder is unusable."""
    page = notebooks.find([given.page])[0]
    if given.export is None:
        return present(page, given.rest)
    check_folder(given.export, "The slides", "Name another folder.")
    return export(page, given.export)
