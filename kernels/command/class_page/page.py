"""The page of a room: one HTML file that needs nothing else, of what `tally.count` counted.

Every text goes through `words` or `plainly`, charts through JSON in which no tag can begin. The page's policy (Content-Security-Policy)
names its scripts by their checksums and allows nothing else: no text of a file could run or fetch anything even if one were overlooked.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from ..base.embedded import embedded
from .charts import Charts, named_cpus
from .course import Course
from .handed_in import Machine, Room
from .markup import counted, items, listed, table, words
from .separate import Separation, separations
from .tally import Exercise, Guesses, Judged, PageTally, Tally, digits, middle

HERE = Path(__file__).resolve().parent
SIGNS = {"holds": ("✓", "holds"), "depends": ("◐", "depends"), "does not hold": ("✗", "not-hold")}
OPEN = ("–", "open")
MOST_REMARKS = 200
MOST_FIGURES = 4  # in sight; the rest opens
WORTH = 5  # predictions named at the top
TRIES = ("solved on the 1st try", "on the 2nd", "on the 3rd", "later", "not yet")
TRY_KINDS = ("first", "second", "third", "later", "open")


def anchor(of: Guesses | Judged) -> str:
    """A name for a link: of a page, of a cell, of the words."""
    what = of.question if isinstance(of, Guesses) else of.claimed
    return f"at-{what.page}-{what.order[1]}-{zlib.crc32(what.text.encode()):08x}"


def spread(values: list[float]) -> str:
    """Median, least and most."""
    if not values:
        return "–"
    alike = min(values) == max(values)
    return digits(values[0]) if alike else f"{digits(middle(values))} ({digits(min(values))} to {digits(max(values))})"


def shares(parts: list[tuple[str, str, int]]) -> str:
    """Counts as a bar of as many parts, with its legend: what, the kind that colours it, how many."""
    total = sum(count for *_, count in parts)
    bar = "".join(f'<span class="{kind}" style="width:{100 * count / total:.1f}%"></span>' for _, kind, count in parts)
    said = "".join(f'<li><span class="key {kind}" aria-hidden="true"></span>{words(what)}: {count}</li>' for what, kind, count in parts)
    return f'<div class="share" aria-hidden="true">{bar}</div><ul class="legend">{said}</ul>'


# ---- predictions


def answers_of(guesses: Guesses) -> str:
    """How many answered, and how many of these were right."""
    parts = [f"{counted(len(guesses.given), 'answer')}{f' and {guesses.silent} without' if guesses.silent else ''}."]
    if guesses.judged:
        parts.append(f"{sum(guesses.judged)} of {len(guesses.judged)} {'was' if sum(guesses.judged) == 1 else 'were'} right.")
    if guesses.late:
        parts.append(f"{guesses.late} answered only after they had seen it; these don't count here.")
    if guesses.texts > 1:
        parts.append("The numbers in the question differ with the machine.")
    return " ".join(parts)


def prediction(guesses: Guesses, charts: Charts) -> str:
    head = f'<h4 id="{anchor(guesses)}">{words(guesses.question.text)}</h4>\n<p>{words(answers_of(guesses))}</p>'
    if guesses.bars:
        return head + charts.bars(guesses.bars, f"answer, {guesses.unit}" if guesses.unit else "answer")
    if guesses.cells:
        rows = [(row, column, spread(said), spread(was)) for row, column, said, was in guesses.cells]
        return head + table(["row", "asked for", "guessed: median (least to most)", "happened"], rows, 2)
    return head


# ---- claims


def verdict_counts(counts: dict[str, int]) -> str:
    """The verdicts as a bar and in words."""
    signs = {name: SIGNS.get(name, OPEN) for name in counts}
    return shares([(f"{signs[name][0]} {name}", signs[name][1], count) for name, count in counts.items()])


def chance(value: float) -> str:
    """Rounded up to what one says: 1 in 20, 1 in 100."""
    return f"{next(n for n in (100_000, 10_000, 1_000, 100, 50, 20, 10, 1) if value <= 1 / n):,}"


def separated(judged: Judged, found: list[Separation]) -> list[str]:
    """What surely separates the verdicts, in words; nothing if nothing does."""
    lines = [
        f"What separates them is {each}. By chance alone, that would be in fewer than 1 of {chance(each.chance)} such rooms."
        for each in found
    ]
    alike = [each.what for each in found if each.readers == found[0].readers]
    if len(alike) > 1:
        lines.append(f"{listed(alike)} split these readers in the same way: which of them it is, this room can't tell.")
    return lines


def measured(judged: Judged, charts: Charts, names: dict[str, str]) -> list[str]:
    """The numbers that differ as charts; else what most measured alike."""
    drawn = [charts.strips(f"Measured: {series.label}", series, names) for series in judged.series]
    said, readers = judged.alike
    return drawn or ([f"<p>{words(f'Measured by {readers} of {len(judged.verdicts)}: {said}')}</p>"] if said else [])


def claim(judged: Judged, course: Course, found: list[Separation], charts: Charts, names: dict[str, str]) -> str:
    name = judged.claimed.claim
    parts = [f'<h4 id="{anchor(judged)}">{words(f"{name} · {judged.claimed.text}")}</h4>']
    if judged.counts:
        parts.append(verdict_counts(judged.counts))
    if judged.recorded:
        parts.append(f'<p class="soft">{counted(judged.recorded, "reader")} saw a recorded run in place of their own.</p>')
    parts += [f'<p class="separates">{words(line)}</p>' for line in separated(judged, found)]
    parts += measured(judged, charts, names)
    figures = [f"Published: {figure}" for figure in course.figures.get(name, ["no figure"])]
    recorded = course.recorded.get((name, judged.claimed.text))
    parts.append(items(words(line) for line in [*figures[:MOST_FIGURES], *([f"Recorded: {recorded}"] if recorded else [])]))
    if more := figures[MOST_FIGURES:]:
        parts.append(f"<details><summary>{counted(len(more), 'more figure')} published</summary>{items(map(words, more))}</details>")
    return f'<section class="claim">{"".join(parts)}</section>'


# ---- exercises, machines, files


def exercise(found: Exercise, readers: int) -> str:
    """Who solved it on which try, as a bar and in words."""
    later = sum(count for number, count in found.tries.items() if number > 3)
    solved = [found.tries.get(number, 0) for number in (1, 2, 3)]
    parts = [part for part in zip(TRIES, TRY_KINDS, (*solved, later, found.unsolved), strict=True) if part[2]]
    return f"<h4>{words(found.id)}</h4><p>{found.tried} of {readers} tried it.</p>{shares(parts)}"


def machines(found: list[Machine]) -> str:
    """How many readers had which machine."""
    of = {
        "CPUs": lambda m: named_cpus(m.cpus),
        "JDK": lambda m: m.jdk or "unknown",
        "memory": lambda m: f"{m.memory:g} GiB" if m.memory else "unknown",
        "kernel": lambda m: m.kernel or "unknown",
        "profile": lambda m: m.profile or "unknown",
    }
    rows = []
    for name, fact in of.items():
        counts = Counter(fact(machine) for machine in sorted(found, key=lambda m: (m.cpus, m.memory, m.jdk)))
        rows.append((name, "; ".join(f"{value} ({count})" for value, count in counts.items())))
    if loads := [machine.load for machine in found if machine.load is not None]:
        rows.append(("load", f"{min(loads):g} to {max(loads):g}, median {middle(loads):g}"))
    return table(["what", "how many readers"], rows, 2)


def files(room: Room, unknown: int) -> str:
    """A word on each file that can't be taken, or only in part."""
    if not room.remarks and not unknown:
        return "<p>Every file could be read.</p>"
    left = sum(remark.left_out for remark in room.remarks)
    others = not all(remark.left_out for remark in room.remarks)
    parts = [f"<p>{counted(left, 'file')} left out{'; there is a word on others.' if others else '.'}</p>"]
    parts.append(table(["file", "what", "what to do"], [(r.file, r.what, r.remedy) for r in room.remarks[:MOST_REMARKS]], 3))
    if len(room.remarks) > MOST_REMARKS:
        parts.append(f"<p>And {len(room.remarks) - MOST_REMARKS} more.</p>")
    if unknown:
        shapes = f"{counted(unknown, 'record')} of questions and claims that no page of this clone holds: not shown."
        parts.append(f"<p>{shapes} Such readers have another version of the course.</p>")
    return "".join(parts)


