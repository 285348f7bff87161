"""The table of runs: a row for each setting, with means and standard deviations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from thalweg_cli.base.terminal import Failed
from thalweg_cli.run.adapting import value_in
from thalweg_cli.run.experiment import CATCH_UP, SAMPLED, Conditions, Setting, number
from thalweg_cli.run.metrics import LATENCY, MEMORY, THROUGHPUT, TIME, Metric, summary
from thalweg_cli.run.runs import Run, Series

GOOD = "[green]good[/]"
"""The verdict on outputs that are all as they should be."""

MOST_LINES = 20
"""Of what a program said before it failed."""

VARIED: tuple[tuple[str, Callable[[Setting], float | str | None]], ...] = (
    ("ranks", lambda setting: setting.nprocs),
    ("batch", lambda setting: setting.batch),
    ("batch\n(bytes)", lambda setting: setting.batch_bytes),
    ("interval\n(s)", lambda setting: setting.batch_interval),
    ("frequency\n(/s)", lambda setting: setting.frequency),
    ("pattern of\nthe frequency", lambda setting: setting.freq_pattern or None),
    ("argument", lambda setting: " ".join(setting.user_args) or None),
    ("planner", lambda setting: value_in(setting.adapt, "planner")),
    ("goal", lambda setting: value_in(setting.adapt, "goal")),
    ("samples", lambda setting: setting.sampled.removeprefix(SAMPLED) or None),
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
        return [
            TIME,
            *((THROUGHPUT,) if self.throughput else ()),
            *(LATENCY if self.latency else ()),
            *(MEMORY if self.memory else ()),
        ]


def leading_columns(table: Table, settings: Sequence[Setting], threads: str = "threads") -> None:
    """The columns that say what a row is about; what is the same in all settings stands in the title."""
    if same := in_common(settings):
        table.title = escape(same) if not table.title else f"{table.title}, {escape(same)}"
    table.add_column("program", no_wrap=True)
    if several_inputs(settings):
        table.add_column("input")
    for heading in (threads, *(name for name, _ in varied(settings))):
        table.add_column(heading, justify="right")


def leading_cells(setting: Setting, settings: Sequence[Setting], there: str = "") -> list[str]:
    """What stands in these columns for one of the settings; `there` is behind the threads asked for."""
    given = [value(setting) for _, value in varied(settings)]
    cells = [escape(setting.program.name), *([escape(setting.input)] if several_inputs(settings) else [])]
    return [*cells, f"{setting.nthreads}{there}", *(escape(cell(one)) for one in given)]


def cell(value: float | str | None) -> str:
    """What is given, in a table."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else number(value)


def several_inputs(settings: Sequence[Setting]) -> bool:
    """Whether the settings have different inputs."""
    return len({setting.input for setting in settings}) > 1


def varied(settings: Sequence[Setting]) -> list[tuple[str, Callable[[Setting], float | str | None]]]:
    """What is not the same in all settings."""
    return [(name, value) for name, value in VARIED if len({value(one) for one in settings}) > 1]


def in_common(settings: Sequence[Setting]) -> str:
    """What is given in all settings, and the same, in words."""
    given = {name: {value(one) for one in settings} for name, value in VARIED}
    same = {name: values.pop() for name, values in given.items() if len(values) == 1 and values != {None}}
    return ", ".join(f"{' '.join(name.split())}: {cell(value)}" for name, value in same.items())


def table_of(rows: Sequence[Series], title: str, shown: Shown) -> Table:
    """A row for each setting. Behind the threads asked for stand those that were there.

    The number of runs stands in the title if it is the same in all rows, and takes no room then; so does
    that all outputs are good.
    """
    settings = [row.setting for row in rows]
    counts, verdicts = {len(row.good) for row in rows}, {verdict(row) for row in rows}
    if len(counts) == 1:
        (count,) = counts
        title += f", {count} run each" if count == 1 else f", {count} runs each"
    with_verdicts = shown.verified and verdicts != {GOOD}
    title += ", verified" if shown.verified and not with_verdicts else ""
    # A table of all metrics has to fit into 120 columns.
    table = Table(
        title=escape(title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    leading_columns(table, settings, "threads\n(really)")
    headings = ["runs"] if len(counts) > 1 else []
    for heading in (*headings, *(f"{metric.title}\n({metric.unit})" for metric in shown.metrics)):
        table.add_column(heading, justify="right")
    if with_verdicts:
        table.add_column("verified")
    for row in rows:
        cells = leading_cells(row.setting, settings, f" ({row.threads})" if row.runs else "")
        cells += [str(len(row.good))] if len(counts) > 1 else []
        cells += [summary(metric.values(row)) for metric in shown.metrics]
        cells += [verdict(row)] if with_verdicts else []
        table.add_row(*cells)
    return table


def verdict(row: Series) -> str:
    """What came of the check of the outputs."""
    if row.error:
        return "[red]failed[/]"
    return GOOD if row.runs and all(run.verified for run in row.runs) else "-"


def title_of(rows: Sequence[Series], conditions: Conditions) -> str:
    """What all rows have in common."""
    inputs = list(dict.fromkeys(row.setting.input for row in rows))
    parts = [inputs[0]] if len(inputs) == 1 else []
    parts += ["in memory"] if conditions.in_memory else []
    parts += [f"when late: {conditions.when_late}"] if conditions.when_late != CATCH_UP else []
    return ", ".join([*parts, "mean(deviation)"])


def failures(rows: Sequence[Series]) -> list[Failed]:
    """What is to be told of each setting that failed: which run, why, and what the program said before."""
    return [
        Failed(f"{row.setting.name}{which(run, row)}: {run.error}", output=said_before(run))
        for row in rows
        if (run := row.failed)
    ]


def which(run: Run, row: Series) -> str:
    """Which of the runs of its row a run is, where there are several."""
    if run.warm_up:
        return f", run {run.number} to warm up"
    if row.planned > 1:
        return f", run {run.number} of {row.planned}"
    return f", run {run.number}" if run.number > 1 else ""


def said_before(run: Run) -> str:
    """The last lines on standard error that its error does not tell."""
    lines = run.said.strip().splitlines()
    program = run.setting.program.name
    return "\n".join(
        [line for line in lines if line.removeprefix(f"{program}: ") not in run.error][-MOST_LINES:]
    )
