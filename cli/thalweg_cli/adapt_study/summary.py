"""What came of a scenario: a row for each way, and which of them are ahead."""

import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from thalweg_cli.adapt_study.costs import (
    CHANGES_BAR,
    LOOP_BAR,
    ChangeCost,
    LoopCost,
    change_costs,
    loop_cost,
)
from thalweg_cli.adapt_study.measures import Saso, enough_replicas, pareto, saso_in, typical, worst
from thalweg_cli.adapt_study.observed import Observed
from thalweg_cli.adapt_study.scenarios import Compares, Scenario
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
    """All rows of a scenario. `enough`: the fewest replicas that are enough, for each of its phases.

    `changes`: what one costs, if it was made at a known time. `loops`: what it costs to look and to decide.
    """

    scenario: Scenario
    rows: list[Row]
    enough: list[int]
    changes: list[ChangeCost] = field(default_factory=list)
    loops: list[LoopCost] = field(default_factory=list)

    @property
    def best_fixed(self) -> Row | None:
        """Of the fixed numbers the one with the fewest late items; of several such, with the least time."""
        fixed = [row for row in self.rows if row.is_fixed]
        return min(fixed, key=lambda row: (round(row.late_share, 3), row.cpu_seconds), default=None)


def summary_of(scenario: Scenario, tried: Sequence[Tried]) -> Summary:
    """What came of the runs of a scenario; ways without any are left out."""
    tried = [one for one in tried if one.runs]
    statics = best_by_replicas(tried)
    enough = [enough_replicas(statics, phase) for phase in scenario.phases] if statics else []
    points = {one.way.name: (median_of(one, cpu), median_of(one, late)) for one in tried}
    # Changes that are made in all ways alike say nothing of how good one is.
    front = [] if scenario.compares is Compares.POLICIES else pareto(points)
    rows = [row_of(one, scenario, enough, is_ahead=one.way.name in front) for one in tried]
    changes = [cost for one in tried for cost in change_costs(one.way.name, one.runs)]
    loops = [cost for one in tried if (cost := loop_cost(one.way.name, one.runs))]
    return Summary(scenario, rows, enough, changes, loops)


def best_by_replicas(tried: Sequence[Tried]) -> Mapping[int, Sequence[Observed]]:
    """The runs with each fixed number: of several intervals of batches, those with the fewest late items."""
    fixed: dict[int, list[Tried]] = defaultdict(list)
    for one in tried:
        if not one.way.planner:
            fixed[one.way.replicas].append(one)
    return {n: min(all_of, key=lambda one: median_of(one, late)).runs for n, all_of in fixed.items()}


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


CHANGE_COLUMNS: tuple[tuple[str, Callable[[ChangeCost], Value]], ...] = (
    ("changes", lambda cost: float(cost.changes)),
    ("call\n(ms)", lambda cost: cost.call),
    ("first item on\na new one (ms)", lambda cost: cost.first),
    ("longest\ngap (ms)", lambda cost: cost.gap),
    ("at\nmost (ms)", lambda cost: cost.most),
    ("without a\nchange (ms)", lambda cost: cost.quiet),
    ("items lost in\nthat second (%)", lambda cost: cost.lost),
)

LOOP_COLUMNS: tuple[tuple[str, Callable[[LoopCost], Value]], ...] = (
    (f"all: {LOOP_BAR:g} at\nmost (%)", lambda cost: cost.loop),
    ("planner\n(%)", lambda cost: cost.planning),
    (f"changes: {CHANGES_BAR:g}\nat most (%)", lambda cost: cost.changing),
)

CHANGES_TITLE = "What one change costs"
LOOPS_TITLE = "Processor time of the loop that adapts, in % of the time of a run"


def cost_tables(summary: Summary) -> list[tuple[str, list[str], list[list[str]]]]:
    """What changes and planners cost: title, headings and rows of each table that has rows."""
    changes = [
        [
            f"{cost.way}: one {'more' if cost.more else 'fewer'}",
            *(shown(of(cost)) for _, of in CHANGE_COLUMNS),
        ]
        for cost in summary.changes
    ]
    loops = [[cost.way, *(shown(of(cost)) for _, of in LOOP_COLUMNS)] for cost in summary.loops]
    tables = [
        (CHANGES_TITLE, [heading for heading, _ in CHANGE_COLUMNS], changes),
        (LOOPS_TITLE, [heading for heading, _ in LOOP_COLUMNS], loops),
    ]
    return [one for one in tables if one[2]]


def tables_of(summary: Summary) -> list[Table]:
    """All that is told of a scenario on the terminal."""
    found = [table_of(summary)]
    for title, headings, rows in cost_tables(summary):
        table = empty_table(title)
        for heading in headings:
            table.add_column(heading, justify="right")
        for first, *others in rows:
            table.add_row(escape(first), *others)
        found.append(table)
    return found


def empty_table(title: str) -> Table:
    """One for the terminal, with a first column for names. It has to fit into 120 columns."""
    table = Table(
        title=escape(title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1)
    )
    table.add_column("")
    return table
