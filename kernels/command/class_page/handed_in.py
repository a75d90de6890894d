"""Reads the files that readers handed in, within limits, because they are foreign data.

Size, depth, texts and names of a file are bounded. The result is text and numbers, which the page must escape. A file that can't be used is
reported with a remedy, and the others are read.
"""

from __future__ import annotations

import codecs
import dataclasses
import errno
import hashlib
import io
import os
import re
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base import records
from ..base.records import Refused
from ..pages import former

LARGEST = 16 << 20  # bytes per file; one run of all pages leaves about 200,000
LONGEST = 1 << 16  # characters per record
MOST_BRACKETS = 200  # per record, which also bounds its depth
MOST_RECORDS = 20_000  # per file; one run of all pages leaves about 250
MOST_FILES = 500  # per class, or five for each of a hundred readers
MOST_IN_ALL = 400_000  # records per class; a hundred readers who run all pages ten times leave 350,000
DEEPEST = 5  # levels of folders below one that was named
SMALLEST_NUMBER = 1e-12  # no count or time is smaller; the schema bounds large numbers
MOST_TEXT = 400  # characters per text on the page
MOST_NAME = 80  # characters per file name
MOST_MARKS = 2  # combining marks per letter; more of them would cover the neighbouring letters
OWN = frozenset({records.OWN, *former.FILES})  # the files that a results folder may contain
HAND_IN = "hand in what `kernels/course export` writes"
NO_TEXT = "is not UTF-8 text"
# Characters that are invisible although Unicode classifies them as letters, signs or marks.
INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
ANSWERS = {"choice": str, "number": float, "table": tuple}  # the type of a prediction's answer, by its kind


# ---- JSON values that the schema has checked


def clean(text: str, most: int = MOST_TEXT) -> str:
    """Returns the text as one bounded line, without characters that control a terminal, reverse the writing, hide or pile up.

    Texts that look the same are equal afterwards.
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


def cleaned(value: Any) -> Any:
    """Returns an immutable copy of a JSON value, with every text clean and every number drawable."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return tuple(map(cleaned, value))
    if isinstance(value, dict):
        return tuple((clean(name), cleaned(each)) for name, each in value.items())
    if isinstance(value, bool) or value is None:
        return value
    return float(value) if abs(value) > SMALLEST_NUMBER else 0.0


# ---- records


@dataclass(frozen=True)
class Machine:
    """Describes the machine of a record. Only these facts leave a file."""

    cpus: int = 0
    jdk: int = 0
    memory: float = 0.0  # GiB
    kernel: str = ""
    profile: str = ""
    load: float | None = None
    processor: str = ""

    @classmethod
    def of(cls, told: dict[str, Any]) -> Machine:
        kernel = re.match(r"(almond|ammonite)( \d[\w.]{0,20})?", told.get("kernel", ""), re.ASCII)
        memory, load = round(told.get("memoryBytes", 0) / 2**30, 1), told.get("load")
        processor = told.get("processor", "")
        known = processor if re.fullmatch(r"[\w .,@()/+-]{1,80}", processor, re.ASCII) else ""
        return cls(int(told["cpus"]), int(told["jdk"]), memory, kernel[0] if kernel else "", told["profile"], cleaned(load), known)


@dataclass(frozen=True)
class Measurement:
    """Describes a measured number, with its bounds if it has any, or a fact in words."""

    name: str
    value: float | str
    low: float | None = None
    high: float | None = None
    unit: str = ""


@dataclass(frozen=True)
class Kept:
    """Holds the fields that every record of a reader has."""

    at: str  # without the Z, so that times with and without a fraction of a second sort correctly
    machine: Machine


@dataclass(frozen=True)
class Figure(Kept):
    name: str
    value: float
    unit: str = ""


@dataclass(frozen=True)
class Attempt(Kept):
    exercise: str
    passed: int
    cases: int


@dataclass(frozen=True)
class Verdict(Kept):
    statement: str
    verdict: str
    measured: tuple[Measurement, ...]
    published: tuple[Measurement, ...] = ()
    here: bool = True  # False if it rests only on a recording


@dataclass(frozen=True)
class Form:
    """Describes a question as a page asked it."""

    question: str
    unit: str = ""
    options: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prediction(Kept):
    prediction: str
    kind: str
    form: Form
    answer: Any = None  # an option's letter, a number, or a table's rows
    happened: Any = None
    right: bool | None = None
    revealed: bool = False
    low: float | None = None  # answers from here …
    high: float | None = None  # … to here are right

    def __post_init__(self) -> None:
        told = [each for each in (self.answer, self.happened) if each is not None]
        if not all(isinstance(each, ANSWERS[self.kind]) for each in told):
            raise Refused("the answer has the wrong type")
        if self.kind == "choice" and any(ord(each) - ord("a") >= len(self.form.options) for each in told):
            raise Refused("the answer is not one of the options")


