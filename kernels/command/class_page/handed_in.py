"""The files that readers handed in. They are foreign data: each is read within limits, and what is taken of it is of a known shape.

Nothing here trusts a file: its size, its depth, its texts and its names are bounded, and what remains is text and numbers, to be escaped by
whoever shows it. A file that can't be taken is told with a remedy, and the others go on.
"""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import json
import math
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ..learner.export import KEPT

LARGEST = 16 << 20  # bytes of a file; all pages once leave about 200,000
LONGEST = 1 << 16  # characters of a record
MOST_BRACKETS = 200  # in a record, which bounds its depth too
MOST_RECORDS = 20_000  # all pages once leave about 250
MOST_FILES = 500  # of a class: five of each of a hundred readers
MOST_IN_ALL = 400_000  # records of a class: a hundred readers who run all pages ten times leave 350,000
DEEPEST = 5  # folders below one that was named
LARGEST_NUMBER = 1e12  # a page counts and times; what is larger, or smaller than its inverse, was not measured
MOST_TEXT = 400  # characters of a text that is shown
MOST_NAME = 80  # of a file's name
MOST_MARKS = 2  # on a letter: with more of them, it covers its neighbours
HAND_IN = "hand in what `kernels/course export` writes"
NO_TEXT = "is no text (not UTF-8)"
# Drawn as nothing, though Unicode counts them as letters, signs or marks.
INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
# A number that stands alone, with its bounds if it has some; not the 25 of "JDK25", nor a part of 2.13.18.
AMOUNT = r"[0-9][0-9,]*(?:\.[0-9]+)?(?:E-?[0-9]+)?"
NUMBER = re.compile(rf"(?<![\w.,])({AMOUNT})(?: \(({AMOUNT}) to ({AMOUNT})\))?(?![\w]|[.,][0-9])")
VERDICTS = ("holds", "depends", "does not hold", "not decided here", "not tried")


@dataclass(frozen=True)
class Machine:
    """What a value was taken on, as far as its record says: only these facts leave a file."""

    cpus: int = 0
    jdk: str = ""
    memory: float = 0.0  # GiB
    kernel: str = ""
    profile: str = ""
    load: float | None = None


@dataclass(frozen=True)
class Figure:
    name: str
    value: float
    unit: str
    at: str
    machine: Machine


@dataclass(frozen=True)
class Verdict:
    claim: str
    sentence: str
    verdict: str
    measured: str
    ratio: tuple[str, float] | None  # what is divided by what, and the published figure that the page set beside it
    recorded: bool  # rests on a recording, not on this machine
    at: str
    machine: Machine


@dataclass(frozen=True)
class Prediction:
    question: str
    kind: str
    unit: str
    options: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    answer: Any  # a text, a number, or rows of numbers; None without one
    happened: Any
    right: bool | None
    revealed: bool
    low: float | None
    high: float | None
    at: str
    machine: Machine

    @property
    def parts(self) -> tuple[str, ...]:
        """What belongs to the question, and is shown with it."""
        return (self.unit, *self.options, *self.columns, *self.rows)


Record = Figure | Verdict | Prediction


@dataclass
class Reader:
    """One who handed in, by the random name that the clone gave itself."""

    name: str
    records: dict[Record, None] = field(default_factory=dict)  # in their order, each once
    files: list[str] = field(default_factory=list)

    def of(self, kind: type) -> list[Any]:
        return [record for record in self.records if isinstance(record, kind)]


@dataclass(frozen=True)
class Remark:
    """A word on a file: what is wrong with it, and what to do. `left_out`: of how many files nothing counts."""

    file: str
    what: str
    remedy: str
    left_out: int = 1

    def __str__(self) -> str:
        return f"{self.file}: {self.what} {self.remedy}".strip()


class Refused(Exception):
    """A file, or a record, that can't be taken."""

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.what, self.remedy = what, remedy


@dataclass
class Room:
    """All that was handed in and could be taken."""

    readers: list[Reader]
    remarks: list[Remark]
    files: int


# ---- one record


def clean(text: str, most: int = MOST_TEXT) -> str:
    """Makes one line of a text, not too long, without characters that steer a terminal, turn the direction of writing, hide or pile up.

    Texts that look the same are the same afterwards.
    """
    kept, marks = "", 0
    for c in INVISIBLE.sub("", unicodedata.normalize("NFC", text[: 4 * most])):
        kind = unicodedata.category(c)
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        if c.isspace():
            kept += " "
        elif kind[0] != "C" and marks <= MOST_MARKS:
            kept += c
    kept = re.sub(r" +", " ", kept).strip()
    return kept if len(kept) <= most else kept[: most - 1] + "…"


