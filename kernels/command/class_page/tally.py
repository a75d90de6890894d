"""What the room said and measured, counted: the guesses beside what happened, the verdicts and figures of claims, tries at exercises."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from .course import Claimed, Course, Question
from .handed_in import NUMBER, VERDICTS, Figure, Machine, Prediction, Reader, Verdict, plain

MOST_BARS = 8
MOST_SERIES = 3
MOST_MEASURED = 60  # figures of a page that are drawn: no page asks, claims and sets more than 30 things
SOLVED = re.compile(r"of (\d{1,4}) cases")
Bar = tuple[str, int, int]  # what, how many guessed it, to how many it happened


def digits(value: float) -> str:
    """Three digits that count, as the course's charts have them."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 1000 or rounded == int(rounded) else f"{rounded:g}"


# ---- predictions


@dataclass
class Guesses:
    """What the readers said to a question before it happened, and what happened to each."""

    question: Question
    kind: str
    unit: str
    options: tuple[str, ...]
    given: list[Prediction]
    silent: int  # saw what happens without an answer
    late: int  # of these, answered afterwards
    happened: list[Prediction]
    texts: int  # different wordings, where the machine is in the question

    @property
    def judged(self) -> list[bool]:
        return [one.right for one in self.given if one.right is not None]

    @property
    def bars(self) -> list[Bar]:
        """For each answer how many gave it, and to how many it happened; none for a table and for words."""
        said, was = [one.answer for one in self.given], [one.happened for one in self.happened]
        if self.kind == "choice":
            return [(option, said.count(option), was.count(option)) for option in self.options]
        return buckets(said, was) if self.kind == "number" else []

    @property
    def cells(self) -> list[tuple[str, str, list[float], list[float]]]:
        """Of a table: row, column, what was said and what was."""
        first = next(iter((*self.happened, *self.given)), None)
        if self.kind != "table" or first is None:
            return []
        return [
            (row, column, in_table(self.given, "answer", row, at), in_table(self.happened, "happened", row, at))
            for row in first.rows
            for at, column in enumerate(first.columns)
        ]


def in_table(predictions: Iterable[Prediction], name: str, row: str, at: int) -> list[float]:
    found = (dict(getattr(one, name) or ()).get(row, ()) for one in predictions)
    return [numbers[at] for numbers in found if at < len(numbers) and numbers[at] is not None]


def buckets(said: list[float], was: list[float]) -> list[Bar]:
    """Values that are about the same count as one; where there are many, in steps."""
    shown = [float(f"{value:.2g}") for value in (*said, *was)]
    guessed, happened = Counter(shown[: len(said)]), Counter(shown[len(said) :])
    distinct = sorted(set(shown))
    if len(distinct) <= MOST_BARS:
        return [(digits(value), guessed[value], happened[value]) for value in distinct]
    found = []
    for low, high in pairwise(steps(distinct)):
        inside = [value for value in distinct if low <= value < high]
        if inside:
            counts = (sum(each[value] for value in inside) for each in (guessed, happened))
            found.append((f"{digits(low)} to {digits(high)}", *counts))
    return found


def steps(values: list[float]) -> list[float]:
    """Round bounds around these values: 1, 2, 5, 10 and so on where they are far apart, else equal steps. The last lies above all."""
    low, high = min(values), max(values) + 0.06 * abs(max(values)) + 1e-13
    positive = [value for value in values if value > 0]
    if low >= 0 and positive and high / min(positive) > 20:
        ladder = [10.0**power * step for power in range(-12, 16) for step in (1, 2, 5)]
        first = max(edge for edge in ladder if edge <= min(positive))
        last = min(edge for edge in ladder if edge > high)
        return ([0.0] if low == 0 else []) + [edge for edge in ladder if first <= edge <= last]
    raw = (high - low) / 8
    step = next(s for s in (m * 10.0 ** math.floor(math.log10(raw)) for m in (1, 2, 5, 10)) if s >= raw)
    first = math.floor(low / step)
    return [step * at for at in range(first, math.floor(high / step) + 2)]