Record = Figure | Attempt | Verdict | Prediction
KINDS: dict[str, type[Record]] = {"figure": Figure, "attempt": Attempt, "verdict": Verdict, "prediction": Prediction}


def record_of(line: bytes) -> records.Record:
    """Returns the JSON object in a line. Raises Refused if there is anything else, or if it is too long or too deep."""
    try:
        said = line.decode()
    except UnicodeDecodeError:  # a record can be torn inside a character, and the other lines still count
        raise Refused(NO_TEXT) from None
    if len(said) > LONGEST or said.count("[") + said.count("{") > MOST_BRACKETS:
        raise Refused("is too long or too deep")
    return records.parsed(said)


def taken(record: records.Record) -> Record | None:
    """Converts a record, or returns None for a file's head. Raises Refused if it doesn't match the schema or isn't a reader's."""
    records.check(record)
    if record["record"] == "export":
        return None
    kind = KINDS.get(record["record"])
    if kind is None:
        raise Refused("is not one that readers have")
    found = {name: cleaned(record[name]) for name in names_of(kind) & record.keys() - {"machine", "measured", "published"}}
    for name in names_of(kind) & record.keys() & {"measured", "published"}:
        found[name] = tuple(Measurement(**dict(cleaned(each))) for each in record[name])
    if kind is Prediction:
        found["form"] = Form(**{name: cleaned(record[name]) for name in names_of(Form) & record.keys()})
    return kind(**{**found, "at": record["at"].rstrip("Z"), "machine": Machine.of(record["machine"])})


def names_of(kind: type) -> set[str]:
    return {each.name for each in dataclasses.fields(kind)}


# ---- one file


def content(path: Path) -> bytes:
    """Returns the content of an ordinary file. Raises Refused for anything else, because a pipe could block and a device never end."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Refused("is not an ordinary file.", f"Ask for it again: {HAND_IN}.")
        found = stream.read(LARGEST + 1)
    if len(found) > LARGEST:
        raise Refused(f"is larger than {LARGEST >> 20} MiB, which no export of the course is.", f"Ask for it again: {HAND_IN}.")
    return found


def data_of(path: Path) -> bytes:
    """Returns the content of a file, or of all files in a results folder. Raises Refused if none can be read."""
    try:
        if not os.path.isdir(path):
            return content(path)
        kept = OWN & set(os.listdir(path))
        if not kept:
            what = f"has no file that ends in .jsonl, or is more than {DEEPEST} folders deep."
            raise Refused(what, "Name the files, or the folder that they are in.")
        return b"\n".join(content(path / name) for name in sorted(kept))
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Refused("is a link, which isn't followed inside a folder.", "Name the file that it leads to.") from None
        raise Refused(f"can't be read ({error.strerror}).", "Check its name and permissions.") from None


@dataclass
class Contents:
    """Holds a file's reader and valid records, and counts the reasons why others were skipped."""

    reader: str = ""
    records: list[Record] = field(default_factory=list)
    passed: Counter[str] = field(default_factory=Counter)


def read(data: bytes) -> Contents:
    """Reads the records from a file's content. Raises Refused if it contains nothing of the course's."""
    found, count = Contents(), 0
    for line in filter(bytes.strip, io.BytesIO(data.removeprefix(codecs.BOM_UTF8))):
        count += 1
        if count > MOST_RECORDS:
            raise Refused(f"has more than {MOST_RECORDS} records, which no export of the course has.", f"Ask for it again: {HAND_IN}.")
        try:
            record = record_of(line)
            if not found.reader and isinstance(record.get("reader"), str):
                found.reader = record["reader"][:100]
            if "record" not in record:
                record = former.renewed(record, found.reader)
            if kept := taken(record):
                found.records.append(kept)
        except Refused as refused:
            found.passed[str(refused)] += 1
    if not count:
        raise Refused("is empty.", f"Ask for it again: {HAND_IN}, after a page has run.")
    if not found.records and NO_TEXT in found.passed:
        raise Refused(f"{NO_TEXT}.", f"Ask for the file itself, not an archive or a picture of it: {HAND_IN}.")
    if not found.records:
        what = "is a notebook, not a file of results." if b'"nbformat"' in data else "contains nothing that the course measured."
        raise Refused(what, f"Ask for another: {HAND_IN}.")
    if not re.fullmatch(r"[0-9a-f]{8}-[0-9a-f-]{27}", found.reader):  # not a clone's random name, so it is never shown
        found.reader = hashlib.sha256(found.reader.encode(errors="surrogatepass") or data).hexdigest()
    return found


