"""Makes the runs of an experiment, in turn; keeps each as it ends, and shows what came of them."""

import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from rich.table import Table

from thalweg_cli.base.files import make_folder
from thalweg_cli.base.process import Waits
from thalweg_cli.base.terminal import Failed, console, print_table
from thalweg_cli.measure.live import Tell, live
from thalweg_cli.results.circumstances import Circumstances
from thalweg_cli.results.export import write_json
from thalweg_cli.results.run_table import Shown, failures, table_of, title_of
from thalweg_cli.results.store import Store
from thalweg_cli.run.experiment import Conditions, Setting
from thalweg_cli.run.runs import Run, Series, measure
from thalweg_cli.run.stage_samples import asks_for_samples, file_of, folder_of, written

PATIENCE_S = 60.0
"""A run that takes longer is told of, each time that it has taken so much more."""

IDLE_S = 0.05
"""Processor time that a program takes to look whether it has something to do."""

Findings = list[dict[str, object]]
"""What follows from several runs together, as it is kept."""


class Bench:
    """Where runs are made. `keep` gets every run at once, after it was added to its row.

    `samples`: the folder for samples of the stages of programs that take them.
    """

    def __init__(
        self,
        rows: Sequence[Series],
        conditions: Conditions,
        keep: Callable[[Run], None],
        note: Callable[[Findings], None],
        tell: Tell,
        *,
        quiet: bool = False,
        samples: Path,
    ) -> None:
        self.note = note
        self.samples = samples
        self._rows = rows
        self._conditions = conditions
        self._keep = keep
        self._tell = tell
        self._quiet = quiet
        self._done = 0

    def run(
        self,
        row: Series,
        number: int,
        *,
        warm_up: bool = False,
        total: int = 0,
        monitor_ms: int = 0,
        keep_stages: bool = False,
        judge: Callable[[Run], str] = lambda _: "",
    ) -> Run:
        """Makes a run of a row.

        `total`: how many runs there will be, if that is known. `monitor_ms` is for this run alone, if none is
        given for all; then the samples of its stages are kept only if `keep_stages` is set, as what a plan
        asks for with single runs is mostly for that plan alone. `judge` says what is to be thought of it.
        """
        self._tell(self._done, total, self._rows.index(row))
        conditions = self._conditions
        if monitor_ms and not conditions.monitor_ms:
            conditions = replace(conditions, monitor_ms=monitor_ms)
        waits = None if self._quiet else Waits(partial(still_runs, row.setting), PATIENCE_S, PATIENCE_S)
        kept = not warm_up and asks_for_samples(row.setting, conditions if keep_stages else self._conditions)
        if kept:
            make_folder(self.samples)
        file = file_of(self.samples, row.setting, number) if kept else None
        run = measure(row.setting, conditions, number, warm_up=warm_up, waits=waits, samples=file)
        run = replace(run, judged=judge(run))
        row.runs.append(run)
        self._keep(run)
        self._done += 1
        return run

    def leave_out(self) -> None:
        """Counts a run that is not made."""
        self._done += 1


def still_runs(setting: Setting, waited_s: float, used_s: float) -> None:
    """Says that a program has not ended yet, and whether it does anything."""
    does = f"{used_s:.1f} s of processor time since the last report" if used_s > IDLE_S else "it does nothing"
    console.print(f"{setting.name}: runs for {waited_s:.0f} s, {does}", style="dim", markup=False)


class Plan(Protocol):
    """What is run, and in which order."""

    rows: list[Series]
    """The settings, each with its runs; more may come while it goes."""

    shows_rows: bool
    """Whether a table of all rows is to be shown at the end."""

    def go(self, bench: Bench) -> None:
        """Makes the runs."""

    def tables(self) -> list[Table]:
        """What came of them, beside the table of all rows."""

    def findings(self) -> Findings:
        """What follows from several of them together."""


