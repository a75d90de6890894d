"""The course's pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ..base.paths import NOTEBOOKS, shown
from ..base.problem import Problem


def in_order(files: Iterable[Path]) -> list[Path]:
    """The pages among these files; what a reader put beside one, as a copy under another name, isn't one."""
    return sorted(path for path in files if re.fullmatch(r"\d\d-[a-z-]+\.ipynb", path.name))


def pages() -> list[Path]:
    """The pages in their order."""
    return in_order(NOTEBOOKS.glob("*.ipynb"))


def find(words: list[str]) -> list[Path]:
    """The pages that these words name: a number, a file's name or its beginning. No word: all."""
    there = pages()
    if not words:
        if not there:
            raise Problem(
                f"There is no page in {shown(NOTEBOOKS)}.", "Bring the repository back to what was cloned: git checkout -- notebooks"
            )
        return there
    return choose(words, there)


def choose(words: list[str], there: list[Path]) -> list[Path]:
    """Those that these words name. Raises a Problem of a word that names none."""
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