def name_of(file: str) -> str:
    return clean(file, MOST_NAME) or "(a name without a letter)"


def text(record: dict[str, Any], name: str, default: str | None = None) -> str:
    value = record.get(name, default)
    if not isinstance(value, str):
        raise Refused(f"{name} is no text")
    return clean(value)


def finite(value: Any) -> float | None:
    """A number that can be drawn; None for what is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    with contextlib.suppress(OverflowError):
        if math.isfinite(value) and abs(value) < LARGEST_NUMBER:
            return float(value) if abs(value) > 1 / LARGEST_NUMBER else 0.0
    return None


def texts(record: dict[str, Any], name: str) -> tuple[str, ...]:
    value = record.get(name, [])
    if not isinstance(value, list) or len(value) > 26 or not all(isinstance(each, str) for each in value):
        raise Refused(f"{name} is no list of texts")
    return tuple(clean(each) for each in value)


def when(record: dict[str, Any]) -> str:
    value = text(record, "at")
    try:
        datetime.fromisoformat(re.sub(r"\.\d+", "", value).replace("Z", "+00:00"))
    except ValueError:
        raise Refused("at is no moment") from None
    return value


def machine_of(record: dict[str, Any]) -> Machine:
    """The facts that it holds; one of another shape counts as not told."""
    found = record.get("machine")
    facts = {k: v for k, v in found.items() if isinstance(v, str)} if isinstance(found, dict) else {}

    def number(name: str, most: float) -> float | None:
        try:
            value = float(facts.get(name, "")[:30])
        except ValueError:
            return None
        return abs(value) if 0 <= value <= most else None  # there is a 0 below zero

    def word(pattern: str, name: str) -> str:
        match = re.match(pattern, facts.get(name, ""), re.ASCII)
        return match[1] if match else ""

    return Machine(
        cpus=int(number("cpus", 4096) or 0),
        jdk=word(r"(\d{1,3})(?!\d)", "jdk"),
        memory=round((number("memoryBytes", 2**50) or 0) / 2**30, 1),
        kernel=word(r"((?:almond|ammonite)(?: \d[\w.]{0,20})?)", "kernel"),
        profile=word(r"(quick|full)$", "profile"),
        load=number("load", 1e5),
    )


def figure_of(record: dict[str, Any]) -> Figure:
    value = finite(record.get("value"))
    if value is None:
        raise Refused("value is no finite number")
    return Figure(text(record, "name"), value, text(record, "unit"), when(record), machine_of(record))


def ratio_of(published: str) -> tuple[str, float] | None:
    """Of "global / direct × 15.5; …" the words and the figure, as the lab's Claim.ratio writes them."""
    found = re.match(r"([^×;]{1,80}) × ([0-9]{1,12}(?:\.[0-9]{1,12})?);", published)
    return (found[1], float(found[2])) if found else None


def plain(amount: str | None) -> float | None:
    return None if amount is None else float(amount.replace(",", ""))


def measured_of(record: dict[str, Any]) -> str:
    """What was measured, in words whose numbers can be drawn."""
    said = text(record, "measured", "")
    amounts = (amount for match in NUMBER.finditer(said) for amount in match.groups() if amount)
    if any(finite(plain(amount)) is None for amount in amounts):
        raise Refused("measured holds a number that is not finite, or too large")
    return said


def verdict_of(record: dict[str, Any]) -> Verdict:
    verdict = text(record, "verdict")
    if verdict not in VERDICTS:
        raise Refused("verdict is none of the course's")
    return Verdict(
        text(record, "id"),
        text(record, "sentence"),
        verdict,
        measured_of(record),
        ratio_of(text(record, "published", "")),
        "recorded on" in text(record, "where", ""),
        when(record),
        machine_of(record),
    )


def answer_of(record: dict[str, Any], name: str, kind: str) -> Any:
    """What was said or what happened, as its kind has it; None where it isn't told."""
    value = record.get(name)
    if value is None:
        return None
    if kind == "number":
        return finite(value)
    if kind == "table":
        if not isinstance(value, dict) or len(value) > 26:
            raise Refused(f"{name} is no table")
        rows = {clean(row): numbers for row, numbers in value.items() if isinstance(numbers, list) and len(numbers) <= 26}
        return tuple((row, tuple(finite(each) for each in numbers)) for row, numbers in rows.items())
    return text(record, name)


