"""The page of a report: one file that needs no other, and loads none."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from thalweg_cli.comparison import text
from thalweg_cli.looks import dashes_of, looks_of
from thalweg_cli.report_data import (
    COLUMNS,
    Row,
    curves_of,
    plain_curve,
    plain_row,
    samples_per_run,
    shown_metrics,
)
from thalweg_cli.report_notes import notes
from thalweg_cli.report_ranking import plain_rankings
from thalweg_cli.results import commit, local
from thalweg_cli.store_rows import RunSet

PARTS = Path(__file__).parent / "page"
"""The page without data, its style and its script."""


def page(sets: Sequence[RunSet], rows: Sequence[Row], by: str) -> str:
    """The page as HTML. `by` is what stands on the axis at first: nthreads, threads or nprocs."""
    from plotly.offline import get_plotlyjs  # noqa: PLC0415  (loading it takes long)

    # A script ends at the first `</script>` or hangs on `<!--`, wherever they stand.
    data = json.dumps(data_of(sets, rows, by), ensure_ascii=False, separators=(",", ":")).replace(
        "<", "\\u003c"
    )
    return Template(part("report.html")).substitute(
        title=escape(title_of(sets)),
        style=part("report.css"),
        data=data,
        plotly=get_plotlyjs(),
        script=part("report.js"),
    )


def part(name: str) -> str:
    """A file that the page is made of."""
    return (PARTS / name).read_text(encoding="utf-8")


def title_of(sets: Sequence[RunSet]) -> str:
    """What the page is about."""
    names = ", ".join(one.name for one in sets)
    return f"Thalweg: {'set' if len(sets) == 1 else 'sets'} {names}"


def data_of(sets: Sequence[RunSet], rows: Sequence[Row], by: str) -> dict[str, Any]:
    """All that the page shows."""
    metrics = shown_metrics(rows)
    most = samples_per_run(rows)
    interfaces = looks_of(row.interface for row in rows)
    return {
        "by": by,
        "sets": [{"id": one.id, "name": one.name, "told": told(one)} for one in sets],
        "metrics": [asdict(metric) for metric in metrics],
        "looks": {name: asdict(look) for name, look in interfaces.items()},
        "dashes": dashes_of(row.composition for row in rows),
        "columns": COLUMNS,
        "notes": [asdict(note) for note in notes(sets, rows)],
        "rankings": plain_rankings(rows, metrics),
        "rows": [plain_row(row, most) for row in rows],
        "curves": [plain_curve(curve) for curve in curves_of(rows)],
    }


def told(one: RunSet) -> dict[str, Any]:
    """Where and how a set was measured, for people."""
    here = one.circumstances
    return {
        "measured": f"{local(one.began)} to {local(one.ended) if one.ended else 'no end that is known'}",
        "command": f"./thalweg {shlex.join(one.command)}",
        "processor": f"{here['cpu']}, {here['cores']} cores",
        "kernel": here["kernel"],
        "governor": here["governor"],
        "load when it began": f"{here['load']:.2f}",
        "compiler": here["compiler"],
        "flags": here["flags"],
        "commit": commit(one),
        "libraries": [f"{name} {version}" for name, version in here["libraries"].items()],
        "variables": [f"{name}={value}" for name, value in here["environment"].items()] or "none that matter",
        "options": [f"{name}: {text(value)}" for name, value in one.conditions.items() if value],
    }
