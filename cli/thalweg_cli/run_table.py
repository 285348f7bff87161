"""The table of runs: a row for each setting, with means and standard deviations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from thalweg_cli.experiment import Conditions, Setting
from thalweg_cli.metrics import LATENCY, MEMORY, THROUGHPUT, TIME, Metric, summary
from thalweg_cli.runs import Series

VARIED: tuple[tuple[str, Callable[[Setting], float | None]], ...] = (
    ("batch", lambda setting: setting.batch),
    ("batch\n(s)", lambda setting: setting.batch_interval),
    ("frequency\n(/s)", lambda setting: setting.frequency),
)
"""What has a column only where it is given."""


@dataclass(frozen=True)
class Shown:
    """What a table shows beside the time."""

    throughput: bool = False
    latency: bool = False
    memory: bool = False
    verified: bool = False

    @property
    def metrics(self) -> list[Metric]:
        """The columns with numbers that were measured."""
        groups = ((True, (TIME,)), (self.throughput, (THROUGHPUT,)))
        groups += ((self.latency, LATENCY), (self.memory, MEMORY))
        return [metric for wanted, group in groups if wanted for metric in group]


def table_of(rows: Sequence[Series], title: str, shown: Shown) -> Table:
    """A row for each setting. Beside the threads asked for stand those that were there."""
    varied = [(name, value) for name, value in VARIED if any(value(row.setting) is not None for row in rows)]
    inputs = len({row.setting.input for row in rows}) > 1
    table = Table(title=escape(title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("program", no_wrap=True)
    if inputs:
        table.add_column("input")
    for heading in ("threads", "really", *(name for name, _ in varied), "runs"):
        table.add_column(heading, justify="right")
    for metric in shown.metrics:
        table.add_column(f"{metric.title}\n({metric.unit})", justify="right")
    if shown.verified:
        table.add_column("verified")
    for row in rows:
        setting = row.setting
        cells = [setting.program.name, *([escape(setting.input)] if inputs else []), str(setting.nthreads)]
        cells.append(str(row.threads) if row.runs else "-")
        cells += ["-" if (given := value(setting)) is None else f"{given:.15g}" for _, value in varied]
        cells.append(str(len(row.good)))
        cells += [summary(metric.values(row)) for metric in shown.metrics]
        if shown.verified:
            cells.append(verdict(row))
        table.add_row(*cells)
    return table


def verdict(row: Series) -> str:
    """What came of the check of the outputs."""
    if row.error:
        return "[red]failed[/]"
    return "[green]good[/]" if row.runs and all(run.verified for run in row.runs) else "-"


def title_of(rows: Sequence[Series], conditions: Conditions) -> str:
    """What all rows have in common."""
    inputs = list(dict.fromkeys(row.setting.input for row in rows))
    parts = [inputs[0]] if len(inputs) == 1 else []
    parts += [conditions.freq_pattern] if conditions.freq_pattern else []
    parts += ["in memory"] if conditions.in_memory else []
    return ", ".join([*parts, "mean and standard deviation"])


def failures(rows: Sequence[Series]) -> list[str]:
    """A line for each setting that failed."""
    return [f"{row.setting.name}: {row.error}" for row in rows if row.error]
