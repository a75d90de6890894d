"""Implements `reset`, which restores pages as they were cloned. The reader's version stays next to each, under another name.

In a clone, git has the original pages. The image has no history but a second copy of the pages (`paths.FRESH_PAGES`). On a hub, the pages
are in the learner's folder that COURSE_PAGES names, which is a clone or a copy of the image's pages.
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

from ..base.command_line import Misuse, Parser
from ..base.files import write_whole
from ..base.paths import FRESH_PAGES, ROOT, shown
from ..base.problem import Problem
from ..pages import notebooks

OPEN = (
    "If it is open in JupyterLab, use File ▸ Reload Notebook from Disk to see the fresh page. If JupyterLab asks because the file has\n"
    "changed, Revert shows the fresh page, and Overwrite saves what you had open. If you choose Overwrite, reset again.\n"
)


# ---- where fresh pages come from


def place() -> Path:
    """Returns the folder that contains the reader's `notebooks`."""
    return Path(os.environ.get("COURSE_PAGES") or ROOT)


def git(*words: str) -> bytes:
    """Returns what git prints. Raises a Problem with git's message if git is missing or fails."""
    try:
        done = subprocess.run(["git", "-C", place(), *words], capture_output=True, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise Problem(
            "git is not installed, and only git has the pages as they were cloned.", "Install git, then run this again."
        ) from None
    if done.returncode:
        raise Problem(
            f"git {words[0]} failed (exit code {done.returncode}), so the pages as they were cloned can't be read.",
            "Fix what git reports. An archive of the course has no history: take the page from the archive, or clone the course.",
            done.stderr.decode(errors="replace"),
        )
    return done.stdout


def cloned_commit() -> str:
    """Returns the latest commit of the upstream branch, or the current commit if there is no upstream.

    So it excludes the reader's own commits, and those that nbgitpuller makes of the reader's pages.
    """
    try:
        return git("merge-base", "HEAD", "@{upstream}").decode().strip()
    except Problem:
        return git("rev-parse", "HEAD").decode().strip()


@dataclass(frozen=True)
class Fresh:
    """Reads the original pages from a commit of the clone or, if `commit` is None, from the image."""

    commit: str | None

    def pages(self) -> list[Path]:
        """Returns the places in the clone where the pages belong. Raises a Problem if there are no pages."""
        if self.commit:
            names = git("ls-tree", "--name-only", self.commit, "notebooks/").decode().splitlines()
        else:
            names = [path.name for path in FRESH_PAGES.iterdir()]
        found = notebooks.in_order(place() / "notebooks" / Path(name).name for name in names)
        if not found:
            raise Problem(
                f"git has no page of this course in {place()}.",
                "If the course came as an archive, take the page from the archive. Otherwise clone the course.",
            )
        return found

    def content(self, page: Path) -> bytes:
        return git("show", f"{self.commit}:./notebooks/{page.name}") if self.commit else (FRESH_PAGES / page.name).read_bytes()


def fresh() -> Fresh:
    kept = FRESH_PAGES.is_dir() and not (place() / ".git").exists()
    return Fresh(None if kept else cloned_commit())


# ---- one page


def keep_beside(page: Path, content: bytes, now: datetime) -> Path:
    """Writes the reader's version to a new file, and returns when it is on the disk.

    Raises an OSError if the file can't be written. Then no part of it remains.
    """
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
    """Replaces a page by the fresh content, and returns what happened to the old one.

    Raises an OSError if that is impossible. Then the page is unchanged.
    """
    old = page.read_bytes() if page.exists() else None
    if old == content:
        return f"{shown(page)} is as it was cloned, so there is nothing to reset.\n"
    copy = keep_beside(page, old, now) if old is not None else None
    write_whole(page, content)
    if copy is None:
        return f"{shown(page)} was missing, and is back.\n"
    return f"{shown(page)} is again as it was cloned. Your version is in {shown(copy)}.\n{OPEN}"


def arguments(parser: Parser) -> None:
    parser.add_argument("pages", metavar="NN", nargs="*", default=[], help="a page, by its number or its name")
    parser.add_argument("--all", action="store_true", help="every page that you changed, for example before `git pull`")
    parser.usage = "%(prog)s NN … | --all"


def main(given: Namespace) -> int:
    """Resets the named pages, or all. Raises a Problem if the course has no such page, or none is named."""
    if bool(given.pages) == given.all:
        raise Misuse(
            "reset: lacks NN.", "Write  kernels/course reset NN …, or  kernels/course reset --all  for every page that you changed."
        )
    source = fresh()
    chosen = source.pages() if given.all else notebooks.choose(given.pages, source.pages())
    contents = [(page, source.content(page)) for page in chosen]
    changed = [(page, content) for page, content in contents if not (given.all and is_as_cloned(page, content))]
    for page, content in changed:
        sys.stdout.write(reset(page, content, datetime.now()))
    if not changed:
        sys.stdout.write("All pages are as they were cloned, so there is nothing to reset.\n")
    return 0


def is_as_cloned(page: Path, content: bytes) -> bool:
    return page.exists() and page.read_bytes() == content
