"""`reset`: pages as they were cloned. What stood there stays beside each, under a name of its own; nothing of the reader's is lost.

A clone asks git. The image has no history: there the pages lie a second time (`paths.FRESH_PAGES`). On a hub they are in a folder of the
learner's, which COURSE_PAGES names: a clone, or a copy of the image's.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from argparse import Namespace
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ..base.command_line import Parser
from ..base.files import write_whole
from ..base.paths import FRESH_PAGES, ROOT, shown
from ..base.problem import Problem
from ..pages import notebooks

OPEN = (
    "Is it open in JupyterLab? There, File ▸ Reload Notebook from Disk shows the fresh page. If JupyterLab asks, because the file has\n"
    "changed: Revert shows the fresh page; Overwrite brings back what you had open (if you had not saved it: then reset again).\n"
)


# ---- where fresh pages come from


def place() -> Path:
    """Above the reader's `notebooks`."""
    return Path(os.environ.get("COURSE_PAGES") or ROOT)


def git(*words: str) -> bytes:
    """What git prints. Raises a Problem with its own words where it isn't there, or says no."""
    try:
        done = subprocess.run(["git", "-C", place(), *words], capture_output=True, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise Problem("There is no git here, which keeps the pages as they were cloned.", "Install git, then run this again.") from None
    if done.returncode:
        raise Problem(
            f"git {words[0]} failed (exit code {done.returncode}): the pages as they were cloned can't be had.",
            "Mend what git names. A course that came as an archive has no history: take the page from that archive, or clone the course.",
            done.stderr.decode(errors="replace"),
        )
    return done.stdout


def cloned_commit() -> str:
    """The latest commit that came from where this clone is from: commits of the reader's own (or nbgitpuller's, of the reader's pages) are
    behind it. Where no such place is known, the current one."""
    try:
        return git("merge-base", "HEAD", "@{upstream}").decode().strip()
    except Problem:
        return git("rev-parse", "HEAD").decode().strip()


@dataclass(frozen=True)
class Fresh:
    """The pages of a commit of the clone or, where there is none, of the image."""

    commit: str | None

    def pages(self) -> list[Path]:
        """Where they belong in the clone. Raises a Problem where there are none."""
        if self.commit:
            names = git("ls-tree", "--name-only", self.commit, "notebooks/").decode().splitlines()
        else:
            names = [path.name for path in FRESH_PAGES.iterdir()]
        found = notebooks.in_order(place() / "notebooks" / Path(name).name for name in names)
        if not found:
            raise Problem(
                f"git knows no page of this course in {place()}.",
                "It came as an archive, perhaps: take the page from it, or clone the course.",
            )
        return found

    def content(self, page: Path) -> bytes:
        return git("show", f"{self.commit}:./notebooks/{page.name}") if self.commit else (FRESH_PAGES / page.name).read_bytes()


def fresh() -> Fresh:
    kept = FRESH_PAGES.is_dir() and not (place() / ".git").exists()
    return Fresh(None if kept else cloned_commit())


# ---- one page


def keep_beside(page: Path, content: bytes, now: datetime) -> Path:
    """Writes the reader's copy, under a name that nothing has; it is on the disk when this returns. Raises an OSError where it can't be
    written, and leaves no part of it."""
    stem, number = f"{page.stem}.mine-{now:%Y-%m-%d-%H%M}", 1
    while True:
        copy = page.with_name(f"{stem}{f'-{number}' if number > 1 else ''}.ipynb")
        try:
            with open(copy, "xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            return copy
        except FileExistsError:
            number += 1
        except OSError as error:
            with contextlib.suppress(OSError):
                copy.unlink()
            raise OSError(error.errno, error.strerror, str(copy)) from error


def reset(page: Path, content: bytes, now: datetime) -> str:
    """Puts the fresh content in the page's place, and says what became of the old one. Raises an OSError where it can't; then the page
    is as it was."""
    old = page.read_bytes() if page.exists() else None
    if old == content:
        return f"{shown(page)} is as it was cloned: there is nothing to reset.\n"
    copy = keep_beside(page, old, now) if old is not None else None
    write_whole(page, content)
    if copy is None:
        return f"{shown(page)} was gone, and is back.\n"
    return f"{shown(page)} is as it was cloned again. What you had there is in {shown(copy)}.\n{OPEN}"


def arguments(parser: Parser) -> None:
    parser.add_argument("pages", metavar="NN", nargs="+", help="a page, by its number or its name")


def main(given: Namespace) -> int:
    """Resets the pages that are named. Raises a Problem of a page that the course doesn't have."""
    source = fresh()
    chosen = notebooks.choose(given.pages, source.pages())
    contents = [source.content(page) for page in chosen]
    for page, content in zip(chosen, contents, strict=True):
        sys.stdout.write(reset(page, content, datetime.now()))
    return 0
