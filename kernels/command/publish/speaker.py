"""Converts speaker notes between two forms.

A page keeps them in the metadata of a slide's first cell, where learners don't see them. During a presentation or an export they are cells
of the type `notes`, as RISE and nbconvert expect, each the last of its slide. The Jupyter server of `kernels/course slides` also imports
this module. It serves pages in the second form and stores them in the first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

NOTES = "speaker_notes"  # in a cell's metadata
BEGINS = ("slide", "subslide")
OFF = ("skip", "notes")  # invisible on a slide

Cell = Any  # a cell from nbformat, or a similar dictionary


def slide_type(cell: Cell) -> str:
    """Returns `slide`, `subslide`, `fragment`, `skip` or `notes`, or "" if the cell continues what the cell before it is on."""
    said = cell["metadata"].get("slideshow", {}).get("slide_type", "")
    return "" if said == "-" else said


def slides(cells: Iterable[Cell]) -> list[list[Cell]]:
    """Returns the cells of each slide, including invisible ones. Cells before the first slide belong to it."""
    found: list[list[Cell]] = [[]]
    begun = False
    for cell in cells:
        if slide_type(cell) in BEGINS and begun:
            found.append([])
        begun = begun or slide_type(cell) not in OFF
        found[-1].append(cell)
    return found


def seen(slide: Iterable[Cell]) -> list[Cell]:
    """Returns a slide's visible cells."""
    return [cell for cell in slide if slide_type(cell) not in OFF]


def unfolded(cells: Iterable[Cell]) -> list[Cell]:
    """Returns the cells with one more after the last visible cell of each slide, which contains the slide's notes."""
    found: list[Cell] = []
    for slide in slides(cells):
        shown = seen(slide)
        text = "\n\n".join(cell["metadata"][NOTES] for cell in shown if NOTES in cell["metadata"])
        for cell in slide:
            found.append(cell)
            if text and cell is shown[-1]:
                found.append(notes_cell(f"{shown[0]['id']}-notes", text))
    return found


def folded(cells: Iterable[Cell]) -> list[Cell]:
    """Returns the cells without cells of notes. Their text moves to the metadata of each slide's first visible cell."""
    found: list[Cell] = []
    for slide in slides(cells):
        shown = seen(slide)
        for cell in shown:
            cell["metadata"].pop(NOTES, None)
        if text := "\n\n".join(filter(None, (source(cell).strip() for cell in slide if slide_type(cell) == "notes"))):
            shown[0]["metadata"][NOTES] = text
        found += [cell for cell in slide if slide_type(cell) != "notes"]
    return found


def source(cell: Cell) -> str:
    return "".join(cell["source"])


def notes_cell(name: str, text: str) -> Cell:
    import nbformat

    return nbformat.from_dict({"cell_type": "markdown", "id": name, "metadata": {"slideshow": {"slide_type": "notes"}}, "source": text})
