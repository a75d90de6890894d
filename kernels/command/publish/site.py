"""`site`: the executed course as static pages, for who only reads: recorded outputs, charts that move, the ledger in front.

Sphinx renders them; `kernels/site` is its configuration, and `site_source` makes what it reads. The pages ask no server for anything, so
that a folder is enough.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from argparse import Namespace
from pathlib import Path

from ..base import children
from ..base.command_line import Parser, as_path, check_folder
from ..base.files import replace_folder
from ..base.paths import BUILD, KERNELS, NOTEBOOKS, ROOT, RUNS, shown
from ..base.problem import AGAIN, Problem
from ..base.say import elapsed, say
from ..dependencies.python_env import Python
from ..pages import executed, notebooks
from ..setup.stages import with_test_tools
from . import site_source
from .site_pictures import NONE_HERE

PLACE = BUILD / "site"
CONFIGURATION = KERNELS / "site"
FRONT = "index.html"
OURS = "searchindex.js"  # what a folder has that an earlier `site` made
USE = "kernels/course site [FOLDER] [--from FOLDER]"


# ---- what is asked


def arguments(parser: Parser) -> None:
    parser.epilog = "Pages of .build/run that weren't run to their end as they are now are run first."
    parser.add_argument("folder", metavar="FOLDER", type=as_path, nargs="?", default=PLACE, help=f"where the site goes ({shown(PLACE)})")
    parser.add_argument("--from", metavar="FOLDER", type=as_path, default=RUNS, dest="source", help=f"executed pages ({shown(RUNS)})")


def check_source(source: Path) -> None:
    if not source.is_dir() and source != RUNS:
        raise Problem(f"{source} is no folder.", f"Name one that holds executed pages, or none for those of `kernels/course run`: {USE}")


def check_place(place: Path) -> None:
    """A site replaces an earlier one, and nothing else."""
    check_folder(place, "The site", f"Name another one: {USE}")
    if place.exists() and any(place.iterdir()) and not (place / OURS).exists():
        raise Problem(f"{place} holds other files, which the site would replace.", f"Name an empty folder, or one that isn't there: {USE}")


# ---- executed pages


def read_executed(source: Path) -> dict[str, Path]:
    """Returns the executed pages by their names. Of those that `run` keeps, what is not up to date is executed.

    Raises a Problem if a page is missing, failed, or was executed in part.
    """
    if source == RUNS:
        executed.run_outdated(notebooks.pages())
    found = {page.stem: source / page.name for page in notebooks.pages()}
    missing = [path.name for path in found.values() if not path.is_file()]
    if missing:
        raise Problem(f"{shown(source)} lacks {', '.join(missing)}.", f"Name a folder that holds all {len(found)} pages, executed: {USE}")
    for path in found.values():
        executed.read(path)
    return found


# ---- rendering


def repository() -> str:
    """What the repository is called on GitHub (owner/name): as its own runners say, else where the clone comes from. Empty elsewhere."""
    told = os.environ.get("GITHUB_REPOSITORY", "")
    if told or not shutil.which("git"):
        return told
    code, origin = children.run(["git", "remote", "get-url", "origin"], cwd=ROOT)
    found = re.search(r"github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?$", origin.strip())
    return found[1] if found and code == 0 else ""


def cleaned(python: Python, pages: dict[str, Path], folder: Path) -> dict[str, Path]:
    """Copies of executed pages with what may be published of them; says what may not. Raises a Problem if one can't be read."""
    code, text = python.run_module("publish.site_clean", folder, *pages.values(), each_line=lambda line: say(f"Site: {line}"), cwd=ROOT)
    if code:
        raise Problem("A page can't be published.", "Execute the page that is named above again: kernels/course run NN", text)
    return {name: folder / path.name for name, path in pages.items()}


def render(python: Python, pages: dict[str, Path], place: Path, address: str) -> None:
    """Puts the site into a folder, whole or not at all. Raises a Problem of what Sphinx warns of."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="scratch-site-", dir=place.parent) as name:
        source, built = Path(name) / "source", Path(name) / "built"
        site_source.write_all(cleaned(python, pages, Path(name) / "cleaned"), source, address)
        options = ["-q", "-W", "--keep-going", "-b", "html", "-c", CONFIGURATION, "-d", Path(name) / "doctrees"]
        argv = [python.program, "-m", "sphinx", *options, source, built]
        env = children.without(children.environment(COURSE_REPOSITORY=address), "PYTHONHOME", "PYTHONPATH")
        code, text = children.run(argv, env, cwd=ROOT)
        if code:
            raise Problem("Sphinx can't render the pages as they are.", f"Correct what it names above in {shown(NOTEBOOKS)}, {AGAIN}", text)
        picture(python, built)
        replace_folder(built, place)


def picture(python: Python, built: Path) -> None:
    """Gives each page a picture of its first chart, where a Chromium is here. Raises a Problem where a chart can't be drawn."""
    code, text = python.run_module("publish.site_pictures", built, cwd=ROOT)
    if code == NONE_HERE:
        say("Site: no Chromium is here: the first chart of a page comes when the scripts have drawn it, not at once as a picture")
    elif code:
        raise Problem("The first chart of a page can't be drawn.", f"See above which and why, {AGAIN}", text)


def main(given: Namespace) -> int:
    place, source = given.folder, given.source
    check_place(place)
    check_source(source)
    pages = read_executed(source)
    python = with_test_tools()  # Sphinx is one of them
    address = repository()
    if not address:
        say("Site: no GitHub repository is known (of GITHUB_REPOSITORY, or of where the clone comes from): pages have no button for Binder")
    say(f"Site: rendering {len(pages)} pages")
    render(python, pages, place, address)
    say(f"Site: in {shown(place)} after {elapsed():.0f} s")
    sys.stdout.write(f"Open {(place / FRONT).as_uri()}\n")
    return 0