class Rounds:
    """Runs each setting as often as is asked for."""

    shows_rows = True

    def __init__(self, rows: Sequence[Series], repeat: int = 1, warm_up: int = 0) -> None:
        self.rows = list(rows)
        self._repeat = repeat
        self._warm_up = warm_up

    def go(self, bench: Bench) -> None:
        """Makes all runs."""
        total = (self._warm_up + self._repeat) * len(self.rows)
        in_rounds(bench, self.rows, self._repeat, self._warm_up, total)

    def tables(self) -> list[Table]:
        """None."""
        return []

    def findings(self) -> Findings:
        """None."""
        return []


def in_rounds(
    bench: Bench,
    rows: Sequence[Series],
    repeat: int,
    warm_up: int,
    total: int,
    monitor_ms: Callable[[Setting], int] = lambda _: 0,
) -> None:
    """Runs each setting `warm_up` and then `repeat` times.

    Each round takes all settings in turn, so that what the machine does meanwhile meets all alike. A setting
    that failed is not run again. `monitor_ms`: how often the runs of a setting take samples, if that is not
    the same for all.
    """
    for row in rows:
        row.planned = repeat
    for turn in range(warm_up + repeat):
        warming = turn < warm_up
        for row in rows:
            if row.error:
                bench.leave_out()
            else:
                number = 1 + (turn if warming else turn - warm_up)
                every = monitor_ms(row.setting)
                bench.run(row, number, warm_up=warming, total=total, monitor_ms=every, keep_stages=every > 0)


class Measuring:
    """An experiment under way: the rows of its plan fill with runs."""

    def __init__(
        self,
        plan: Plan,
        conditions: Conditions,
        shown: Shown,
        *,
        quiet: bool = False,
        json_file: Path | None = None,
    ) -> None:
        self._plan = plan
        self._conditions = conditions
        self._shown = shown
        self._quiet = quiet
        self._json_file = json_file

    def keep_in(self, store: Store, label: str) -> None:
        """Makes all runs as a new set of a store, then shows what came of them, also when cut short."""
        programs = [row.setting.program for row in self._plan.rows]
        set_id = store.begin(label, sys.argv[1:], self._conditions, Circumstances.here(programs))
        lines_only = self._conditions.show_output
        rows = self._plan.rows
        samples = folder_of(store.file, set_id)
        try:
            with live(rows, self._table, lines_only=lines_only, quiet=self._quiet) as tell:
                bench = Bench(
                    rows,
                    self._conditions,
                    lambda run: store.add(set_id, run),
                    lambda findings: store.note(set_id, findings),
                    tell,
                    quiet=self._quiet,
                    samples=samples,
                )
                self._plan.go(bench)
        except BaseException:
            with suppress(Failed):  # What happened first is told.
                store.end(set_id, complete=False)
            self._show(f"kept as set {set_id}, which is not complete, in {store.file}")
            raise
        else:
            self._show(f"kept as set {set_id} in {store.file}", *offer(written(samples)))
            store.end(set_id, complete=True)
        finally:
            if self._json_file:
                runs = [run for row in rows for run in row.runs]
                write_json(self._json_file, [(store.find(str(set_id)), runs)])

    def _table(self, rows: Sequence[Series]) -> Table:
        return table_of(rows, title_of(self._plan.rows, self._conditions), self._shown)

    def _show(self, *says: str) -> None:
        if not self._quiet:
            all_rows = [self._table(self._plan.rows)] if self._plan.shows_rows else []
            for table in (*all_rows, *self._plan.tables()):
                print_table(table)
            for line in says:
                console.print(line, style="dim", markup=False, soft_wrap=True)
        for failure in failures(self._plan.rows):
            failure.show()


def offer(samples: Sequence[Path]) -> list[str]:
    """How to see the stages of runs that have samples of them."""
    if not samples:
        return []
    if len(samples) == 1:
        return [f"./thalweg view {shlex.quote(str(samples[0]))} shows its stages"]
    return [
        f"samples of the stages of {len(samples)} runs are in {samples[0].parent}: ./thalweg view shows one, "
        "./thalweg report those whose throughput is the median"
    ]
