"""Simulates a class of thirty readers who run pages on different machines, predict at random, try exercises and hand in a file each.

    .venv/bin/python kernels/tools/class_of_thirty.py [--readers 30] [--from 1] [--pages 00,01,05] [--short] [--busy 4]
        [--at-once 2] [--to FOLDER]

Each reader has a separate results folder and runs page 00 and 01, 05 or both (only pages in `--pages`). The kernel sees 1, 2, 4 or 8 CPUs
(`-XX:ActiveProcessorCount`, as with `kernels/course verdicts --cpus`). Every fifth reader has JDK 21, and every fourth shares the machine
with computing programs. Readers answer most predictions, at random. They try wrong answers of `notebooks/solutions` first, and then usually
the solution. The reader's number determines all of this, so a class can be repeated, and can be made page by page, because results are
added to earlier ones. The files go to `.build/class/thirty`, for

    kernels/course class .build/class/thirty/*.jsonl

`--short` leaves out the cells that begin with %% (and what depends on them). On two busy cores (load 11 to 28), page 00 took two to three
minutes per reader. For thirty readers you need a quiet machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "kernels"))  # for the package `command`
from command.dependencies import java, jdks, python_env  # noqa: E402
from command.learner import export  # noqa: E402
from command.pages import notebooks  # noqa: E402

PLACE = ROOT / ".build" / "class" / "thirty"
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"  # ends with the reader's process in any case
ANSWER = re.compile(r"^// (\w+)\.is\((.*)\)$", re.M)
OPTION = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True)
class Plan:
    """Describes what the reader with this number does."""

    number: int
    cpus: int
    jdk: int
    loaded: bool  # other programs compute at the same time
    pages: tuple[str, ...]

    @classmethod
    def of(cls, number: int) -> Plan:
        pages = (("00", "01"), ("00", "05"), ("00", "01", "05"))[number % 3]
        return cls(number, (1, 2, 4, 8)[number // 2 % 4], 21 if number % 5 == 0 else 25, number % 4 == 0, pages)


def source(cell: Any) -> str:
    return "".join(cell["source"])


def answered(code: str, dice: random.Random) -> str:
    """Returns a question's cell with an answer, which is the example in the cell or another one. Leaves one in six unanswered."""

    def answer(match: re.Match[str]) -> str:
        if dice.random() < 1 / 6:
            return match[0]
        if "Predict.number(" in code:
            example = float(match[2]) if match[2].replace(".", "").isdigit() else 10
            return f"{match[1]}.is({round(dice.choice((example, 1, 2, 3, 4, 10, dice.lognormvariate(2, 2))), 1)})"
        count = len(OPTION.findall(code[code.index("Predict.choice(") : match.start()])) - 2  # without the id and the question
        return f'{match[1]}.is("{"abcdefghij"[dice.randrange(max(2, count))]}")'

    asks = ("Predict.number(" in code) != ("Predict.choice(" in code)
    return ANSWER.sub(answer, code) if asks else code


def has(cell: Any, tag: str) -> bool:
    return tag in cell.get("metadata", {}).get("tags", ())


def tries(solutions: Any, dice: random.Random) -> Iterator[Any]:
    """Yields cells of the solutions: the imports, and for each exercise some wrong answers and perhaps the right one."""
    exercises = [tag for cell in solutions.cells for tag in cell.get("metadata", {}).get("tags", ()) if tag.startswith("exercise:")]
    for cell in solutions.cells:
        if cell.cell_type == "code" and not has(cell, "solution") and not has(cell, "cheat"):
            yield cell
    for exercise in dict.fromkeys(exercises):
        mine = [cell for cell in solutions.cells if has(cell, exercise)]
        wrong = [cell for cell in mine if has(cell, "cheat") and ".check" in source(cell)]
        yield from dice.sample(wrong, min(len(wrong), dice.choice((0, 0, 1, 1, 2, 3))))
        if dice.random() < 0.8:
            yield from (cell for cell in mine if has(cell, "solution"))


