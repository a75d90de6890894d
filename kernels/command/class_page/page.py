"""Makes the page of a class from the counts of `tally.count`, as one HTML file that needs no other.

Every text goes through `words` or `plainly`, and charts go through JSON in which no tag can begin. The page's Content-Security-Policy names
its scripts by their checksums and allows nothing else. So a file's text couldn't run or fetch anything even if an escape was missing.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from datetime import datetime
from pathlib import Path
from statistics import median

from ..base.embedded import embedded
from ..base.records import DEPENDS, DOES_NOT_HOLD, HOLDS, digits
from .charts import Charts
from .course import Course
from .handed_in import HandedIn, Machine
from .markup import counted, items, listed, table, words
from .separate import PROPERTIES, Separation, known, said, separations
from .tally import MOST_MEASURED, Exercise, Guesses, Judged, PageTally, Tally

HERE = Path(__file__).resolve().parent
SIGNS = {HOLDS: ("✓", "yes"), DEPENDS: ("◐", "partly"), DOES_NOT_HOLD: ("✗", "no")}  # sign and colour class
OPEN = ("–", "open")
MOST_REASONS = 3
WORTH = 5  # at most this many predictions in the list at the top
# Words and colour class, by the number of the try that solved an exercise.
TRIES = {1: ("solved on the 1st try", "first"), 2: ("on the 2nd", "second"), 3: ("on the 3rd", "third")}
LATER, NOT_YET = ("later", "later"), ("not yet", "open")


def anchor(of: Guesses | Judged) -> str:
    """Returns the HTML id to which links point."""
    return f"at-{(of.statement if isinstance(of, Judged) else of.question).id}"


def title(judged: Judged) -> str:
    return f"{judged.statement.claim} · {judged.statement.text}"


def spread(values: list[float]) -> str:
    """Returns median, minimum and maximum in words."""
    if not values:
        return "–"
    alike = min(values) == max(values)
    return digits(values[0]) if alike else f"{digits(median(values))} ({digits(min(values))} to {digits(max(values))})"


def shares(counts: dict[tuple[str, str], int]) -> str:
    """Returns counts as a divided bar with a legend. Each part has words and a colour class."""
    total = sum(counts.values())
    bar = "".join(f'<span class="{kind}" style="width:{100 * count / total:.1f}%"></span>' for (_, kind), count in counts.items())
    key = '<span class="key {}" aria-hidden="true"></span>'
    said = "".join(f"<li>{key.format(kind)}{words(what)}: {count}</li>" for (what, kind), count in counts.items())
    return f'<div class="share" aria-hidden="true">{bar}</div><ul class="legend">{said}</ul>'


def answers_of(guesses: Guesses) -> str:
    """Says how many readers answered."""
    parts = [f"{counted(len(guesses.given), 'answer')}{f' and {guesses.silent} without' if guesses.silent else ''}."]
    if guesses.late:
        parts.append(f"{guesses.late} answered only after they had seen it; these don't count here.")
    if guesses.texts > 1:
        parts.append("The numbers in the question differ with the machine.")
    return " ".join(parts)


def right_of(guesses: Guesses) -> str:
    """Says how many of the answers were right; "" if none was judged."""
    right, judged = sum(guesses.judged), len(guesses.judged)
    within = f" Right is from {digits(guesses.right[0])} to {digits(guesses.right[1])}." if guesses.right else ""
    return f"{right} of {judged} {'was' if right == 1 else 'were'} right.{within}" if judged else ""


def chance(value: float) -> str:
    """Returns a probability's reciprocal, rounded down to a round number such as 20 or 100."""
    return f"{next(n for n in (100_000, 10_000, 1_000, 100, 50, 20, 10, 1) if value <= 1 / n):,}"


def separated(found: list[Separation]) -> list[str]:
    """Says which properties separate the verdicts, if any does with enough certainty."""
    lines = [
        f"What separates them is {each}. By chance alone, that would be in fewer than 1 of {chance(each.chance)} such classes."
        for each in found
    ]
    alike = [each.what for each in found if each.readers == found[0].readers]
    if len(alike) > 1:
        lines.append(f"{listed(alike)} split these readers in the same way, so this class can't tell which of them matters.")
    return lines


def exercise(found: Exercise, readers: int) -> str:
    """Returns how many readers solved an exercise on which try, as a bar and in words."""
    counts: Counter[tuple[str, str]] = Counter()
    for number, count in sorted(found.tries.items(), key=lambda each: each[0] or 10**6):
        counts[TRIES.get(number, LATER) if number else NOT_YET] += count
    return f"<h4>{words(found.id)}</h4><p>{found.tries.total()} of {readers} tried it.</p>{shares(counts)}"


