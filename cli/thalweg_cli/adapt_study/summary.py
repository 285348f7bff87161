"""What came of a scenario: a row for each way, and which of them are ahead."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from thalweg_cli.adapt_study.measures import Saso, enough_replicas, pareto, saso_in, typical, worst
from thalweg_cli.adapt_study.observed import Observed
from thalweg_cli.adapt_study.scenarios import Scenario
from thalweg_cli.adapt_study.ways import Tried

Value = float | str | None


@dataclass(frozen=True)
class Row:
    """The medians of the runs of a way. Fixed numbers have no `saso`, nor has a load that never stays."""

    name: str
    is_fixed: bool
    runs: int
    late_share: float
    p99_ms: float | None
    throughput: float
    cpu_seconds: float
    per_processor_second: float | None
    replicas: float
    changes: float
    gap_ms: float | None
    saso: Saso | None = None
    is_ahead: bool = False


@dataclass(frozen=True)
class Summary:
    """All rows of a scenario. `enough`: the fewest replicas that are enough, for each of its phases."""

    scenario: Scenario
    rows: list[Row]
    enough: list[int]

    @property
    def best_fixed(self) -> Row | None:
        """Of the fixed numbers the one with the fewest late items; of several such, with the least time."""
        fixed = [row for row in self.rows if row.is_fixed]
        return min(fixed, key=lambda row: (round(row.late_share, 3), row.cpu_seconds), default=None)


def summary_of(scenario: Scenario, tried: Sequence[Tried]) -> Summary:
    """What came of the runs of a scenario; ways without any are left out."""
    tried = [one for one in tried if one.runs]
    statics = {one.way.replicas: one.runs for one in tried if not one.way.planner}
    enough = [enough_replicas(statics, phase) for phase in scenario.phases] if statics else []
    points = {one.way.name: (median_of(one, cpu), median_of(one, late)) for one in tried}
    front = pareto(points)
    rows = [row_of(one, scenario, enough, is_ahead=one.way.name in front) for one in tried]
    return Summary(scenario, rows, enough)


def late(run: Observed) -> float:
    """The part of the items that came late."""
    return run.late_share


def cpu(run: Observed) -> float:
    """Processor time, in seconds."""
    return run.cpu_seconds


def median_of(tried: Tried, value: Callable[[Observed], float]) -> float:
    """Of the values of its runs."""
    return statistics.median(map(value, tried.runs))


def known_median(values: Sequence[float | None]) -> float | None:
    """Of those that are known."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def row_of(tried: Tried, scenario: Scenario, enough: Sequence[int], *, is_ahead: bool) -> Row:
    """The row of a way."""
    found = [
        worst([saso_in(run, phase, n) for phase, n in zip(scenario.phases, enough, strict=True)])
        for run in tried.runs
        if tried.way.planner and enough
    ]
    return Row(
        tried.way.name,
        not tried.way.planner,
        len(tried.runs),
        median_of(tried, late),
        known_median([run.p99_ms for run in tried.runs]),
        median_of(tried, lambda run: run.throughput),
        median_of(tried, cpu),
        known_median([run.per_processor_second for run in tried.runs]),
        median_of(tried, lambda run: run.mean_replicas),
        median_of(tried, lambda run: float(len(run.changes))),
        known_median([run.gap_at_changes for run in tried.runs]),
        typical([one for one in found if one is not None]),
        is_ahead,
    )


def settling(row: Row) -> Value:
    """When it had settled, in words if it had not."""
    if row.saso is None:
        return None
    return "never" if row.saso.settling is None else row.saso.settling


COLUMNS: tuple[tuple[str, Callable[[Row], Value]], ...] = (
    ("late\n(%)", lambda row: 100 * row.late_share),
    ("p99\n(ms)", lambda row: row.p99_ms),
    ("items\n(/s)", lambda row: row.throughput),
    ("processor\ntime (s)", lambda row: row.cpu_seconds),
    ("items per\nprocessor s", lambda row: row.per_processor_second),
    ("replicas\n(mean)", lambda row: row.replicas),
    ("changes", lambda row: row.changes),
    ("gap at\none (ms)", lambda row: row.gap_ms),
    ("settling\n(s)", settling),
    ("over-\nshoot", lambda row: row.saso.overshoot if row.saso else None),
    ("accu-\nracy", lambda row: row.saso.accuracy if row.saso else None),
    ("changes a\nminute", lambda row: row.saso.stability if row.saso else None),
)
"""What tables show of a row, beside its name."""


def cells(row: Row) -> list[str]:
    """What stands in the columns."""
    return [shown(value(row)) for _, value in COLUMNS]


def shown(value: Value) -> str:
    """A value for people."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def title_of(summary: Summary) -> str:
    """What a scenario is, and how many replicas are enough for it."""
    enough = ", ".join(map(str, summary.enough))
    return f"{summary.scenario.name}: {summary.scenario.says}" + (f"; enough: {enough}" if enough else "")


def table_of(summary: Summary) -> Table:
    """The rows for the terminal. A star: no other has fewer late items with less processor time."""
    # It has to fit into 120 columns.
    table = Table(
        title=escape(title_of(summary)),
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=0,
    )
    table.add_column("")
    for heading, _ in COLUMNS:
        table.add_column(heading, justify="right")
    best = summary.best_fixed
    for row in summary.rows:
        mark = " *" if row.is_ahead else ""
        table.add_row(f"{escape(row.name)}{mark}", *cells(row), style="bold" if row == best else "")
    return table
