"""Reads and checks the records in which facts travel, one JSON object per line.

Their shapes and names come from `data/records.schema.json`. Reading needs only the standard library. Checking a shape needs fastjsonschema,
which the installed Python has.
"""

from __future__ import annotations

import csv
import functools
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .paths import RESULTS, ROOT

SCHEMA = ROOT / "data" / "records.schema.json"
STATEMENTS = ROOT / "data" / "published" / "statements.csv"
RECORDED = ROOT / "data" / "recorded" / "verdicts.jsonl"
OWN = "records.jsonl"  # the file in the results folder to which a reader's kernels append
MIME = "application/vnd.which-thread.record+json"  # the type of a page's outputs that hold records
VERSION = 1
Record = dict[str, Any]

_schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
_definitions = _schema["definitions"]
VERDICTS: tuple[str, ...] = tuple(_definitions["verdictName"]["enum"])
HOLDS, DEPENDS, DOES_NOT_HOLD, NOT_DECIDED, NOT_TRIED = VERDICTS
GRADED = (HOLDS, DEPENDS, DOES_NOT_HOLD)
KINDS: tuple[str, ...] = tuple(_schema["properties"]["record"]["enum"])

# How a message describes a field that breaks a rule of the schema.
BROKEN = {
    "type": "has the wrong type",
    "enum": "is not one of the course's",
    "const": "is not one of the course's",
    "pattern": "has the wrong form",
    "maxLength": "is too long",
    "maxItems": "has too many parts",
    "maxProperties": "has too many parts",
    "minimum": "is out of range",
    "maximum": "is out of range",
    "exclusiveMinimum": "is out of range",
    "exclusiveMaximum": "is out of range",
    "oneOf": "has an invalid shape",
    "required": "lacks a field",
    "additionalProperties": "has an unknown field",
}


class Refused(Exception):
    """Rejects a line, a record or a file. Its arguments say what is wrong, and what to do if it is a file."""


# ---- lines


def results(env: Mapping[str, str] = os.environ) -> Path:
    """Returns the folder in which kernels keep this reader's results."""
    return Path(env.get("COURSE_RESULTS") or RESULTS)


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is not a JSON number")


def parsed(line: str) -> Record:
    """Returns the JSON object in a line. Raises Refused if there is anything else, or a number such as NaN that isn't JSON."""
    try:
        found = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Refused("is not JSON") from None
    if not isinstance(found, dict):
        raise Refused("is not a record")
    return found


def lines(path: Path, torn: Callable[[int], None] = lambda number: None) -> Iterator[tuple[str, Record]]:
    """Yields each complete line of a file to which kernels append, with its record. Yields nothing if there is no file.

    Calls `torn` with the number of each line that isn't a record, because a killed kernel or a full disk leaves such lines. Raises an
    OSError if the file can't be read.
    """
    return lines_of(path.read_bytes() if path.is_file() else b"", torn)


def lines_of(data: bytes, torn: Callable[[int], None] = lambda number: None) -> Iterator[tuple[str, Record]]:
    """Yields each complete line of such a file's content, with its record, as `lines` does."""
    for number, line in enumerate(data.decode(errors="replace").split("\n"), 1):
        if line.strip():
            try:
                record = parsed(line)
            except Refused:
                torn(number)
            else:
                yield line, record


def as_line(record: Record) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


# ---- shapes


@functools.cache
def _shape(kind: str) -> Callable[[Record], Record]:
    from fastjsonschema import compile

    whole = {name: value for name, value in _schema.items() if name != "oneOf"}
    return compile({**whole, "allOf": [{"$ref": f"#/definitions/{kind}"}]})


def check(record: Record) -> None:
    """Raises Refused if a record doesn't match the schema. The message contains no text from the record."""
    from fastjsonschema import JsonSchemaValueException

    kind = record.get("record")
    if not isinstance(kind, str) or kind not in KINDS:
        raise Refused("is not one that the course makes")
    try:
        _shape(kind)(record)
    except JsonSchemaValueException as wrong:
        if len(wrong.path) == 1:
            asked = {*_schema["required"], *_definitions[kind]["required"]}
            lacks = sorted(asked - record.keys())
            raise Refused(f"is a {kind} without {lacks[0]}" if lacks else f"is not a {kind} of the course") from None
        raise Refused(f"{wrong.path[1]} {BROKEN.get(wrong.rule, 'is not as it should be')}") from None


