"""Draws the pictures of the instructor's guides: each chart that a guide names, as in the page's last run.

    kernels/course run 04 && .venv/bin/python kernels/tools/pictures.py 04

draws those of page 04 from `.build/run`. Without a number it draws all pages' pictures. `--from FOLDER` names another folder of executed
copies. `pictures/04-global.png` in the guide is the first chart of the cell `global` of page 04, and `pictures/04-global.2.png` its second.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plotly

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))  # for `conftest`
from conftest import ROOT, chromium

GUIDES = ROOT / "notebooks" / "instructor"
PICTURES = GUIDES / "pictures"
CHART = "application/vnd.plotly.v1+json"
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"

WIDTH = 1000  # pixels
MOST_BYTES = 105_000
IMAGE = re.compile(r"!\[([^\]]*)\]\((pictures/[^)\s]+)\)")
FILE = re.compile(r"(?P<page>\d\d)-(?P<cell>[\w-]+?)(?:\.(?P<which>\d+))?\.png")

DRAW = """async ({chart, width}) => {
  const {data, layout} = chart, place = document.createElement('div');
  place.style.height = `${layout.height}px`;
  document.body.replaceChildren(place);
  await Plotly.newPlot(place, data, {...layout, width, autosize: false}, {staticPlot: true});
  return {x: 0, y: 0, width, height: layout.height};
}"""


@dataclass(frozen=True)
class Picture:
    """Describes a chart of a page. `which` counts the charts that the cell drew, from 1 on."""

    name: str
    page: str
    cell: str
    which: int

    @staticmethod
    def of(name: str) -> Picture:
        """Parses a picture's name. Raises a ValueError if it isn't one."""
        found = FILE.fullmatch(name)
        if not found:
            raise ValueError(f"{name} is not a picture's name; expected NN-CELL.png, or NN-CELL.2.png for a cell's second chart")
        return Picture(name, found["page"], found["cell"], int(found["which"] or 1))

    def chart(self, executed: Path) -> dict[str, Any]:
        """Returns the chart from the executed copy of its page in this folder. Raises a LookupError if there is none."""
        for path in executed.glob(f"{self.page}-*.ipynb"):
            drawn = charts(path, self.cell)
            if len(drawn) >= self.which:
                return drawn[self.which - 1]
            raise LookupError(f"{self.name}: the cell {self.cell} of {path} drew {len(drawn)} charts")
        raise LookupError(f"{self.name}: page {self.page} hasn't run: kernels/course run {self.page}")


def charts(executed: Path, cell: str) -> list[dict[str, Any]]:
    cells = [one for one in json.loads(executed.read_text())["cells"] if one["id"] == cell]
    bundles = [output.get("data", {}) for one in cells for output in one.get("outputs", ())]
    return [bundle[CHART] for bundle in bundles if CHART in bundle]


def named(guide: Path) -> list[tuple[str, Picture]]:
    """Returns the pictures that a guide shows, each with its text alternative."""
    return [(words, Picture.of(Path(path).name)) for words, path in IMAGE.findall(guide.read_text())]


def drawn(charts: Sequence[dict[str, Any]]) -> Iterator[bytes]:
    """Yields each chart as a PNG on a white ground."""
    with chromium() as browser:
        page = browser.new_page(viewport={"width": WIDTH, "height": 2000})
        page.set_content("<style>body { margin: 0 }</style>")
        page.add_script_tag(path=str(PLOTLY))
        for chart in charts:
            yield page.screenshot(clip=page.evaluate(DRAW, {"chart": chart, "width": WIDTH}))


def finding(chart: dict[str, Any]) -> str:
    """Returns the text of the chart's title without markup."""
    title = (chart["layout"].get("title") or {}).get("text", "")
    plain = re.sub(r"<[^>]*>", "", re.sub(r"<br>|<span style=\"font-size", " \\g<0>", title))
    return re.sub(r"\s+", " ", html.unescape(plain)).strip()


def described(guide: str, findings: dict[str, str]) -> str:
    """Returns the guide with each picture's finding as its text alternative."""

    def image(found: re.Match[str]) -> str:
        words = findings.get(Path(found[2]).name)
        return f"![{words}]({found[2]})" if words else found[0]

    return IMAGE.sub(image, guide)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Draws the pictures of the instructor's guide.")
    parser.add_argument("numbers", nargs="*", metavar="NN", help="a page's number (default: all pages)")
    parser.add_argument("--from", dest="executed", type=Path, default=ROOT / ".build" / "run", help="the folder of executed copies")
    asked = parser.parse_args(words)
    guides = [guide for guide in sorted(GUIDES.glob("[0-9][0-9]-*.md")) if not asked.numbers or guide.name[:2] in asked.numbers]
    PICTURES.mkdir(exist_ok=True)
    try:
        pictures = {picture.name: picture.chart(asked.executed) for guide in guides for _, picture in named(guide)}
    except (LookupError, ValueError) as wrong:
        sys.stderr.write(f"{wrong}\n")
        return 1
    for name, content in zip(pictures, drawn(list(pictures.values())), strict=True):
        (PICTURES / name).write_bytes(content)
        sys.stdout.write(f"{len(content):7,} bytes  {name}{'  too large' if len(content) > MOST_BYTES else ''}\n")
    findings = {name: finding(chart) for name, chart in pictures.items()}
    for guide in guides:
        guide.write_text(described(guide.read_text(), findings))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