def machines(found: list[Machine]) -> str:
    """Returns a table of the machines' properties, with the number of readers for each value."""
    rows = []
    for what in PROPERTIES[:-1]:
        values = [known(machine, what) for machine in sorted(found, key=lambda one: (one.cpus, one.memory, one.jdk))]
        counts = Counter("unknown" if value is None else said(what, value) for value in values)
        rows.append((what, "; ".join(f"{value} ({count})" for value, count in counts.items())))
    loads = [machine.load for machine in found if machine.load is not None]
    return table(["what", "how many readers"], [*rows, ("load: median (least to most)", spread(loads))], 2)


def files(handed_in: HandedIn, unknown: int) -> str:
    """Returns the remarks on files that couldn't be used, or only in part."""
    remarks = handed_in.remarks
    if not remarks and not unknown:
        return "<p>Every file could be read.</p>"
    others = not all(remark.left_out for remark in remarks)
    left = counted(sum(remark.left_out for remark in remarks), "file")
    parts = [f"<p>{left} left out{'; there are remarks on others.' if others else '.'}</p>"]
    parts.append(table(["file", "what", "what to do"], [(each.file, each.what, each.remedy) for each in remarks], 3))
    if unknown:
        shapes = f"{counted(unknown, 'record')} of questions, statements and exercises that no page of this clone contains: not shown."
        parts.append(f"<p>{shapes} Their readers have another version of the course.</p>")
    return "".join(parts)


