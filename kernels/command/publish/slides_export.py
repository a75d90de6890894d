"""Exports a page as slides of reveal.js. Started by `slides` with the installed Python (nbconvert, nbformat, and for the copies of
reveal.js and plotly.js that go along, sphinx-revealjs and plotly).

What is exported is the stored page with the outputs of its last run, so that what is said and what is a slide needs no run.
"""

from __future__ import annotations

import copy
import importlib.resources
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import SlidesExporter

from ..base.embedded import embedded
from ..base.files import write_whole
from ..base.paths import JUPYTER, RUNS
from ..pages.execute import CHART
from . import speaker

PARTS = JUPYTER / "slides"
REVEAL, PLOTLY = "reveal.js", "plotly.min.js"
COLLAPSED, NEXT_SLIDE = {"jupyter": {"source_hidden": True}}, {"slideshow": {"slide_type": "subslide"}}


# ---- what is exported


def hidden(cell: Any) -> bool:
    """Whether the cell is stored collapsed."""
    return bool(cell.metadata.get("jupyter", {}).get("source_hidden"))


def with_outputs(page: Any, executed: Any) -> Any:
    """The page with what its cells put out when it ran, but for the `val x = …` of a cell, which a slide has no room for."""
    outputs = {cell.id: cell.outputs for cell in executed.cells if cell.cell_type == "code"}
    for cell in page.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in outputs[cell.id] if output.output_type != "execute_result"]
    return page


def drawn(output: Any) -> Any:
    """A chart as what slides.js draws it from; anything else as it is."""
    chart = output.get("data", {}).get(CHART)
    if chart:
        output.data = {"text/html": f'<div class="course-chart"><script type="application/json">{embedded(chart)}</script></div>'}
    return output


def with_formulas(text: str) -> str:
    """Formulas as MathML, which a browser draws by itself."""
    from docutils.utils.math.latex2mathml import tex2mathml

    text = re.sub(r"\$\$(.+?)\$\$", lambda found: tex2mathml(found[1].strip(), as_block=True), text, flags=re.S)
    return re.sub(r"(?<![\\$`\w])\$([^\s$`][^$`\n]*?)\$(?![\w$`])", lambda found: tex2mathml(found[1]), text)


def prepared(page: Any) -> Any:
    """As nbconvert is to have it: with cells of notes, charts and formulas to be drawn, and no source where it is stored collapsed."""
    page.cells = speaker.unfolded(with_room(page.cells))
    for cell in page.cells:
        if cell.cell_type == "code":
            cell.outputs = [drawn(output) for output in cell.outputs]
            if hidden(cell):
                cell.metadata["transient"] = {"remove_source": True}
        elif "$" in cell.source:
            cell.source = with_formulas(cell.source)
    return page


# ---- what has room on a slide: estimates, in pixels of slides.css; slides.js makes smaller what they miss

ROOM, LINE, PROSE, ROW, ZOOM, CHART_AT_MOST = 720, 23, 29, 29, 1.3, 380
COLUMNS = 112  # of prose


def prose_height(text: str) -> float:
    told = re.split(r"^### Change one thing|^## Terms of this page", text, flags=re.M)[0]
    return sum(12 + PROSE * -(-len(line) // COLUMNS) for line in told.splitlines() if line.strip())


def height(output: Any) -> float:
    data = output.get("data", {})
    if CHART in data:
        return ZOOM * min(CHART_AT_MOST, data[CHART]["layout"].get("height") or CHART_AT_MOST)
    html, plain = ("".join(data.get(kind, "")) for kind in ("text/html", "text/plain"))
    if "<details" in html:
        return 0  # closed, and its chart's
    if "<tr" in html:
        return 40 + ROW * html.count("<tr")
    return 30 + (PROSE if html else LINE) * len((plain or output.get("text", "")).splitlines())


def with_room(cells: list[Any]) -> list[Any]:
    """The same cells; where what a cell puts out has no room on its slide, the rest of it is a cell of its own on the next, with the same
    notes."""
    found: list[Any] = []
    taken, notes = 0.0, {}
    for cell in cells:
        kind = speaker.slide_type(cell)
        code = cell.cell_type == "code"
        own = (0 if hidden(cell) else 26 + LINE * len(cell.source.splitlines())) if code else prose_height(cell.source)
        found.append(cell)
        if kind in speaker.OFF:
            continue
        if kind in speaker.BEGINS:
            taken, notes = 0, {name: text for name, text in cell.metadata.items() if name == speaker.NOTES}
        elif taken + own > ROOM:
            taken = 0
            cell.metadata.update({**notes, **NEXT_SLIDE})
        taken += own
        part, outputs = cell, cell.outputs if code else []
        if code:
            part.outputs = []
        for number, output in enumerate(outputs):
            if taken and taken + height(output) > ROOM:
                part = copy.deepcopy(part)
                part.update(id=f"{cell.id}-{number}", outputs=[], metadata=nbformat.from_dict({**notes, **NEXT_SLIDE, **COLLAPSED}))
                found.append(part)
                taken = 0
            part.outputs.append(output)
            taken += height(output)
    return found


# ---- the folder


def package(name: str) -> Path:
    return Path(str(importlib.resources.files(name)))


def lay_beside(folder: Path) -> None:
    """What the slides load: reveal.js with its own licence, plotly.js."""
    reveal = package("sphinx_revealjs") / "_static" / "revealjs"
    for part in ("dist", "plugin/notes", "LICENSE"):
        if (reveal / part).is_dir():
            shutil.copytree(reveal / part, folder / REVEAL / part, dirs_exist_ok=True)
        elif (reveal / part).exists():
            shutil.copy(reveal / part, folder / REVEAL / part)
    shutil.copy(package("plotly") / "package_data" / PLOTLY, folder / PLOTLY)


def export(page: Path, folder: Path) -> Path:
    """Writes the slides of a page that has run, and what they load, and returns their file."""
    executed = nbformat.read(RUNS / page.name, as_version=4)
    content = prepared(with_outputs(nbformat.read(page, as_version=4), executed))
    exporter = SlidesExporter(
        extra_template_basedirs=[str(JUPYTER)], template_name=PARTS.name, reveal_url_prefix=REVEAL, reveal_theme="white"
    )
    look, script = (PARTS / "slides.css").read_text(), (PARTS / "slides.js").read_text()
    html, _ = exporter.from_notebook_node(content, {"metadata": {"name": page.stem}, "course": {"look": look, "script": script}})
    folder.mkdir(parents=True, exist_ok=True)
    lay_beside(folder)
    write_whole(folder / f"{page.stem}.html", html)
    return folder / f"{page.stem}.html"


def main(words: list[str]) -> int:
    page, folder = map(Path, words)
    sys.stdout.write(f"{export(page, folder)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
