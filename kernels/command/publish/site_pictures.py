"""Puts a picture of each page's first chart into a site: a reader sees it before the scripts that draw charts have come, or without them.

Started by `site` with the installed Python, on the folder that Sphinx has made. Exit code 3 says that no Chromium is here.
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
# As it is drawn on the page: without a slider of Plotly's, which the page replaces.
PICTURE = """async () => {
  await draw(charts[0]);
  const plot = charts[0].querySelector('.plot'), size = {width: plot.clientWidth, height: plot.clientHeight};
  return {...size, svg: await Plotly.toImage(plot, {...size, format: 'svg', imageDataOnly: true})};
}"""


def with_picture(page: str, picture: dict[str, Any]) -> str:
    """The page's text, its first chart's place filled. Raises a ValueError where it has none."""
    before, found, after = page.partition(PLACE)
    if not found:
        raise ValueError("no chart has a place on this page")
    _, end, after = after.partition('px">')  # the height there is that with Plotly's own slider
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
