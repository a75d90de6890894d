"""Exports a page as slides of reveal.js.

`slides` starts it on the installed Python, which has nbconvert, nbformat, sphinx-revealjs and plotly. The last two contain the copies of
reveal.js and plotly.js. The export combines the stored page with the outputs of its last run, so a change of notes or of slides needs no
new run.
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


# ---- the content


def hidden(cell: Any) -> bool:
    """Returns whether the cell is stored collapsed."""
    return bool(cell.metadata.get("jupyter", {}).get("source_hidden"))


def with_outputs(page: Any, executed: Any) -> Any:
    """Returns the page with the outputs of its last run, without the `val x = …` results, for which slides have no room."""
    outputs = {cell.id: cell.outputs for cell in executed.cells if cell.cell_type == "code"}
    for cell in page.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in outputs[cell.id] if output.output_type != "execute_result"]
    return page


def drawn(output: Any) -> Any:
    """Returns a chart as the element that slides.js draws, and any other output unchanged."""
    chart = output.get("data", {}).get(CHART)
    if chart:
        output.data = {"text/html": f'<div class="course-chart"><script type="application/json">{embedded(chart)}</script></div>'}
    return output


def with_formulas(text: str) -> str:
    """Converts formulas to MathML, which browsers draw without a script."""
    from docutils.utils.math.latex2mathml import tex2mathml

    text = re.sub(r"\$\$(.+?)\$\$", lambda found: tex2mathml(found[1].strip(), as_block=True), text, flags=re.S)
    return re.sub(r"(?<![\\$`\w])\$([^\s$`][^$`\n]*?)\$(?![\w$`])", lambda found: tex2mathml(found[1]), text)


def prepared(page: Any) -> Any:
    """Returns the page for nbconvert, with cells for notes, drawable charts and formulas, and without the source of collapsed cells."""
    page.cells = speaker.unfolded(with_room(page.cells))
    for cell in page.cells:
        if cell.cell_type == "code":
            cell.outputs = [drawn(output) for output in cell.outputs]
            if hidden(cell):
                cell.metadata["transient"] = {"remove_source": True}
        elif "$" in cell.source:
            cell.source = with_formulas(cell.source)
    return page


# ---- the room on a slide, estimated in pixels of slides.css; slides.js shrinks what is still too large

ROOM, LINE, PROSE, ROW, ZOOM, CHART_AT_MOST = 720, 23, 29, 29, 1.3, 380
COLUMNS = 112  # characters per line of prose


def prose_height(text: str) -> float:
    told = re.split(r"^### Change one thing|^## Terms of this page", text, flags=re.M)[0]
    return sum(12 + PROSE * -(-len(line) // COLUMNS) for line in told.splitlines() if line.strip())


def height(output: Any) -> float:
    data = output.get("data", {})
    if CHART in data:
        return ZOOM * min(CHART_AT_MOST, data[CHART]["layout"].get("height") or CHART_AT_MOST)
    html, plain = ("".join(data.get(kind, "")) for kind in ("text/html", "text/plain"))
    if "<details" in html:
        return 0  # a chart's closed table
    if "<tr" in html:
        return 40 + ROW * html.count("<tr")
    return 30 + (PROSE if html else LINE) * len((plain or output.get("text", "")).splitlines())


def with_room(cells: list[Any]) -> list[Any]:
    """Returns the cells, with outputs that don't fit on a slide moved to a separate cell on the next slide, with the same notes."""
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
    """Copies what the slides load: reveal.js with its licence, and plotly.js."""
    reveal = package("sphinx_revealjs") / "_static" / "revealjs"
    for part in ("dist", "plugin/notes", "LICENSE"):
        if (reveal / part).is_dir():
            shutil.copytree(reveal / part, folder / REVEAL / part, dirs_exist_ok=True)
        elif (reveal / part).exists():
            shutil.copy(reveal / part, folder / REVEAL / part)
    shutil.copy(package("plotly") / "package_data" / PLOTLY, folder / PLOTLY)


def export(page: Path, folder: Path) -> Path:
    """Writes the slides of an executed page and what they load. Returns the slides' file."""
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