# ---- all of it


def worth(tally: Tally, found: dict[str, list[Separation]]) -> str:
    """What to talk about: what most got wrong, and the claims whose verdict differs."""
    asked = [each for page in tally.pages for each in page.guesses]
    # What two of thirty were asked isn't the room's.
    few = max((len(each.judged) for each in asked), default=0) / 4
    guesses = [each for each in asked if len(each.judged) >= max(few, 2 * max(1, sum(each.judged)))]
    wrong = sorted(guesses, key=lambda each: sum(each.judged) / len(each.judged))[:WORTH]
    parts = []
    if wrong:
        lines = (
            f'<a href="#{anchor(each)}">{words(each.question.text)}</a> {sum(each.judged)} of {len(each.judged)} right' for each in wrong
        )
        parts += ["<h3>What most didn't expect</h3>", items(lines)]
    differ = [each for page in tally.pages for each in page.judged if each.differs]
    differ.sort(key=lambda each: not each.contradicts)
    parts.append("<h3>Claims whose verdict differs between machines</h3>")
    parts.append(items(differing(each, found[anchor(each)]) for each in differ) if differ else "<p>None: all machines agree.</p>")
    return "".join(parts)


def differing(judged: Judged, found: list[Separation]) -> str:
    counts = ", ".join(f"{name} {count}" for name, count in judged.counts.items())
    because = f" What separates them: {listed([each.what for each in found])}." if found else ""
    return f'<a href="#{anchor(judged)}">{words(f"{judged.claimed.claim} · {judged.claimed.text}")}</a> {words(f"{counts}.{because}")}'


