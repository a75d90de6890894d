"""Converts records of the course's former format, which had a claim's sentence and a question's words instead of ids.

A results folder had three files of them. `data/published/former.csv` maps each text to a statement or a prediction. In it, `*` replaces
what differed between machines.
"""

from __future__ import annotations

import csv
import fcntl
import functools
import os
import re
import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ..base.paths import ROOT, shown
from ..base.problem import from_os_error
from ..base.records import OWN, VERSION, Record, Refused, as_line, lines, lines_of, results
from ..base.say import say

FILES = ("measured.jsonl", "verdicts.jsonl", "predictions.jsonl")
TABLE = ROOT / "data" / "published" / "former.csv"
UNKNOWN = "has the former format, but belongs to nothing in the present course"
MOST_TEXT = 4000  # characters, as in the schema


# ---- one record


@functools.cache
def _table(kind: str) -> list[tuple[re.Pattern[str], re.Pattern[str] | None, str]]:
    """Returns patterns for a text and its options, with the id that they belong to. No pattern means that any options match."""

    def looks(text: str) -> re.Pattern[str]:
        return re.compile(".{1,80}?".join(map(re.escape, text.split("*"))), re.S)

    with TABLE.open(newline="", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["kind"] == kind]
    return [(looks(row["text"]), looks(row["options"]) if row["options"] else None, row["id"]) for row in rows]


def _id_of(kind: str, text: str, options: str = "", claim: str = "") -> str:
    for text_looks, options_look, found in _table(kind):
        if found.startswith(claim) and text_looks.fullmatch(text) and (not options_look or options_look.fullmatch(options)):
            return found
    raise Refused(UNKNOWN)


def _number(text: str) -> int | float:
    if not re.fullmatch(r"\d{1,15}(\.\d{1,9})?", text, re.ASCII):
        raise ValueError(text)
    return float(text) if "." in text else int(text)


def _machine(told: dict[str, str]) -> Record:
    numbers = {name: _number(told[name]) for name in ("cpus", "memoryBytes", "heapBytes", "load") if name in told}
    words = {name: told[name] for name in ("collector", "scala", "kernel", "profile", "place") if name in told}
    return {**numbers, **words, "jdk": _number(told["jdk"].partition(".")[0].partition("+")[0]), "jdkVersion": told["jdk"]}


def _figure(old: Record) -> Record:
    cases = re.fullmatch(r"of (\d{1,4}) cases", old["unit"], re.ASCII)
    if cases and old["name"].startswith("exercise "):
        return {
            "record": "attempt",
            "exercise": old["name"].removeprefix("exercise "),
            "passed": int(old["value"]),
            "cases": int(cases[1]),
        }
    return {"record": "figure", **{name: old[name] for name in ("name", "value", "unit")}}


def _verdict(old: Record) -> Record:
    """Converts a verdict. Its measured text becomes one fact in the same words."""
    because, where = old.get("because", ""), old.get("where", "")
    return {
        "record": "verdict",
        "statement": _id_of("statement", old["sentence"], claim=f"{old['id']}."),
        "verdict": old["verdict"],
        **({"because": because[:MOST_TEXT]} if because else {}),
        "measured": [{"name": "", "value": old["measured"][:MOST_TEXT]}] if old["measured"] else [],
        **({"recorded": where[:MOST_TEXT], "here": False} if "recorded on" in where else {}),
    }


def _prediction(old: Record) -> Record:
    kind, options = old["kind"], old.get("options", [])
    kept = ("options", "unit", "columns", "rows", "right", "because", "low", "high", "computed", "within")
    answers = {name: old[name] for name in ("answer", "happened") if old.get(name) is not None}
    return {
        "record": "prediction",
        "prediction": _id_of("prediction", re.sub(r"\s+", " ", old["question"]), " | ".join(options)),
        "kind": kind,
        "question": old["question"],
        **{name: old[name] for name in kept if old.get(name) is not None},
        **{name: chr(ord("a") + options.index(said)) if kind == "choice" else said for name, said in answers.items()},
        **{name: True for name in ("revealed", "recorded") if old.get(name) is True},
    }


