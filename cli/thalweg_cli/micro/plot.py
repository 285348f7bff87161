"""A picture of the micro-benchmarks' results."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from thalweg_cli.micro.results import NANOSECONDS, TUNED, Results, Row, variants
from thalweg_cli.micro.table import OURS

COLORS = {
    OURS: "#0b6e99",
    "oneTBB": "#d1495b",
    "FastFlow": "#edae49",
    "Taskflow": "#66a182",
    "OpenMP tasks": "#8d6a9f",
    "hand-written threads": "#8a8d91",
}
OTHER_COLORS = ("#b07d62", "#5f6f52", "#c08497", "#457b9d")
MUTED = "#6b7280"
STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#9ca3af",
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "grid.color": "#e5e7eb",
    "grid.linewidth": 0.7,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "axes.labelcolor": MUTED,
    "svg.hashsalt": "thalweg",
}
DEFAULT_SETTING = "pool"
REFERENCES = ("raw", "loop")
RATIO_BENCHES = ("grain", "uneven", "middle")
LOADS = ("p50", "p99", "p99.9")


def draw(results: Results, file: Path) -> None:
    """Draws what there is of: time against bare threads, latency, pipes. The suffix is the format."""
    panels = rows_of_panels(results)
    if not panels:
        return
    with mpl.rc_context(STYLE):
        heights = [3.6 if len(row) == 1 else 3.0 for row in panels]
        figure = Figure(figsize=(11, sum(heights) + 0.9), layout="constrained")
        subfigures = figure.subfigures(len(panels), 1, height_ratios=heights, squeeze=False)[:, 0]
        for subfigure, row in zip(subfigures, panels, strict=True):
            axes = subfigure.subplots(1, len(row), squeeze=False)[0]
            for ax, panel in zip(axes, row, strict=True):
                panel(ax)
        figure.suptitle(" ", fontsize=16)  # room for the legend
        figure.legend(
            handles=legend_of(results), loc="upper center", ncols=9, frameon=False, handletextpad=0.4
        )
        machine = results.machine
        if machine:
            figure.supxlabel(
                f"{machine['cpu']}, {machine['cores']} cores; {machine['compiler']}; {machine['kernel']}"
                + ("; quick run" if results.quick else ""),
                fontsize=7.5,
                color=MUTED,
            )
        file.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(file, dpi=120, metadata=({"Date": None} if file.suffix == ".svg" else None))


def rows_of_panels(results: Results) -> list[list[Callable[[Axes], None]]]:
    """What is drawn, row by row."""
    panels: list[list[Callable[[Axes], None]]] = []
    ratios = ratios_to_threads(results)
    if ratios:
        panels.append([lambda ax: draw_ratios(ax, ratios)])
    latency = [row for row in results.of("latency") if row.role != TUNED and is_drawn(row)]
    if latency:
        panels.append(
            [lambda ax, metric=metric: draw_latency(ax, latency, metric) for metric in LOADS]  # type: ignore[misc]
        )
    pipes = results.of("pipes")
    if pipes:
        panels.append([lambda ax: draw_pipes(ax, pipes)])
    return panels


def ratios_to_threads(results: Results) -> list[Row]:
    """Times per item as multiples of bare threads: of the peers, and of the library as it is by default."""
    return [
        row
        for row in results.rows
        if row.bench in RATIO_BENCHES
        and row.unit == NANOSECONDS
        and row.ratio
        and row.against == "raw"
        and row.peer not in REFERENCES
        and is_drawn(row)
    ]


def is_drawn(row: Row) -> bool:
    """Of the library only what a user gets who sets nothing."""
    return row.peer != OURS or row.setting == DEFAULT_SETTING


def peers_of(rows: list[Row]) -> list[str]:
    """The peers among the rows: those that have a color first."""
    found = dict.fromkeys(row.peer for row in rows)
    return [p for p in COLORS if p in found] + [p for p in found if p not in COLORS and p not in REFERENCES]


def color_of(peer: str, peers: list[str]) -> str:
    """A peer's color, the same in all panels."""
    others = [p for p in peers if p not in COLORS]
    return COLORS.get(peer) or OTHER_COLORS[others.index(peer) % len(OTHER_COLORS)]


def compared(results: Results) -> list[str]:
    """All peers that are drawn anywhere."""
    return peers_of([row for row in results.rows if row.bench in (*RATIO_BENCHES, "latency")])


def legend_of(results: Results) -> list[Line2D]:
    """A dot for each peer, and what the other marks mean."""
    peers = compared(results)
    handles = [dot(color_of(peer, peers), peer) for peer in peers]
    if any(row.role == TUNED and row.bench in RATIO_BENCHES for row in results.rows):
        handles.append(dot("white", "best setting", edge=MUTED))
    if any(row.bar and row.bench in RATIO_BENCHES for row in results.rows):
        handles.append(Line2D([], [], color="#111827", linewidth=1.4, label="bar"))
    return handles


def dot(color: str, label: str, edge: str | None = None) -> Line2D:
    """An entry of the legend."""
    return Line2D(
        [],
        [],
        linestyle="",
        marker="o",
        markersize=6,
        markerfacecolor=color,
        markeredgecolor=edge or color,
        label=label,
    )


