"""`export`: what this reader kept, in one file to hand in. `Results.exportTo` of the lab writes the same from a cell."""

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
    """Without the folders of the clone and of the user: a message of an error may name one."""
    for place, sign in ((str(ROOT), "…"), (str(Path.home()), "~")):
        text = text.replace(place, sign) if len(place) > 1 else text
    return text


def lines(place: Path) -> list[str]:
    """The file to hand in: a head, then the records. Raises an OSError where they can't be read."""
    path = place / records.OWN

    def torn(number: int) -> None:
        say(f"{shown(path)}, line {number}: no whole record, as a killed kernel or a full disk leaves it. It is left out")

    found = list(records.lines(path, torn))
    reader = former.reader_in(record for _, record in found) or str(uuid.uuid4())
    at = f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}"
    head = {"record": "export", "version": records.VERSION, "at": at, "reader": reader}
    return [json.dumps(head), *(impersonal(line) for line, _ in found)]


def arguments(parser: Parser) -> None:
    parser.epilog = "The file names nobody. Without FILE it is data/results/hand-in-….jsonl."
    parser.add_argument("file", metavar="FILE", type=as_path, nargs="?", help="where to write, a file or a folder")


def chosen(asked: Path, place: Path, reader: str) -> Path:
    """The file to write. In a folder it is named after the reader's random name: thirty of them go into one folder.

    Raises a Problem if the name is taken by what the file is made from.
    """
    target = (asked / f"hand-in-{reader[:8]}.jsonl" if asked.is_dir() else asked).absolute()
    if target == (place / records.OWN).absolute():
        raise Problem(f"{shown(target)} is where kernels keep what you measure.", "Write kernels/course export FILE, with another name.")
    return target


def main(given: Namespace) -> int:
    """Writes the file that is named, or one beside the results. Raises a Problem if nothing was kept yet."""
    place = records.results()
    former.migrate(place)
    found = lines(place)
    if len(found) == 1:
        raise Problem(f"Nothing is kept in {shown(place)} yet.", "Run a page first, page 00 for instance: what it measures is kept there.")
    target = chosen(given.file or place, place, json.loads(found[0])["reader"])
    write_whole(target, "\n".join(found) + "\n")
    sys.stdout.write(f"{shown(target)}: {len(found) - 1} records of yours, to be handed in. It names nobody.\n")
    return 0
