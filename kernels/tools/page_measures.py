"""What a page asks of its reader: words, visible code, minutes; whether it fits on a screen, and hides what only draws or judges.

    .venv/bin/python kernels/tools/page_measures.py [NN…]

prints a line for each page, and below it what keeps the page from the rules. `test_notebooks.py` holds every page to them.

The minutes: words / 180 + visible lines / 12 + the run's. *Words* are those of all prose but the exercises' (from the heading "Exercises"
to the next one of its level); a fenced block of code has none, nor has the address of a link. *Visible lines* are those of code cells
that aren't stored collapsed, blank ones and exercises apart. The run takes the whole minutes that the page states, one at least.
A page states them in its first cell, by these words and no others:

    *About 38 minutes: reading and trying 36, running 2 in the quick profile; the exercises come on top.*

What is stored collapsed (`jupyter.source_hidden`):

- A cell that *only draws or judges* is. That is a cell three quarters of whose lines, or more, belong to statements that do: `Claim(…)`,
  `assert(…)`, `….reveal(…)`, and whatever ends in `.show()`, also behind an `if`, a `for` or a `foreach`. A statement begins where a line
  isn't indented; imports and definitions are none that draw; blank lines and comments don't count. Where such a cell also runs the
  experiment, that goes into a visible one of its own. A cell that begins with `%%` isn't looked at.
- A cell that *the reader is to touch* is not: an exercise (tag `exercise:…`), a prediction (`Predict.`), a benchmark that waits for a
  press (`Jmh.live`).
- A collapsed cell may set the stage, and define what later cells use. What a later *visible* cell names of it stands in backticks in the
  prose before that cell, so that nobody has to open the collapsed one to read on.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
REPORT = ROOT / ".build" / "run" / "report.json"

MOST_MINUTES = 45
MOST_LINES = 25  # of a visible cell
WIDEST = 100
WORDS_A_MINUTE = 180
LINES_A_MINUTE = 12
ONLY = 0.75  # of a cell that only draws or judges, this share does

TIME = re.compile(
    r"^\*About (\d+) minutes: reading and trying (\d+), running (\d+) in the quick profile; the exercises come on top\.\*$", re.M
)
DEFINES = re.compile(r"(?:(?:final|sealed|abstract|case|lazy|implicit|private) )*(?:val|var|def|class|object|trait|type)\b")
JUDGES = re.compile(r"(?:Claim|assert)\(|\w+\.reveal\(")
REPEATS = re.compile(r"if\b|for\b|[\w.]+\.foreach\b")

Cell = dict[str, Any]


# ---- cells


def source(cell: Cell) -> str:
    return "".join(cell["source"])


def is_code(cell: Cell) -> bool:
    return cell["cell_type"] == "code"


def hidden(cell: Cell) -> bool:
    return bool(cell["metadata"].get("jupyter", {}).get("source_hidden"))


def visible(cell: Cell) -> bool:
    return is_code(cell) and not hidden(cell)


def is_exercise(cell: Cell) -> bool:
    return any(tag.startswith("exercise:") for tag in cell["metadata"].get("tags", ()))


def full_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def words(prose: str) -> int:
    """What is read: no fenced code, no HTML tags, no addresses; a word has a letter or a digit."""
    prose = re.sub(r"^(```|~~~).*?^\1", "", prose, flags=re.M | re.S)
    prose = re.sub(r"<[^>\n]+>", " ", re.sub(r"\]\([^)\s]*\)", "]", prose))
    return sum(any(sign.isalnum() for sign in word) for word in prose.split())


# ---- statements


def code_only(text: str) -> str:
    """Without comments that have lines of their own."""
    text = re.sub(r"^\s*/\*.*?\*/[ \t]*$", "", text, flags=re.M | re.S)
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))


def statements(text: str) -> list[str]:
    """The statements of a cell: each begins at a line that isn't indented, and closes no other."""
    found: list[list[str]] = []
    for line in full_lines(code_only(text)):
        goes_on = line[0].isspace() or line[0] in ")}]." or re.match(r"(else|yield|catch|finally)\b", line)
        if found and goes_on:
            found[-1].append(line)
        else:
            found.append([line])
    return ["\n".join(lines) for lines in found]


