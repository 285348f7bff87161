"""The page of a study: one file that needs no other."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from thalweg_cli.adapt_study.measures import middle_run, pareto
from thalweg_cli.adapt_study.observed import Json, Observed
from thalweg_cli.adapt_study.summary import COLUMNS, Row, Summary, cells, shown, title_of
from thalweg_cli.adapt_study.ways import Tried
from thalweg_cli.report.looks import LOOKS, OTHERS
from thalweg_cli.report.page import assembled

SCRIPTS = ("basics", "plots", "theme", "study")

FIXED = LOOKS["sequential"].color
COLORS = [look.color for name, look in LOOKS.items() if name != "sequential"] + [
    look.color for look in OTHERS
]
"""Those of planners, in their order."""

DIGITS = 6


def page(asked: str, found: Sequence[tuple[Summary, Sequence[Tried]]]) -> str:
    """The page as HTML. `asked` says what all runs have in common."""
    planners = dict.fromkeys(one.way.planner for _, tried in found for one in tried if one.way.planner)
    colors = dict(zip(planners, cycle(COLORS), strict=False))
    told = {
        "asked": asked,
        "columns": [" ".join(heading.replace("-\n", "").split()) for heading, _ in COLUMNS],
        "scenarios": [plain(summary, tried, colors) for summary, tried in found],
    }
    return assembled("study.html", "Thalweg: streams that adapt themselves", told, SCRIPTS)


def plain(summary: Summary, tried: Sequence[Tried], colors: Mapping[str, str]) -> Json:
    """A scenario as the page has it. Of fixed numbers, only the best one is shown over time."""
    runs = {one.way.name: one.runs for one in tried if one.runs}
    best = summary.best_fixed
    ways = [
        plain_way(row, middle_run(runs[row.name]), colors.get(row.name, FIXED), is_best=row == best)
        for row in summary.rows
    ]
    front = pareto({row.name: (row.cpu_seconds, row.late_share) for row in summary.rows})
    return {
        "name": summary.scenario.name,
        "title": title_of(summary),
        "ways": ways,
        "front": front,
    }


def plain_way(row: Row, run: Observed, color: str, *, is_best: bool) -> Json:
    """A way, and the run that is shown of it."""
    return {
        "name": row.name,
        "fixed": row.is_fixed,
        "best": is_best,
        "ahead": row.is_ahead,
        "color": color,
        "cells": cells(row),
        "cpu": rounded(row.cpu_seconds),
        "late": rounded(100 * row.late_share),
        "series": series_of(run) if is_best or not row.is_fixed else None,
        "decisions": [] if row.is_fixed else list(map(decision, run.decisions)),
    }


def series_of(run: Observed) -> dict[str, list[Any]]:
    """What happened over time. Replicas are steps, from the beginning to the end."""
    windows = range(len(run.due))
    return {
        "at": [rounded((index + 0.5) * run.window) for index in windows],
        "due": [rounded(count / run.window) for count in run.due],
        "done": [rounded(count / run.window) for count in run.done],
        "p99": [None if value is None else rounded(value) for value in run.p99],
        "changed": [0, *(rounded(one.at) for one in run.changes), rounded(run.elapsed)],
        "replicas": [
            run.began,
            *(one.replicas for one in run.changes),
            run.changes[-1].replicas if run.changes else run.began,
        ],
        "sampled": [rounded(at) for at, _ in run.cores],
        "cores": [rounded(cores) for _, cores in run.cores],
    }


def decision(told: Json) -> list[str]:
    """What a planner has decided, as cells of a table."""
    at = told.get("at_ns")
    numbers = (told.get(name) for name in ("measured", "predicted", "reached"))
    return [
        shown(None if at is None else at * 1e-9),
        str(told.get("what", "")),
        str(told.get("reason", "")),
        *map(shown, numbers),
    ]


def rounded(value: float) -> float:
    """Without digits that nobody reads."""
    return float(f"{value:.{DIGITS}g}")
