"""The files that readers handed in. They are foreign data: each is read within limits, and what is taken of it is of a known shape.

Nothing here trusts a file: its size, its depth, its texts and its names are bounded, and what remains is text and numbers, to be escaped by
whoever shows it. A file that can't be taken is told with a remedy, and the others go on.
"""

from __future__ import annotations

import codecs
import dataclasses
import errno
import hashlib
import io
import json
import os
import re
import stat
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from ..learner.export import KEPT
from ..pages.stability import VERDICTS

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
MOST_LISTED = 26  # options, rows or columns
MOST_MARKS = 2  # on a letter: with more of them, it covers its neighbours
HAND_IN = "hand in what `kernels/course export` writes"
NO_TEXT = "is no text (not UTF-8)"
# Drawn as nothing, though Unicode counts them as letters, signs or marks.
INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
# A number that stands alone, with its bounds if it has some; not the 25 of "JDK25", nor a part of 2.13.18.
AMOUNT = r"[0-9][0-9,]*(?:\.[0-9]+)?(?:E-?[0-9]+)?"
NUMBER = re.compile(rf"(?<![\w.,])({AMOUNT})(?: \(({AMOUNT}) to ({AMOUNT})\))?(?![\w]|[.,][0-9])")
# As the lab's Claim.ratio writes them: "global / direct × 15.5; …".
RATIO = re.compile(r"([^×;]{1,80}) × ([0-9]{1,12}(?:\.[0-9]{1,12})?);")
KINDS = {"choice": str, "words": str, "number": float, "table": tuple}  # of predictions, and what their answers are
# Types of fields that are read in their own way.
Moment = Measured = str
Answer = str | float | tuple[Any, ...] | None


class Refused(Exception):
    """A file, a record or a field that can't be taken. Its arguments: what is wrong with it and, of a file, what to do."""


# ---- fields: each function takes a value of JSON, returns what is kept of it, and raises Refused of one that isn't of this shape


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


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise Refused("is no text")
    return clean(value)


def texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MOST_LISTED:
        raise Refused("is no list of texts")
    return tuple(map(text, value))


def finite(value: Any) -> float | None:
    """A number that can be drawn; None for what is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < LARGEST_NUMBER:
        return None
    return float(value) if abs(value) > 1 / LARGEST_NUMBER else 0.0


def number(value: Any) -> float:
    if (found := finite(value)) is None:
        raise Refused("is no finite number")
    return found


def moment(value: Any) -> Moment:
    try:
        datetime.fromisoformat(re.sub(r"\.\d+", "", text(value)).replace("Z", "+00:00"))
    except ValueError:
        raise Refused("is no moment") from None
    return clean(value)


def plain(amount: str) -> float:
    return float(amount.replace(",", ""))


def measured(value: Any) -> Measured:
    """What was measured, in words whose numbers can be drawn."""
    said = text(value)
    if any(finite(plain(amount)) is None for match in NUMBER.finditer(said) for amount in match.groups() if amount):
        raise Refused("holds a number that is not finite, or too large")
    return said


def answer(value: Any) -> Answer:
    """A choice or words, a number, or the rows of a table; None where it isn't told."""
    if isinstance(value, dict) and len(value) <= MOST_LISTED:
        rows = {clean(row): numbers for row, numbers in value.items() if isinstance(numbers, list) and len(numbers) <= MOST_LISTED}
        return tuple((row, tuple(map(finite, numbers))) for row, numbers in rows.items())
    return clean(value) if isinstance(value, str) else finite(value)


def machine(value: Any) -> Machine:
    """The facts that it holds, each a text; one of another shape counts as not told."""
    facts = value if isinstance(value, dict) else {}

    def fact(name: str, pattern: str, default: str = "") -> str:
        told = facts.get(name)
        match = re.match(pattern, told, re.ASCII) if isinstance(told, str) else None
        return match[0] if match else default

    load = fact("load", r"\d{1,5}(\.\d{1,9})?$")
    return Machine(
        cpus=int(fact("cpus", r"\d{1,4}$", "0")),
        jdk=fact("jdk", r"\d{1,3}(?!\d)"),
        memory=round(int(fact("memoryBytes", r"\d{1,15}$", "0")) / 2**30, 1),
        kernel=fact("kernel", r"(almond|ammonite)( \d[\w.]{0,20})?"),
        profile=fact("profile", r"(quick|full)$"),
        load=float(load) if load else None,
    )


# ---- records


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
    at: Moment
    machine: Machine = Machine()