def draws_or_judges(statement: str) -> bool:
    if DEFINES.match(statement) or statement.startswith("import "):
        return False
    if JUDGES.match(statement) or statement.rstrip().endswith(".show()"):
        return True
    return bool(REPEATS.match(statement)) and bool(re.search(r"\.show\(\)|\.show\)|_\.show|\bClaim\(|\bassert\(|\.reveal\(", statement))


def only_draws_or_judges(text: str) -> bool:
    if text.startswith("%%"):
        return False
    parts = statements(text)
    lines = sum(len(part.splitlines()) for part in parts)
    return bool(lines) and sum(len(part.splitlines()) for part in parts if draws_or_judges(part)) >= ONLY * lines


def for_the_reader(cell: Cell) -> bool:
    """Whether the reader is to write into the cell, or to press it once more."""
    return is_exercise(cell) or bool(re.search(r"\bPredict\.|\bJmh\.live\(", code_only(source(cell))))


def defined(text: str) -> set[str]:
    """The names that a cell's own statements define, patterns' among them."""
    if text.startswith("%%"):
        return set(re.findall(r"--name (\w+)", text.splitlines()[0]))
    names: set[str] = set()
    for statement in statements(text):
        if match := DEFINES.match(statement):
            rest = statement[match.end() :].lstrip()
            pattern = re.match(r"\w*\(([^=]*?)\)\s*=", rest) if match[0].endswith(("val", "var")) else None
            names.update(re.findall(r"\b[a-z]\w*", pattern[1]) if pattern else re.findall(r"\w+", rest)[:1])
    return names


# ---- a page


@dataclass(frozen=True)
class Page:
    path: Path

    @property
    def number(self) -> str:
        return self.path.name[:2]

    @cached_property
    def cells(self) -> list[Cell]:
        return json.loads(self.path.read_text(encoding="utf-8"))["cells"]

    @cached_property
    def read(self) -> list[Cell]:
        """Its cells, the exercises apart. A part that an `Exercises` heading opens ends with the next heading of that level."""
        left: list[Cell] = []
        skipped = False
        for cell in self.cells:
            headings = re.findall(r"^## +(.*?) *$", source(cell), re.M) if cell["cell_type"] == "markdown" else []
            if headings:
                skipped = headings[-1] == "Exercises"
            if not skipped and not is_exercise(cell):
                left.append(cell)
        return left

    @property
    def words(self) -> int:
        return sum(words(source(cell)) for cell in self.read if cell["cell_type"] == "markdown")

    @property
    def lines(self) -> int:
        return sum(len(full_lines(source(cell))) for cell in self.read if visible(cell))

    @property
    def reading(self) -> float:
        """Minutes."""
        return self.words / WORDS_A_MINUTE + self.lines / LINES_A_MINUTE

    @property
    def stated(self) -> tuple[int, int, int] | None:
        """The minutes that the page states: all of them, those of reading and trying, those of running."""
        found = TIME.findall(source(self.cells[0]))
        return tuple(map(int, found[0])) if len(found) == 1 else None

    @property
    def measured(self) -> float | None:
        """How many minutes its last run took, where it ran in the quick profile."""
        rows = json.loads(REPORT.read_text()) if REPORT.exists() else []
        return next((row["seconds"] / 60 for row in rows if row["page"] == self.path.stem and row.get("profile") == "quick"), None)

    @property
    def wide(self) -> list[str]:
        """Each line of code that is too wide, with its cell."""
        return [
            f"{cell['id']}, line {number}: {len(line)} columns"
            for cell in self.cells
            if is_code(cell)
            for number, line in enumerate(source(cell).splitlines(), 1)
            if len(line) > WIDEST
        ]

    @property
    def long(self) -> list[str]:
        """Each visible cell that doesn't fit on a screen."""
        lengths = ((cell["id"], len(source(cell).splitlines())) for cell in self.cells if visible(cell))
        return [f"{name}: {lines} lines" for name, lines in lengths if lines > MOST_LINES]

    @property
    def wrong_time(self) -> list[str]:
        if not self.stated:
            return ["the first cell doesn't state the time in the form that the docstring of page_measures.py gives"]
        total, reading, running = self.stated
        found = []
        if abs(reading - self.reading) > 1:
            found.append(
                f"reading and trying {reading} minutes is stated; {self.words} words and {self.lines} lines take {self.reading:.1f}"
            )
        if running < 1:
            found.append("a run takes a minute at least")
        if total != reading + running:
            found.append(f"{total} minutes is stated, which isn't {reading} + {running}")
        if total > MOST_MINUTES or self.reading + running > MOST_MINUTES + 0.5:
            found.append(f"{max(total, self.reading + running):.0f} minutes; {MOST_MINUTES} is the most")
        return found

    @property
    def wrongly_shown(self) -> list[str]:
        found = []
        for cell in filter(is_code, self.cells):
            if for_the_reader(cell):
                if hidden(cell):
                    found.append(f"{cell['id']}: the reader is to touch it, but it is collapsed")
            elif not hidden(cell) and only_draws_or_judges(source(cell)):
                found.append(f"{cell['id']}: only draws or judges, but isn't collapsed")
        return found

    @property
    def untold(self) -> list[str]:
        """Each name that a visible cell has from a collapsed one without the prose before it naming it."""
        told: set[str] = set()
        behind: dict[str, str] = {}  # a name, and the collapsed cell that it is from
        found = []
        for cell in self.cells:
            text = source(cell)
            if cell["cell_type"] == "markdown":
                spans = re.findall(r"```.*?```|`[^`]+`", text, re.S)
                told.update(name for span in spans for name in re.findall(r"\w+", span))
            elif hidden(cell):
                behind.update(dict.fromkeys(defined(text), cell["id"]))
            elif is_code(cell):
                own = defined(text)
                for name in sorted(set(re.findall(r"\b[a-zA-Z]\w*", code_only(text))) & behind.keys() - own - told):
                    found.append(f"{cell['id']} uses {name}, which the collapsed {behind[name]} defines and no prose names before")
                for name in own:
                    behind.pop(name, None)
        return found

    @property
    def redefined(self) -> list[str]:
        """Each name that a later cell takes from an earlier one: who runs a cell between them again meets the later one.

        But for what was recorded, and is measured again where the reader presses the button.
        """
        first: dict[str, str] = {}
        found = []
        for cell in filter(is_code, self.cells):
            if "Jmh.live(" in source(cell):
                continue
            for name in sorted(defined(re.sub(r'"""(.*?)"""', '""', source(cell), flags=re.S))):
                if first.setdefault(name, cell["id"]) != cell["id"]:
                    found.append(f"{cell['id']} defines {name}, which {first[name]} has defined")
        return found

    @property
    def faults(self) -> list[str]:
        wide = [f"wider than {WIDEST}: {line}" for line in self.wide]
        long = [f"longer than {MOST_LINES} lines: {cell}" for cell in self.long]
        return [*self.wrong_time, *wide, *long, *self.wrongly_shown, *self.untold, *self.redefined]


