"""Implements `site`, which shows the executed course as static pages: recorded outputs, interactive charts, and the ledger in front.

Sphinx renders the pages with the configuration in `kernels/site` and the source that `site_source` makes. The pages need no server, so a
folder is enough.
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
from ..setup.stages import with_packages
from . import site_pages
from .site_pictures import NONE_HERE

PLACE = BUILD / "site"
CONFIGURATION = KERNELS / "site"
FRONT = "index.html"
OURS = "searchindex.js"  # a file by which to recognise the folder of an earlier `site`
USE = "kernels/course site [FOLDER] [--from FOLDER]"


# ---- what is asked


def arguments(parser: Parser) -> None:
    parser.epilog = "Pages without a complete and current run in .build/run are run first."
    parser.add_argument(
        "folder", metavar="FOLDER", type=as_path, nargs="?", default=PLACE, help=f"where to write the site (default: {shown(PLACE)})"
    )
    parser.add_argument(
        "--from", metavar="FOLDER", type=as_path, default=RUNS, dest="source", help=f"executed pages (default: {shown(RUNS)})"
    )


def check_source(source: Path) -> None:
    if not source.is_dir() and source != RUNS:
        raise Problem(f"{source} is not a folder.", f"Name one with executed pages, or none for those of `kernels/course run`: {USE}")


def check_place(place: Path) -> None:
    """Raises a Problem unless the folder is empty, missing, or has an earlier site."""
    check_folder(place, "The site", f"Name another one: {USE}")
    if place.exists() and any(place.iterdir()) and not (place / OURS).exists():
        raise Problem(
            f"{place} holds other files, which the site would replace.", f"Name an empty folder, or one that doesn't exist: {USE}"
        )


# ---- executed pages


def read_executed(source: Path) -> dict[str, Path]:
    """Returns the executed pages by name. In the folder of `run`, executes outdated ones first.

    Raises a Problem if a page is missing, failed, or was executed in part.
    """
    if source == RUNS:
        executed.run_outdated(notebooks.pages())
    found = {page.stem: source / page.name for page in notebooks.pages()}
    missing = [path.name for path in found.values() if not path.is_file()]
    if missing:
        raise Problem(f"{shown(source)} lacks {', '.join(missing)}.", f"Name a folder with all {len(found)} executed pages: {USE}")
    for path in found.values():
        executed.read(path)
    return found


# ---- rendering


def repository() -> str:
    """Returns the repository's name on GitHub (owner/name), from GitHub's runner or from the clone's origin, or "" if unknown."""
    told = os.environ.get("GITHUB_REPOSITORY", "")
    if told or not shutil.which("git"):
        return told
    code, origin = children.run(["git", "remote", "get-url", "origin"], cwd=ROOT)
    found = re.search(r"github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?$", origin.strip())
    return found[1] if found and code == 0 else ""


def cleaned(python: Python, pages: dict[str, Path], folder: Path) -> dict[str, Path]:
    """Copies the publishable parts of executed pages, and reports what it omits. Raises a Problem if a page can't be read."""
    code, text = python.run_module("publish.site_clean", folder, *pages.values(), each_line=lambda line: say(f"Site: {line}"), cwd=ROOT)
    if code:
        raise Problem("A page can't be published.", "Execute the page named above again: kernels/course run NN", text)
    return {name: folder / path.name for name, path in pages.items()}


def render(python: Python, pages: dict[str, Path], place: Path, address: str) -> None:
    """Writes the complete site into a folder, or nothing. Raises a Problem if Sphinx warns."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="scratch-site-", dir=place.parent) as name:
        source, built = Path(name) / "source", Path(name) / "built"
        site_pages.write_all(cleaned(python, pages, Path(name) / "cleaned"), source, address)
        options = ["-q", "-W", "--keep-going", "-b", "html", "-c", CONFIGURATION, "-d", Path(name) / "doctrees"]
        argv = [python.program, "-m", "sphinx", *options, source, built]
        env = children.without(children.environment(COURSE_REPOSITORY=address), "PYTHONHOME", "PYTHONPATH")
        code, text = children.run(argv, env, cwd=ROOT)
        if code:
            raise Problem("Sphinx can't render the pages.", f"Correct what it names above in {shown(NOTEBOOKS)}, {AGAIN}", text)
        picture(python, built, published(address))
        replace_folder(built, place)


def published(repository: str) -> str:
    """Returns the address at which GitHub publishes the site of a repository (owner/name), or "" if there is none."""
    owner, _, name = repository.partition("/")
    return f"https://{owner}.github.io/{name}/" if name else ""


def picture(python: Python, built: Path, address: str) -> None:
    """Adds a picture of each page's first chart, if a Chromium is available. Raises a Problem if a chart can't be drawn."""
    code, text = python.run_module("publish.site_pictures", built, address, cwd=ROOT)
    if code == NONE_HERE:
        say("Site: no Chromium is here, so the first chart of a page appears only after the scripts have drawn it")
    elif code:
        raise Problem("The first chart of a page can't be drawn.", f"The lines above say which and why. Remove the cause, {AGAIN}", text)


def main(given: Namespace) -> int:
    place, source = given.folder, given.source
    check_place(place)
    check_source(source)
    pages = read_executed(source)
    python = with_packages(tests=True)  # among them Sphinx
    address = repository()
    if not address:
        say("Site: pages have no button for Binder, because neither GITHUB_REPOSITORY nor the clone's origin names a GitHub repository")
    say(f"Site: rendering {len(pages)} pages")
    render(python, pages, place, address)
    say(f"Site: in {shown(place)} after {elapsed():.0f} s")
    sys.stdout.write(f"Open {(place / FRONT).as_uri()}\n")
    return 0
