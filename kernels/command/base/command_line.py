"""Parses a verb's command line with argparse, and reports errors in the project's words.

A verb's module has a function `main`, which gets the parsed arguments. If the verb takes any, the module also has a function `arguments`,
which adds them to the verb's parser.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from .problem import Problem


class Misuse(Problem):
    """Reports an invalid command line."""


class Parser(argparse.ArgumentParser):
    """Parses the command line of one verb.

    If `passes_on` is set, everything after `--` goes to another program, and is returned as `rest`. If `passes_options` is set as well,
    everything from the first option that isn't the verb's also goes there.
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
        """Parses the arguments of the verb. Raises Misuse if one is invalid."""
        own, rest = self.split(words)
        given, unknown = self.parse_known_intermixed_args(own)
        if unknown:
            self.error(f"can't use {' '.join(unknown)!r}")
        if self.passes_on:
            given.rest = rest
        return given

    def split(self, words: Sequence[str]) -> tuple[list[str], list[str]]:
        """Splits the arguments into the verb's own and those that it passes on."""
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
        raise Misuse(f"{self.verb}: {said}.", f"Write  {usage}  (`kernels/course {self.verb} --help` explains it).")


def as_path(word: str) -> Path:
    """Converts an argument that names a file or a folder. Raises ArgumentTypeError if it is empty."""
    if not word:
        raise argparse.ArgumentTypeError("expected a path, found ''")
    return Path(word).expanduser().absolute()


def as_count(word: str) -> int:
    """Converts an argument that is a number of things. Raises ArgumentTypeError if it isn't a whole number above 0."""
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, found {word!r}")
    return int(word)


def check_folder(place: Path, what: str, remedy: str) -> None:
    """Raises a Problem if `what` can't be written to a folder, because there is a file or you may not write there."""
    there = next(path for path in (place, *place.parents) if path.exists())
    if not there.is_dir():
        raise Problem(f"{what} can't be written to {place}: {there} is a file, not a folder.", remedy)
    if not os.access(there, os.W_OK | os.X_OK):
        raise Problem(f"{what} can't be written to {place}: you have no permission to write in {there}.", remedy)
