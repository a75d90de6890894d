"""Measures a page for its reader: words, visible code, minutes, whether cells fit on a screen, and whether the right ones are collapsed.

    .venv/bin/python kernels/tools/page_measures.py [NN…]

prints a line for each page, and then what breaks the rules. `test_notebooks.py` checks every page.

The minutes are words / 180 + visible lines / 12 + the run's. *Words* are those of all prose except the exercises' (from the heading
"Exercises" to the next one of its level). Fenced blocks of code and the addresses of links have none. *Visible lines* are those of code
cells that aren't stored collapsed, without blank lines and exercises. The run counts with the whole minutes that the page states, at least
one. A page states them in its first cell, in exactly these words:

    *About 38 minutes: reading and trying 36, running 2 in the quick profile; the exercises come on top.*

These rules say what is stored collapsed (`jupyter.source_hidden`):

- A cell that *only draws or judges* is collapsed. At least three quarters of its lines belong to statements that draw or judge: `Claim(…)`,
  `assert(…)`, `….reveal(…)`, and whatever ends in `.show()`, also after an `if`, a `for` or a `foreach`. A statement begins at a line that
  isn't indented. Imports and definitions don't draw. Blank lines and comments don't count. If such a cell also runs the experiment, move
  that to a separate visible cell. Cells that begin with `%%` are not checked.
- A cell that *the reader changes or starts* is visible: an exercise (tag `exercise:…`), a prediction (`Predict.`), a benchmark that waits
  for a button (`Jmh.live`).
- A collapsed cell may set the stage, and define what later cells use. If a later *visible* cell uses one of its names, the prose before
  that cell contains the name in backticks. So nobody must open the collapsed cell to continue.
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
MOST_LINES = 25  # per visible cell
WIDEST = 100
WORDS_A_MINUTE = 180
LINES_A_MINUTE = 12
ONLY = 0.75  # the share of such lines from which on a cell only draws or judges

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
    """Counts the words of prose without fenced code, HTML tags and addresses. A word contains a letter or a digit."""
    prose = re.sub(r"^(```|~~~).*?^\1", "", prose, flags=re.M | re.S)
    prose = re.sub(r"<[^>\n]+>", " ", re.sub(r"\]\([^)\s]*\)", "]", prose))
    return sum(any(sign.isalnum() for sign in word) for word in prose.split())


# ---- statements


def code_only(text: str) -> str:
    """Returns the code without comments that fill a whole line."""
    text = re.sub(r"^\s*/\*.*?\*/[ \t]*$", "", text, flags=re.M | re.S)
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))


def statements(text: str) -> list[str]:
    """Returns a cell's statements. Each begins at a line that isn't indented and doesn't close another statement."""
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
    """Returns whether the reader writes into the cell or presses its button."""
    return is_exercise(cell) or bool(re.search(r"\bPredict\.|\bJmh\.live\(", code_only(source(cell))))


