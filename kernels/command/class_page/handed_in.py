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

LARGEST = 16 << 20  # bytes of a file; all pages once leave about 200,000
LONGEST = 1 << 16  # characters of a record
MOST_BRACKETS = 200  # in a record, which bounds its depth too
MOST_RECORDS = 20_000  # all pages once leave about 250
MOST_FILES = 500  # of a class: five of each of a hundred readers
MOST_IN_ALL = 400_000  # records of a class: a hundred readers who run all pages ten times leave 350,000
DEEPEST = 5  # folders below one that was named
SMALLEST_NUMBER = 1e-12  # a page counts and times; what is smaller was not measured (the schema says what is too large)
MOST_TEXT = 400  # characters of a text that is shown
MOST_NAME = 80  # of a file's name
MOST_MARKS = 2  # on a letter: with more of them, it covers its neighbours
OWN = frozenset({records.OWN, *former.FILES})  # what a folder of results may hold
HAND_IN = "hand in what `kernels/course export` writes"
NO_TEXT = "is no text (not UTF-8)"
# Drawn as nothing, though Unicode counts them as letters, signs or marks.
INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
ANSWERS = {"choice": str, "number": float, "table": tuple}  # of predictions, by their kind


# ---- values of JSON, of which the schema has said that they are what they should be


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


def cleaned(value: Any) -> Any:
    """Nothing in it can be changed, each text is clean, and each number can be drawn."""
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
    """What a value was taken on, as far as its record says: only these facts leave a file."""

    cpus: int = 0
    jdk: int = 0
    memory: float = 0.0  # GiB
    kernel: str = ""
    profile: str = ""
    load: float | None = None

    @classmethod
    def of(cls, told: dict[str, Any]) -> Machine:
        kernel = re.match(r"(almond|ammonite)( \d[\w.]{0,20})?", told.get("kernel", ""), re.ASCII)
        memory, load = round(told.get("memoryBytes", 0) / 2**30, 1), told.get("load")
        return cls(int(told["cpus"]), int(told["jdk"]), memory, kernel[0] if kernel else "", told["profile"], cleaned(load))


@dataclass(frozen=True)
class Measurement:
    """A number, with its bounds if it has some, or a fact in words."""

    name: str
    value: float | str
    low: float | None = None
    high: float | None = None
    unit: str = ""


@dataclass(frozen=True)
class Kept:
    """What every record of a reader has."""

    at: str  # without the Z, so that a fraction of a second comes later than none
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
    here: bool = True  # whether it rests on this machine, and not on a recording alone


@dataclass(frozen=True)
class Form:
    """A question as a page put it."""

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
    answer: Any = None  # the letter of an option, a number, or the rows of a table
    happened: Any = None
    right: bool | None = None
    revealed: bool = False

    def __post_init__(self) -> None:
        told = [each for each in (self.answer, self.happened) if each is not None]
        if not all(isinstance(each, ANSWERS[self.kind]) for each in told):
            raise Refused("the answer is not of its kind")
        if self.kind == "choice" and any(ord(each) - ord("a") >= len(self.form.options) for each in told):
            raise Refused("the answer is none of the options")


Record = Figure | Attempt | Verdict | Prediction
KINDS: dict[str, type[Record]] = {"figure": Figure, "attempt": Attempt, "verdict": Verdict, "prediction": Prediction}


def record_of(line: bytes) -> records.Record:
    """The JSON object in a line. Raises Refused of anything else."""
    try:
        said = line.decode()
    except UnicodeDecodeError:  # of a record that was torn inside a letter, the lines around it count
        raise Refused(NO_TEXT) from None
    if len(said) > LONGEST or said.count("[") + said.count("{") > MOST_BRACKETS:
        raise Refused("is too long or too deep")
    return records.parsed(said)


def taken(record: records.Record) -> Record | None:
    """What a record holds; None of a file's head. Raises Refused of one that isn't as the schema has it, or no reader's."""
    records.check(record)
    if record["record"] == "export":
        return None
    kind = KINDS.get(record["record"])
    if kind is None:
        raise Refused("is none that a reader has")
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
        kept = OWN & set(os.listdir(path))
        if not kept:
            what = f"holds no file that ends in .jsonl, or lies more than {DEEPEST} folders deep."
            raise Refused(what, "Name the files, or the folder that they are in.")
        return b"\n".join(content(path / name) for name in sorted(kept))
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
        if OWN & set(files) or len(here.relative_to(path).parts) > DEEPEST:
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