def draw_ratios(ax: Axes, shown: list[Row]) -> None:
    """Time as a multiple of bare threads, a group of dots for each case."""
    cases = {(row.bench, row.variant): None for row in shown}
    peers = peers_of(shown)
    step = 0.8 / max(1, len(peers))
    for x, (bench, variant) in enumerate(cases):
        group = [row for row in shown if (row.bench, row.variant) == (bench, variant)]
        if x:
            ax.axvline(x - 0.5, color="#e5e7eb", linewidth=0.7)
        for row in group:
            at = x - 0.4 + step * (peers.index(row.peer) + 0.5)
            put_dot(ax, at, row, color_of(row.peer, peers))
        for limit in {row.bar.limit for row in group if row.bar}:
            ax.plot([x - 0.42, x + 0.42], [limit, limit], color="#111827", linewidth=1.4, zorder=2)
    ax.axhline(1, color=MUTED, linewidth=0.9, zorder=1)
    ax.set_yscale("log")
    ticks = [1, 1.5, 2, 3, 5, 10, 20, 50, 100, 200]
    top = max((row.ratio.median for row in shown if row.ratio), default=2) * 1.4
    ax.set_ylim(min(0.85, *(row.ratio.median * 0.93 for row in shown if row.ratio)), top)
    ax.set_yticks([t for t in ticks if t <= top], [f"{t:g}" for t in ticks if t <= top])
    ax.yaxis.minorticks_off()
    ax.set_xticks(range(len(cases)), [label_of(bench, variant) for bench, variant in cases])
    ax.set_xlim(-0.5, len(cases) - 0.5)
    ax.tick_params(axis="x", length=0)
    ax.grid(visible=False, axis="x")
    ax.set_title("Time per item as a multiple of bare threads on all cores (lower is better)")


def label_of(bench: str, variant: str) -> str:
    """What stands under a group of dots."""
    if bench == "grain":
        return f"{variant}\nan item"
    return f"{bench}\n{variant}"


def put_dot(ax: Axes, x: float, row: Row, color: str) -> None:
    """A median with its interval: filled for the default, hollow for the best setting."""
    assert row.ratio is not None
    ratio = row.ratio
    below, above = max(0.0, ratio.median - ratio.low), max(0.0, ratio.high - ratio.median)
    ours = row.peer == OURS
    ax.errorbar(
        x,
        ratio.median,
        yerr=[[below], [above]],
        fmt="o",
        markersize=7 if ours else 5,
        color=color,
        markerfacecolor="white" if row.role == TUNED else color,
        markeredgecolor=color,
        elinewidth=1,
        alpha=1 if ours else 0.9,
        zorder=4 if ours else 3,
    )


def draw_latency(ax: Axes, rows: list[Row], metric: str) -> None:
    """A percentile of the latency over the load, a line for each peer."""
    chosen = [row for row in rows if row.metric == metric]
    loads = list(variants(chosen))
    peers = peers_of(chosen)
    for peer in reversed(peers):
        line = {row.variant: row.value for row in chosen if row.peer == peer}
        xs = [loads.index(load) for load in line]
        main = peer in (OURS, "oneTBB")
        look: dict[str, Any] = {"color": color_of(peer, peers), "zorder": 4 if peer == OURS else 3}
        ax.plot(
            xs,
            [value.median for value in line.values()],
            marker="o",
            markersize=5 if main else 3,
            linewidth=2 if main else 1,
            alpha=1 if main else 0.7,
            **look,
        )
        if main:
            lows, highs = [v.low for v in line.values()], [v.high for v in line.values()]
            ax.fill_between(xs, lows, highs, alpha=0.13, linewidth=0, **look)
    shares = [i for i, load in enumerate(loads) if "capacity" in load]
    if shares and shares[0]:
        ax.axvline(shares[0] - 0.5, color=MUTED, linewidth=0.8, linestyle=(0, (3, 3)))
    ax.set_yscale("log")
    ax.set_xticks(range(len(loads)), [load.replace(" of capacity", " ×") for load in loads], rotation=35)
    ax.set_title(f"Latency, {metric} [µs]")
    if metric == LOADS[0]:
        ax.set_xlabel("items per second, then shares of the machine's capacity", loc="left")


def draw_pipes(ax: Axes, rows: list[Row]) -> None:
    """Nanoseconds an item through a pipe from thread to thread, a group of bars for each size of item.

    Of the library as it is by default, of the others at their best.
    """
    best: dict[tuple[str, str], Row] = {}
    for row in sorted(rows, key=lambda row: row.value.median, reverse=True):
        if not (row.peer == OURS and row.role == TUNED):
            best[row.variant, row.peer] = row
    sizes = list(variants(rows))
    rows = list(best.values())
    names = [row.peer for row in sorted(variants(rows)[sizes[0]], key=lambda row: row.value.median)]
    names += [row.peer for row in rows if row.peer not in names]
    names = list(dict.fromkeys(names))
    height = 0.8 / max(1, len(sizes))
    for i, size in enumerate(sizes):
        for row in variants(rows)[size]:
            y = names.index(row.peer) + (i - (len(sizes) - 1) / 2) * height
            color = COLORS[OURS] if row.peer.startswith(OURS) else "#9ca3af"
            ax.barh(
                y, row.value.median, height * 0.9, color=color, alpha=1 - 0.45 * i / max(1, len(sizes) - 1)
            )
            ax.text(
                row.value.median * 1.03,
                y,
                f"{row.value.median:.1f}  ({size})",
                va="center",
                fontsize=7.5,
                color=MUTED,
            )
    ax.set_xscale("log")
    ax.margins(x=0.1)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.grid(visible=False, axis="y")
    ax.set_title("One-to-one pipe: nanoseconds per item")
