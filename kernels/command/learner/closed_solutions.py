"""Solutions that stay closed until their exercises have been tried: what `COURSE_SOLUTIONS=after-an-attempt` puts into Jupyter's server.

If you open the solutions of a page too early, you see which of its exercises you have not tried, and where they are. This is a help against
temptation, not a lock: JupyterLab neither shows nor moves a closed file, but the files are on the disk unchanged, and a cell or a terminal
reads them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
from jupyter_server.files.handlers import FilesHandler
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError
from traitlets import default

from ..base import records

FOLDER = "solutions"
HOW_IT_OPENS = """\
# Solutions of page {number}: closed until you have tried

They open when each exercise of the page has been tried once, right or wrong, and are closed because this course was started with \
`COURSE_SOLUTIONS=after-an-attempt`. Still to be tried:

{exercises}

A try counts when its cell has run with an answer of yours in place of `???`. Then come back here: *File ▸ Reload Notebook from Disk*.
"""


def read(notebook: Path) -> dict[str, Any]:
    """Empty where there is no notebook that can be read."""
    try:
        found = json.loads(notebook.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def exercises(notebook: Path) -> dict[str, str]:
    """The id of each exercise that has a cell there, in their order, and that cell's id."""
    found: dict[str, str] = {}
    for cell in read(notebook).get("cells", []):
        for tag in cell.get("metadata", {}).get("tags", ()):
            if tag.startswith("exercise:"):
                found.setdefault(tag.removeprefix("exercise:"), cell.get("id", ""))
    return found


def tried(results: Path) -> set[str]:
    """The exercises that this reader's kernels have checked an answer to. A torn line, of a kernel that was killed, is passed over."""
    try:
        return {str(record.get("exercise")) for _, record in records.lines(results / records.OWN) if record.get("record") == "attempt"}
    except OSError:
        return set()


def untried(notebook: Path) -> list[str]:
    """The exercises that keep these solutions closed; none where the notebook isn't the solutions of a page."""
    if notebook.parent.name != FOLDER or not re.fullmatch(r"\d\d-[a-z-]+\.ipynb", notebook.name):
        return []
    done = tried(records.results())
    return [exercise for exercise in exercises(notebook) if exercise not in done]


def closed_page(notebook: Path, waiting: list[str]) -> nbformat.NotebookNode:
    """What stands in place of the solutions, with a link to each exercise that waits for a try."""
    page = notebook.parent.parent / notebook.name
    there = exercises(page)
    lines = [f"- [{exercise}](../{page.name}#cell-id={there.get(exercise, '')})" for exercise in waiting]
    text = HOW_IT_OPENS.format(number=page.name[:2], exercises="\n".join(lines))
    closed = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text, id="closed")])
    closed.metadata.update(read(notebook).get("metadata", {}))  # its kernel and language: JupyterLab has nothing to add to it
    return closed


class ClosedSolutions(AsyncLargeFileManager):
    """JupyterLab's own manager of files, but for closed solutions: they are read-only, and read otherwise."""

    @default("files_handler_class")
    def _files_handler_class(self) -> type:
        return FilesHandler  # downloads go through `get`, too

    async def get(self, path: str, content: bool = True, type: str | None = None, **options: Any) -> dict[str, Any]:
        model = await super().get(path, content, type, **options)
        notebook = Path(self._get_os_path(path.strip("/")))
        if model["type"] == "directory" or not (waiting := untried(notebook)):
            return model
        model["writable"] = False
        if content:
            closed = closed_page(notebook, waiting)
            model["content"] = closed if model["type"] == "notebook" else nbformat.writes(closed) + "\n"
            model["format"] = "json" if model["type"] == "notebook" else "text"
        return model

    async def save(self, model: dict[str, Any], path: str = "") -> dict[str, Any]:
        """What is shown in place of solutions must not be written over them."""
        self.refuse(path)
        return await super().save(model, path)

    async def rename_file(self, old_path: str, new_path: str) -> None:
        """A file is closed by its name and its folder's, so neither may change."""
        self.refuse(old_path)
        await super().rename_file(old_path, new_path)

    async def copy(self, from_path: str, to_path: str | None = None) -> dict[str, Any]:
        """A folder is copied as it is; of a file, what `get` shows."""
        if Path(self._get_os_path(from_path.strip("/"))).is_dir():
            self.refuse(from_path)
        return await super().copy(from_path, to_path)

    def refuse(self, path: str) -> None:
        """Raises HTTPError if this file is closed, or one in this folder."""
        place = Path(self._get_os_path(path.strip("/")))
        waiting = [exercise for file in (place, *sorted(place.glob("*.ipynb"))) for exercise in untried(file)]
        if waiting:
            raise HTTPError(403, f"{path} is closed until these exercises have been tried: {', '.join(waiting)}")
