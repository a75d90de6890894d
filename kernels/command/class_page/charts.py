"""Describes the charts of a class's page for Plotly in the browser. Each has a caption, a text alternative and a table."""

from __future__ import annotations

import html
from collections import Counter
from statistics import median
from typing import Any

from ..base.records import digits
from .handed_in import Machine
from .markup import counted, in_lines, plainly, table, words
from .tally import Bar, Point, Series

SYMBOLS = ("circle", "diamond", "square", "cross", "triangle-up")
LINE = 22  # pixels per bar
GROUND = {"paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)"}


def named_cpus(cpus: int) -> str:
    return counted(cpus, "CPU") if cpus else "CPUs unknown"


def in_words(machine: Machine) -> str:
    load = f", load {machine.load:g}" if machine.load is not None else ""
    return f"{named_cpus(machine.cpus)}, JDK {machine.jdk or 'unknown'}{load}"


class Charts:
    """Collects all charts of a page. The browser finds each by its number."""

    def __init__(self) -> None:
        self.all: list[dict[str, Any]] = []

    def figure(self, caption: str, data: list[dict[str, Any]], layout: dict[str, Any], columns: list[str], rows: list[list[str]]) -> str:
        """Returns the HTML of a chart, with a text alternative and a table of the same content."""
        margins = {"l": 10, "r": 40, "t": 40 if layout.get("showlegend") else 10, "b": 50}
        legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
        self.all.append({"data": data, "layout": {**GROUND, "margin": margins, "legend": legend, **layout}})
        told = "; ".join(f"{row[0]}: {', '.join(map(' '.join, zip(columns[1:], row[1:], strict=True)))}" for row in rows)
        head = f"<figcaption>{words(caption)}</figcaption>\n" if caption else ""
        return (
            f'<figure>{head}<div class="chart" role="img" aria-label="{html.escape(told)}" data-chart="{len(self.all) - 1}"></div>\n'
            f"<details><summary>As a table</summary>{table(columns, rows)}</details></figure>"
        )

    def bars(self, bars: list[Bar], axis: str) -> str:
        """Draws how many readers guessed each answer, and to how many it happened."""
        labels = [in_lines(label) for label, _, _ in bars]
        most = max(max(said, was) for _, said, was in bars)
        layout = {
            "barmode": "group",
            "height": 100 + 2 * LINE * len(bars),
            "showlegend": True,
            "yaxis": {"automargin": True, "autorange": "reversed", "type": "category"},
            "xaxis": {"title": {"text": "readers"}, "range": [0, max(1, most) * 1.08], "dtick": 1 if most < 9 else None},
        }
        data = [bar("guessed", "said", labels, [b[1] for b in bars], ""), bar("happened", "was", labels, [b[2] for b in bars], "/")]
        return self.figure("", data, layout, [axis, "guessed", "happened"], [[label, str(said), str(was)] for label, said, was in bars])

    def dots(self, said: list[float], was: list[float], right: tuple[float, float] | None, axis: str) -> str:
        """Draws every guess as a dot above a numeric axis, and what happened to every reader below it, with a band over all of it.

        Another band, over both halves, has the numbers that were `right`.
        """
        values = [*said, *was, *(right or ())]
        far = min(values) > 0 and max(values) / min(values) > 20
        stacks = [stacked(said), [(value, -height) for value, height in stacked(was)]]
        above, below = (max((abs(height) for _, height in stack), default=0) for stack in stacks)
        layout = {
            "height": min(600, 130 + LINE * (above + below)),
            "showlegend": True,
            "xaxis": {"title": {"text": plainly(axis)}, "type": "log" if far else "linear", "zeroline": False},
            "yaxis": {"range": [-below - 0.8, above + 0.8], "showticklabels": False, "showgrid": False, "zeroline": True},
            "shapes": [
                *([band("right", *right, -below - 0.8, above + 0.8)] if right else []),
                *([band("happened", min(was), max(was), -below - 0.8, 0)] if was else []),
            ],
        }
        data = [
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": [value for value, _ in stack],
                "y": [height for _, height in stack],
                "meta": colour,
                "marker": {"size": 11, "symbol": symbol},
                "hovertemplate": "%{x}<extra>" + name + "</extra>",
            }
            for name, colour, symbol, stack in zip(("guessed", "happened"), ("said", "was"), ("circle", "diamond"), stacks, strict=True)
        ]
        counts = [Counter(value for value, _ in stack) for stack in stacks]
        rows = [[digits(value), *(str(count[value]) for count in counts)] for value in sorted({*counts[0], *counts[1]})]
        return self.figure("", data, layout, [axis, "guessed", "happened"], rows)

    def strips(self, caption: str, series: Series) -> str:
        """Draws one number from each reader's machine, by the CPUs that the machine saw. Each JDK has its own symbol."""
        cpus = sorted({point.machine.cpus for point in series.points})
        jdks = sorted({point.machine.jdk for point in series.points})
        values = [point.value for point in series.points] + ([series.published] if series.published else [])
        far = min(values) > 0 and max(values) / min(values) > 30
        layout = {
            "height": 320,
            "showlegend": len(jdks) > 1,
            "xaxis": {"tickvals": list(range(len(cpus))), "ticktext": [named_cpus(n) for n in cpus], "range": [-0.6, len(cpus) - 0.4]},
            "yaxis": {"automargin": True, "type": "log" if far else "linear", "rangemode": "normal" if far else "tozero"},
        }
        if series.published:
            ends = {"x0": 0, "x1": 1, "y0": series.published, "y1": series.published}
            layout["shapes"] = [{"type": "line", "xref": "paper", **ends, "line": {"dash": "dash", "width": 2}}]
            caption += f". The dashed line is the published {digits(series.published)}."
        places = beside(series.points, cpus)
        data = [dots(jdk, symbol, places) for jdk, symbol in zip(jdks, SYMBOLS * len(jdks), strict=False)]
        rows = []
        for n in cpus:
            here = [point.value for point in series.points if point.machine.cpus == n]
            rows.append([named_cpus(n), str(len(here)), digits(median(here)), digits(min(here)), digits(max(here))])
        return self.figure(caption, data, layout, ["machine", "readers", "median", "least", "most"], rows)


