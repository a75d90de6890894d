"""Adds a picture of each page's first chart to a site, so that readers see it before the scripts have loaded, or without them.

`site` starts it on the installed Python, for the folder that Sphinx made and the address
of the published site, which may be empty. Exit code 3 means that no Chromium is available.
"""

from __future__ import annotations

import base64
import re
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
  guesses.forEach((guess) => guess.skip());
  await draw(charts[0]);
  const plot = charts[0].querySelector('.plot'), size = {width: plot.clientWidth, height: plot.clientHeight};
  const of = (about) => Plotly.toImage(plot, {...about, imageDataOnly: true});
  return {...size, svg: await of({...size, format: 'svg'}), png: await of({width: 1200, height: 630, format: 'png'})};
}"""
PREVIEWS = "_previews"  # the folder of the pictures that other sites show beside a link


def with_picture(page: str, picture: dict[str, Any]) -> str:
    """Returns the page's text with the picture at its first chart. Raises a ValueError if the page has no chart."""
    before, found, after = page.partition(PLACE)
    if not found:
        raise ValueError("no chart has a place on this page")
    _, end, after = after.partition('px">')  # skip the height, which includes Plotly's slider
    svg = picture["svg"].replace("<svg ", '<svg aria-hidden="true" ', 1)
    return f"{before}{PLACE}{picture['height']}{end}{svg}{re.sub('<noscript>.*?</noscript>', '', after, count=1)}"


def with_preview(text: str, page: str, picture: dict[str, Any], folder: Path, address: str) -> str:
    """Writes the picture that other sites show beside a link to the page, and returns the page's text with its full address."""
    (folder / PREVIEWS).mkdir(exist_ok=True)
    (folder / PREVIEWS / f"{page}.png").write_bytes(base64.b64decode(picture["png"]))
    return text.replace("</head>", f'<meta property="og:image" content="{address}{PREVIEWS}/{page}.png" /></head>', 1)


def main(folder: Path, address: str) -> int:
    try:
        with chromium() as browser:
            tab = browser.new_page(viewport=WINDOW)
            for path in sorted([*folder.glob("*.html"), *folder.glob("claims/*.html")]):
                text = path.read_text(encoding="utf-8")
                if PLACE in text:
                    tab.goto(path.as_uri())
                    picture = tab.evaluate(PICTURE)
                    text = with_picture(text, picture)
                    if address:  # a preview needs a full address
                        text = with_preview(text, path.stem, picture, folder, address)
                    write_whole(path, text)
    except NoChromium:
        return NONE_HERE
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
