"""Finds the machine property that separates a statement's verdicts, and how certain that is.

A property separates the verdicts if most readers on one side of a split reach one verdict, and most on the other side another. A split
can be, for example, up to 2 CPUs and from 4 on, or Almond and other kernels. Among many properties and statements, some split looks good by
chance. So the verdicts are shuffled among the readers many times, to count how often the best split is as good as the real one. That share
is multiplied by the number of pairs of property and statement (Bonferroni's bound). The result must be at most 5 %, or the page says
nothing.
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
FEWEST = 6  # readers in all, with at least two on each side
MOST_CUTS = 12
PROPERTIES = ("CPUs", "JDK", "memory", "kernel", "profile", "load")  # Machine's fields, as the page names them


@dataclass(frozen=True)
class Separation:
    """Describes a split that separates verdicts.

    `chance` is an upper bound on the probability that some split in such a class looks as good by chance. `readers` is the first side, as
    bits.
    """

    what: str
    sides: tuple[str, str]
    chance: float
    readers: int

    def __str__(self) -> str:
        return f"{self.what}: {self.sides[0]}; {self.sides[1]}"


def known(machine: Machine, what: str) -> float | str | None:
    """Returns a machine's property, or None if the machine didn't report it."""
    value = getattr(machine, what.lower())
    return value if value or what == "load" else None


def said(what: str, value: float | str) -> str:
    """Returns the property in words, with its unit."""
    return value if isinstance(value, str) else f"{value:g}{' GiB' if what == 'memory' else ''}"


def bits(which: Iterable[bool]) -> int:
    return sum(1 << at for at, one in enumerate(which) if one)


def masks(labels: Sequence[str]) -> dict[str, int]:
    return {label: bits(one == label for one in labels) for label in dict.fromkeys(labels)}


def cuts(what: str, values: Sequence[float | str]) -> list[tuple[str, str, int]]:
    """Returns the ways to split these readers in two, each as the words for both sides and the first side's readers as bits."""
    distinct = sorted(set(values), key=lambda value: (isinstance(value, str), value))
    if isinstance(distinct[0], str):
        ones = distinct[:1] if len(distinct) == 2 else distinct
        return [(f"on {one}", "on others", bits(value == one for value in values)) for one in ones]
    pairs = list(pairwise(distinct))
    pairs = pairs[:: max(1, -(-len(pairs) // MOST_CUTS))]
    return [(f"up to {said(what, low)}", f"from {said(what, high)} on", bits(value <= low for value in values)) for low, high in pairs]


def usual(side: int, verdicts: dict[str, int]) -> tuple[str, int]:
    """Returns the most frequent verdict on a side, and how many readers have it."""
    return max(((name, (side & who).bit_count()) for name, who in verdicts.items()), key=lambda each: each[1])


def correct(left: int, everybody: int, verdicts: dict[str, int]) -> int:
    """Returns how many readers have the most frequent verdict of their side, or 0 if it is the same on both sides."""
    (one, ones), (other, others) = usual(left, verdicts), usual(everybody & ~left, verdicts)
    return 0 if one == other else ones + others


def as_good(splits: list[int], labels: list[str], best: int, enough: float) -> float:
    """Returns the share of shuffles whose best split is at least as good. Stops early if the share exceeds `enough`."""
    everybody, hits, dice, shuffled = (1 << len(labels)) - 1, 0, random.Random(18), list(labels)
    for _ in range(SHUFFLES):
        dice.shuffle(shuffled)
        verdicts = masks(shuffled)
        hits += any(correct(left, everybody, verdicts) >= best for left in splits)
        if hits > enough * SHUFFLES:
            return 1.0
    return (hits + 1) / (SHUFFLES + 1)


def separation(what: str, labels: Sequence[str], machines: Sequence[Machine], looked_at: int) -> Separation | None:
    """Returns how this property separates these verdicts, or None if that isn't certain enough.

    `looked_at` is the number of pairs of property and statement on the page.
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
    if best <= max(Counter(labels).values()):  # no better than the same verdict for all
        return None
    chance = as_good([cut[2] for cut in splits], labels, best, LIMIT / looked_at) * looked_at
    if chance > LIMIT:
        return None
    most = [(*usual(side, verdicts), side.bit_count()) for side in (left, everybody & ~left)]
    one, other = (f"{side}, {count} of {whole} {verdict}" for side, (verdict, count, whole) in zip(words, most, strict=True))
    return Separation(what, (one, other), chance, left)


def separations(labels: Sequence[str], machines: Sequence[Machine], statements: int) -> list[Separation]:
    """Returns the properties that separate these verdicts, the most certain first. `statements` is how many the page checks."""
    differ = [what for what in PROPERTIES if len({known(machine, what) for machine in machines} - {None}) > 1]
    found = (separation(what, labels, machines, max(1, statements) * len(differ)) for what in differ)
    return sorted(filter(None, found), key=lambda each: each.chance)
