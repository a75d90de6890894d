"""Tests solutions that open after an attempt: over the server's HTTP API, in a browser, and in the image's configuration."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from command.base.problem import Problem
from command.learner import solutions
from conftest import ROOT, SCREENSHOTS, Lab, awaited

PAGE = "01-execution-context"
EXERCISES = ("01-count", "01-at-most", "01-layout")
SOLUTION = "CountTasks.check(counting)"


@dataclass(frozen=True)
class Server:
    """Holds JupyterLab on a copy of the pages with closed solutions."""

    lab: Lab
    notebooks: Path
    results: Path

    def ask(self, path: str, content: dict | None = None, method: str = "") -> tuple[int, str]:
        address = urlsplit(self.lab.address)
        (token,) = parse_qs(address.query)["token"]
        request = urllib.request.Request(
            f"{address.scheme}://{address.netloc}/{path}",
            data=json.dumps(content).encode() if content else None,
            headers={"Authorization": f"token {token}"},
            method=method or ("PUT" if content else "GET"),
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()

    def answers(self) -> bool:
        try:
            return self.ask("api")[0] == 200
        except urllib.error.URLError:
            return False

    def notebook(self, page: str = PAGE, **words: str) -> dict:
        more = "".join(f"&{name}={value}" for name, value in words.items())
        code, answer = self.ask(f"api/contents/notebooks/solutions/{page}.ipynb?content=1{more}")
        assert code == 200, answer
        return json.loads(answer)

    def tries(self, *exercises: str) -> None:
        lines = [json.dumps({"record": "attempt", "version": 1, "exercise": name, "passed": 0, "cases": 5}) for name in exercises]
        (self.results / "records.jsonl").write_text("\n".join([*lines, '{"record":"attempt","exercise":"01-lay']))  # and a torn record


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    folder, results = tmp_path_factory.mktemp("closed"), tmp_path_factory.mktemp("results")
    env = {**os.environ, "COURSE_SOLUTIONS": "after-an-attempt", "COURSE_RESULTS": str(results)}
    with Lab(folder, env=env) as lab:
        server = Server(lab, folder / "notebooks", results)
        assert awaited(server.answers, within=60)  # JupyterLab prints its address a moment before it listens
        yield server


def text(model: dict) -> str:
    content = model["content"]
    return content if isinstance(content, str) else "".join("".join(cell["source"]) for cell in content["cells"])


def test_closed_until_every_exercise_of_the_page_was_tried(server):
    server.tries()
    closed = server.notebook()
    assert not closed["writable"]
    assert SOLUTION not in text(closed)
    assert all(f"[{exercise}](../{PAGE}.ipynb#cell-id=exercise-" in text(closed) for exercise in EXERCISES), text(closed)
    server.tries("01-at-most", "01-count")
    assert SOLUTION not in text(server.notebook())
    assert "- [01-layout](" in text(server.notebook()) and "01-count" not in text(server.notebook())
    server.tries(*EXERCISES)
    opened = server.notebook()
    assert opened["writable"] and SOLUTION in text(opened)
    assert "closed until you have tried" in text(server.notebook("02-queue-mixing"))


def test_nor_can_they_be_had_as_a_file_or_overwritten_while_they_are_closed(server):
    server.tries("01-count")
    stored = (server.notebooks / "solutions" / f"{PAGE}.ipynb").read_text()
    assert SOLUTION in stored and SOLUTION not in text(server.notebook(type="file", format="text"))
    code, downloaded = server.ask(f"files/notebooks/solutions/{PAGE}.ipynb")
    assert (code, SOLUTION in downloaded) == (200, False), downloaded
    shown = server.notebook()
    code, said = server.ask(f"api/contents/notebooks/solutions/{PAGE}.ipynb", {"type": "notebook", "content": shown["content"]})
    assert code == 403 and "until you have tried these exercises: 01-at-most, 01-layout" in said, said
    assert (server.notebooks / "solutions" / f"{PAGE}.ipynb").read_text() == stored


def test_nor_by_another_name_while_they_are_closed(server):
    server.tries("01-count", "01-at-most")
    folder, name = "api/contents/notebooks/solutions", f"{PAGE}.ipynb"
    renamed = (
        (f"{folder}/{name}", "notebooks/mine.ipynb"),
        (f"{folder}/{name}", "notebooks/solutions/Mine.ipynb"),
        (folder, "notebooks/mine"),
    )
    for path, to in renamed:
        code, said = server.ask(path, {"path": to}, "PATCH")
        assert code == 403 and "until you have tried these exercises: " in said and "01-layout" in said, said
    assert server.ask("api/contents/notebooks", {"copy_from": "notebooks/solutions"}, "POST")[0] == 403
    code, copied = server.ask("api/contents/notebooks", {"copy_from": f"notebooks/solutions/{name}"}, "POST")
    assert code == 201, copied
    assert SOLUTION not in (server.notebooks.parent / json.loads(copied)["path"]).read_text()
    server.tries(*EXERCISES)
    assert server.ask(f"{folder}/{name}", {"path": "notebooks/mine.ipynb"}, "PATCH")[0] == 200
    (server.notebooks / "mine.ipynb").rename(server.notebooks / "solutions" / name)


def test_pages_and_other_files_are_as_ever(server):
    server.tries()
    assert server.ask("api/contents/notebooks/glossary.md", {"path": "notebooks/terms.md"}, "PATCH")[0] == 200
    code, answer = server.ask(f"api/contents/notebooks/{PAGE}.ipynb?content=1")
    page = json.loads(answer)
    assert (code, page["writable"]) == (200, True)
    assert server.ask(f"api/contents/notebooks/{PAGE}.ipynb", {"type": "notebook", "content": page["content"]})[0] == 200
    code, answer = server.ask("api/contents/notebooks/solutions?content=1")
    there = {path.name for path in (ROOT / "notebooks" / "solutions").glob("*.ipynb")}
    assert there <= {entry["name"] for entry in json.loads(answer)["content"]}
    assert server.ask("api/contents/notebooks/solutions/77-none.ipynb")[0] == 404


def test_a_reader_sees_why_and_what_to_do(server, browser):
    server.tries("01-count")
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(server.lab.address.replace("00-start-here", f"solutions/{PAGE}"))
    page.wait_for_selector(".jp-RenderedMarkdown h1:has-text('closed until you have tried')", timeout=60_000)
    page.screenshot(path=SCREENSHOTS / "closed-solutions.png")
    server.tries(*EXERCISES)
    page.get_by_role("menuitem", name="File", exact=True).click()
    page.get_by_role("menuitem", name="Reload Notebook from Disk").click()
    # JupyterLab asks first if it has added something to the page.
    asks, opened = page.locator(".jp-Dialog .jp-mod-accept"), page.locator(".jp-RenderedMarkdown h2:has-text('1. Count the tasks')")
    asks.or_(opened).first.wait_for()
    if asks.count():
        asks.click()
    opened.wait_for()
    page.close()


def test_another_word_is_refused(clone, told):
    err = told(clone.run("lab", COURSE_SOLUTIONS="never"))
    assert "COURSE_SOLUTIONS is 'never'; it can be 'open' or 'after-an-attempt'." in err
    with pytest.raises(Problem):
        solutions.stay_closed({"COURSE_SOLUTIONS": "1"})


@pytest.mark.parametrize("value", ["after-an-attempt", "open", ""])
def test_the_image_is_configured_by_the_same_setting(value, tmp_path):
    shown = configured_as_in_the_image(value, tmp_path)
    closed = value == "after-an-attempt"
    manager = "ClosedSolutions" if closed else "AsyncLargeFileManager"
    assert shown.stdout.split()[-2:] == ["KernelConnection", manager], shown.stdout + shown.stderr


def test_nor_does_the_image_start_by_another_word(tmp_path):
    refused = configured_as_in_the_image("1", tmp_path)
    assert refused.returncode and "What to do: " in refused.stderr, refused.stderr


def configured_as_in_the_image(value: str, folder: Path) -> subprocess.CompletedProcess[str]:
    code = """
from jupyter_server.serverapp import ServerApp
server = ServerApp()
server.initialize([])
print(server.kernel_websocket_connection_class.__name__, server.contents_manager_class.__name__)
"""
    env = {
        **os.environ,
        "COURSE_SOLUTIONS": value,
        "JUPYTER_CONFIG_PATH": os.pathsep.join(str(ROOT / "kernels" / name) for name in ("image", "jupyter")),
        "JUPYTER_CONFIG_DIR": str(folder),
    }
    env["JUPYTER_NO_CONFIG"] = ""
    return subprocess.run([sys.executable, "-c", code], env=env, cwd=folder, capture_output=True, text=True, timeout=60)