def stacked(values: list[float]) -> list[tuple[float, int]]:
    """Rounds values to two digits, and stacks equal ones: returns each with its height, from 1 on."""
    heights: Counter[float] = Counter()
    found = []
    for value in sorted(float(f"{value:.2g}") for value in values):
        heights[value] += 1
        found.append((value, heights[value]))
    return found


def band(name: str, low: float, high: float, bottom: float, top: float) -> dict[str, Any]:
    """Returns a rectangle behind the dots. A band without a width is a line."""
    ends = {"x0": low, "x1": high, "y0": bottom, "y1": top}
    return {"type": "rect", "layer": "below", "name": name, **ends, "opacity": 0.25, "label": {"text": name, "textposition": "top left"}}


def bar(name: str, colour: str, labels: list[str], counts: list[int], pattern: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": labels,
        "x": counts,
        "meta": colour,
        "marker": {"pattern": {"shape": pattern, "fillmode": "overlay", "solidity": 0.25}} if pattern else {},
        "text": [str(count or "") for count in counts],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": "%{y}: %{x}<extra>" + name + "</extra>",
    }


def beside(points: list[Point], cpus: list[int]) -> list[tuple[float, Point]]:
    """Places each point horizontally, next to other points with the same number of CPUs."""
    found = []
    for at, n in enumerate(cpus):
        here = [point for point in points if point.machine.cpus == n]
        step = min(0.07, 0.7 / len(here))
        found += [(at + step * (nth - (len(here) - 1) / 2), point) for nth, point in enumerate(here)]
    return found


def dots(jdk: int, symbol: str, places: list[tuple[float, Point]]) -> dict[str, Any]:
    """Returns the Plotly trace of one JDK's points."""
    across = [place for place, point in places if point.machine.jdk == jdk]
    points = [point for _, point in places if point.machine.jdk == jdk]
    errors = {
        "type": "data",
        "symmetric": False,
        "thickness": 1,
        "array": [max(0.0, (p.value if p.high is None else p.high) - p.value) for p in points],
        "arrayminus": [max(0.0, p.value - p.low) for p in points],
    }
    return {
        "type": "scatter",
        "mode": "markers",
        "name": f"JDK {jdk or 'unknown'}",
        "x": across,
        "y": [point.value for point in points],
        "meta": "said",
        "marker": {"symbol": symbol, "size": 12, "opacity": 0.8},
        "error_y": errors,
        "text": [f"{digits(p.value)}, reader {p.reader[:8]}, {in_words(p.machine)}" for p in points],
        "hovertemplate": "%{text}<extra></extra>",
    }
