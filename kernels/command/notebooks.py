"""The course's pages: which there are, and what they `import $ivy`."""

from __future__ import annotations

from pathlib import Path

from .coursier import Coursier, settings
from .files import fingerprint, stamp, stamped
from .jars import Definition
from .paths import NOTEBOOKS, shown
from .problem import AGAIN, Problem, diagnose
from .say import say


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


def _key(definition: Definition) -> str:
    return fingerprint(definition.content["notebooks"], definition.scala, settings())


def are_fetched(definition: Definition) -> bool:
    return not definition.content["notebooks"] or stamped("notebooks", _key(definition)) is not None


def fetch(definition: Definition, coursier: Coursier) -> None:
    """Brings each import of a page as the kernel would resolve it, with its POM files: afterwards nothing is downloaded."""
    if are_fetched(definition):
        return
    force = [f"org.scala-lang:scala-{part}:{definition.scala}" for part in ("library", "reflect", "compiler")]
    options = [word for coordinate in force for word in ("--force-version", coordinate)]
    kept: list[Path] = []
    for imported in definition.content["notebooks"]:
        say(f"Notebooks: fetching {imported}")
        code, output, files = coursier.fetch([imported], options)
        if code:
            raise diagnose(f"Fetching {imported} for the notebooks", output, f"See that COURSIER_REPOSITORIES holds it, {AGAIN}")
        kept += files.values()
    stamp("notebooks", _key(definition), kept)
