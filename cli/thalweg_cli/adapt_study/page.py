"""The page of a study: one file that needs no other."""

from collections.abc import Mapping, Sequence
from itertools import cycle, pairwise
from typing import Any

from thalweg_cli.adapt_study.measures import middle_run
from thalweg_cli.adapt_study.observed import Json, Observed
from thalweg_cli.adapt_study.scenarios import Compares
from thalweg_cli.adapt_study.summary import COLUMNS, Row, Summary, cells, cost_tables, shown, title_of
from thalweg_cli.adapt_study.ways import PARTS, Tried, Way
from thalweg_cli.report.looks import LOOKS, OTHERS
from thalweg_cli.report.page import assembled

SCRIPTS = ("basics", "plots", "theme", "study")

FIXED = LOOKS["sequential"].color
COLORS = [look.color for name, look in LOOKS.items() if name != "sequential"] + [
    look.color for look in OTHERS
]
"""Those of planners, in their order."""

DASHES = {PARTS["replicas"]: "dash", PARTS["batches"]: "dashdot", PARTS["neither"]: "dot"}
"""Of planners that may not change everything."""

DIGITS = 6


def page(asked: str, found: Sequence[tuple[Summary, Sequence[Tried]]]) -> str:
    """The page as HTML. `asked` says what all runs have in common."""
    planners = dict.fromkeys(one.way.planner for _, tried in found for one in tried if one.way.planner)
    colors = dict(zip(planners, cycle(COLORS), strict=False))
    told = {
        "asked": asked,
        "columns": [in_a_line(heading) for heading, _ in COLUMNS],
        "scenarios": [plain(summary, tried, colors) for summary, tried in found],
    }
    return assembled("study.html", "Thalweg: streams that adapt themselves", told, SCRIPTS)


def plain(summary: Summary, tried: Sequence[Tried], colors: Mapping[str, str]) -> Json:
    """A scenario as the page has it. Of fixed settings only the best one is shown over time."""
    of_row = {one.way.name: one for one in tried if one.runs}
    best = summary.best_fixed
    scripted = summary.scenario.compares is Compares.POLICIES
    ways = [
        plain_way(
            row,
            of_row[row.name],
            COLORS[place % len(COLORS)] if scripted else colors.get(of_row[row.name].way.planner, FIXED),
            is_best=row == best and not scripted,
            is_shown=scripted or row == best or not row.is_fixed,
        )
        for place, row in enumerate(summary.rows)
    ]
    ahead = [row for row in summary.rows if row.is_ahead]
    return {
        "name": summary.scenario.name,
        "title": title_of(summary),
        "ways": ways,
        "front": [row.name for row in sorted(ahead, key=lambda row: row.cpu_seconds)],
        "tables": [
            {"title": title, "columns": list(map(in_a_line, headings)), "rows": rows}
            for title, headings, rows in cost_tables(summary)
        ],
        "parts": ablation(summary, tried),
    }


def plain_way(row: Row, tried: Tried, color: str, *, is_best: bool, is_shown: bool) -> Json:
    """A way, and the run that is shown of it."""
    run = middle_run(tried.runs)
    return {
        "name": row.name,
        "fixed": row.is_fixed,
        "best": is_best,
        "ahead": row.is_ahead,
        "color": color,
        "dash": "dot" if row.is_fixed and is_best else DASHES.get(tried.way.note, "solid"),
        "cells": cells(row),
        "cpu": rounded(row.cpu_seconds),
        "late": rounded(100 * row.late_share),
        "series": series_of(run) if is_shown else None,
        "decisions": [] if row.is_fixed else list(map(decision, run.decisions)),
    }


def ablation(summary: Summary, tried: Sequence[Tried]) -> Json | None:
    """Late items (%) and processor time (s) of each planner, by what it may change; None without batches."""
    planners = list(dict.fromkeys(one.way.planner for one in tried if one.way.planner and one.runs))
    if summary.scenario.compares is not Compares.BATCHES or not planners:
        return None
    rows = {row.name: row for row in summary.rows}
    of_part = [
        [rows[Way(planner=name, note=note).name] for name in planners] for note in reversed(PARTS.values())
    ]
    return {
        "planners": planners,
        "parts": list(reversed(PARTS)),
        "late": [[rounded(100 * row.late_share) for row in rows] for rows in of_part],
        "cpu": [[rounded(row.cpu_seconds) for row in rows] for rows in of_part],
    }


def in_a_line(heading: str) -> str:
    """A heading without its breaks."""
    return " ".join(heading.replace("-\n", "").split())


def series_of(run: Observed) -> dict[str, list[Any]]:
    """What happened over time. Replicas are steps, from the beginning to the end."""
    windows = range(len(run.due))
    # A sample at the end may be of a time in which hardly anything can be seen.
    cores = [
        (at, cores)
        for (before, _), (at, cores) in pairwise([(0.0, 0.0), *run.cores])
        if at - before > run.window / 2
    ]
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
        "batched": [at for at, _ in run.batches] + ([rounded(run.elapsed)] if run.batches else []),
        "batches": [
            rounded(of) for of in [*(of for _, of in run.batches), *(of for _, of in run.batches[-1:])]
        ],
        "sampled": [rounded(at) for at, _ in cores],
        "cores": [rounded(used) for _, used in cores],
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
