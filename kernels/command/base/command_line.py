"""The command line of a verb: argparse, with errors in the project's words.

A verb's module has `main`, which gets the words as argparse understood them, and, if the verb takes any, `arguments`, which adds them to
the verb's parser.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from .problem import Problem


class Misuse(Problem):
    """A command line that can't be understood."""


class Parser(argparse.ArgumentParser):
    """The parser of a verb.

    `passes_on`: words behind `--` go to another program, as `rest` of what is parsed. `passes_options`: so do those from the first option
    on that isn't the verb's.
    """

    def __init__(self, verb: str, summary: str) -> None:
        super().__init__(
            prog=f"kernels/course {verb}", description=f"{summary[0].upper()}{summary[1:]}.", add_help=False, allow_abbrev=False
        )
        self.verb = verb
        self.color = False  # Python 3.14 would put colours into errors
        self.passes_on = self.passes_options = False
        self.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Parses what follows the verb. Raises Misuse."""
        own, rest = self.split(words)
        given, unknown = self.parse_known_intermixed_args(own)
        if unknown:
            self.error(f"can't use {' '.join(unknown)!r}")
        if self.passes_on:
            given.rest = rest
        return given

    def split(self, words: Sequence[str]) -> tuple[list[str], list[str]]:
        """Returns the verb's own words, and those that it passes on."""
        if not self.passes_on:
            return list(words), []
        known = {name for action in self._actions for name in action.option_strings}
        foreign = (n for n, word in enumerate(words) if word == "--" or (self.passes_options and word[:1] == "-" and word not in known))
        first = next(foreign, len(words))
        rest = list(words[first:])
        return list(words[:first]), [word for word in rest if word != "--"] if self.passes_options else rest[1:]

    def error(self, message: str) -> NoReturn:
        said = message.replace("the following arguments are required: ", "lacks ").removeprefix("argument ")
        usage = " ".join(self.format_usage().split()).removeprefix("usage: ")
        raise Misuse(f"{self.verb}: {said}.", f"Write  {usage}  (`kernels/course {self.verb} --help` says more).")


def as_path(word: str) -> Path:
    """The type of an argument that names a file or a folder."""
    if not word:
        raise argparse.ArgumentTypeError("a path is needed, not ''")
    return Path(word).expanduser().absolute()


def as_count(word: str) -> int:
    """The type of an argument that says how many."""
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"a whole number from 1 on is needed, not {word!r}")
    return int(word)


def check_folder(place: Path, what: str, remedy: str) -> None:
    """Raises a Problem if `what` can't be put into a folder: there is a file, or you have no right to write there."""
    there = next(path for path in (place, *place.parents) if path.exists())
    if not there.is_dir():
        raise Problem(f"{what} can't be put into {place}: {there} is a file, and a folder is needed there.", remedy)
    if not os.access(there, os.W_OK | os.X_OK):
        raise Problem(f"{what} can't be put into {place}: you have no right to write in {there}.", remedy)