def pages() -> list[Page]:
    return [Page(path) for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))]


def row(page: Page) -> tuple[str, ...]:
    """The run's minutes are the stated ones or, marked by ~, those of the last run."""
    running = str(page.stated[2]) if page.stated else f"~{page.measured:.1f}" if page.measured else "?"
    total = page.reading + (page.stated[2] if page.stated else page.measured or 0)
    figures = (page.words, page.lines, f"{page.reading:.1f}", running, f"{total:.1f}", len(page.wide), len(page.long))
    return (page.path.stem, *map(str, figures))


HEAD = ("page", "words", "visible lines", "reading", "running", "total", f"lines > {WIDEST}", f"visible cells > {MOST_LINES} lines")


def main() -> int:
    parser = argparse.ArgumentParser(description="Prints what each page measures, and what is to mend on it.")
    parser.add_argument("numbers", metavar="NN", nargs="*", help="a page's number; none: all pages")
    numbers = parser.parse_args().numbers
    asked = [page for page in pages() if not numbers or page.number in numbers]
    rows = [HEAD, *map(row, asked)]
    wide = [max(len(line[at]) for line in rows) for at in range(len(HEAD))]
    for line in rows:
        cells = (cell.ljust(wide[0]) if at == 0 else cell.rjust(wide[at]) for at, cell in enumerate(line))
        sys.stdout.write("  ".join(cells) + "\n")
    for page in asked:
        faults = page.faults
        sys.stdout.write(f"\n{page.path.stem}: {len(faults) or 'nothing'} to mend\n" + "".join(f"  {fault}\n" for fault in faults))
    return 0


if __name__ == "__main__":
    sys.exit(main())
