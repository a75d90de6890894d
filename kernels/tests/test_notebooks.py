"""The pages: stored without outputs, and each runs from top to bottom with the charts it promises."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from command import execute, ledger, notebooks
from conftest import ROOT

FOLDER = ROOT / "notebooks"
STORED = sorted(path for path in FOLDER.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
PAGES = notebooks.pages()
# What the embedded kernel says of its language: JupyterLab puts it into every page.
LANGUAGE = {"name": "scala", "version": "2.13.18", "mimetype": "text/x-scala", "file_extension": ".sc", "codemirror_mode": "text/x-scala"}
CHART = "application/vnd.plotly.v1+json"


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
    """A reader who saves a page finds only the own changes in the clone."""
    text = path.read_text()
    page = nbformat.reads(text, as_version=4)
    assert page.metadata["language_info"] == LANGUAGE
    assert text == nbformat.writes(page) + "\n"


@pytest.mark.parametrize("path", STORED, ids=name)
def test_cells_fit_on_a_screen(path: Path):
    for cell in json.loads(path.read_text())["cells"]:
        lines = "".join(cell["source"]).splitlines()
        if cell["cell_type"] == "code":
            # A program of its own is a whole file, with its imports.
            most = 45 if lines and lines[0].startswith("%%program") else 30
            assert len(lines) <= most, f"{cell['id']}: {len(lines)} lines"


def test_what_pages_show_as_recorded_is_there_and_nothing_else():
    sources = ["".join(cell["source"]) for path in STORED for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    named = {name for source in sources for name in re.findall(r'(?:--recorded |Recorded(?:Rows)?\(")([\w-]+)', source)}
    assert named == {path.stem for path in (ROOT / "data" / "recorded").glob("*.*")}


@pytest.mark.parametrize("path", STORED, ids=name)
def test_what_is_shown_as_recorded_can_be_measured_by_the_next_cell(path: Path):
    """Behind each `%%jmh` cell with `--recorded` stands the one that binds the same value by the same name, and nowhere else."""
    sources = ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]
    buttons = {at: match for at, source in enumerate(sources) if (match := re.search(r'val (\w+) = Jmh\.live\("([\w-]+)"\)', source))}
    recorded = [at for at, source in enumerate(sources) if re.match(r"%%jmh .*--recorded ", source)]
    assert [at + 1 for at in recorded] == list(buttons)
    for at in recorded:
        line = sources[at].splitlines()[0]
        bound = re.search(r"--name (\w+)", line)
        assert buttons[at + 1].groups() == (bound[1] if bound else "results", re.search(r"--recorded ([\w-]+)", line)[1])


@pytest.fixture(scope="session")
def report() -> dict[str, dict[str, Any]]:
    """All pages, executed once."""
    done = subprocess.run([sys.executable, ROOT / "kernels" / "course", "run"], stdin=subprocess.DEVNULL, timeout=1800)
    rows = json.loads((ROOT / ".build" / "run" / "report.json").read_text())
    assert (done.returncode == 0) == all(row["status"] == "ok" for row in rows)
    return {row["page"]: row for row in rows}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_runs_from_top_to_bottom(page: Path, report):
    row = report[page.stem]
    assert row["status"] == "ok", row["error"]
    assert 50 < row["peak_memory_mb"] < 1300


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
            assert all(bundle.get("text/plain", "").strip() for bundle in charts), f"{cell['id']}: no text beside the chart"
    assert promised or report[page.stem]["charts"], "the page draws nothing"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_nothing_looks_like_noise(page: Path, report):
    """No logging, no JVM warning in what a reader sees."""
    executed = json.loads((ROOT / ".build" / "run" / page.name).read_text())
    texts = ["".join(o["text"]) for cell in executed["cells"] for o in cell.get("outputs", ()) if o.get("name") == "stderr"]
    noise = [text for text in texts if re.search(r"SLF4J|^WARNING: |^Exception in thread|OpenJDK 64-Bit Server VM warning", text, re.M)]
    assert noise == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_each_claim_that_a_page_names_has_a_verdict(page: Path, report):
    """A claim is never dropped in silence."""
    title = "".join(json.loads(page.read_text())["cells"][0]["source"])
    named = {claim for line in title.splitlines() if "Claims tried" in line for claim in re.findall(r"\b[A-F]\d+\b", line)}
    rows = [row for row in json.loads((ROOT / ".build" / "ledger.json").read_text()) if row["page"] == page.stem]
    assert named <= {row["id"] for row in rows}
    assert all(row["verdict"] in ("holds", "depends", "does not hold", "not tried") and row["measured"] for row in rows)
    assert report[page.stem]["claims"] == len(rows)


def test_a_structural_claim_that_is_false_fails_its_page_and_is_written_down(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(execute, "RUNS", tmp_path / "run")
    verdicts = (
        'Claim("B1", "true").must(1 == 1)',
        'Claim("B3", "false", measured = 3).must(1 == 2)',
        'Claim("B9", "not reached").must(true)',
    )
    page, claims = tmp_path / "99-false.ipynb", tmp_path / "claims"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in verdicts]), page)
    row = asyncio.run(execute.execute_page(page, "", claims))
    assert row["status"] == "failed"
    assert "B3 does not hold: false (measured: 3)" in row["error"]
    assert [(row["id"], row["verdict"]) for row in ledger.read(claims, page.stem)] == [("B1", "holds"), ("B3", "does not hold")]
