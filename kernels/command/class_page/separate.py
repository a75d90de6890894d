"""Which property of the machines separates the verdicts of a claim, and how surely.

A property separates them if one side of a split (up to 2 CPUs and from 4 on; JDK 25 and the others) says one thing and the other side
another. With many properties and claims some split looks good by chance. So the verdicts are shuffled among the readers, again and again:
how often does the best split of shuffled verdicts do as well? That share, times all the properties and claims that were looked at
(Bonferroni's bound), has to be 5 % at most, or nothing is said.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .handed_in import Machine

SHUFFLES = 10_000
LIMIT = 0.05
FEWEST = 6  # readers, and two on each side
MOST_CUTS = 12

PROPERTIES: dict[str, Callable[[Machine], float | str | None]] = {
    "CPUs": lambda machine: machine.cpus or None,
    "JDK": lambda machine: machine.jdk or None,
    "memory": lambda machine: machine.memory or None,
    "kernel": lambda machine: machine.kernel or None,
    "profile": lambda machine: machine.profile or None,
    "load": lambda machine: machine.load,
}
UNITS = {"memory": " GiB"}


@dataclass(frozen=True)
class Side:
    """One side of a split: in words, and what most of its readers' verdicts are."""

    words: str
    verdict: str
    share: tuple[int, int]

    def __str__(self) -> str:
        return f"{self.words}, {self.share[0]} of {self.share[1]} {self.verdict}"


@dataclass(frozen=True)
class Separation:
    """`chance`: at most so likely somewhere in such a room if nothing separated anything. `readers`: who is on the first side, as bits."""

    what: str
    sides: tuple[Side, Side]
    chance: float
    readers: int

    def __str__(self) -> str:
        return f"{self.what}: {self.sides[0]}; {self.sides[1]}"


def cuts(values: Sequence[float | str]) -> list[tuple[str, str, int]]:
    """The ways to split these readers in two: the sides' words, and who is on the first, as bits."""
    distinct = sorted(set(values), key=lambda value: (isinstance(value, str), value))
    if isinstance(distinct[0], str):
        return [
            (f"on {value}", "on others", bits(v == value for v in values)) for value in distinct[: len(distinct) - (len(distinct) == 2)]
        ]
    pairs = list(pairwise(distinct))
    pairs = pairs[:: max(1, -(-len(pairs) // MOST_CUTS))]
    return [(f"up to {low:g}{{unit}}", f"from {high:g}{{unit}} on", bits(v <= low for v in values)) for low, high in pairs]


def bits(which: object) -> int:
    return sum(1 << at for at, one in enumerate(which) if one)  # type: ignore[var-annotated, arg-type]


def masks(labels: Sequence[str]) -> dict[str, int]:
    return {label: bits(one == label for one in labels) for label in dict.fromkeys(labels)}


def correct(left: int, everybody: int, verdicts: dict[str, int]) -> int:
    """How many a split gets right if each side says what most of it say; 0 where both say the same."""
    one = max(verdicts, key=lambda name: (left & verdicts[name]).bit_count())
    other = max(verdicts, key=lambda name: (everybody & ~left & verdicts[name]).bit_count())
    return 0 if one == other else (left & verdicts[one]).bit_count() + (everybody & ~left & verdicts[other]).bit_count()


def as_good(splits: list[int], labels: list[str], best: int, dice: random.Random, enough: float) -> float:
    """The share of shuffles whose best split gets as many right; stops early where it is sure to be more than `enough`."""
    everybody, hits, most = (1 << len(labels)) - 1, 0, enough * SHUFFLES
    shuffled = list(labels)
    for _ in range(SHUFFLES):
        dice.shuffle(shuffled)
        verdicts = masks(shuffled)
        hits += any(correct(left, everybody, verdicts) >= best for left in splits)
        if hits > most:
            return 1.0
    return (hits + 1) / (SHUFFLES + 1)


def separation(what: str, labels: Sequence[str], machines: Sequence[Machine], looked_at: int) -> Separation | None:
    """How this property separates these verdicts, if it surely does.

    `looked_at`: at how many pairs of a property and a claim the room looks.
    """
    known = [(label, value) for label, machine in zip(labels, machines, strict=True) if (value := PROPERTIES[what](machine)) is not None]
    if len(known) < FEWEST or len({value for _, value in known}) < 2:
        return None
    said, values = [label for label, _ in known], [value for _, value in known]
    everybody, verdicts = (1 << len(said)) - 1, masks(said)
    splits = [cut for cut in cuts(values) if 2 <= cut[2].bit_count() <= len(said) - 2]
    if not splits:
        return None
    left_words, right_words, left = max(splits, key=lambda cut: correct(cut[2], everybody, verdicts))
    best = correct(left, everybody, verdicts)
    if best <= max(Counter(said).values()):  # no better than to say the same of all
        return None
    chance = as_good([cut[2] for cut in splits], said, best, random.Random(18), LIMIT / looked_at) * looked_at
    if chance > LIMIT:
        return None

    def side(words: str, who: int) -> Side:
        verdict = max(verdicts, key=lambda name: (who & verdicts[name]).bit_count())
        return Side(words.format(unit=UNITS.get(what, "")), verdict, ((who & verdicts[verdict]).bit_count(), who.bit_count()))

    return Separation(what, (side(left_words, left), side(right_words, everybody & ~left)), chance, left)


def separations(labels: Sequence[str], machines: Sequence[Machine], claims: int) -> list[Separation]:
    """The properties that separate these verdicts, the surest first; `claims`: of how many the room looks at."""
    differ = [what for what, of in PROPERTIES.items() if len({of(machine) for machine in machines} - {None}) > 1]
    found = (separation(what, labels, machines, max(1, claims) * len(differ)) for what in differ)
    return sorted(filter(None, found), key=lambda each: each.chance)
