"""Counts a class's guesses and outcomes, the verdicts and figures of statements, and tries at exercises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

from ..base.records import NOT_DECIDED, NOT_TRIED, VERDICTS, Statement, digits
from .course import Course, Question
from .handed_in import Attempt, Figure, Form, Machine, Measurement, Prediction, Reader, Verdict

MOST_SERIES = 3
MOST_FACTS = 6
MOST_MEASURED = 60  # figures drawn per page, which is twice what any page asks, states and sets
Bar = tuple[str, int, int]  # answer, how many guessed it, to how many it happened


# ---- predictions


@dataclass
class Guesses:
    """Holds the readers' answers to a question before it was resolved, and what happened to each."""

    question: Question
    form: Form | None  # the form that most readers saw, or None if only one reader has each wording
    given: list[Prediction]
    silent: int  # how many saw the outcome without an answer
    late: int  # how many of these answered afterwards
    happened: list[Prediction]
    texts: int  # how many wordings there are, if the question depends on the machine

    @property
    def heading(self) -> str:
        return self.form.question if self.form else self.question.id

    @property
    def judged(self) -> list[bool]:
        return [one.right for one in self.given if one.right is not None]

    @property
    def bars(self) -> list[Bar]:
        """Returns for each answer how many gave it and to how many it happened. Only choices have bars."""
        if self.question.kind != "choice":
            return []
        said, was = self.values
        letters = [chr(ord("a") + at) for at, _ in enumerate(self.form.options)] if self.form else sorted({*said, *was})
        options = self.form.options if self.form else letters
        return [(option, said.count(letter), was.count(letter)) for letter, option in zip(letters, options, strict=True)]

    @property
    def values(self) -> tuple[list[Any], list[Any]]:
        """Returns every reader's answer, and what happened to every reader."""
        return [one.answer for one in self.given], [one.happened for one in self.happened]

    @property
    def right(self) -> tuple[float, float] | None:
        """Returns the least and the greatest right number, each as the median over the readers, or None if no page said so."""
        bounds = [(one.low, one.high) for one in self.happened if one.low is not None and one.high is not None]
        return (median(low for low, _ in bounds), median(high for _, high in bounds)) if bounds else None

    @property
    def cells(self) -> list[tuple[str, str, list[float], list[float]]]:
        """Returns row, column, guesses and outcomes for each cell of a table."""
        if self.question.kind != "table" or not self.form:
            return []
        said, was = self.values
        return [
            (row, column, in_tables(said, row, at), in_tables(was, row, at))
            for row in self.form.rows
            for at, column in enumerate(self.form.columns)
        ]


def in_tables(tables: Iterable[Any], row: str, at: int) -> list[float]:
    rows = (dict(table).get(row, ()) for table in tables)
    return [numbers[at] for numbers in rows if at < len(numbers) and numbers[at] is not None]


def guesses_of(question: Question, readers: list[list[Prediction]], in_all: int) -> Guesses:
    """Summarises what each reader has on record about this question. `in_all` is the number of readers in the class."""
    given, happened, silent, late = [], [], 0, 0
    forms: Counter[Form] = Counter()
    for records in readers:
        forms.update(list(dict.fromkeys(one.form for one in records)))  # in a fixed order, so that a tie is always decided the same way
        shown = [one for one in records if one.revealed]
        answers = [one for one in records if one.answer is not None]
        if shown and shown[0].answer is None:
            silent, late = silent + 1, late + bool(answers)
        elif answers:
            given.append(shown[0] if shown else answers[-1])
        happened += [one for one in shown if one.happened is not None][-1:]
    form, count = forms.most_common(1)[0]

    def same(one: Prediction) -> bool:
        return one.form.unit == form.unit and len(one.form.options) == len(form.options)

    # The class doesn't see what only one file says.
    words = form if count > 1 or in_all == 1 else None
    texts = len({one.question for one in forms})
    return Guesses(question, words, list(filter(same, given)), silent, late, list(filter(same, happened)), texts)


# ---- statements and figures


@dataclass
class Point:
    """Describes a number from a reader's machine, with its bounds.

    Both bounds are the number itself if none were measured. `high` is None if there is no upper bound.
    """

    value: float
    low: float
    high: float | None
    reader: str
    machine: Machine


@dataclass
class Series:
    """Holds one number that several readers measured."""

    label: str
    points: list[Point]
    published: float | None = None

    @property
    def differs(self) -> bool:
        return len({point.value for point in self.points}) > 1


