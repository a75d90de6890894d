"""Which property of the machines separates the verdicts of a statement, and how surely.

A property separates them if one side of a split (up to 2 CPUs and from 4 on; almond and the others) says one thing and the other side
another. With many properties and statements some split looks good by chance. So the verdicts are shuffled among the readers, again and
again: how often does the best split of shuffled verdicts do as well? That share, times all the properties and statements that were looked
at (Bonferroni's bound), has to be 5 % at most, or nothing is said.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .handed_in import Machine

SHUFFLES = 10_000
LIMIT = 0.05
FEWEST = 6  # readers, and two on each side
MOST_CUTS = 12
PROPERTIES = ("CPUs", "JDK", "memory", "kernel", "profile", "load")  # the fields of Machine, as they are said


@dataclass(frozen=True)
class Separation:
    """`chance`: at most so likely somewhere in such a class if nothing separated anything. `readers`: who is on the first side, as bits."""

    what: str
    sides: tuple[str, str]
    chance: float
    readers: int

    def __str__(self) -> str:
        return f"{self.what}: {self.sides[0]}; {self.sides[1]}"


def known(machine: Machine, what: str) -> float | str | None:
    """The property; None where the machine didn't tell it."""
    value = getattr(machine, what.lower())
    return value if value or what == "load" else None


def said(what: str, value: float | str) -> str:
    """The property in words, with its unit."""
    return value if isinstance(value, str) else f"{value:g}{' GiB' if what == 'memory' else ''}"


def bits(which: Iterable[bool]) -> int:
    return sum(1 << at for at, one in enumerate(which) if one)


def masks(labels: Sequence[str]) -> dict[str, int]:
    return {label: bits(one == label for one in labels) for label in dict.fromkeys(labels)}


def cuts(what: str, values: Sequence[float | str]) -> list[tuple[str, str, int]]:
    """The ways to split these readers in two: the sides' words, and who is on the first, as bits."""
    distinct = sorted(set(values), key=lambda value: (isinstance(value, str), value))
    if isinstance(distinct[0], str):
        ones = distinct[:1] if len(distinct) == 2 else distinct
        return [(f"on {one}", "on others", bits(value == one for value in values)) for one in ones]
    pairs = list(pairwise(distinct))
    pairs = pairs[:: max(1, -(-len(pairs) // MOST_CUTS))]
    return [(f"up to {said(what, low)}", f"from {said(what, high)} on", bits(value <= low for value in values)) for low, high in pairs]


def usual(side: int, verdicts: dict[str, int]) -> tuple[str, int]:
    """What most readers on a side say, and how many."""
    return max(((name, (side & who).bit_count()) for name, who in verdicts.items()), key=lambda each: each[1])


def correct(left: int, everybody: int, verdicts: dict[str, int]) -> int:
    """How many a split gets right if each side says what most of it say; 0 where both say the same."""
    (one, ones), (other, others) = usual(left, verdicts), usual(everybody & ~left, verdicts)
    return 0 if one == other else ones + others


def as_good(splits: list[int], labels: list[str], best: int, enough: float) -> float:
    """The share of shuffles whose best split gets as many right; stops early where it is sure to be more than `enough`."""
    everybody, hits, dice, shuffled = (1 << len(labels)) - 1, 0, random.Random(18), list(labels)
    for _ in range(SHUFFLES):
        dice.shuffle(shuffled)
        verdicts = masks(shuffled)
        hits += any(correct(left, everybody, verdicts) >= best for left in splits)
        if hits > enough * SHUFFLES:
            return 1.0
    return (hits + 1) / (SHUFFLES + 1)


def separation(what: str, labels: Sequence[str], machines: Sequence[Machine], looked_at: int) -> Separation | None:
    """How this property separates these verdicts, if it surely does.

    `looked_at`: at how many pairs of a property and a statement the page looks.
    """
    told = [(label, value) for label, machine in zip(labels, machines, strict=True) if (value := known(machine, what)) is not None]
    if len(told) < FEWEST:
        return None
    labels, values = [label for label, _ in told], [value for _, value in told]
    everybody, verdicts = (1 << len(labels)) - 1, masks(labels)
    splits = [cut for cut in cuts(what, values) if 2 <= cut[2].bit_count() <= len(labels) - 2]
    if not splits:
        return None
    *words, left = max(splits, key=lambda cut: correct(cut[2], everybody, verdicts))
    best = correct(left, everybody, verdicts)
    if best <= max(Counter(labels).values()):  # no better than to say the same of all
        return None
    chance = as_good([cut[2] for cut in splits], labels, best, LIMIT / looked_at) * looked_at
    if chance > LIMIT:
        return None
    most = [(*usual(side, verdicts), side.bit_count()) for side in (left, everybody & ~left)]
    one, other = (f"{side}, {count} of {whole} {verdict}" for side, (verdict, count, whole) in zip(words, most, strict=True))
    return Separation(what, (one, other), chance, left)


def separations(labels: Sequence[str], machines: Sequence[Machine], statements: int) -> list[Separation]:
    """The properties that separate these verdicts, the surest first; `statements`: of how many the page looks at."""
    differ = [what for what in PROPERTIES if len({known(machine, what) for machine in machines} - {None}) > 1]
    found = (separation(what, labels, machines, max(1, statements) * len(differ)) for what in differ)
    return sorted(filter(None, found), key=lambda each: each.chance)