class ClassPage:
    """Builds the parts of the page."""

    def __init__(self, course: Course, handed_in: HandedIn, tally: Tally) -> None:
        self.course, self.handed_in, self.tally, self.charts = course, handed_in, tally, Charts()
        self.differ = [each for page in tally.pages for each in page.judged if each.differs]
        self.separations = {anchor(each): self.separations_of(each) for each in self.differ}

    def separations_of(self, judged: Judged) -> list[Separation]:
        verdicts = [verdict for _, verdict in judged.verdicts]
        return separations([one.verdict for one in verdicts], [one.machine for one in verdicts], len(self.differ))

    def prediction(self, guesses: Guesses) -> str:
        """Returns a question's section, in the order in which a presenter shows it: the guesses, what happened, and why."""
        unit = f"answer, {guesses.form.unit}" if guesses.form and guesses.form.unit else "answer"
        parts = [f'<h4 id="{anchor(guesses)}">{words(guesses.heading)}</h4>', f"<p>{words(answers_of(guesses))}</p>"]
        if guesses.bars:
            parts.append(self.charts.bars(guesses.bars, unit))
        elif guesses.question.kind == "number" and any(guesses.values):
            parts.append(self.charts.dots(*guesses.values, guesses.right, unit))
        elif guesses.cells:
            rows = [(row, column, spread(said), spread(was)) for row, column, said, was in guesses.cells]
            parts.append(table(["row", "asked for", "guessed: median (least to most)", "happened"], rows, 2))
        if right := right_of(guesses):
            parts.append(f'<p class="happened">{words(right)}</p>')
        if because := self.course.because.get(guesses.question.id):
            parts.append(f'<div class="because"><p>Because, as the page explains:</p>{items(map(words, because[:MOST_REASONS]))}</div>')
        of = words(f"Page {guesses.question.page} · {self.course.titles[guesses.question.page]}")
        return f'<section class="asked" data-page="{of}">{"".join(parts)}</section>'

    def claim(self, judged: Judged) -> str:
        parts = [f'<h4 id="{anchor(judged)}">{words(title(judged))}</h4>']
        if judged.counts:
            signs = {verdict: SIGNS.get(verdict, OPEN) for verdict in judged.counts}
            parts.append(shares({(f"{sign} {verdict}", kind): judged.counts[verdict] for verdict, (sign, kind) in signs.items()}))
        if judged.recorded:
            parts.append(f'<p class="soft">{counted(judged.recorded, "reader")} saw a recorded run instead of their own.</p>')
        parts += [f'<p class="separates">{words(line)}</p>' for line in separated(self.separations.get(anchor(judged), []))]
        drawn = [self.charts.strips(f"Measured: {series.label}", series) for series in judged.series]
        alike = [f"<p>{words(f'Measured by {readers} of {len(judged.verdicts)}: {said}')}</p>" for said, readers in judged.alike]
        parts += [*drawn, *alike]
        if why := self.course.whys.get(judged.statement.id):
            parts.append(f"<p>{words(f'Because, as the page explains: {why}')}</p>")
        figures = [f"Published: {figure}" for figure in self.course.figures[judged.statement.id] or ["no figure"]]
        recorded = self.course.recorded.get(judged.statement.id)
        lines = [*figures, *([f"Recorded: {recorded}"] if recorded else []), *judged.statement.how_it_fails]
        parts.append(items(map(words, lines)))
        return f'<section class="claim">{"".join(parts)}</section>'

    def part(self, page: PageTally) -> str:
        """Returns the section for one page of the course."""
        parts = [f'<h2 id="page-{page.number}">{words(f"{page.number} · {page.title}")}</h2>']
        if page.guesses:
            parts += ["<h3>What was predicted, and what happened</h3>", *map(self.prediction, page.guesses)]
        if page.judged or page.measured:
            parts += ["<h3>What the machines measured</h3>", *map(self.claim, page.judged)]
        for series in page.measured[:MOST_MEASURED]:
            chart = self.charts.strips("Kept as a result", series)
            parts.append(f'<section class="claim"><h4>{words(series.label)}</h4>{chart}</section>')
        if more := page.measured[MOST_MEASURED:]:
            parts.append(f"<p>And {counted(len(more), 'more figure')} that two readers or more kept: not shown.</p>")
        if page.exercises:
            parts += ["<h3>Exercises</h3>", *(exercise(each, len(self.handed_in.readers)) for each in page.exercises)]
        return "\n".join(parts)

    def differing(self, judged: Judged) -> str:
        counts = ", ".join(f"{name} {count}" for name, count in judged.counts.items())
        found = self.separations[anchor(judged)]
        because = f" What separates them: {listed([each.what for each in found])}." if found else ""
        return f'<a href="#{anchor(judged)}">{words(title(judged))}</a> {words(f"{counts}.{because}")}'

    def worth(self) -> str:
        """Returns what to talk about: the questions that most readers got wrong, and the statements whose verdicts differ."""
        asked = [each for page in self.tally.pages for each in page.guesses]
        # A question that only two of thirty answered says little about the class.
        few = max((len(each.judged) for each in asked), default=0) / 4
        wrong = [each for each in asked if len(each.judged) >= max(few, 2 * max(1, sum(each.judged)))]
        wrong.sort(key=lambda each: sum(each.judged) / len(each.judged))
        lines = [
            f'<a href="#{anchor(each)}">{words(each.heading)}</a> {sum(each.judged)} of {len(each.judged)} right' for each in wrong[:WORTH]
        ]
        differ = items(map(self.differing, sorted(self.differ, key=lambda each: not each.contradicts)))
        return (
            (f"<h3>What most didn't expect</h3>{items(lines)}" if lines else "")
            + "<h3>Statements whose verdict differs between machines</h3>"
            + (differ if self.differ else "<p>None: all machines agree.</p>")
        )

    def body(self, now: datetime) -> str:
        readers, count = len(self.handed_in.readers), sum(len(reader.files) for reader in self.handed_in.readers)
        pages = self.tally.pages
        links = "".join(f'<li><a href="#page-{page.number}">{words(f"{page.number} · {page.title}")}</a></li>' for page in pages)
        told = f"{counted(readers, 'reader')} handed in, from {counted(count, 'file')}; put together on {now:%Y-%m-%d %H:%M}."
        present = '<p><button id="present">Present the questions</button></p>' if any(page.guesses for page in pages) else ""
        return f"""<header><h1>Which thread runs this? The class</h1><p>{told} Readers have random names.</p>{present}</header>
<nav aria-label="Pages"><ul><li><a href="#worth">Worth talking about</a></li>{links}<li><a href="#files">Files</a></li></ul></nav>
<main>
<h2 id="worth">Worth talking about</h2>{self.worth()}
<h2 id="machines">The machines</h2>{machines(self.tally.machines)}
{chr(10).join(map(self.part, pages))}
<h2 id="files">The files</h2>{files(self.handed_in, self.tally.unknown)}
</main>"""


def checksum(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def page(course: Course, handed_in: HandedIn, tally: Tally, plotly: str, now: datetime, reload: int = 0) -> str:
    """Returns the whole HTML file. `plotly` is the JavaScript of Plotly. The page loads itself again every `reload` seconds, or never."""
    what = ClassPage(course, handed_in, tally)
    content = what.body(now)
    draw = "".join((HERE / name).read_text(encoding="utf-8") for name in ("draw.js", "present.js"))
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; script-src {checksum(plotly)} {checksum(draw)}"
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>Which thread runs this? The class</title>
<style>{(HERE / "style.css").read_text(encoding="utf-8")}</style></head>
<body data-reload="{reload}">
{content}
<script type="application/json" id="charts">{embedded(what.charts.all)}</script>
<script>{plotly}</script>
<script>{draw}</script>
</body></html>
"""
