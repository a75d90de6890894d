"""What a class said and measured, counted: the guesses beside what happened, the verdicts and figures of claims, tries at exercises."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..pages.stability import NOT_DECIDED, NOT_TRIED, VERDICTS
from .course import Course, Place
from .handed_in import NUMBER, Figure, Machine, Prediction, Reader, Verdict, plain

MOST_BARS = 8
MOST_SERIES = 3
MOST_MEASURED = 60  # figures of a page that are drawn: no page asks, claims and sets more than 30 things
SOLVED = re.compile(r"of (\d{1,4}) cases")
Bar = tuple[str, int, int]  # what, how many guessed it, to how many it happened


def digits(value: float) -> str:
    """Three digits that count, as the course's charts have them."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 1000 or rounded == int(rounded) else f"{rounded:g}"


# ---- predictions


@dataclass
class Guesses:
    """What the readers said to a question before it happened, and what happened to each."""

    place: Place
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
        if self.kind != "table" or not (every := [*self.happened, *self.given]):
            return []
        said, was = [one.answer for one in self.given], [one.happened for one in self.happened]
        return [
            (row, column, in_tables(said, row, at), in_tables(was, row, at))
            for row in every[0].rows
            for at, column in enumerate(every[0].columns)
        ]


def in_tables(tables: Iterable[Any], row: str, at: int) -> list[float]:
    rows = (dict(table).get(row, ()) for table in tables)
    return [numbers[at] for numbers in rows if at < len(numbers) and numbers[at] is not None]


def buckets(said: list[float], was: list[float]) -> list[Bar]:
    """Values that are about the same count as one; where there are many, in steps."""
    guessed, happened = (Counter(float(f"{value:.2g}") for value in values) for values in (said, was))
    distinct = sorted(guessed | happened)
    if len(distinct) <= MOST_BARS:
        return [(digits(value), guessed[value], happened[value]) for value in distinct]
    found = []
    for low, high in pairwise(steps(distinct)):
        if inside := [value for value in distinct if low <= value < high]:
            found.append((f"{digits(low)} to {digits(high)}", sum(guessed[v] for v in inside), sum(happened[v] for v in inside)))
    return found


def steps(values: list[float]) -> list[float]:
    """Round bounds around these values: 1, 2, 5, 10 and so on where they are far apart, else equal steps. The last lies above all."""
    low, high = min(values), max(values) + 0.06 * abs(max(values)) + 1e-13
    positive = [value for value in values if value > 0]
    ladder = [10.0**power * step for power in range(-14, 16) for step in (1, 2, 5)]
    if low >= 0 and positive and high / min(positive) > 20:
        first = max(edge for edge in ladder if edge <= min(positive))
        last = min(edge for edge in ladder if edge > high)
        return ([0.0] if low == 0 else []) + [edge for edge in ladder if first <= edge <= last]
    step = min(edge for edge in ladder if edge >= (high - low) / 8)
    return [step * at for at in range(math.floor(low / step), math.floor(high / step) + 2)]


def guesses_of(place: Place, readers: list[list[Prediction]]) -> Guesses:
    """Each reader by what was on record of this question, in order."""
    given, happened, silent, late = [], [], 0, 0
    for records in readers:
        shown = [one for one in records if one.revealed]
        answers = [one for one in records if one.answer is not None]
        if shown and shown[0].answer is None:
            silent, late = silent + 1, late + bool(answers)
        elif answers:
            given.append(shown[0] if shown else answers[-1])
        happened += [one for one in shown if one.happened is not None][-1:]
    every = [one for records in readers for one in records]
    kind, unit, options = Counter((one.kind, one.unit, one.options) for one in every).most_common(1)[0][0]

    def same(one: Prediction) -> bool:
        return (one.kind, one.unit) == (kind, unit) and (kind != "choice" or {one.answer, one.happened} <= {*options, None})

    texts = len({one.question for one in every})
    return Guesses(place, kind, unit, options, list(filter(same, given)), silent, late, list(filter(same, happened)), texts)


# ---- claims and figures


@dataclass
class Point:
    """A number that a reader's machine gave, with its bounds; they are the number itself if none were measured."""

    value: float
    low: float
    high: float
    reader: str
    machine: Machine


@dataclass
class Series:
    """One number that several readers measured; where it stands in a sentence, `label` has ● in its place."""

    label: str
    points: list[Point]
    published: float | None = None


