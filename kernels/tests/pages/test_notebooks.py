"""Tests the pages. They are stored without outputs, and each runs from top to bottom with the charts that it promises."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import listeners
import nbformat
import page_measures
import psutil
import pytest
from command.base import records
from command.class_page.course import reasons
from command.pages import execute, notebooks, thread_dump
from conftest import FULL, ROOT, only_in_full

FOLDER = ROOT / "notebooks"
STORED = sorted(path for path in FOLDER.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
PAGES = notebooks.pages()
# The embedded kernel's description of its language, which JupyterLab writes into every page.
LANGUAGE = {"name": "scala", "version": "2.13.18", "mimetype": "text/x-scala", "file_extension": ".sc", "codemirror_mode": "text/x-scala"}
linux = pytest.mark.skipif(not listeners.TABLES[0].exists(), reason="this system has no /proc/net")
CHART = "application/vnd.plotly.v1+json"
# Pages that also run on this machine if the image has run all: the first one, which has a benchmark, and one on pools.
HERE_TOO = ("00", "04")


def name(path: Path) -> str:
    return str(path.relative_to(FOLDER))


@pytest.mark.parametrize("path", STORED, ids=name)
def test_stored_without_outputs_and_with_ids(path: Path):
    content = json.loads(path.read_text())
    nbformat.validate(content)
    assert content["nbformat"] == 4
    assert content["nbformat_minor"] >= 5
    ids = [cell["id"] for cell in content["cells"]]
    assert len(ids) == len(set(ids))
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], cell["id"]
            assert cell["execution_count"] is None, cell["id"]
    assert content["metadata"]["kernelspec"] == {"display_name": "Scala 2.13 (course)", "language": "scala", "name": "scala-course"}


@pytest.mark.parametrize("path", STORED, ids=name)
def test_stored_as_jupyter_saves_it(path: Path):
    """Checks that a reader who saves a page finds only their own changes in the clone."""
    text = path.read_text()
    page = nbformat.reads(text, as_version=4)
    assert page.metadata["language_info"] == LANGUAGE
    assert text == nbformat.writes(page) + "\n"


@pytest.mark.parametrize("path", STORED, ids=name)
def test_cells_fit_on_a_screen(path: Path):
    for cell in json.loads(path.read_text())["cells"]:
        lines = "".join(cell["source"]).splitlines()
        if cell["cell_type"] == "code":
            # A separate program is a whole file with its imports.
            most = 45 if lines and lines[0].startswith("%%program") else 30
            assert len(lines) <= most, f"{cell['id']}: {len(lines)} lines"


def test_a_why_can_be_read_alone():
    """Checks that the sentence before a mark, which the ledger and the site quote, doesn't need the sentence before it."""
    sources = [cell.source for page in PAGES for cell in nbformat.read(page, as_version=4).cells if cell.cell_type == "markdown"]
    marked = [why for source in sources if "<!-- why " in source for why in reasons(source)]
    begins = r"(So|But|And|Then|Still|Only then|That|This|These|It|They|If it|The (first|second) half) |.*\btherefore\b"
    assert len(marked) > 80 and [why for why in marked if re.match(begins, why)] == []


def test_each_mark_of_a_why_is_of_a_statement():
    sources = ["".join(cell["source"]) for path in STORED for cell in json.loads(path.read_text())["cells"]]
    marked = {name for source in sources for name in re.findall(r"<!-- why (.*?) -->", source)}
    assert marked - records.statements().keys() == set()


def test_what_pages_show_as_recorded_is_there_and_nothing_else():
    sources = ["".join(cell["source"]) for path in STORED for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    named = {name for source in sources for name in re.findall(r'(?:--recorded |Recorded(?:Rows)?\(")([\w-]+)', source)}
    # verdicts.jsonl belongs to no page, because `kernels/course verdicts` writes it.
    there = {path.stem for path in (ROOT / "data" / "recorded").glob("[0-9][0-9]-*.*")}
    # `Recorded` shows the results of JDKs that the course can't install with the others'.
    assert named == {re.sub(r"-jdk\d+$", "", one) for one in there} and {one.partition("-jdk")[0] for one in there} <= there


@pytest.mark.parametrize("path", STORED, ids=name)
def test_what_is_shown_as_recorded_can_be_measured_by_the_next_cell(path: Path):
    """Checks that each `%%jmh` cell with `--recorded` is followed by the cell that measures the same value under the same name."""
    sources = ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]
    buttons = {at: match for at, source in enumerate(sources) if (match := re.search(r'val (\w+) = Jmh\.live\("([\w-]+)"\)', source))}
    recorded = [at for at, source in enumerate(sources) if re.match(r"%%jmh .*--recorded ", source)]
    assert [at + 1 for at in recorded] == list(buttons)
    for at in recorded:
        line = sources[at].splitlines()[0]
        bound = re.search(r"--name (\w+)", line)
        assert buttons[at + 1].groups() == (bound[1] if bound else "results", re.search(r"--recorded ([\w-]+)", line)[1])