def defined(text: str) -> set[str]:
    """Returns the names that a cell's top-level statements define, including those in patterns."""
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
        """Returns the cells without exercises. A part under the heading `Exercises` ends at the next heading of that level."""
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
        """Returns the minutes of reading and trying."""
        return self.words / WORDS_A_MINUTE + self.lines / LINES_A_MINUTE

    @property
    def stated(self) -> tuple[int, int, int] | None:
        """Returns the minutes that the page states: the sum, reading and trying, running. Returns None if it states none."""
        found = TIME.findall(source(self.cells[0]))
        return tuple(map(int, found[0])) if len(found) == 1 else None

    @property
    def measured(self) -> float | None:
        """Returns the minutes of the page's last run in the quick profile, or None."""
        rows = json.loads(REPORT.read_text()) if REPORT.exists() else []
        return next((row["seconds"] / 60 for row in rows if row["page"] == self.path.stem and row.get("profile") == "quick"), None)

    @property
    def wide(self) -> list[str]:
        """Returns each line of code that is too wide, with its cell."""
        return [
            f"{cell['id']}, line {number}: {len(line)} columns"
            for cell in self.cells
            if is_code(cell)
            for number, line in enumerate(source(cell).splitlines(), 1)
            if len(line) > WIDEST
        ]

    @property
    def long(self) -> list[str]:
        """Returns each visible cell that doesn't fit on a screen."""
        lengths = ((cell["id"], len(source(cell).splitlines())) for cell in self.cells if visible(cell))
        return [f"{name}: {lines} lines" for name, lines in lengths if lines > MOST_LINES]

    @property
    def wrong_time(self) -> list[str]:
        if not self.stated:
            return ["the first cell doesn't state the time in the form that the docstring of page_measures.py shows"]
        total, reading, running = self.stated
        found = []
        if abs(reading - self.reading) > 1:
            found.append(f"the page states {reading} minutes of reading; {self.words} words and {self.lines} lines take {self.reading:.1f}")
        if running < 1:
            found.append("the page states less than a minute for the run; expected at least 1")
        if total != reading + running:
            found.append(f"the page states {total} minutes, which isn't {reading} + {running}")
        if total > MOST_MINUTES or self.reading + running > MOST_MINUTES + 0.5:
            found.append(f"{max(total, self.reading + running):.0f} minutes; expected at most {MOST_MINUTES}")
        return found

    @property
    def wrongly_shown(self) -> list[str]:
        found = []
        for cell in filter(is_code, self.cells):
            if for_the_reader(cell):
                if hidden(cell):
                    found.append(f"{cell['id']}: the reader changes or starts it, but it is collapsed")
            elif not hidden(cell) and only_draws_or_judges(source(cell)):
                found.append(f"{cell['id']}: only draws or judges, but isn't collapsed")
        return found

    @property
    def untold(self) -> list[str]:
        """Returns each name that a visible cell uses from a collapsed one although the prose before it doesn't mention the name."""
        told: set[str] = set()
        behind: dict[str, str] = {}  # the collapsed cell that defines each name
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
                    found.append(
                        f"{cell['id']} uses {name}, which the collapsed {behind[name]} defines; no prose before it mentions the name"
                    )
                for name in own:
                    behind.pop(name, None)
        return found

    @property
    def redefined(self) -> list[str]:
        """Returns each name that a later cell defines again, because rerunning a cell between the two would use the later one.

        Cells with `Jmh.live` are excluded. They replace what was recorded when the reader presses the button.
        """
        first: dict[str, str] = {}
        found = []
        for cell in filter(is_code, self.cells):
            if "Jmh.live(" in source(cell):
                continue
            for name in sorted(defined(re.sub(r'"""(.*?)"""', '""', source(cell), flags=re.S))):
                if first.setdefault(name, cell["id"]) != cell["id"]:
                    found.append(f"{cell['id']} defines {name}, which {first[name]} already defines")
        return found

    @property
    def faults(self) -> list[str]:
        wide = [f"wider than {WIDEST}: {line}" for line in self.wide]
        long = [f"longer than {MOST_LINES} lines: {cell}" for cell in self.long]
        return [*self.wrong_time, *wide, *long, *self.wrongly_shown, *self.untold, *self.redefined]


def pages() -> list[Page]:
    return [Page(path) for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))]


def row(page: Page) -> tuple[str, ...]:
    """Returns a page's line of the table. The run's minutes are the stated ones or, marked by ~, those of the last run."""
    running = str(page.stated[2]) if page.stated else f"~{page.measured:.1f}" if page.measured else "?"
    total = page.reading + (page.stated[2] if page.stated else page.measured or 0)
    figures = (page.words, page.lines, f"{page.reading:.1f}", running, f"{total:.1f}", len(page.wide), len(page.long))
    return (page.path.stem, *map(str, figures))


HEAD = ("page", "words", "visible lines", "reading", "running", "total", f"lines > {WIDEST}", f"visible cells > {MOST_LINES} lines")


def main() -> int:
    parser = argparse.ArgumentParser(description="Prints each page's measurements, and what breaks the rules.")
    parser.add_argument("numbers", metavar="NN", nargs="*", help="a page's number (default: all pages)")
    numbers = parser.parse_args().numbers
    asked = [page for page in pages() if not numbers or page.number in numbers]
    rows = [HEAD, *map(row, asked)]
    wide = [max(len(line[at]) for line in rows) for at in range(len(HEAD))]
    for line in rows:
        cells = (cell.ljust(wide[0]) if at == 0 else cell.rjust(wide[at]) for at, cell in enumerate(line))
        sys.stdout.write("  ".join(cells) + "\n")
    for page in asked:
        faults = page.faults
        sys.stdout.write(f"\n{page.path.stem}: {len(faults) or 'nothing'} to correct\n" + "".join(f"  {fault}\n" for fault in faults))
    return 0


if __name__ == "__main__":
    sys.exit(main())
