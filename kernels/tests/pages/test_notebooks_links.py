"""Tests the links of pages, solutions and documents, and that prose links every page that it names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from command.pages import notebooks
from conftest import ROOT

FOLDER = ROOT / "notebooks"
STORED = sorted(path for path in FOLDER.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
DOCUMENTS = [*(ROOT / "kernels" / "docs").glob("*.md"), *(ROOT / "kernels" / "hub").glob("*.md"), *(ROOT / ".github").glob("*.md")]
WRITTEN = [ROOT / "README.md", ROOT / "data" / "README.md", ROOT / "kernels" / "README.md", *DOCUMENTS, *FOLDER.rglob("*.md")]

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
# Text without links or pages' numbers: code, comments and headings.
NO_PROSE = re.compile(r"```.*?```|`[^`\n]+`|<!--.*?-->|^#+ [^\n]*$", re.S | re.M)
NAMED = re.compile(r"\b[Pp]ages? [01]\d\b[^\n]{0,30}")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def prose(path: Path) -> str:
    if path.suffix == ".md":
        return path.read_text()
    cells = json.loads(path.read_text())["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def anchors(path: Path) -> set[str]:
    """Returns the names of headings in JupyterLab and on GitHub, and of a notebook's cells."""
    found = {re.sub(r"[*`]", "", heading).strip().replace(" ", "-") for heading in re.findall(r"(?m)^#+ ([^\n]*)$", prose(path))}
    found |= {re.sub(r"[^\w-]", "", heading).lower() for heading in found}
    if path.suffix == ".ipynb":
        found |= {f"cell-id={cell['id']}" for cell in json.loads(path.read_text())["cells"]}
    return found


def lost(path: Path) -> Iterator[str]:
    for address in LINK.findall(NO_PROSE.sub("", prose(path))):
        if re.match(r"[a-z]+:", address):
            continue
        file, _, anchor = address.partition("#")
        there = (path.parent / file).resolve() if file else path
        if not there.exists() or (anchor and anchor not in anchors(there)):
            yield address


@pytest.mark.parametrize("path", [*STORED, *WRITTEN], ids=name)
def test_links_lead_somewhere(path: Path):
    assert list(lost(path)) == []


def test_a_link_to_nowhere_is_found(tmp_path: Path):
    page = tmp_path / "a.md"
    page.write_text("# One `two`\n\n[a](a.md) [a](#One-two) [a](#one-two) [b](b.md) [c](a.md#three) `[d](d.md)` [e](https://e/e)\n")
    assert list(lost(page)) == ["b.md", "a.md#three"]


def unlinked(path: Path) -> list[str]:
    """Returns the places where prose names another page without a link. A link's text may name one."""
    text = LINK.sub("", NO_PROSE.sub("", prose(path)))
    return [found for found in NAMED.findall(text) if path.name[:2] not in found.split()[1]]


@pytest.mark.parametrize("page", notebooks.pages(), ids=name)
def test_a_page_that_prose_names_is_a_link(page: Path):
    assert unlinked(page) == []


@pytest.mark.parametrize("page", notebooks.pages(), ids=name)
def test_a_page_leads_to_the_one_before_and_the_next(page: Path):
    """Checks a page's last lines, so that the course can be read in order."""
    there = notebooks.pages()
    at = there.index(page)
    last = "".join(json.loads(page.read_text())["cells"][-1]["source"]).splitlines()[-1]
    beside = [there[at - 1]] * (at > 0) + there[at + 1 : at + 2]
    assert set(LINK.findall(last)) >= {other.name for other in beside}
