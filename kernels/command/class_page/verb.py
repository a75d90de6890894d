"""Implements `class`, which makes one page from what a class of readers handed in."""

from __future__ import annotations

import importlib.util
import sys
from argparse import Namespace
from datetime import datetime
from pathlib import Path

from ..base.command_line import Parser, as_path
from ..base.files import write_whole
from ..base.paths import BUILD, KERNELS, shown
from ..base.problem import Problem
from ..base.say import say
from ..pages import former
from ..setup.programs import environment, hand_over
from ..setup.stages import set_up
from . import course, handed_in, page
from .markup import counted
from .tally import count

PAGE = BUILD / "class" / "index.html"


def arguments(parser: Parser) -> None:
    parser.add_argument(
        "files", metavar="FILE", type=as_path, nargs="+", help="a file that `kernels/course export` wrote, or a folder of such files"
    )
    parser.add_argument("--to", metavar="FILE", type=as_path, default=PAGE, help=f"where to write the page (default: {shown(PAGE)})")


def main(given: Namespace) -> int:
    """Writes the page, and remarks on unusable files to standard error. Raises a Problem if no file is usable."""
    if not importlib.util.find_spec("fastjsonschema"):  # only the installed Python has it
        there = set_up()
        if there.python.program != Path(sys.executable):
            argv = [there.python.program, KERNELS / "course", "class", *given.files, "--to", given.to]
            return hand_over(argv, environment(there))
    former.migrate()
    to = given.to / "index.html" if given.to.is_dir() else given.to
    found = handed_in.collect(given.files)
    for remark in found.remarks:
        say(f"{'Left out: ' if remark.left_out else ''}{remark}")
    if not found.readers:
        raise Problem(
            "None of these files contains a reader's results.", "Each reader writes a file with `kernels/course export`. Name those files."
        )
    if to in given.files:
        raise Problem(f"{to} is one of the files that were handed in.", "Name another file after --to.")
    plotly = set_up().python.site / "plotly" / "package_data" / "plotly.min.js"
    there = course.read()
    html = page.page(there, found, count(there, found.readers), plotly.read_text(encoding="utf-8"), datetime.now())
    write_whole(to, html)
    left = sum(remark.left_out for remark in found.remarks)
    sys.stdout.write(
        f"{shown(to)}: {counted(len(found.readers), 'reader')}{f', {left} files left out' if left else ''}. Open it in a browser.\n"
    )
    return 0