@dataclass(frozen=True)
class Verdict:
    id: str
    sentence: str
    verdict: str
    at: Moment
    machine: Machine = Machine()
    measured: Measured = ""
    published: str = ""
    where: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise Refused("verdict is none of the course's")

    @property
    def ratio(self) -> tuple[str, float] | None:
        """What is divided by what, and the published figure that the page set beside it."""
        found = RATIO.match(self.published)
        return (found[1], float(found[2])) if found else None

    @property
    def recorded(self) -> bool:
        """Whether it rests on a recording, not on this machine."""
        return "recorded on" in self.where


@dataclass(frozen=True)
class Prediction:
    question: str
    kind: str
    at: Moment
    machine: Machine = Machine()
    unit: str = ""
    options: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    answer: Answer = None
    happened: Answer = None
    right: bool | None = None
    revealed: bool | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise Refused("kind is none of the course's")
        told = [each for each in (self.answer, self.happened) if each is not None]
        if not all(isinstance(each, KINDS[self.kind]) for each in told):
            raise Refused("the answer is not of its kind")
        if self.kind == "choice" and not set(told) <= set(self.options):
            raise Refused("the answer is none of the options")

    @property
    def parts(self) -> tuple[str, ...]:
        """What belongs to the question, and is shown with it."""
        return (self.unit, *self.options, *self.columns, *self.rows)


Record = Figure | Verdict | Prediction

# How a field is read, by its type as it is written above.
READ: dict[str, Callable[[Any], Any]] = {
    "str": text,
    "float": number,
    "bool | None": lambda value: value if isinstance(value, bool) else None,
    "tuple[str, ...]": texts,
    "Moment": moment,
    "Measured": measured,
    "Answer": answer,
    "Machine": machine,
}


def made(kind: type[Record], record: dict[str, Any]) -> Record:
    """Makes a record from JSON, each field by its type. Raises Refused, which names the field."""
    found = {}
    for each in dataclasses.fields(kind):
        value = record.get(each.name)
        if value is None and each.default is not dataclasses.MISSING:
            continue
        try:
            found[each.name] = READ[each.type](value)
        except Refused as refused:
            raise Refused(f"{each.name} {refused}") from None
    return kind(**found)


def record_of(line: bytes) -> dict[str, Any]:
    """The JSON object in a line. Raises Refused of anything else."""
    try:
        said = line.decode()
    except UnicodeDecodeError:  # of a record that was torn inside a letter, the lines around it count
        raise Refused(NO_TEXT) from None
    if len(said) > LONGEST or said.count("[") + said.count("{") > MOST_BRACKETS:
        raise Refused("is too long or too deep")
    try:
        found = json.loads(said)
    except (ValueError, RecursionError):
        raise Refused("is no JSON") from None
    if not isinstance(found, dict):
        raise Refused("is no record")
    return found


def taken(record: dict[str, Any]) -> Record | None:
    """What a record holds, known by a field that only its kind has; None of a file's head. Raises Refused of any other."""
    for name, kind in (("value", Figure), ("verdict", Verdict), ("question", Prediction)):
        if name in record:
            return made(kind, record)
    if "exported" not in record:
        raise Refused("is none that the course makes")
    return None


# ---- one file


def content(path: Path) -> bytes:
    """What stands in an ordinary file. Raises Refused of anything else: a pipe would wait for ever, a device never end."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Refused("is no ordinary file.", f"Ask for it again: {HAND_IN}.")
        found = stream.read(LARGEST + 1)
    if len(found) > LARGEST:
        raise Refused(f"is larger than {LARGEST >> 20} MiB, which no export of the course is.", f"Ask for it again: {HAND_IN}.")
    return found


def data_of(path: Path) -> bytes:
    """Of a file, or of all that a folder of results holds. Raises Refused if there is none that can be read."""
    try:
        if not os.path.isdir(path):
            return content(path)
        kept = set(KEPT) & set(os.listdir(path))
        if not kept:
            what = f"holds no file that ends in .jsonl, or lies more than {DEEPEST} folders deep."
            raise Refused(what, "Name the files, or the folder that they are in.")
        return b"\n".join(content(path / name) for name in KEPT if name in kept)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Refused("is a link, which isn't followed inside a folder.", "Name the file that it leads to.") from None
        raise Refused(f"can't be read ({error.strerror}).", "Look at its name and its rights.") from None


@dataclass
class Contents:
    """What was taken of a file, and why the rest was passed over, each reason with its number."""

    reader: str = ""
    records: list[Record] = field(default_factory=list)
    passed: Counter[str] = field(default_factory=Counter)


def read(data: bytes) -> Contents:
    """Raises Refused where nothing in it is the course's."""
    found, count = Contents(), 0
    for line in filter(bytes.strip, io.BytesIO(data.removeprefix(codecs.BOM_UTF8))):
        count += 1
        if count > MOST_RECORDS:
            raise Refused(f"has more than {MOST_RECORDS} records, which no export of the course has.", f"Ask for it again: {HAND_IN}.")
        try:
            record = record_of(line)
            if not found.reader and isinstance(record.get("reader"), str):
                found.reader = record["reader"][:100]
            if kept := taken(record):
                found.records.append(kept)
        except Refused as refused:
            found.passed[str(refused)] += 1
    if not count:
        raise Refused("is empty.", f"Ask for it again: {HAND_IN}, after a page has run.")
    if not found.records and NO_TEXT in found.passed:
        raise Refused(f"{NO_TEXT}.", f"Ask for the file itself, not an archive or a picture of it: {HAND_IN}.")
    if not found.records:
        what = "is a notebook, not what was measured." if b'"nbformat"' in data else "holds nothing that the course measured."
        raise Refused(what, f"Ask for another: {HAND_IN}.")
    if not re.fullmatch(r"[0-9a-f]{8}-[0-9a-f-]{27}", found.reader):  # no name that a clone gave itself: it is not shown
        found.reader = hashlib.sha256(found.reader.encode(errors="surrogatepass") or data).hexdigest()
    return found


