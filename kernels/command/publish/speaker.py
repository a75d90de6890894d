"""Speaker notes. A page keeps them in the metadata of the cell that a slide begins with, where no learner meets them; while it is
presented or exported they are cells of the type `notes`, as RISE and nbconvert read them, each the last of its slide.

Imported by the Jupyter server of `kernels/course slides`, too, which gives out pages in the second form and keeps them in the first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

NOTES = "speaker_notes"  # in a cell's metadata
BEGINS = ("slide", "subslide")
OFF = ("skip", "notes")  # not to be seen on a slide

Cell = Any  # a cell of nbformat's, or a dictionary like one


def slide_type(cell: Cell) -> str:
    """What the cell is on: `slide`, `subslide`, `fragment`, `skip`, `notes`; empty where it goes on with what the cell before is on."""
    said = cell["metadata"].get("slideshow", {}).get("slide_type", "")
    return "" if said == "-" else said


def slides(cells: Iterable[Cell]) -> list[list[Cell]]:
    """The cells of each slide, those that aren't to be seen there among them; what stands before the first slide is the first one's."""
    found: list[list[Cell]] = [[]]
    begun = False
    for cell in cells:
        if slide_type(cell) in BEGINS and begun:
            found.append([])
        begun = begun or slide_type(cell) not in OFF
        found[-1].append(cell)
    return found


def seen(slide: Iterable[Cell]) -> list[Cell]:
    """Of a slide's cells those that are to be seen."""
    return [cell for cell in slide if slide_type(cell) not in OFF]


def unfolded(cells: Iterable[Cell]) -> list[Cell]:
    """The same cells, and behind the last that is seen on a slide a cell with the slide's notes."""
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
    """The same without cells of notes: what they say goes to the metadata of the slide's first cell that is seen."""
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
