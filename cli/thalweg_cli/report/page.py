"""The page of a report: one file that needs no other, and loads none."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from html import escape
from string import Template
from types import MappingProxyType
from typing import Any

from thalweg_cli.base import npm
from thalweg_cli.base.machine import UNKNOWN
from thalweg_cli.base.paths import PROGRAM
from thalweg_cli.base.terminal import console
from thalweg_cli.build.peers import TITLES
from thalweg_cli.report import bundle
from thalweg_cli.report.data import (
    CURVES,
    Row,
    Values,
    curves_of,
    monitored,
    plain_curve,
    plain_row,
    shown_metrics,
)
from thalweg_cli.report.looks import dashes_of, looks_of, marks_of
from thalweg_cli.report.notes import notes
from thalweg_cli.report.panels import THREADS, across, axes_of, in_common, name_for, plain_axis
from thalweg_cli.report.ranking import plain_rankings
from thalweg_cli.report.samples import BAND, COLUMNS, samples_per_run
from thalweg_cli.results.command import commit, local
from thalweg_cli.results.comparison import text
from thalweg_cli.results.store_rows import RunSet

PARTS = PROGRAM / "page"
"""The page without data, its style and its script."""

SCRIPTS = (
    "basics",
    "plots",
    "looks",
    "ranking",
    "scaling",
    "latency",
    "series",
    "curves",
    "table",
    "theme",
    "main",
)
"""The parts of the script, in their order."""

MAIN = "<!-- main -->\n"
"""Stands in the body of a page between what comes into its header and the rest."""

MOST_PLOTS = 100
"""Plots that a card may have."""


def page(
    sets: Sequence[RunSet],
    rows: Sequence[Row],
    by: str,
    values: Values = Values.MEDIANS,
    links: Mapping[int, str] = MappingProxyType({}),
) -> str:
    """The page as HTML. `by` is what stands on the axis at first, `values` what is shown of runs then.

    `links`: where the pages of rows are, by their numbers.
    """
    return assembled("report.html", title_of(sets), data_of(sets, rows, by, values, links), SCRIPTS)


def assembled(body: str, title: str, told: Mapping[str, Any], scripts: Sequence[str]) -> str:
    """A page in the frame of all pages: its body, what its plots show, and the parts of its script."""
    header, _, main = part(body).partition(MAIN)
    # A script ends at the first `</script>` or hangs on `<!--`, wherever they stand.
    data = json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return Template(part("frame.html")).substitute(
        title=escape(title),
        header=header,
        main=main,
        style=part("report.css"),
        data=data,
        plotly=plotly(),
        script="\n".join(part(f"{name}.js") for name in scripts),
    )


@cache
def plotly() -> str:
    """Plotly's script: the basic bundle, or, if that cannot be had, all of it, which is told."""
    if there := bundle.there():
        return there.read_text(encoding="utf-8")
    try:
        program = npm.find()
        console.print(f"getting {bundle.PACKAGE} with npm", style="dim", markup=False)
        return bundle.fetch(program).read_text(encoding="utf-8")
    except npm.NoPackages as why:
        console.print(f"the page is larger, with all of Plotly: {why}", markup=False)
    from plotly.offline import get_plotlyjs  # type: ignore[import-untyped]  # noqa: PLC0415  (loading it takes long)

    return str(get_plotlyjs())


def part(name: str) -> str:
    """A file that the page is made of."""
    return (PARTS / name).read_text(encoding="utf-8")


def title_of(sets: Sequence[RunSet]) -> str:
    """What the page is about."""
    names = ", ".join(one.name for one in sets)
    return f"Thalweg: {'set' if len(sets) == 1 else 'sets'} {names}"


def data_of(
    sets: Sequence[RunSet], rows: Sequence[Row], by: str, values: Values, links: Mapping[int, str]
) -> dict[str, Any]:
    """All that the page shows."""
    metrics = shown_metrics(rows)
    most = samples_per_run(monitored(rows))
    looks = looks_of(name for row in rows for name in (row.interface, row.look))
    return {
        "by": by,
        "values": values.value,
        "sets": [{"id": one.id, "name": one.name, "told": told(one)} for one in sets],
        "metrics": [asdict(metric) for metric in metrics],
        "looks": {name: asdict(look) for name, look in looks.items()},
        "dashes": dashes_of(row.composition for row in rows),
        "marks": {one: asdict(mark) for one, mark in marks_of([one.id for one in sets]).items()},
        "columns": COLUMNS,
        "band": BAND,
        "latencies": CURVES,
        "notes": [asdict(note) for note in notes(sets, rows)],
        "rankings": plain_rankings(rows, metrics),
        "rows": [
            plain_row(row, most) | {"case": in_common(row, THREADS), "page": links.get(index)}
            for index, row in enumerate(rows)
        ],
        "across": [across(count) for count in range(MOST_PLOTS)],
        "axes": [plain_axis(axis, rows, name_for(axis, rows)) for axis in axes_of(rows, by)],
        "curves": [plain_curve(curve) for curve in curves_of(rows)],
    }


def told(one: RunSet) -> dict[str, Any]:
    """Where and how a set was measured, for people."""
    here = one.circumstances
    versions = {name: f"{name} {version}" for name, version in here["libraries"].items()}
    return {
        "measured": f"{local(one.began)} to {local(one.ended) if one.ended else 'no end that is known'}",
        "command": f"./thalweg {shlex.join(one.command)}",
        "processor": f"{here['cpu']}, {here['cores']} cores",
        "caches": here["caches"],
        "clock": here["clock"],
        "memory": f"{here['memory'] / 2**30:.1f} GiB" if here["memory"] else UNKNOWN,
        "system": f"{here['system']}, {here['kernel']}",
        "governor": here["governor"],
        "load when it began": f"{here['load']:.2f}",
        "compiler": here["compiler"],
        "flags": here["flags"],
        "commit": commit(one),
        "interfaces": [text for name, text in versions.items() if name in TITLES] or UNKNOWN,
        "libraries": [text for name, text in versions.items() if name not in TITLES],
        "variables": [f"{name}={value}" for name, value in here["environment"].items()] or "none that matter",
        "options": [f"{name}: {text(value)}" for name, value in one.conditions.items() if value],
    }
