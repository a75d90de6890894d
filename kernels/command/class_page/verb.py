"""Implements `class`, which makes one page from what a class of readers handed in."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from argparse import Namespace
from datetime import datetime
from pathlib import Path

from ..base import children
from ..base.command_line import Parser, as_path
from ..base.files import write_whole
from ..base.paths import BUILD, KERNELS, shown
from ..base.problem import Problem
from ..base.say import say
from ..pages import former
from ..setup.programs import hand_over
from ..setup.stages import with_packages
from . import course, handed_in, page
from .markup import counted
from .tally import count

PAGE = BUILD / "class" / "index.html"


def arguments(parser: Parser) -> None:
    parser.add_argument(
        "files", metavar="FILE", type=as_path, nargs="+", help="a file that `kernels/course export` wrote, or a folder of such files"
    )
    parser.add_argument(
        "--live", metavar="SECONDS", type=int, nargs="?", const=10, default=0, help="make the page again every 10 (or SECONDS) seconds"
    )
    parser.add_argument("--to", metavar="FILE", type=as_path, default=PAGE, help=f"where to write the page (default: {shown(PAGE)})")


def main(given: Namespace) -> int:
    """Writes the page, and remarks on unusable files to standard error. With `--live`, writes it again and again.

    Raises a Problem if no file is usable.
    """
    if not importlib.util.find_spec("fastjsonschema"):  # only the installed Python has it
        python = with_packages()
        if python.program != Path(sys.executable):
            argv = [python.program, KERNELS / "course", "class", *given.files, "--to", given.to, "--live", str(given.live)]
            return hand_over(argv, children.without(os.environ, "PYTHONHOME", "PYTHONPATH"))
    former.migrate()
    to = given.to / "index.html" if given.to.is_dir() else given.to
    if to in given.files:
        raise Problem(f"{to} is one of the files that were handed in.", "Name another file after --to.")
    if given.live < 0:
        raise Problem(f"--live {given.live} is no time.", "Give a number of seconds from 1 on, or none for 10 seconds.")
    plotly = (with_packages().site / "plotly" / "package_data" / "plotly.min.js").read_text(encoding="utf-8")
    there = course.read()
    found = handed_in.collect(given.files)
    for remark in found.remarks:
        say(f"{'Left out: ' if remark.left_out else ''}{remark}")
    if not found.readers and not given.live:
        raise Problem(
            "None of these files contains a reader's results.", "Each reader writes a file with `kernels/course export`. Name those files."
        )

    def make() -> None:
        tally = count(there, found.readers)
        write_whole(to, page.page(there, found, tally, plotly, datetime.now(), given.live))

    make()
    left = sum(remark.left_out for remark in found.remarks)
    who = f"{counted(len(found.readers), 'reader')}{f', {left} files left out' if left else ''}"
    sys.stdout.write(f"{shown(to)}: {who}. Open it in a browser.\n")
    while given.live:
        sys.stdout.flush()
        time.sleep(given.live)
        found = handed_in.collect(given.files)
        make()
    return 0
