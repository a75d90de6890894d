"""Adds a picture of each page's first chart to a site, so that readers see it before the scripts have loaded, or without them.

`site` starts it on the installed Python, for the folder that Sphinx made. Exit code 3 means that no Chromium is available.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ..base.files import write_whole
from .browser import NoChromium, chromium

NONE_HERE = 3
WINDOW = {"width": 1400, "height": 1000}
PLACE = '<div class="plot" style="height:'
# The chart as the page draws it, without Plotly's slider, which the page replaces.
PICTURE = """async () => {
  await draw(charts[0]);
  const plot = charts[0].querySelector('.plot'), size = {width: plot.clientWidth, height: plot.clientHeight};
  return {...size, svg: await Plotly.toImage(plot, {...size, format: 'svg', imageDataOnly: true})};
}"""


def with_picture(page: str, picture: dict[str, Any]) -> str:
    """Returns the page's text with the picture at its first chart. Raises a ValueError if the page has no chart."""
    before, found, after = page.partition(PLACE)
    if not found:
        raise ValueError("no chart has a place on this page")
    _, end, after = after.partition('px">')  # skip the height, which includes Plotly's slider
    svg = picture["svg"].replace("<svg ", '<svg aria-hidden="true" ', 1)
    return f"{before}{PLACE}{picture['height']}{end}{svg}{after}"


def main(folder: Path) -> int:
    try:
        with chromium() as browser:
            tab = browser.new_page(viewport=WINDOW)
            for path in sorted(folder.glob("*.html")):
                text = path.read_text(encoding="utf-8")
                if PLACE in text:
                    tab.goto(path.as_uri())
                    write_whole(path, with_picture(text, tab.evaluate(PICTURE)))
    except NoChromium:
        return NONE_HERE
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