@dataclass
class Judged:
    """Holds each reader's latest verdict on a statement."""

    statement: Statement
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
        """Returns whether the machines that decided disagree."""
        return len(self.counts.keys() - {NOT_DECIDED, NOT_TRIED}) > 1

    def measured(self) -> dict[tuple[str, str], list[tuple[str, Machine, Measurement]]]:
        """Returns what at least two readers measured, by name and unit. The class doesn't see what only one file says."""
        found: dict[tuple[str, str], dict[str, tuple[str, Machine, Measurement]]] = {}
        for reader, verdict in self.verdicts:
            for one in verdict.measured:
                found.setdefault((one.name, one.unit), {})[reader] = (reader, verdict.machine, one)
        return {name: list(readers.values()) for name, readers in found.items() if len(readers) > 1}

    @property
    def series(self) -> list[Series]:
        """Returns the numbers that differ between readers, those with bounds first."""
        found = []
        for (name, unit), readers in self.measured().items():
            points = [point_of(*one) for one in readers if name and isinstance(one[2].value, float)]
            one = Series(labelled(name, unit), points, self.published(name))
            if len(points) > 1 and one.differs:
                found.append(one)
        return sorted(found, key=lambda series: series.points[0].low == series.points[0].high)[:MOST_SERIES]

    def published(self, name: str) -> float | None:
        """Returns the published figure of this name, if more than one reader's record includes it."""
        said = Counter(one.value for _, verdict in self.verdicts for one in {*verdict.published} if one.name == name)
        value, count = said.most_common(1)[0] if said else ("", 0)
        return value if count > 1 and isinstance(value, float) else None

    @property
    def alike(self) -> list[tuple[str, int]]:
        """Returns values on which several readers agree exactly, with their number."""
        drawn = {series.label for series in self.series}
        found = []
        for (name, unit), readers in self.measured().items():
            value, count = Counter(one.value for _, _, one in readers).most_common(1)[0]
            if count > 1 and labelled(name, unit) not in drawn:
                said = value if isinstance(value, str) else f"{digits(value)} {unit}".strip()
                found.append((f"{name}: {said}" if name else said, count))
        return found[:MOST_FACTS]


def point_of(reader: str, machine: Machine, one: Measurement) -> Point:
    bounded = one.low is not None
    return Point(one.value, one.low if bounded else one.value, one.high if bounded else one.value, reader, machine)


def labelled(name: str, unit: str) -> str:
    return f"{name}, {unit}" if unit else name


@dataclass
class Exercise:
    """Counts by the number of the try how many readers solved an exercise. Key 0 counts readers who haven't solved it yet."""

    id: str
    tries: Counter[int]


def first_solved(attempts: list[Attempt]) -> int:
    """Returns the number of the first try that passed all cases, or 0 if none did."""
    return next((number for number, attempt in enumerate(attempts, 1) if attempt.passed == attempt.cases), 0)


# ---- all of it


@dataclass
class PageTally:
    number: str
    title: str
    guesses: list[Guesses]
    judged: list[Judged]
    exercises: list[Exercise]
    measured: list[Series]  # kept figures, those of the most readers first


@dataclass
class Tally:
    pages: list[PageTally]
    machines: list[Machine]  # each reader's latest machine
    unknown: int  # records of questions, statements and exercises that no page contains


ByReader = dict[str, list[Any]]


def grouped(readers: list[Reader], kind: type, key: Callable[[Any], Any]) -> dict[Any, ByReader]:
    """Groups the records of a kind by `key` and then by reader, in order of time."""
    found: dict[Any, ByReader] = {}
    for reader in readers:
        for record in sorted(reader.of(kind), key=lambda record: record.at):
            found.setdefault(key(record), {}).setdefault(reader.name, []).append(record)
    return found


def judged_of(statement: Statement, records: ByReader) -> Judged:
    last = {name: own[-1] for name, own in records.items()}
    live = [(name, verdict) for name, verdict in last.items() if verdict.here]
    return Judged(statement, live, len(last) - len(live))


def measured_of(name: str, records: ByReader) -> Series:
    last = {reader: own[-1] for reader, own in records.items()}
    unit = next(iter(last.values())).unit
    points = [Point(one.value, one.value, one.value, reader, one.machine) for reader, one in last.items()]
    return Series(labelled(name, unit), points)


def count(course: Course, readers: list[Reader]) -> Tally:
    """Counts everything that the readers handed in and the course asked for, in the order of the pages."""
    asked = grouped(readers, Prediction, lambda one: (one.prediction, one.kind))
    tried = grouped(readers, Verdict, lambda one: one.statement)
    attempts = grouped(readers, Attempt, lambda one: one.exercise)
    figures = grouped(readers, Figure, lambda one: one.name)
    questions = {(one.id, one.kind): one for one in course.questions.values()}
    strange = [
        *(own for name, own in asked.items() if name not in questions),
        *(own for name, own in tried.items() if name not in course.tried),
        *(own for name, own in attempts.items() if name not in course.exercises),
    ]

    def tally_of(page: str, title: str) -> PageTally:
        statements = [name for name, where in course.tried.items() if where == page and name in tried]
        questions_here = [name for name, one in questions.items() if one.page == page and name in asked]
        exercises = [(name, attempts[name]) for name, where in course.exercises.items() if where == page and name in attempts]
        # The class doesn't see what only one file says.
        kept = [measured_of(name[2:].strip(), own) for name, own in figures.items() if name.startswith(page) and len(own) > 1]
        return PageTally(
            page,
            title,
            [guesses_of(questions[name], list(asked[name].values()), len(readers)) for name in questions_here],
            [judged_of(course.statements[name], tried[name]) for name in statements],
            [Exercise(name, Counter(map(first_solved, own.values()))) for name, own in exercises],
            sorted(kept, key=lambda each: -len(each.points)),
        )

    pages = [tally_of(page, title) for page, title in course.titles.items()]
    machines = [max(reader.records, key=lambda record: record.at).machine for reader in readers]
    unknown = sum(len(records) for own in strange for records in own.values())
    return Tally([page for page in pages if page.guesses or page.judged or page.exercises or page.measured], machines, unknown)