@pytest.mark.parametrize("page", PAGES, ids=name)
@pytest.mark.parametrize("rule", ["wrong_time", "wide", "long", "wrongly_shown", "untold", "redefined"])
def test_a_page_keeps_the_measures(page: Path, rule: str):
    """Checks a page against the rules in page_measures.py."""
    assert getattr(page_measures.Page(page), rule) == []


@pytest.mark.parametrize("path", [FOLDER / "solutions" / page.name for page in PAGES], ids=name)
def test_solutions_run_out_of_no_window(path: Path):
    assert page_measures.Page(path).wide == []


def page_of(tmp_path: Path, *cells: Any) -> page_measures.Page:
    """Makes a page. Prose begins with `#` or `*`, a cell in a list is stored collapsed, and a dictionary gives a cell a tag."""

    def cell(content: Any) -> Any:
        if isinstance(content, list):
            return nbformat.v4.new_code_cell(content[0], metadata={"jupyter": {"source_hidden": True}})
        if isinstance(content, dict):
            ((tag, code),) = content.items()
            return nbformat.v4.new_code_cell(code, metadata={"tags": [tag]})
        return (nbformat.v4.new_markdown_cell if content[0] in "#*" else nbformat.v4.new_code_cell)(content)

    path = tmp_path / "99-made-up.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell(content) for content in cells]), path)
    return page_measures.Page(path)


def test_a_name_that_a_later_cell_takes_is_found(tmp_path: Path):
    cells = "val a = 1\nval b = 2", ["def held(x: Int) = x"], "def held: Int = 1\nval (b, c) = (1, 2)", "{\n  val a = 2\n}"
    page = page_of(tmp_path, *cells)
    assert [fault.split(", ")[0].split(" ", 1)[1] for fault in page.redefined] == ["defines b", "defines held"]


STATED = "*About {} minutes: reading and trying {}, running {} in the quick profile; the exercises come on top.*"


def test_words_and_lines_are_counted_without_exercises_code_and_addresses(tmp_path: Path):
    prose = "# one two\n\n`three` [four](https://no.word/here) – five's\n\n```scala\nnone at all\n```\n\n| six | seven |\n|---|---|\n<br>"
    apart = ("## Exercises\n\nnot counted", "### Warm up", "val helper = 1", {"exercise:99-x": "def x = ???"})
    page = page_of(tmp_path, prose, "val a = 1\n\n  // why\nval b = 2", ["val c = 3"], *apart, "## Key points\n\neight", "val d = 4")
    assert (page.words, page.lines) == (7 + 3, 4)


@pytest.mark.parametrize(
    ("stated", "faults"),
    [
        (STATED.format(12, 10, 2), 0),
        (STATED.format(13, 11, 2), 0),
        (STATED.format(14, 12, 2), 1),
        (STATED.format(13, 10, 2), 1),
        (STATED.format(10, 10, 0), 1),
        (STATED.format(46, 10, 36), 1),
        ("*Reading: about ten minutes.*", 1),
        (STATED.format(12, 10, 2) + "\n\n" + STATED.format(12, 10, 2), 1),
    ],
)
def test_a_page_states_its_minutes(tmp_path: Path, stated: str, faults: int):
    page = page_of(tmp_path, f"# title\n\n{stated}", "# " + "word " * (1800 - page_measures.words(stated) - 1))
    assert len(page.wrong_time) == faults, page.wrong_time