def page_part(
    page: PageTally, course: Course, readers: int, found: dict[str, list[Separation]], charts: Charts, names: dict[str, str]
) -> str:
    parts = [f'<h2 id="page-{page.number}">{words(f"{page.number} · {page.title}")}</h2>']
    if page.guesses:
        parts += ["<h3>What was predicted, and what happened</h3>", *(prediction(each, charts) for each in page.guesses)]
    if page.judged or page.measured:
        parts.append("<h3>What the machines measured</h3>")
        parts += [claim(each, course, found.get(anchor(each), []), charts, names) for each in page.judged]
    for each in page.measured:
        head = f"{each.name}, {each.unit}" if each.unit else each.name
        parts.append(f'<section class="claim"><h4>{words(head)}</h4>{charts.strips("Kept as a result", each.series, names)}</section>')
    if page.more:
        parts.append(f"<p>And {counted(page.more, 'more figure')} that two readers or more kept: not shown.</p>")
    if page.exercises:
        parts += ["<h3>Exercises</h3>", *(exercise(each, readers) for each in page.exercises)]
    return "\n".join(parts)


def shortened(names: Iterable[str]) -> dict[str, str]:
    """Of each reader's random name as much as tells the readers apart."""
    there = list(names)
    length = next(size for size in (4, 8, 16, 64) if len({name[:size] for name in there}) == len(there))
    return {name: name[:length] for name in there}


def checksum(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def body(course: Course, room: Room, tally: Tally, charts: Charts, now: datetime) -> str:
    readers, names = len(room.readers), shortened(reader.name for reader in room.readers)
    differ = [each for page in tally.pages for each in page.judged if each.differs]
    found = {
        anchor(each): separations([v.verdict for _, v in each.verdicts], [v.machine for _, v in each.verdicts], len(differ))
        for each in differ
    }
    links = [f'<li><a href="#page-{page.number}">{words(f"{page.number} · {page.title}")}</a></li>' for page in tally.pages]
    parts = [page_part(page, course, readers, found, charts, names) for page in tally.pages]
    handed_in = f"{counted(readers, 'reader')} handed in, from {counted(room.files, 'file')}; put together on {now:%Y-%m-%d %H:%M}."
    return f"""<header><h1>Which thread runs this? The room</h1><p>{handed_in} Readers have random names.</p></header>
<nav aria-label="Pages"><ul><li><a href="#worth">Worth talking about</a></li>{"".join(links)}<li><a href="#files">Files</a></li></ul></nav>
<main>
<h2 id="worth">Worth talking about</h2>{worth(tally, found)}
<h2 id="machines">The machines</h2>{machines(tally.machines)}
{chr(10).join(parts)}
<h2 id="files">The files</h2>{files(room, tally.unknown)}
</main>"""


def page(course: Course, room: Room, tally: Tally, plotly: str, now: datetime) -> str:
    """The whole file. `plotly`: its JavaScript."""
    charts = Charts()
    content = body(course, room, tally, charts, now)
    draw = (HERE / "draw.js").read_text(encoding="utf-8")
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; script-src {checksum(plotly)} {checksum(draw)}"
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>Which thread runs this? The room</title>
<style>{(HERE / "style.css").read_text(encoding="utf-8")}</style></head>
<body>
{content}
<script type="application/json" id="charts">{embedded(charts.all)}</script>
<script>{plotly}</script>
<script>{draw}</script>
</body></html>
"""