def prediction_of(record: dict[str, Any]) -> Prediction:
    kind = text(record, "kind")
    if kind not in ("choice", "number", "words", "table"):
        raise Refused("kind is none of the course's")
    right = record.get("right")
    options = texts(record, "options")
    answer, happened = (answer_of(record, name, kind) for name in ("answer", "happened"))
    if kind == "choice" and not {answer, happened} <= {*options, None}:
        raise Refused("the answer is none of the options")
    return Prediction(
        text(record, "question"),
        kind,
        text(record, "unit", ""),
        options,
        texts(record, "columns"),
        texts(record, "rows"),
        answer,
        happened,
        right if isinstance(right, bool) else None,
        record.get("revealed") is True,
        finite(record.get("low")),
        finite(record.get("high")),
        when(record),
        machine_of(record),
    )


# By what it has, each of the three kinds of records is known.
KINDS: tuple[tuple[str, Callable[[dict[str, Any]], Record]], ...] = (
    ("value", figure_of),
    ("verdict", verdict_of),
    ("question", prediction_of),
)


# ---- one file


def content(path: Path) -> bytes:
    """What stands in an ordinary file. Raises Refused of anything else: a pipe would wait for ever, a device never end."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0))
    except OSError as error:
        raise Refused(f"can't be read ({error.strerror}).", "Look at its name and its rights.") from None
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Refused("is no ordinary file.", f"Ask for it again: {HAND_IN}.")
        found = stream.read(LARGEST + 1)
    if len(found) > LARGEST:
        raise Refused(f"is larger than {LARGEST >> 20} MiB, which no export of the course is.", f"Ask for it again: {HAND_IN}.")
    return found


def lines_of(data: bytes) -> list[bytes]:
    """Splits a file into its lines. Raises Refused if it is empty."""
    if not data.strip():
        raise Refused("is empty.", f"Ask for it again: {HAND_IN}, after a page has run.")
    return data.removeprefix(codecs.BOM_UTF8).split(b"\n")


def decoded(line: bytes) -> str:
    """Decodes one line: of a record that was torn inside a letter, the lines around it count. Raises Refused if it isn't UTF-8."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise Refused(NO_TEXT) from None


def record_of(line: str) -> dict[str, Any]:
    """The JSON object in a line. Raises Refused of anything else."""
    if len(line) > LONGEST or line.count("[") + line.count("{") > MOST_BRACKETS:
        raise Refused("is too long or too deep")
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise Refused("is no JSON") from None
    if not isinstance(found, dict):
        raise Refused("is no record")
    return found


@dataclass
class Contents:
    """What was taken of a file, and why the rest was passed over, each reason with its number."""

    readers: list[str] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    passed: dict[str, int] = field(default_factory=dict)

    def take(self, line: bytes) -> None:
        try:
            found = record_of(decoded(line))
            if isinstance(found.get("reader"), str):
                self.readers.append(found["reader"][:100])
            of = next((make for name, make in KINDS if name in found), None)
            if of:
                self.records.append(of(found))
            elif "exported" not in found:
                raise Refused("is none that the course makes")
        except Refused as refused:
            self.passed[refused.what] = self.passed.get(refused.what, 0) + 1


def read(lines: list[bytes]) -> Contents:
    """Raises Refused where nothing in it is the course's."""
    found, count = Contents(), 0
    for line in lines:
        if line.strip():
            count += 1
            if count > MOST_RECORDS:
                raise Refused(f"has more than {MOST_RECORDS} records, which no export of the course has.", f"Ask for it again: {HAND_IN}.")
            found.take(line)
    if not found.records:
        if NO_TEXT in found.passed:
            raise Refused(f"{NO_TEXT}.", f"Ask for the file itself, not an archive or a picture of it: {HAND_IN}.")
        notebook = any(b'"nbformat"' in line for line in lines)
        what = "is a notebook, not what was measured." if notebook else "holds nothing that the course measured."
        raise Refused(what, f"Ask for another: {HAND_IN}.")
    return found


def known_as(names: list[str], data: bytes) -> str:
    """The reader's random name, or what stands for it where the file has none: a fingerprint. What is no such name is not shown either."""
    name = names[0] if names else ""
    return (
        name
        if re.fullmatch(r"[0-9a-f]{8}-[0-9a-f-]{27}", name)
        else hashlib.sha256(name.encode(errors="surrogatepass") or data).hexdigest()
    )