def test_the_first_page_tells_what_each_page_takes_and_all_of_them():
    first, stated = page_measures.pages()[0], {page.number: page.stated for page in page_measures.pages()}
    contents = next(page_measures.source(cell) for cell in first.cells if cell["id"] == "contents")
    rows = re.findall(r"^\| \*\*\[?(\d\d)\b.* \| (\d+) \|$", contents, re.M)
    assert {number: int(minutes) for number, minutes in rows} == {number: minutes for number, (minutes, _, _) in stated.items()}
    whole = re.search(r"Together that is (\d+) minutes, of which (\d+) pass while cells run", contents)
    assert whole and [int(minutes) for minutes in whole.groups()] == [sum(page[at] for page in stated.values()) for at in (0, 2)]


def test_wide_and_long_cells_are_found(tmp_path: Path):
    page = page_of(tmp_path, "# " + "x" * 200, "x" * 100, "y" * 101, ["z" * 101], "1\n" * 25, "1\n" * 26, ["1\n" * 30])
    assert [fault.split(", ")[1] for fault in page.wide] == ["line 1: 101 columns"] * 2
    assert [fault.split(": ")[1] for fault in page.long] == ["26 lines"]


@pytest.mark.parametrize(
    ("code", "only"),
    [
        ("Chart.bars(\n  title = x\n)(\n  rows\n).show()", True),
        ('guess.reveal(2)\n\n// so\nClaim("A1.x")\n  .grade {\n    Verdict.Holds\n  }', True),
        ("def late = 1\nassert(late == 1)\nassert(true)\nTable(late).show()", True),
        ("val ran = run()\nassert(ran == 1)\nassert(true)", False),
        ("for (x <- xs)\n  assert(x == 1)\nif (far) Claim(x).must(true)\nelse Claim(x).notTried(why)", True),
        ("edge.charts.foreach(_.show())", True),
        ("import scala.concurrent.Future\nmachine.show()", False),
        ("Using.resource(pool) { p =>\n  assert(p == 1)\n}", False),
        ("val chart = Chart.bars(\n  rows\n)\nval more = 1", False),
        ("%%jmh\nassert(true)", False),
        ("// nothing", False),
    ],
)
def test_what_only_draws_or_judges_is_known(tmp_path: Path, code: str, only: bool):
    assert page_measures.only_draws_or_judges(code) == only
    assert bool(page_of(tmp_path, code).wrongly_shown) == only
    assert page_of(tmp_path, [code]).wrongly_shown == []


def test_what_the_reader_touches_is_shown(tmp_path: Path):
    touched = ['val guess = Predict.choice("99-x", "x", "a", "b")\n// guess.is("a")', 'val scores = Jmh.live("x")']
    assert page_of(tmp_path, *touched, {"exercise:99-x": "Table(x).show()"}).wrongly_shown == []
    assert len(page_of(tmp_path, *([code] for code in touched)).wrongly_shown) == 2
    assert page_of(tmp_path, ["// guess.is: Predict.choice asked\nTable(x).show()"]).wrongly_shown == []


def test_what_a_visible_cell_has_from_a_collapsed_one_is_told_before(tmp_path: Path):
    stage = ["val (server, port) = start()\nfinal class Client\nval Seq(a, b) = pair\nval shown = server.inside"]
    use = "val one = new Client(port)"
    assert [fault.split(" uses ")[1].split(",")[0] for fault in page_of(tmp_path, stage, use, "# `Client`, `port`").untold] == [
        "Client",
        "port",
    ]
    assert page_of(tmp_path, "# A `new Client(port)`", stage, use).untold == []
    assert page_of(tmp_path, stage, "val port = 1", "port + 1", [use]).untold == []
    assert len(page_of(tmp_path, ["%%program --name shop --with play\nobject Shop"], "shop.run()").untold) == 1


def needed(items: Iterable[pytest.Item]) -> list[str]:
    """Returns the numbers of the pages that these tests need executed, or none if a test needs all pages."""
    params = [getattr(item, "callspec", None) for item in items if "executed" in getattr(item, "fixturenames", ())]
    found = [spec.params.get("page") if spec else None for spec in params]
    return [] if None in found else sorted({page.name[:2] for page in found})