def guesses_of(question: Question, readers: list[list[Prediction]]) -> Guesses:
    """Each reader by what was on record of this question, in order."""
    given, happened, silent, late = [], [], 0, 0
    for records in readers:
        shown = [one for one in records if one.revealed]
        answers = [one for one in records if one.answer is not None]
        if shown and shown[0].answer is None:
            silent, late = silent + 1, late + bool(answers)
        elif answers:
            given.append(shown[0] if shown else answers[-1])
        told = [one for one in shown if one.happened is not None]
        happened += told[-1:]
    every = [one for records in readers for one in records]
    usual = Counter((one.kind, one.unit, one.options) for one in every).most_common(1)[0][0]

    def same(one: Prediction) -> bool:
        return (one.kind, one.unit) == usual[:2] and (one.kind != "choice" or {one.answer, one.happened} <= {*usual[2], None})

    texts = len({one.question for one in every})
    return Guesses(question, *usual, list(filter(same, given)), silent, late, list(filter(same, happened)), texts)


# ---- claims


@dataclass
class Point:
    """A number that a reader's machine gave, with its bounds if it has some."""

    value: float
    low: float | None
    high: float | None
    reader: str
    machine: Machine


@dataclass
class Series:
    """One number of what was measured, by all readers; `label` says which, with ● in its place."""

    label: str
    points: list[Point]
    published: float | None = None

    @property
    def varies(self) -> bool:
        return len({point.value for point in self.points}) > 1


@dataclass
class Judged:
    """What became of a claim's sentence: of each reader the verdict reached last."""

    claimed: Claimed
    verdicts: list[tuple[str, Verdict]]
    recorded: int  # readers whose verdict rests on a recording

    @property
    def counts(self) -> dict[str, int]:
        found = Counter(verdict.verdict for _, verdict in self.verdicts)
        return {name: found[name] for name in VERDICTS if found[name]}

    @property
    def differs(self) -> bool:
        return len(self.counts) > 1

    @property
    def contradicts(self) -> bool:
        """Whether they differ in more than that some machines didn't decide."""
        return len(self.counts.keys() - {"not decided here", "not tried"}) > 1

    @property
    def series(self) -> list[Series]:
        """The numbers in what was measured, where readers measured the same; the ones with bounds first."""
        told: dict[str, list[tuple[str, Verdict, list[re.Match[str]]]]] = {}
        for reader, verdict in self.verdicts:
            numbers = list(NUMBER.finditer(verdict.measured))
            told.setdefault(NUMBER.sub("●", verdict.measured), []).append((reader, verdict, numbers))
        if not told:
            return []
        words, same = max(told.items(), key=lambda each: len(each[1]))
        if len(same) < 2:  # what only one file says is not repeated to the room
            return []
        parts = words.split("●")
        ratios = Counter(verdict.ratio for _, verdict, _ in same)
        ratio, count = ratios.most_common(1)[0]
        found = []
        for at in range(len(parts) - 1):
            beside = ratio[1] if ratio and count > 1 and at == 0 and words.startswith(f"{ratio[0]} × ●") else None
            found.append(Series(label(parts, at), [point(reader, verdict, numbers[at]) for reader, verdict, numbers in same], beside))
        found.sort(key=lambda series: series.points[0].low is None)
        return [series for series in found if series.varies][:MOST_SERIES]

    @property
    def alike(self) -> tuple[str, int]:
        """What most of the readers measured in the very same words, and how many; nothing where only one did."""
        said = Counter(verdict.measured for _, verdict in self.verdicts if verdict.measured).most_common(1)
        return said[0] if said and said[0][1] > 1 else ("", 0)


def label(parts: list[str], at: int) -> str:
    """The words around a number; the other numbers are left out."""
    words = "".join(part + ("●" if index == at else "…") for index, part in enumerate(parts[:-1])) + parts[-1]
    return words if len(words) <= 90 else (parts[at][-40:] + "●" + parts[at + 1][:40]).strip()


def point(reader: str, verdict: Verdict, found: re.Match[str]) -> Point:
    return Point(plain(found[1]) or 0.0, plain(found[2]), plain(found[3]), reader, verdict.machine)


# ---- exercises and figures