# ---- all of them


def is_folder_of_results(path: Path) -> bool:
    """Whether a reader's kernels wrote there: a volume of a hub, or `data/results` of a laptop."""
    return any((path / name).is_file() for name in KEPT)


def inside(folder: Path, depth: int = 0) -> Iterator[Path | Remark]:
    """The files to be read below a folder, and folders of results as one; links are not followed."""
    if depth > DEEPEST:
        yield Remark(folder.name, f"lies deeper than {DEEPEST} folders.", "Name it itself.")
        return
    if is_folder_of_results(folder):
        yield folder
        return
    try:
        there = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield Remark(folder.name, f"can't be read ({error.strerror}).", "Give yourself the right to, or leave it out.")
        return
    for entry in there:
        if entry.is_symlink():
            if entry.name.endswith(".jsonl"):
                yield Remark(entry.name, "is a link, which isn't followed inside a folder.", "Name the file that it leads to.")
        elif entry.is_dir():
            yield from inside(Path(entry.path), depth + 1)
        elif entry.name.endswith(".jsonl"):
            yield Path(entry.path)


def named(paths: Iterable[Path]) -> Iterator[Path | Remark]:
    for path in paths:
        if path.is_dir():
            found = list(inside(path))
            yield from found or [Remark(path.name, "holds no file that ends in .jsonl.", "Name the files, or the folder that they are in.")]
        else:
            yield path


def data_of(path: Path) -> bytes:
    """Of a file, or of all that a folder of results holds."""
    if path.is_dir():
        return b"\n".join(content(path / name) for name in KEPT if (path / name).is_file() and not (path / name).is_symlink())
    return content(path)


def contents(path: Path, name: str, seen: dict[str, str]) -> tuple[str, Contents]:
    """Reads one file, or one folder of results. Returns whose it is and what was taken of it. Raises Refused if nothing can be."""
    data = data_of(path)
    digest = hashlib.sha256(data).hexdigest()
    if digest in seen:
        raise Refused(f"is the same as {seen[digest]}.", "It counts once. If both were to hand in their own, ask for it again.")
    seen[digest] = name
    found = read(lines_of(data))
    return known_as(found.readers, data), found


def partly(name: str, reader: Reader, found: Contents) -> Iterator[Remark]:
    """Says of a file that counts what there is to say."""
    if reader.files:
        both = f"is of the same reader as {reader.files[0]}: the two are taken together."
        yield Remark(name, both, "Two readers who share a clone, or a copied file, are one here.", left_out=0)
    if found.passed:
        why = "; ".join(f"{count} × {clean(what, 60)}" for what, count in sorted(found.passed.items()))
        yield Remark(name, f"has records that were passed over: {why}.", "The rest counts; nothing to do.", left_out=0)


def rest(name: str, files: int, most: str) -> Remark:
    remedy = f"Name fewer; {MOST_FILES} files and {MOST_IN_ALL} records are more than a class of a hundred leaves."
    return Remark(name, f"and what follows, {files} in all, was not read: {most} are the most.", remedy, left_out=files)


def collect(paths: Iterable[Path]) -> Room:
    """Everything that these files and folders hold, each reader once. Never raises because of what stands in one."""
    readers: dict[str, Reader] = {}
    remarks: list[Remark] = []
    seen: dict[str, str] = {}
    files = records = 0
    every = list(named(paths))
    for at, path in enumerate(every):
        if isinstance(path, Remark):
            remarks.append(replace(path, file=name_of(path.file)))
            continue
        name = name_of(path.resolve().parent.name + "/" + path.name if path.is_dir() else path.name)
        left = sum(isinstance(each, Path) for each in every[at:])
        if files == MOST_FILES:
            remarks.append(rest(name, left, f"{MOST_FILES} files"))
            break
        files += 1
        try:
            who, found = contents(path, name, seen)
        except Refused as refused:
            remarks.append(Remark(name, refused.what, refused.remedy))
            continue
        records += len(found.records)
        if records > MOST_IN_ALL:
            remarks.append(rest(name, left, f"{MOST_IN_ALL} records"))
            break
        reader = readers.setdefault(who, Reader(who))
        remarks += partly(name, reader, found)
        reader.files.append(name)
        reader.records.update(dict.fromkeys(found.records))
    return Room(list(readers.values()), remarks, files)
