"""Keeps solutions closed until their exercises have been tried. `COURSE_SOLUTIONS=after-an-attempt` adds this to Jupyter's server.

If you open a page's solutions too early, you see which of its exercises you haven't tried, and where they are. This is a help against
temptation, not a lock. JupyterLab neither shows nor moves a closed file. But the file on the disk is unchanged, and a cell or a terminal
can read it.
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

They open when you have tried each exercise of the page once, right or wrong. They are closed because this course was started with \
`COURSE_SOLUTIONS=after-an-attempt`. You haven't tried:

{exercises}

A try counts when its cell has run with your answer instead of `???`. Then come back here and use *File ▸ Reload Notebook from Disk*.
"""


def read(notebook: Path) -> dict[str, Any]:
    """Returns the notebook's JSON, or an empty dictionary if the notebook can't be read."""
    try:
        found = json.loads(notebook.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def exercises(notebook: Path) -> dict[str, str]:
    """Returns the ids of a notebook's exercises in order, each with the id of its cell."""
    found: dict[str, str] = {}
    for cell in read(notebook).get("cells", []):
        for tag in cell.get("metadata", {}).get("tags", ()):
            if tag.startswith("exercise:"):
                found.setdefault(tag.removeprefix("exercise:"), cell.get("id", ""))
    return found


def tried(results: Path) -> set[str]:
    """Returns the exercises for which this reader's kernels have checked an answer. Skips a line that a killed kernel left torn."""
    try:
        return {str(record.get("exercise")) for _, record in records.lines(results / records.OWN) if record.get("record") == "attempt"}
    except OSError:
        return set()


def untried(notebook: Path) -> list[str]:
    """Returns the exercises that keep these solutions closed, or none if the notebook isn't a page's solutions."""
    if notebook.parent.name != FOLDER or not re.fullmatch(r"\d\d-[a-z-]+\.ipynb", notebook.name):
        return []
    done = tried(records.results())
    return [exercise for exercise in exercises(notebook) if exercise not in done]


def closed_page(notebook: Path, waiting: list[str]) -> nbformat.NotebookNode:
    """Returns the notebook that is shown instead of the solutions, with a link to each untried exercise."""
    page = notebook.parent.parent / notebook.name
    there = exercises(page)
    lines = [f"- [{exercise}](../{page.name}#cell-id={there.get(exercise, '')})" for exercise in waiting]
    text = HOW_IT_OPENS.format(number=page.name[:2], exercises="\n".join(lines))
    closed = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text, id="closed")])
    closed.metadata.update(read(notebook).get("metadata", {}))  # kernel and language, so that JupyterLab doesn't add them and offer to save
    return closed


class ClosedSolutions(AsyncLargeFileManager):
    """Manages files as JupyterLab does, except that closed solutions are read-only and show another content."""

    @default("files_handler_class")
    def _files_handler_class(self) -> type:
        return FilesHandler  # so that downloads go through `get`, too

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
        """Saves a file, but never writes the replacement over closed solutions. Raises HTTPError if the file is closed."""
        self.refuse(path)
        return await super().save(model, path)

    async def rename_file(self, old_path: str, new_path: str) -> None:
        """Renames a file. Raises HTTPError if it is closed, because its name and folder decide that."""
        self.refuse(old_path)
        await super().rename_file(old_path, new_path)

    async def copy(self, from_path: str, to_path: str | None = None) -> dict[str, Any]:
        """Copies a file as `get` shows it. Raises HTTPError for a folder with closed solutions, because they would be copied unchanged."""
        if Path(self._get_os_path(from_path.strip("/"))).is_dir():
            self.refuse(from_path)
        return await super().copy(from_path, to_path)

    def refuse(self, path: str) -> None:
        """Raises HTTPError if this file, or one in this folder, is closed."""
        place = Path(self._get_os_path(path.strip("/")))
        waiting = [exercise for file in (place, *sorted(place.glob("*.ipynb"))) for exercise in untried(file)]
        if waiting:
            raise HTTPError(403, f"{path} is closed until you have tried these exercises: {', '.join(waiting)}")
