"""`./thalweg compare`: what became faster or slower from one set of runs to another."""

import statistics
from collections.abc import Sequence
from contextlib import closing
from enum import StrEnum
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from thalweg_cli.base.terminal import Failed, console, print_table
from thalweg_cli.results.comparison import SAME, TOO_FEW, Pair, differences, match
from thalweg_cli.results.run_table import leading_cells, leading_columns
from thalweg_cli.results.store import LATEST, PREVIOUS, Store, StoreFile, default_file
from thalweg_cli.run.experiment import Setting
from thalweg_cli.run.metrics import ABOVE, METRICS, TIME, metric_named

SETS = f"A set: its id or label (./thalweg results lists them), {LATEST} or {PREVIOUS}."


class By(StrEnum):
    """Which number of threads makes settings the same."""

    NTHREADS = "nthreads"
    THREADS = "threads"


def compare(
    before: Annotated[str, typer.Argument(metavar="A", help=SETS)] = PREVIOUS,
    after: Annotated[str, typer.Argument(metavar="B", help="The set that is compared with it.")] = LATEST,
    metric: Annotated[str, typer.Option(help=f"One of {', '.join(METRICS)}.")] = TIME.name,
    by: Annotated[
        By, typer.Option(help="Match by the threads asked for, or by those really used.")
    ] = By.NTHREADS,
    store: StoreFile = None,
) -> None:
    """Compare two sets of runs, setting by setting: medians, their ratio with an interval, a verdict."""
    compared = metric_named(metric)
    with closing(Store(store or default_file())) as kept:
        one, two = kept.find(before), kept.find(after)
        runs = kept.runs(one.id), kept.runs(two.id)
    pairs, only_one, only_two = match(*runs, compared, by_threads=by is By.THREADS)
    if not pairs:
        what = f"sets {one.name} and {two.name} have no setting in common that has this metric: {metric}"
        quantile = f", and {ABOVE} elements above a quantile" if compared.percent is not None else ""
        raise Failed(what, remedy=f"./thalweg results A, and B, show what they hold{quantile}")
    title = f"{compared.title} ({compared.unit}), A: set {one.name}, B: set {two.name}"
    print_table(table_of(pairs, title))
    for name, settings in ((one.name, only_one), (two.name, only_two)):
        for setting in settings:
            console.print(f"only in set {escape(name)}: {escape(setting.name)}", style="dim")
    loads = " and ".join(f"{kept_set.circumstances['load']:.1f}" for kept_set in (one, two))
    console.print(f"load of the machine when they began: {loads}", style="dim")
    for line in differences(one, two):
        console.print(f"not the same: {escape(line)}", style="dim")


def table_of(pairs: Sequence[Pair], title: str) -> Table:
    """A row for each setting that both sets have."""
    settings: list[Setting] = [pair.setting for pair in pairs]
    table = Table(title=escape(title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    leading_columns(table, settings)
    for heading in ("runs", "median A", "median B", "B : A", "95 % interval", "effect"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for pair in pairs:
        ratio = pair.ratio
        table.add_row(
            *leading_cells(pair.setting, settings),
            f"{len(pair.before)}, {len(pair.after)}",
            f"{statistics.median(pair.before):.4g}",
            f"{statistics.median(pair.after):.4g}",
            f"{ratio.median:.3f}" if ratio else "-",
            f"{ratio.low:.3f} to {ratio.high:.3f}" if ratio else "-",
            f"{pair.effect:+.2f}",
            coloured(pair),
        )
    return table


def coloured(pair: Pair) -> str:
    """The verdict: green where the second set is better, red where it is worse."""
    if pair.verdict in (SAME, TOO_FEW):
        return pair.verdict
    better = (pair.verdict == pair.metric.more) == pair.metric.more_is_better
    return f"[{'green' if better else 'red'}]{pair.verdict}[/]"
