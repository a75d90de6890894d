"""Finds the course's pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ..base.paths import NOTEBOOKS, shown
from ..base.problem import Problem


def in_order(files: Iterable[Path]) -> list[Path]:
    """Returns the pages among these files, sorted. A reader's copy under another name isn't a page."""
    return sorted(path for path in files if re.fullmatch(r"\d\d-[a-z-]+\.ipynb", path.name))


def pages() -> list[Path]:
    """Returns all pages in order."""
    return in_order(NOTEBOOKS.glob("*.ipynb"))


def oldest_jdk(page: Path) -> int:
    """Returns the oldest JDK on which all cells of a page run, from its preflight; 0 if it names none."""
    named = re.search(r"Machine\.preflight\(jdk = (\d+)\)", page.read_text(encoding="utf-8"))
    return int(named[1]) if named else 0


def find(words: list[str]) -> list[Path]:
    """Returns the pages that these words name: by number, by file name or by its beginning. Without words, returns all pages."""
    there = pages()
    if not words:
        if not there:
            raise Problem(f"There is no page in {shown(NOTEBOOKS)}.", "Restore the pages as they were cloned: git checkout -- notebooks")
        return there
    return choose(words, there)


def choose(words: list[str], there: list[Path]) -> list[Path]:
    """Returns the pages that these words name. Raises a Problem if a word names none."""
    found: list[Path] = []
    for word in words:
        name = Path(word).name.removesuffix(".ipynb")
        name = name.zfill(2) if name.isdigit() else name
        matches = [page for page in there if page.stem == name] or [page for page in there if name and page.stem.startswith(name)]
        if not matches:
            listed = ", ".join(page.stem for page in there) or "none"
            raise Problem(
                f"There is no page {word!r}.", f"Name a page by its number, its file name or the beginning of it. There are: {listed}."
            )
        found += [page for page in matches if page not in found]
    return found