# ---- all of them


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


@dataclass(frozen=True)
class HandedIn:
    """All that a class handed in and that could be taken."""

    readers: list[Reader]
    remarks: list[Remark]


def files_at(path: Path) -> list[Path]:
    """The path itself, or the files in a folder, and folders that kernels of a reader wrote to, which are read as one.

    Links inside a folder aren't followed. A folder that can't be read, lies too deep or holds nothing is there itself, to be told.
    """
    if not os.path.isdir(path):
        return [Path(os.path.realpath(path))]
    found: list[Path] = []

    def is_closed(error: OSError) -> None:
        found.append(Path(error.filename))

    for name, folders, files in os.walk(path, onerror=is_closed):
        here = Path(name)
        if set(KEPT) & set(files) or len(here.relative_to(path).parts) > DEEPEST:
            found.append(here)
            folders.clear()
        else:
            folders.sort()
            found += [here / file for file in sorted(files) if file.endswith(".jsonl")]
    return found or [path]


def shown_name(path: Path) -> str:
    """A file's name; of a folder of results that of the folder around it too, which tells readers apart."""
    name = f"{path.resolve().parent.name}/{path.name}" if os.path.isdir(path) else path.name
    return clean(name, MOST_NAME) or "(a name without a letter)"


def unseen(path: Path, name: str, seen: dict[str, str]) -> bytes:
    """What stands in a file. Raises Refused if it stood in one before."""
    data = data_of(path)
    same = seen.setdefault(hashlib.sha256(data).hexdigest(), name)
    if same is not name:
        raise Refused(f"is the same as {same}.", "It counts once. If both were to hand in their own, ask for it again.")
    return data


def collect(paths: Iterable[Path]) -> HandedIn:
    """Everything that these files and folders hold, each reader once. Never raises because of what stands in one."""
    readers: dict[str, Reader] = {}
    remarks: list[Remark] = []
    seen: dict[str, str] = {}
    records = 0
    every = [file for path in paths for file in files_at(path)]
    for at, path in enumerate(every):
        name = shown_name(path)
        try:
            found = read(unseen(path, name, seen)) if at < MOST_FILES else Contents()
        except Refused as refused:
            remarks.append(Remark(name, *refused.args))
            continue
        records += len(found.records)
        if at == MOST_FILES or records > MOST_IN_ALL:
            what = f"and what follows, {len(every) - at} in all, was not read: {MOST_FILES} files and {MOST_IN_ALL} records are the most."
            remarks.append(Remark(name, what, "Name fewer; a class of a hundred leaves no more than these.", len(every) - at))
            break
        reader = readers.setdefault(found.reader, Reader(found.reader))
        if reader.files:
            both = f"is of the same reader as {reader.files[0]}: the two are taken together."
            remarks.append(Remark(name, both, "Two readers who share a clone, or a copied file, are one here.", left_out=0))
        if found.passed:
            why = "; ".join(f"{count} × {what}" for what, count in sorted(found.passed.items()))
            remarks.append(Remark(name, f"has records that were passed over: {why}.", "The rest counts; nothing to do.", left_out=0))
        reader.files.append(name)
        reader.records.update(dict.fromkeys(found.records))
    return HandedIn(list(readers.values()), remarks)