@pytest.fixture(scope="session")
def executed(request: pytest.FixtureRequest) -> tuple[dict[str, dict[str, Any]], set[str]]:
    """Executes the pages that the selected tests need, once. Returns the report and the programs that were open to other machines.

    If `kernels/course test` has tried the image, most pages ran there. Their executed copies are copied into .build/run.
    """
    from_image = Path(os.environ["COURSE_EXECUTED"]) if "COURSE_EXECUTED" in os.environ and not FULL else None
    words = [sys.executable, ROOT / "kernels" / "course", "run", *(HERE_TOO if from_image else needed(request.session.items))]
    run = subprocess.Popen(words, stdin=subprocess.DEVNULL)
    exposed = listeners.watched(run, 1800)
    rows = json.loads(execute.REPORT.read_text())
    assert (run.returncode == 0) == all(row["status"] == "ok" for row in rows)
    if from_image:
        rows = adopted(from_image, rows)
    return {row["page"]: row for row in rows}, exposed


def adopted(folder: Path, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Adds the other pages of `folder` to .build/run, as executed copies and rows of the report. Returns all rows."""
    there = {row["page"] for row in rows}
    more = [row for row in json.loads((folder / "report.json").read_text()) if row["page"] not in there]
    for row in more:
        shutil.copy(folder / f"{row['page']}.ipynb", execute.RUNS)
    rows = sorted([*rows, *more], key=lambda row: row["page"])
    execute.REPORT.write_text(json.dumps(rows, indent=1) + "\n")
    return rows


@pytest.fixture(scope="session")
def report(executed) -> dict[str, dict[str, Any]]:
    return executed[0]


@linux
def test_other_machines_can_call_no_program_of_a_page(executed):
    assert executed[1] == set()


@linux
@pytest.mark.parametrize(("address", "found"), [("127.0.0.1", 0), ("0.0.0.0", 1), ("::", 1)])
def test_a_program_that_other_machines_can_call_is_found(address: str, found: int):
    family = f"socket.AF_INET{'6' if ':' in address else ''}"
    source = f"import socket; s = socket.create_server(({address!r}, 0), family={family}); print(1, flush=True); input()"
    words = [sys.executable, "-c", source]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout.readline()
        assert len(listeners.holders(psutil.Process(program.pid), listeners.exposed())) == found
        program.stdin.close()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_output_shows_the_password_of_a_database(page: Path, report):
    assert not re.search(r"password=[0-9a-f]{8}", (ROOT / ".build" / "run" / page.name).read_text())


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_runs_from_top_to_bottom(page: Path, report):
    row = report[page.stem]
    assert row["status"] == "ok", row["error"]
    assert 50 < row["peak_memory_mb"] < 1300


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_run_takes_no_longer_than_stated(page: Path, report):
    """Checks the time with a factor of two, which a busy machine needs."""
    stated = page_measures.Page(page).stated
    assert stated and report[page.stem]["seconds"] <= 2 * 60 * stated[2]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_cell_that_promises_a_chart_has_one(page: Path, report):
    executed = json.loads((ROOT / ".build" / "run" / page.name).read_text())
    promised = 0
    for cell in executed["cells"]:
        if "chart" in cell["metadata"].get("tags", ()):
            promised += 1
            bundles = [output.get("data", {}) for output in cell["outputs"]]
            charts = [bundle for bundle in bundles if CHART in bundle]
            assert charts, f"{cell['id']}: no chart"
            assert all("".join(bundle.get("text/plain", "")).strip() for bundle in charts), f"{cell['id']}: no text beside the chart"
    assert promised or report[page.stem]["charts"], "the page draws nothing"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_nothing_looks_like_noise(page: Path, report):
    """Checks that a reader sees no logging and no JVM warnings."""
    executed = json.loads((ROOT / ".build" / "run" / page.name).read_text())
    texts = ["".join(o["text"]) for cell in executed["cells"] for o in cell.get("outputs", ()) if o.get("name") == "stderr"]
    noise = [text for text in texts if re.search(r"SLF4J|^WARNING: |^Exception in thread|OpenJDK 64-Bit Server VM warning", text, re.M)]
    assert noise == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_each_claim_that_a_page_names_has_a_verdict(page: Path, report):
    """Checks that no claim is silently dropped."""
    title = "".join(json.loads(page.read_text())["cells"][0]["source"])
    rows = records.verdicts_of(nbformat.read(execute.RUNS / page.name, as_version=4))
    words = {word.strip(",.") for line in title.splitlines() if "Claims tried" in line for word in line.split()}
    statements, stored = records.statements(), page.read_text()
    assert words & {one.claim for one in statements.values()} <= {row["statement"].partition(".")[0] for row in rows}
    tried = {name for name in statements if f'\\"{name}\\"' in stored and f"<!-- why {name} -->" in stored}
    assert {row["statement"] for row in rows} == tried
    assert report[page.stem]["statements"] == len(rows)  # `run` has checked their shape


def test_a_structural_claim_that_is_false_fails_its_page_and_is_written_down(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(execute, "RUNS", tmp_path / "run")
    verdicts = (
        'Claim("B1.as-many-as-cpus").must(1 == 1)',
        'Claim("B3.fixed-pool").measured("asleep" -> 3).must(1 == 2)',
        'Claim("B9.stealing").must(true)',
    )
    page = tmp_path / "99-false.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in verdicts]), page)
    row, rows = asyncio.run(execute.execute_page(page, ""))
    assert row["status"] == "failed"
    assert re.search(r"B3\.fixed-pool does not hold: .+ \(measured: asleep: 3", row["error"])
    assert [(row["statement"], row["verdict"]) for row in rows] == [("B1.as-many-as-cpus", "holds"), ("B3.fixed-pool", "does not hold")]


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="threads are read on Linux")
def test_a_cell_without_end_leaves_what_all_its_threads_did(tmp_path: Path, monkeypatch):
    """Checks a kernel that waits in a named thread, and a fork that waits and another that stands still, which can't answer."""
    monkeypatch.setattr(execute, "RUNS", tmp_path / "run")
    monkeypatch.setattr(execute, "CELL_LIMIT", 20)
    waits = 'Fork(forked.HandOffs, Seq("idle", "100000", "waits", "direct"))'
    stops = 'ProcessHandle.current.children.forEach(child => { val _ = Runtime.getRuntime.exec(Array("kill", "-STOP", s"${child.pid}")) })'
    code = f"""
        def later(name: String)(body: => Unit) = {{ val one = new Thread(() => body, name); one.setDaemon(true); one.start() }}
        later("asks the first")({waits})
        while (ProcessHandle.current.children.count == 0) Thread.sleep(10)
        {stops}
        later("asks the second")({waits})
        new java.util.concurrent.CountDownLatch(1).await()
    """
    page = tmp_path / "99-endless.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)]), page)
    row, _ = asyncio.run(execute.execute_page(page, ""))
    assert row["status"] == "failed"
    (kept,) = (tmp_path / "run").glob("99-endless-threads-*.txt")
    assert row["error"].endswith("no end after 20 s")
    assert row["threads"].endswith(kept.name)
    kernel, *forks = kept.read_text().split("==== process ")[1:]
    assert "CountDownLatch.await" in kernel
    assert '"asks the second"' in kernel
    assert len(forks) == 2
    (stopped,) = (text for text in forks if "did not answer" in text)
    (answered,) = (text for text in forks if "did not answer" not in text)
    assert re.search(r"^\d+ java: T, \d+ ticks", stopped, re.M), "a thread that SIGSTOP has stopped"
    assert "Full thread dump" in answered
    assert re.search(r"^\s+at lab\.forked\.HandOffs", answered, re.M)
    pids = [text.partition(":")[0] for text in (kernel, *forks)]
    assert not [pid for pid in pids if is_running(int(pid))]
    assert not [pid for pid in pids for kind in ("attach", "java") if (thread_dump.PLACE / f".{kind}_pid{pid}").exists()]


@only_in_full
def test_a_page_that_runs_twice_reaches_the_same_verdicts():
    """Checks a page in JVMs that see one CPU, as the option asks."""
    words = [sys.executable, ROOT / "kernels" / "course", "verdicts", "2", "00", "--cpus", "1"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("2 runs of a page, 1 statement, 0 changed the verdict\n")
    ran = json.loads((ROOT / ".build" / "run" / "verdicts.json").read_text())
    assert [(run["page"], run["number"], run["error"]) for run in ran] == [("00-start-here", 1, ""), ("00-start-here", 2, "")]
    without = [one["value"] for run in ran for row in run["rows"] for one in row["measured"] if one["name"] == "simultaneous without"]
    assert without == [1, 1], ran
