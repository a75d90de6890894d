"""Tests a reader's progress: what a kernel in JupyterLab keeps, and what `kernels/course progress` shows of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from command.pages import notebooks
from conftest import ROOT, new_kernel

LIMIT = 120  # seconds
PAGES = notebooks.pages()
SESSION = "/home/a reader/course/notebooks/01-execution-context.ipynb"  # the path that Jupyter's server gives a kernel


def told(results: Path) -> str:
    words = [sys.executable, ROOT / "kernels" / "course", "progress"]
    env = {**os.environ, "COURSE_RESULTS": str(results)}
    done = subprocess.run(words, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_a_kernel_keeps_the_verb_and_the_panel_tell_alike(tmp_path: Path):
    assert f"opened in JupyterLab  0 of {len(PAGES)}" in told(tmp_path)
    env = {**os.environ, "COURSE_RESULTS": str(tmp_path), "JPY_SESSION_NAME": SESSION}
    manager, client = new_kernel(LIMIT, env=env)
    try:
        shown: list[str] = []

        def run(code: str) -> None:
            shown.clear()
            hook = lambda message: shown.append(message["content"].get("data", {}).get("text/plain", ""))  # noqa: E731
            reply = client.execute_interactive(code, timeout=LIMIT, output_hook=hook)
            assert reply["content"]["status"] == "ok", reply["content"]

        run("val machine = Machine.preflight()")
        run('Claim("A3.offer-and-take").notTried("no time")')
        run("exercises.CountTasks.check((_, _) => ???)")
        run("exercises.CountTasks.check((underlying, _) => underlying)")
        run("lab.page.Progress().show()")
        panel = "\n".join(filter(None, shown))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    (opened,) = (tmp_path / "opened.jsonl").read_text().splitlines()
    assert json.loads(opened)["page"] == "01-execution-context"
    text = told(tmp_path)
    stubs = sum(page.read_text().count('"stub"') for page in PAGES)
    for said in (panel, text):
        assert f"opened in JupyterLab  1 of {len(PAGES)}" in said and f"exercises solved      0 of {stubs}" in said, said
        assert "go on with" in said and "of your 1 try, none has solved it yet" in said, said
    assert "exercise 01-count (notebooks/01-execution-context.ipynb)" in text, text
    assert len(text.splitlines()) == len(panel.splitlines()) + 1, (text, panel)  # the same except for the blank line between the two