def page_of(path: Path, dice: random.Random, short: bool) -> Any:
    """Returns the page as this reader runs it, with the tries at its exercises at the end."""
    page = nbformat.read(path, as_version=4)
    page.cells = [cell for cell in page.cells if not (short and source(cell).startswith("%%"))]
    for cell in page.cells:
        if cell.cell_type == "code" and "Predict." in source(cell):
            cell.source = answered(source(cell), dice)
    solutions = nbformat.read(path.parent / "solutions" / path.name, as_version=4)
    page.cells += [nbformat.v4.new_code_cell(source(cell)) for cell in tries(solutions, dice)]
    return page


def use_older_java(jdk: int, folder: Path) -> None:
    """Makes this process's kernels run on that JDK, without options that it doesn't know."""
    spec = json.loads((Path(sys.prefix) / "share" / "jupyter" / "kernels" / "scala-course" / "kernel.json").read_text())
    unknown = ("-XX:AOT", "-Xlog:aot", "--sun-misc-unsafe")
    program = jdks.home(str(jdk)) / "bin" / "java"
    spec["argv"] = [str(program), *(word for word in spec["argv"][1:] if not word.startswith(unknown))]
    place = folder / "share" / "kernels" / "scala-course"
    place.mkdir(parents=True, exist_ok=True)
    (place / "kernel.json").write_text(json.dumps(spec))
    os.environ["JUPYTER_PATH"] = str(folder / "share")


async def read_along(plan: Plan, pages: list[str], short: bool, folder: Path) -> None:
    """Runs the reader's pages. Raises a SystemExit if one fails unexpectedly."""
    from command.pages.execute import Run

    for path in notebooks.find(pages):
        dice = random.Random(f"{plan.number} {path.name}")
        copy = folder / path.name
        nbformat.write(page_of(path, dice, short), copy)
        run = Run(copy)
        run.allow_errors = short
        error = await run.stopped_by()
        if error:
            nbformat.write(run.nb, folder / f"failed-{path.name}")
            raise SystemExit(f"reader {plan.number}: {error}")


def run_reader(number: int, pages: list[str], short: bool, busy: int, place: Path) -> None:
    """Runs a reader in this process, whose environment is the reader's machine."""
    plan, folder = Plan.of(number), place / "work" / f"{number:02}"
    mine = [page for page in plan.pages if page in pages]
    if not mine:
        return
    results = folder / "results"
    results.mkdir(parents=True, exist_ok=True)
    os.environ["COURSE_RESULTS"] = str(results)
    os.environ["JAVA_TOOL_OPTIONS"] = java.sees_cpus(plan.cpus)
    if plan.jdk != java.bundled(python_env.own().bundled_java).major:
        use_older_java(plan.jdk, folder)
    programs = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(busy if plan.loaded else 0)]
    try:
        asyncio.run(read_along(plan, mine, short, folder))
    finally:
        for one in programs:
            one.kill()
            one.wait()
    target = place / f"reader-{number:02}.jsonl"
    target.write_text("\n".join(export.lines(results)) + "\n")


def start(number: int, options: list[str], place: Path) -> str:
    """Runs a reader in a new process, and returns a line about it."""
    log = place / "work" / f"{number:02}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a") as stream:
        argv = [sys.executable, __file__, "--reader", str(number), "--to", str(place), *options]
        code = subprocess.run(argv, stdout=stream, stderr=subprocess.STDOUT).returncode
    last = (log.read_text().strip().splitlines() or ["nothing said"])[-1]
    return f"{Plan.of(number)}: {'handed in' if code == 0 else last}"


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words.add_argument("--readers", type=int, default=30)
    words.add_argument("--from", dest="first", type=int, default=1)
    words.add_argument("--pages", default="00,01,05")
    words.add_argument("--short", action="store_true")
    words.add_argument("--busy", type=int, default=4)
    words.add_argument("--at-once", type=int, default=2)
    words.add_argument("--to", type=Path, default=PLACE)
    words.add_argument("--reader", type=int, help=argparse.SUPPRESS)
    asked = words.parse_args()
    if asked.reader:
        run_reader(asked.reader, asked.pages.split(","), asked.short, asked.busy, asked.to)
        return 0
    options = ["--pages", asked.pages, "--busy", str(asked.busy), *(["--short"] if asked.short else [])]
    with ThreadPoolExecutor(asked.at_once) as pool:
        for line in pool.map(lambda number: start(number, options, asked.to), range(asked.first, asked.first + asked.readers)):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
