"""Tests the English of every text: no file's marked constructions may increase. It also tests the counter."""

from __future__ import annotations

import json
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "kernels" / "tools"))

import english

STORED = json.loads(english.COUNTS.read_text(encoding="utf-8"))
COUNTED = english.groups()


def goal(name: str) -> int:
    """Returns how many marks per 100 sentences a text may always have."""
    return 5 if name.endswith(".md") else 8


@pytest.mark.parametrize("name", COUNTED)
def test_a_text_has_no_more_marks_than_before(name: str):
    marks, colons = STORED.get(name, [0, 0])
    one = COUNTED[name]
    remedy = f"kernels/tools/english.py FILE shows each; rewrite the sentence (goal: {goal(name)})"
    assert one.rate <= max(marks, goal(name)), f"{name}: {one.rate} marks per 100 sentences, {marks} before. {remedy}"
    assert one.per_100(one.colons) <= max(colons, 35), f"{name}: {one.per_100(one.colons)} colons and semicolons per 100 sentences"


def test_no_count_is_kept_of_a_text_that_is_gone():
    assert not STORED.keys() - COUNTED.keys(), "kernels/tools/english.py --write"


@pytest.mark.parametrize(
    ("mark", "sentence"),
    [
        ("who as subject", "Who wants a limit needs it on the executor."),
        ("clause as subject", "Whether workers also steal, the next section tries."),
        ("stands", "Both stand under the same kernel name."),
        ("at once", "How many sleep at once on the pool?"),
        ("inversion", "Is the Future complete, it calls the function itself."),
        ("where for if", "Where nobody waits, the queue is empty."),
        ("as many", "Run eight threads on as many cores."),
        ("a thread more", "The pool starts a thread more for each sleeper."),
        ("of one's own", "Give it a pool of its own instead."),
        ("late clause", "How much memory does a virtual thread take that sleeps?"),
    ],
)
def test_the_counter_finds_what_it_is_for(mark: str, sentence: str):
    assert [found for found, _ in english.count(sentence).marks] == [mark]


@pytest.mark.parametrize(
    "sentence",
    [
        "If you want a limit, put it on the executor.",
        "The next section tests whether workers also steal.",
        "How many are refused?",
        "Who runs the callback?",
        "Which thread runs this, the pool's or yours?",
        "A pool does as much work as its slowest thread.",
        "What happens if you call `at once`?",
    ],
)
def test_the_counter_passes_plain_english(sentence: str):
    assert not english.count(sentence).marks


def test_code_and_comments_are_not_sentences():
    assert (
        english.count("One plain sentence here.\n\n```scala\nwho stands at once; mostly anew\n```\n<!-- stands at once here -->").sentences
        == 1
    )