@dataclass
class Judged:
    """What became of a claim's sentence: of each reader the verdict reached last."""

    place: Place
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
        return len(self.counts.keys() - {NOT_DECIDED, NOT_TRIED}) > 1

    @property
    def series(self) -> list[Series]:
        """The numbers in what was measured, where readers measured the same and the numbers differ; the ones with bounds first."""
        told: dict[str, list[tuple[str, Verdict]]] = {}
        for reader, verdict in self.verdicts:
            told.setdefault(NUMBER.sub("●", verdict.measured), []).append((reader, verdict))
        words, same = max(told.items(), key=lambda each: len(each[1]), default=("", []))
        if len(same) < 2:  # what only one file says is not repeated to the class
            return []
        found = []
        for at, points in enumerate(zip(*(points_of(reader, verdict) for reader, verdict in same), strict=True)):
            if len({point.value for point in points}) > 1:
                found.append(Series(label(words.split("●"), at), list(points), None if at else self.published(words, same)))
        return sorted(found, key=lambda series: series.points[0].low == series.points[0].high)[:MOST_SERIES]

    @staticmethod
    def published(words: str, same: list[tuple[str, Verdict]]) -> float | None:
        """The published ratio, if what was measured is this ratio, and more than one reader has it beside theirs."""
        ratio, count = Counter(verdict.ratio for _, verdict in same).most_common(1)[0]
        return ratio[1] if ratio and count > 1 and words.startswith(f"{ratio[0]} × ●") else None

    @property
    def alike(self) -> tuple[str, int]:
        """What most of the readers measured in the very same words, and how many; nothing where only one did."""
        said = Counter(verdict.measured for _, verdict in self.verdicts if verdict.measured).most_common(1)
        return said[0] if said and said[0][1] > 1 else ("", 0)


def points_of(reader: str, verdict: Verdict) -> list[Point]:
    """Every number in what was measured."""
    found = ([plain(amount or match[1]) for amount in match.groups()] for match in NUMBER.finditer(verdict.measured))
    return [Point(*amounts, reader, verdict.machine) for amounts in found]


def label(parts: list[str], at: int) -> str:
    """The words around a number; the other numbers are left out."""
    words = "…".join(parts[: at + 1]) + "●" + "…".join(parts[at + 1 :])
    return words if len(words) <= 90 else (parts[at][-40:] + "●" + parts[at + 1][:40]).strip()


@dataclass
class Exercise:
    """Who solved it, by the number of the try; those who tried and haven't yet are under 0."""

    id: str
    tries: Counter[int]


def first_solved(attempts: list[Figure]) -> int:
    """The number of the try that passed all cases first; 0 if none did."""
    for number, attempt in enumerate(attempts, 1):
        cases = SOLVED.fullmatch(attempt.unit)
        if cases and attempt.value == int(cases[1]) > 0:
            return number
    return 0


# ---- all of it


@dataclass
class PageTally:
    number: str
    title: str
    guesses: list[Guesses]
    judged: list[Judged]
    exercises: list[Exercise]
    measured: list[Series]  # figures that were kept; what most readers have comes first


@dataclass
class Tally:
    pages: list[PageTally]
    machines: list[Machine]  # one of each reader, the one used last
    unknown: int  # records of questions and claims that no page holds


ByReader = dict[str, list[Any]]


def grouped(readers: list[Reader], kind: type, key: Callable[[Any], Any]) -> dict[Any, ByReader]:
    """The records of a kind by what they are of, and by reader, in the order of their time."""
    found: dict[Any, ByReader] = {}
    for reader in readers:
        for record in sorted(reader.of(kind), key=lambda record: record.at):
            found.setdefault(key(record), {}).setdefault(reader.name, []).append(record)
    return found


def judged_of(place: Place, records: ByReader) -> Judged:
    last = {name: own[-1] for name, own in records.items()}
    live = [(name, verdict) for name, verdict in last.items() if not verdict.recorded]
    return Judged(place, live, len(last) - len(live))


def measured_of(name: str, records: ByReader) -> Series:
    last = {reader: own[-1] for reader, own in records.items()}
    unit = next(iter(last.values())).unit
    points = [Point(one.value, one.value, one.value, reader, one.machine) for reader, one in last.items()]
    return Series(f"{name}, {unit}" if unit else name, points)


def count(course: Course, readers: list[Reader]) -> Tally:
    """Everything that the readers handed in and the course asked for, in the order of the pages."""
    asked = grouped(readers, Prediction, lambda one: course.question(one.question, *one.parts))
    tried = grouped(readers, Verdict, lambda one: course.claimed(one.id, one.sentence))
    figures = grouped(readers, Figure, lambda one: one.name)
    unknown = sum(len(records) for found in (asked, tried) for records in found.pop(None, {}).values())

    def tally_of(page: str, title: str) -> PageTally:
        def here(found: dict[Place, ByReader]) -> list[tuple[Place, ByReader]]:
            return sorted(((place, own) for place, own in found.items() if place.page == page), key=lambda each: each[0].order)

        exercises = [(each, figures.get(f"exercise {each}")) for each, where in course.exercises.items() if where == page]
        # What only one file says is not repeated to the class.
        kept = [measured_of(name[2:].strip(), own) for name, own in figures.items() if name.startswith(page) and len(own) > 1]
        return PageTally(
            page,
            title,
            [guesses_of(place, list(own.values())) for place, own in here(asked)],
            [judged_of(place, own) for place, own in here(tried)],
            [Exercise(name, Counter(map(first_solved, own.values()))) for name, own in exercises if own],
            sorted(kept, key=lambda each: -len(each.points)),
        )

    pages = [tally_of(page, title) for page, title in course.pages.items()]
    machines = [max(reader.records, key=lambda record: record.at).machine for reader in readers]
    return Tally([page for page in pages if page.guesses or page.judged or page.exercises or page.measured], machines, unknown)
