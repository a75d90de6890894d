"""`class`: one page of what a room of readers handed in."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ..base.files import write_whole
from ..base.paths import BUILD, shown
from ..base.problem import Problem
from ..base.say import say
from ..setup.stages import set_up
from . import course, handed_in, page
from .tally import count

PAGE = BUILD / "class" / "index.html"
USAGE = "kernels/course class FILES… [--to FILE], files that `kernels/course export` wrote, or folders of such"


@dataclass(frozen=True)
class Asked:
    files: list[Path]
    to: Path = PAGE


def read(words: list[str]) -> Asked:
    """Raises a Problem of words that can't be understood."""
    left, files, to = list(words), [], PAGE
    while left:
        word, *left = left
        if word == "--to" and left:
            to, left = Path(left[0]), left[1:]
        elif word.startswith("--to="):
            to = Path(word.removeprefix("--to="))
        elif word.startswith("-"):
            raise Problem(f"class can't use {word!r}{' without a file' if word == '--to' else ''}.", f"Write {USAGE}.")
        else:
            files.append(Path(word))
    if not files:
        raise Problem("class needs the files that the readers handed in.", f"Write {USAGE}.")
    return Asked(files, (to / "index.html" if to.is_dir() else to).absolute())


def main(words: list[str]) -> int:
    """Writes the page; a word on each file that can't be taken goes to standard error. Raises a Problem where none can."""
    asked = read(words)
    room = handed_in.collect(asked.files)
    for remark in room.remarks:
        say(f"{'Left out: ' if remark.left_out else ''}{remark}")
    if not room.readers:
        raise Problem(
            "None of these files holds what a reader measured.", "Each reader writes one by `kernels/course export`; name those files."
        )
    if asked.to in {path.absolute() for path in asked.files}:
        raise Problem(f"{asked.to} is one of the files that were handed in.", "Name another file after --to.")
    plotly = set_up().python.site / "plotly" / "package_data" / "plotly.min.js"
    found = count(there := course.read(), room.readers)
    write_whole(asked.to, page.page(there, room, found, plotly.read_text(encoding="utf-8"), datetime.now()))
    left = sum(remark.left_out for remark in room.remarks)
    sys.stdout.write(f"{shown(asked.to)}: {len(room.readers)} readers{f', {left} files left out' if left else ''}. Open it in a browser.\n")
    return 0
