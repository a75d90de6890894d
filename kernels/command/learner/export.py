"""Implements `export`, which writes this reader's results to one file to hand in. The lab's `Results.exportTo` does the same."""

from __future__ import annotations

import json
import sys
import uuid
from argparse import Namespace
from datetime import datetime, timezone
from pathlib import Path

from ..base import records
from ..base.command_line import Parser, as_path
from ..base.files import write_whole
from ..base.paths import ROOT, shown
from ..base.problem import Problem
from ..base.say import say
from ..pages import former


def impersonal(text: str) -> str:
    """Returns the text without the folders of the clone and the user, which an error message may contain."""
    for place, sign in ((str(ROOT), "…"), (str(Path.home()), "~")):
        text = text.replace(place, sign) if len(place) > 1 else text
    return text


def lines(place: Path) -> list[str]:
    """Returns the lines of the file to hand in, a head and the records. Raises an OSError if the records can't be read."""
    path = place / records.OWN

    def torn(number: int) -> None:
        say(f"{shown(path)}, line {number}: an incomplete record, as a killed kernel or a full disk leaves it. It is left out")

    found = list(records.lines(path, torn))
    reader = former.reader_in(record for _, record in found) or str(uuid.uuid4())
    at = f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}"
    head = {"record": "export", "version": records.VERSION, "at": at, "reader": reader}
    return [json.dumps(head), *(impersonal(line) for line, _ in found)]


def arguments(parser: Parser) -> None:
    parser.epilog = "The file names nobody. The default is data/results/hand-in-….jsonl."
    parser.add_argument("file", metavar="FILE", type=as_path, nargs="?", help="where to write, a file or a folder")


def chosen(asked: Path, place: Path, reader: str) -> Path:
    """Returns the file to write. In a folder, its name contains the reader's random name, so that thirty files fit into one folder.

    Raises a Problem if the name belongs to the file in which kernels keep results.
    """
    target = (asked / f"hand-in-{reader[:8]}.jsonl" if asked.is_dir() else asked).absolute()
    if target == (place / records.OWN).absolute():
        raise Problem(f"{shown(target)} is where kernels keep what you measure.", "Use kernels/course export FILE with another name.")
    return target


def main(given: Namespace) -> int:
    """Writes the named file, or one next to the results. Raises a Problem if there are no results yet."""
    place = records.results()
    former.migrate(place)
    found = lines(place)
    if len(found) == 1:
        raise Problem(f"There are no results in {shown(place)} yet.", "Run a page first, for example page 00. It keeps its results there.")
    target = chosen(given.file or place, place, json.loads(found[0])["reader"])
    write_whole(target, "\n".join(found) + "\n")
    sys.stdout.write(f"{shown(target)}: {len(found) - 1} of your records, ready to hand in. The file names nobody.\n")
    return 0
