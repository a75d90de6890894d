"""Writes the glossary, which lists the terms of all pages in the pages' words.

    .venv/bin/python kernels/tools/glossary.py

writes notebooks/glossary.md again from the tables "Terms of this page". `test_notebooks_glossary.py` checks that the file matches the
pages, and that each term has one spelling. The glossary is a file, not the output of a cell, so that readers can look up a word without a
kernel.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent.parent / "notebooks"
FILE = FOLDER / "glossary.md"
HEADING = "## Terms of this page"

TABLE = re.compile(rf"^{HEADING}\n(.*?)(?=^## |\Z)", re.M | re.S)
COLUMN = re.compile(r"(?<!\\)\|")

HEAD = """\
<!-- Made from the pages by kernels/tools/glossary.py: don't edit it here. -->
# Glossary

These are the terms of the course, as its pages explain them. Each page ends with a table of its terms, and each link leads to that table.

[00 · Start here](00-start-here.ipynb)
"""


@dataclass(frozen=True)
class Term:
    name: str
    means: str
    page: str  # the page's file name
    cell: str  # the id of the cell with the table

    @property
    def link(self) -> str:
        """Returns a link to the cell, because JupyterLab scrolls to a heading only in a page that is already open."""
        return f"[page {self.page[:2]}]({self.page}#cell-id={self.cell})"


def table(page: Path) -> tuple[str, str]:
    """Returns the id and the text of the cell with a page's table of terms, or two empty strings."""
    prose = (cell for cell in json.loads(page.read_text())["cells"] if cell["cell_type"] == "markdown")
    return next(((cell["id"], found[1]) for cell in prose if (found := TABLE.search("".join(cell["source"])))), ("", ""))


def terms(pages: Iterable[Path]) -> list[Term]:
    """Returns all terms, in the order of the pages and of their tables."""
    found = []
    for page in pages:
        cell, text = table(page)
        lines = [line.strip() for line in text.splitlines() if line.startswith("|")]
        rows = [[part.strip() for part in COLUMN.split(line)[1:-1]] for line in lines]
        found += [Term(name, means, page.name, cell) for name, means in rows[2:]]
    return found


def sorted_as(name: str) -> str:
    """Returns the key by which a term is sorted: `pg_stat_activity` is under P, *to leak* under L."""
    return re.sub(r"\W", "", name.removeprefix("to ").replace("_", "")).casefold()


def spelled_alike(name: str) -> str:
    """Returns the same key for names that differ only in case, in a hyphen or in the plural."""
    return re.sub(r"s\b|\W", "", name.removeprefix("to ").casefold())


def spellings(found: Iterable[Term]) -> list[set[str]]:
    """Returns the terms that have more than one spelling."""
    ways: dict[str, set[str]] = defaultdict(set)
    for term in found:
        for name in names(term.name):
            ways[spelled_alike(name)].add(name)
    return [some for some in ways.values() if len(some) > 1]


def names(name: str) -> list[str]:
    """Returns the terms of a table's line, which may explain several: *open, closed*."""
    return name.split(", ")


def explained(name: str, some: list[Term]) -> str:
    """Returns a term's line of the list. If pages explain it in different words, adds a line for each explanation."""
    by_meaning: dict[str, list[Term]] = defaultdict(list)
    for term in some:
        by_meaning[term.means].append(term)
    lines = [f"{means} ({', '.join(term.link for term in of)})" for means, of in by_meaning.items()]
    return f"- **{name}**: {lines[0]}" if len(lines) == 1 else "\n".join([f"- **{name}**", *(f"  - {line}" for line in lines)])


def glossary(found: list[Term]) -> str:
    by_name: dict[str, list[Term]] = defaultdict(list)
    for term in found:
        by_name[term.name].append(term)
    lines = {name: explained(name, some) for name, some in by_name.items()}
    for whole in by_name:
        for part in names(whole)[1:]:
            lines.setdefault(part, f"- **{part}**: see *{whole}*")
    by_letter: dict[str, list[str]] = defaultdict(list)
    for name in sorted(lines, key=sorted_as):
        by_letter[sorted_as(name)[0].upper()].append(lines[name])
    return HEAD + "".join(f"\n## {letter}\n\n" + "\n".join(some) + "\n" for letter, some in by_letter.items())


def pages() -> list[Path]:
    return sorted(FOLDER.glob("[0-9][0-9]-*.ipynb"))


def main() -> int:
    argparse.ArgumentParser(description="Writes notebooks/glossary.md from the tables of terms on the pages.").parse_args()
    FILE.write_text(glossary(terms(pages())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
