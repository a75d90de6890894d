"""Serves pages for `kernels/course slides` with their speaker notes as cells, and stores the notes as metadata."""

from __future__ import annotations

from typing import Any

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

from . import speaker


class SlidesContents(AsyncLargeFileManager):
    async def get(self, path: str, content: bool = True, *more: Any, **options: Any) -> dict[str, Any]:
        model = await super().get(path, content, *more, **options)
        if model["type"] == "notebook" and model.get("content"):
            model["content"]["cells"] = speaker.unfolded(model["content"]["cells"])
            for cell in model["content"]["cells"]:
                if speaker.slide_type(cell) == "notes":
                    cell["cell_type"] = "raw"  # of a Markdown cell, the speaker's view shows the source and the rendered text
        return model

    async def save(self, model: dict[str, Any], path: str = "") -> dict[str, Any]:
        if model.get("type") == "notebook" and model.get("content"):
            model["content"]["cells"] = speaker.folded(model["content"]["cells"])
        return await super().save(model, path)
