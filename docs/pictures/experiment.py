"""Draws the plots that a page of `./thalweg experiment` has in one of its sections.

`.venv/bin/python docs/pictures/experiment.py build/experiments/mpr-elastic.html elastic FILE.svg [PLOT]...`
draws all plots, or those with these numbers, from 0 on.
"""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
DASHES = {"dash": "--", "dot": ":"}
STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.grid": True,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "grid.color": "#e5e7eb",
    "svg.hashsalt": "thalweg",
}
Json = dict[str, Any]


def section_of(page: Path, name: str) -> Json:
    """A section of a page."""
    found = DATA.search(page.read_text(encoding="utf-8"))
    assert found, f"{page} is no page of an experiment"
    return next(one for one in json.loads(found[1])["sections"] if one["name"] == name)


def draw_trace(axes: Axes, trace: Json) -> None:
    """A line, or bars."""
    if trace["type"] == "bar":
        color, width = trace["marker"]["color"], trace["width"]
        axes.bar(
            trace["x"],
            trace["y"],
            width,
            color=color,
            alpha=0.5,
            edgecolor="white",
            label=trace["name"],
        )
        return
    look = trace["line"]
    axes.plot(
        trace["x"],
        trace["y"],
        color=look["color"],
        ls=DASHES.get(look.get("dash", ""), "-"),
        drawstyle="steps-post" if look.get("shape") == "hv" else "default",
        marker="o" if "markers" in trace["mode"] else None,
        label=trace["name"],
    )


def draw_plot(axes: Axes, plot: Json) -> None:
    """All traces of a plot, some of them by an axis on the right."""
    right = axes.twinx() if "yaxis2" in plot["more"] else axes
    if right is not axes:
        right.set_ylabel(plot["more"]["yaxis2"]["title"]["text"])
        right.grid(visible=False)
    for trace in plot["traces"]:
        draw_trace(right if trace.get("yaxis") == "y2" else axes, trace)
    for one in {axes, right}:
        one.set_ylim(0)
    if "yaxis" in plot["more"]:
        axes.set_ylim(plot["more"]["yaxis"]["range"])
    axes.set_title(plot["title"])
    axes.set_xlabel(plot["x"])
    axes.set_ylabel(plot["y"])
    lines = [
        pair
        for one in dict.fromkeys((axes, right))
        for pair in zip(*one.get_legend_handles_labels(), strict=True)
    ]
    axes.legend(*zip(*lines, strict=True), frameon=False, fontsize=8)


def draw(plots: Sequence[Json], file: Path) -> None:
    """All plots, one below the other."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.5, 2.9 * len(plots)), layout="constrained")
        for axes, plot in zip(figure.subplots(len(plots), squeeze=False).flat, plots, strict=True):
            draw_plot(axes, plot)
        figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)


if __name__ == "__main__":
    page, name, file, *wanted = sys.argv[1:]
    all_of = section_of(Path(page), name)["plots"]
    draw([all_of[int(one)] for one in wanted] or all_of, Path(file))