# ---- records that executed pages hold


def of_notebook(notebook: Mapping[str, Any]) -> Iterator[Record]:
    """Yields the records in a notebook's outputs, in the order of the page."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            record = output.get("data", {}).get(MIME)
            if isinstance(record, dict) and "record" in record:
                yield record


def verdicts_of(notebook: Mapping[str, Any]) -> list[Record]:
    """Returns a notebook's verdict on each statement. If a statement was judged again, the latest verdict counts."""
    return list({record.get("statement"): record for record in of_notebook(notebook) if record["record"] == "verdict"}.values())


# ---- what the course says, and what it recorded


@dataclass(frozen=True)
class Statement:
    """Describes one thing that an article says.

    `figures` are the quantities that were published for it, or None if it is the whole claim.
    """

    id: str
    text: str
    figures: tuple[str, ...] | None
    false_where: str
    by_construction: str

    @property
    def claim(self) -> str:
        return self.id.partition(".")[0]

    @property
    def how_it_fails(self) -> list[str]:
        """Returns a panel's lines on the setting in which the statement would be false, and on why the set-up decides the verdict."""
        built = f"By construction: the set-up decides the verdict here, so it doesn't count: {self.by_construction}"
        return [f"Would be false where: {self.false_where}"] * bool(self.false_where) + [built] * bool(self.by_construction)


def statements(path: Path = STATEMENTS) -> dict[str, Statement]:
    """Returns every statement by its id, in the order of the articles."""
    with path.open(newline="", encoding="utf-8") as stream:
        return {row["statement"]: _statement(row) for row in csv.DictReader(stream)}


def _statement(row: dict[str, str]) -> Statement:
    how = row["weaker"]
    said = {"": "", "yes": " (weaker than the article's)", "own": " (the course's own addition)"}
    figures = row["figures"]
    named = None if not figures else () if figures == "none" else tuple(figures.split(" | "))
    text = row["text"] + said.get(how, f" (weaker: {how})")
    return Statement(row["statement"], text, named, row["false_where"], row["by_construction"])


def recorded() -> list[Record]:
    """Returns the verdicts of the recorded runs, or nothing if there is no file."""
    return [record for _, record in lines(RECORDED)]


def whole(value: float) -> str:
    """Returns the nearest whole number with thousands separators."""
    return f"{math.floor(value + 0.5):,}"


def digits(value: float) -> str:
    """Returns a number with three significant digits, or as a whole number from 100 on. Trailing zeros are dropped."""
    return whole(value) if abs(value) >= 100 else f"{float(f'{value:.3g}'):g}"


def told(measured: Iterable[Mapping[str, Any]]) -> str:
    """Returns the measured values as a panel shows them: `name: value unit; name: value unit`, with the × of a ratio before its number."""
    return "; ".join(map(_told, measured)) or "–"


def _three(value: float) -> str:
    """Returns a number with three significant digits, including zeros, as the lab's `Estimate` does."""
    if abs(value) >= 100:
        return whole(value)
    return f"{value:.{min(9, 2 - math.floor(math.log10(abs(value)))) if value else 0}f}"


def _bounds(low: float, high: float | None) -> str:
    if high is None:
        return "no bounds are known"
    return "bounds that are too far apart to say anything" if low > 0 and high / low > 1000 else f"{_three(low)} to {_three(high)}"


def _spread(one: Mapping[str, Any], counted: bool) -> str:
    """Returns the range of a value over several runs."""
    least, most = one["least"], one["most"]
    digits = whole if counted and least == int(least) and most == int(most) else _three
    said = digits(least), digits(most)
    return f"the same in {one['runs']} runs" if said[0] == said[1] else f"in {one['runs']} runs {said[0]} to {said[1]}"


def _told(one: Mapping[str, Any]) -> str:
    value, low, high, unit = one["value"], one.get("low"), one.get("high"), one.get("unit", "")
    if isinstance(value, str):
        said = value
    else:
        counted = "low" not in one and value == int(value)
        digits = whole if counted else _three  # counts need no decimals
        within = "; ".join(filter(None, [_bounds(low, high) if "low" in one else "", _spread(one, counted) if "runs" in one else ""]))
        said = digits(value) + (f" ({within})" if within else "")
    with_unit = f"× {said}" if unit == "×" else f"{said} {unit}".strip()
    return f"{one['name']}: {with_unit}" if one["name"] else with_unit