@dataclass
class Exercise:
    """Who solved it on which try; those who tried and haven't yet."""

    id: str
    tries: dict[int, int] = field(default_factory=dict)
    unsolved: int = 0

    @property
    def tried(self) -> int:
        return sum(self.tries.values()) + self.unsolved


@dataclass
class Measured:
    name: str
    unit: str
    series: Series


@dataclass
class PageTally:
    number: str
    title: str
    guesses: list[Guesses] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)
    exercises: list[Exercise] = field(default_factory=list)
    measured: list[Measured] = field(default_factory=list)  # what most readers have comes first
    more: int = 0  # figures beyond these

    @property
    def anything(self) -> bool:
        return bool(self.guesses or self.judged or self.exercises or self.measured)


@dataclass
class Tally:
    pages: list[PageTally]
    machines: list[Machine]  # one of each reader, the one used last
    unknown: int  # records of questions and claims that no page holds


def first_solved(attempts: list[Figure]) -> int:
    """The number of the try that passed all cases first; 0 if none did."""
    for number, attempt in enumerate(attempts, 1):
        cases = SOLVED.fullmatch(attempt.unit)
        if cases and attempt.value == int(cases[1]) > 0:
            return number
    return 0


def exercise_of(name: str, readers: list[list[Figure]]) -> Exercise:
    found = Exercise(name)
    for attempts in readers:
        solved = first_solved(attempts)
        if solved:
            found.tries[solved] = found.tries.get(solved, 0) + 1
        else:
            found.unsolved += 1
    return found


def by_reader(readers: list[Reader], kind: type) -> list[tuple[str, list[Any]]]:
    return [(reader.name, sorted(reader.of(kind), key=lambda record: record.at)) for reader in readers]


def grouped(pairs: Iterable[tuple[Any, str, Any]]) -> dict[Any, dict[str, list[Any]]]:
    """Records by what they are of and by reader."""
    found: dict[Any, dict[str, list[Any]]] = {}
    for what, reader, record in pairs:
        found.setdefault(what, {}).setdefault(reader, []).append(record)
    return found


def count(course: Course, readers: list[Reader]) -> Tally:
    """Everything that the readers handed in and the course asked for, in the order of the pages."""
    pages = {page.number: PageTally(page.number, page.title) for page in course.pages}
    unknown = 0
    asked = [(course.question(one.question, *one.parts), name, one) for name, records in by_reader(readers, Prediction) for one in records]
    tried = [(course.claimed(one.claim, one.sentence), name, one) for name, records in by_reader(readers, Verdict) for one in records]
    unknown += sum(each[0] is None for each in (*asked, *tried))
    for question, records in grouped(each for each in asked if each[0]).items():
        pages[question.page].guesses.append(guesses_of(question, list(records.values())))
    for claimed, records in grouped(each for each in tried if each[0]).items():
        last = {name: own[-1] for name, own in records.items()}
        live = [(name, verdict) for name, verdict in last.items() if not verdict.recorded]
        pages[claimed.page].judged.append(Judged(claimed, live, len(last) - len(live)))
    figures = grouped((one.name, name, one) for name, records in by_reader(readers, Figure) for one in records)
    for exercise, page in course.exercises.items():
        if records := figures.get(f"exercise {exercise}"):
            pages[page].exercises.append(exercise_of(exercise, list(records.values())))
    for name, records in figures.items():
        if name[:2] in pages and len(records) > 1:  # what only one file says is not repeated to the room
            last = {reader: own[-1] for reader, own in records.items()}
            points = [Point(one.value, None, None, reader, one.machine) for reader, one in last.items()]
            pages[name[:2]].measured.append(Measured(name[2:].strip(), next(iter(last.values())).unit, Series(name, points)))
    for page in pages.values():
        page.guesses.sort(key=lambda each: each.question.order)
        page.judged.sort(key=lambda each: each.claimed.order)
        page.measured.sort(key=lambda each: -len(each.series.points))
        page.more = max(0, len(page.measured) - MOST_MEASURED)
        del page.measured[MOST_MEASURED:]
    machines = [max(reader.records, key=lambda record: record.at).machine for reader in readers]
    return Tally([page for page in pages.values() if page.anything], machines, unknown)


def middle(values: list[float]) -> float:
    return statistics.median(values)