# ---- all of them


@dataclass
class Reader:
    """Holds the records of one reader, who is known by the random name of the clone."""

    name: str
    records: dict[Record, None] = field(default_factory=dict)  # in order, without duplicates
    files: list[str] = field(default_factory=list)

    def of(self, kind: type) -> list[Any]:
        return [record for record in self.records if isinstance(record, kind)]


@dataclass(frozen=True)
class Remark:
    """Says what is wrong with a file, and what to do. `left_out` is the number of files that don't count."""

    file: str
    what: str
    remedy: str
    left_out: int = 1

    def __str__(self) -> str:
        return f"{self.file}: {self.what} {self.remedy}".strip()


@dataclass(frozen=True)
class HandedIn:
    """Holds everything usable that a class handed in."""

    readers: list[Reader]
    remarks: list[Remark]


def files_at(path: Path) -> list[Path]:
    """Returns the path itself, or the files in a folder. A folder to which kernels wrote counts as one file.

    Links inside a folder aren't followed. A folder that can't be read, is too deep or is empty is itself in the result, so that it is
    reported.
    """
    if not os.path.isdir(path):
        return [Path(os.path.realpath(path))]
    found: list[Path] = []

    def is_closed(error: OSError) -> None:
        found.append(Path(error.filename))

    for name, folders, files in os.walk(path, onerror=is_closed):
        here = Path(name)
        if OWN & set(files) or len(here.relative_to(path).parts) > DEEPEST:
            found.append(here)
            folders.clear()
        else:
            folders.sort()
            found += [here / file for file in sorted(files) if not file.startswith(".")]
    return found or [path]


def shown_name(path: Path) -> str:
    """Returns a file's name. For a results folder it includes the parent folder's name, which tells readers apart."""
    name = f"{path.resolve().parent.name}/{path.name}" if os.path.isdir(path) else path.name
    return clean(name, MOST_NAME) or "(a name without a letter)"


def unseen(path: Path, name: str, seen: dict[str, str]) -> bytes:
    """Returns a file's content. Raises Refused if an earlier file had the same content."""
    data = data_of(path)
    same = seen.setdefault(hashlib.sha256(data).hexdigest(), name)
    if same is not name:
        raise Refused(f"is the same as {same}.", "It counts once. If each reader meant to hand in a different file, ask for it again.")
    return data


def collect(paths: Iterable[Path]) -> HandedIn:
    """Reads these files and folders, and merges the files of each reader. Never raises an error because of a file's content."""
    readers: dict[str, Reader] = {}
    remarks: list[Remark] = []
    seen: dict[str, str] = {}
    records = 0
    every = [(file, os.path.isdir(path)) for path in paths for file in files_at(path)]
    for at, (path, in_folder) in enumerate(every):
        name = shown_name(path)
        if in_folder and path.suffix != ".jsonl" and not os.path.isdir(path):
            remedy = "If a reader meant to hand it in, ask for what `kernels/course export` writes."
            remarks.append(Remark(name, "isn't read, because its name doesn't end in .jsonl.", remedy))
            continue
        try:
            found = read(unseen(path, name, seen)) if at < MOST_FILES else Contents()
        except Refused as refused:
            remarks.append(Remark(name, *refused.args))
            continue
        records += len(found.records)
        if at == MOST_FILES or records > MOST_IN_ALL:
            what = f"and all after it, {len(every) - at} in all, were not read: {MOST_FILES} files and {MOST_IN_ALL} records are the limit."
            remarks.append(Remark(name, what, "Name fewer files; a class of a hundred stays below the limit.", len(every) - at))
            break
        reader = readers.setdefault(found.reader, Reader(found.reader))
        if reader.files:
            both = f"is from the same reader as {reader.files[0]}: the two are merged."
            remarks.append(Remark(name, both, "Two readers who share a clone or a copied file count as one.", left_out=0))
        if found.passed:
            why = "; ".join(f"{count} × {what}" for what, count in sorted(found.passed.items()))
            remarks.append(Remark(name, f"has records that were skipped: {why}.", "The rest counts. There is nothing to do.", left_out=0))
        reader.files.append(name)
        reader.records.update(dict.fromkeys(found.records))
    return HandedIn(list(readers.values()), remarks)
