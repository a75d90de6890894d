"""The course's pages: which there are, and what they `import $ivy`."""

from __future__ import annotations

from pathlib import Path

from .coursier import Coursier
from .jars import Definition, Lock, fetch, fetched, import_set
from .paths import NOTEBOOKS, shown
from .problem import Problem


def pages() -> list[Path]:
    """The pages in their order."""
    return sorted(NOTEBOOKS.glob("[0-9][0-9]-*.ipynb"))


def find(words: list[str]) -> list[Path]:
    """The pages that these words name: a number, a file's name or its beginning. No word: all."""
    there = pages()
    if not words:
        if not there:
            raise Problem(
                f"There is no page in {shown(NOTEBOOKS)}.", "Bring the repository back to what was cloned: git checkout -- notebooks"
            )
        return there
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


# ---- what they import


def import_sets(definition: Definition) -> list[str]:
    return [import_set(coordinate) for coordinate in definition.content["notebooks"]]


def are_fetched(definition: Definition, lock: Lock) -> bool:
    """Whether everything that any page imports is there, so that nothing is downloaded any more."""
    return all(fetched(lock, [name]) is not None for name in import_sets(definition))


def fetch_imports(definition: Definition, lock: Lock, coursier: Coursier) -> None:
    """Brings each import of a page as the kernel resolves it, POM files included."""
    for name in import_sets(definition):
        fetch(coursier, lock, [name])