def renewed(old: Record, reader: str) -> Record:
    """Returns the record in its new format. Raises Refused if it has none. `reader` is the owner if the record doesn't name one."""
    try:
        if "exported" in old:
            return {"record": "export", "version": VERSION, "at": old["exported"], "reader": old["reader"]}
        for name, form in (("value", _figure), ("verdict", _verdict), ("question", _prediction)):
            if name in old:
                new = form(old)
                return {
                    "record": new.pop("record"),
                    "version": VERSION,
                    **new,
                    "at": old["at"],
                    "reader": old.get("reader", reader),
                    "machine": _machine(old["machine"]),
                }
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise Refused("has the former format, but is incomplete") from None
    raise Refused("is not one that the course makes")


# ---- a reader's own folder


@dataclass
class Renewed:
    """Holds the new records, sorted by time, and counts the reasons why others have no new format."""

    records: list[Record] = field(default_factory=list)
    passed: Counter[str] = field(default_factory=Counter)


def renewed_all(files: Iterable[Path], reader: str) -> Renewed:
    """Converts the records of these files. Raises an OSError if a file can't be read."""
    found = Renewed()

    def torn(number: int) -> None:
        found.passed["is torn"] += 1

    old = [record for path in files for _, record in lines(path, torn)]
    reader = reader or reader_in(old) or str(uuid.uuid4())
    for record in old:
        try:
            found.records.append(renewed(record, reader))
        except Refused as refused:
            found.passed[str(refused)] += 1
    found.records.sort(key=lambda record: str(record["at"]).rstrip("Z"))
    return found


def reader_in(records: Iterable[Record]) -> str:
    """Returns the random name in the first record that has one, or ""."""
    return next((record["reader"] for record in records if isinstance(record.get("reader"), str)), "")


def migrate(folder: Path | None = None) -> None:
    """Converts the reader's files of the former format into `records.jsonl`, and says so. Each old file is renamed to NAME.old.

    Kernels that write in the meantime wait. If the disk is full or you may not write there, everything stays unchanged, and a message says
    so.
    """
    folder = folder or results()
    if not any((folder / name).is_file() for name in FILES):
        return
    try:
        found = _migrated(folder)
    except OSError as error:
        problem = from_os_error(error)
        say(f"What you measured with an earlier version stays in {shown(folder)} and isn't shown yet. {problem.what} {problem.remedy}")
        return
    why = "; ".join(f"{count} × {what}" for what, count in sorted(found.passed.items()))
    passed = f" Skipped: {why}; they stay in the files that end in .old." if why else ""
    say(f"{len(found.records)} records of an earlier version are in {shown(folder / OWN)} now.{passed}")


def _migrated(folder: Path) -> Renewed:
    """Converts the files while it holds the lock. Raises an OSError, and then everything is unchanged."""
    handle = os.open(folder / OWN, os.O_RDWR | os.O_CREAT, 0o644)
    with os.fdopen(handle, "r+b", buffering=0) as stream:
        fcntl.lockf(stream, fcntl.LOCK_EX)  # the kernels' JVMs use the same lock
        files = [folder / name for name in FILES if (folder / name).is_file()]
        there = stream.readall()  # closing a second handle of this file would release the lock
        found = renewed_all(files, reader_in(record for _, record in lines_of(there)))
        known = set(there.splitlines(keepends=True))  # a killed migration may have added records without renaming the files
        new = [line for record in found.records if (line := as_line(record).encode(errors="replace")) not in known]
        moved: list[tuple[Path, Path]] = []
        try:
            left = memoryview((b"\n" if there and not there.endswith(b"\n") else b"") + b"".join(new))
            while left:
                left = left[stream.write(left) :]
            os.fsync(stream.fileno())
            for path in files:
                target = _free(path)
                path.rename(target)
                moved.append((target, path))
        except OSError as error:
            stream.truncate(len(there))
            for target, path in moved:
                target.rename(path)
            error.filename = error.filename or str(folder / OWN)
            raise
    return found


def _free(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.old{number}") for number in ("", *range(2, 1000)))
    return next(name for name in names if not name.exists())
