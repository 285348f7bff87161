"""Makes the runs of an experiment, in turn; keeps each as it ends, and shows what came of them."""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from thalweg_cli.circumstances import Circumstances
from thalweg_cli.experiment import Conditions
from thalweg_cli.export import write_json
from thalweg_cli.live import Tell, live
from thalweg_cli.run_table import Shown, failures, table_of, title_of
from thalweg_cli.runs import Run, Series, measure
from thalweg_cli.store import Store
from thalweg_cli.terminal import Failed, console, errors, print_table


def run_all(
    rows: Sequence[Series],
    conditions: Conditions,
    keep: Callable[[Run], None],
    tell: Tell,
    *,
    repeat: int = 1,
    warm_up: int = 0,
) -> None:
    """Runs each setting `warm_up` and then `repeat` times.

    Each round takes all settings in turn, so that what the machine does meanwhile meets all alike. A setting
    that failed is not run again. `keep` gets every run at once, after it was added to its row.
    """
    total = (warm_up + repeat) * len(rows)
    for done in range(total):
        turn, place = divmod(done, len(rows))
        row = rows[place]
        tell(done, total, place)
        if row.error:
            continue
        warming = turn < warm_up
        number = 1 + (turn if warming else turn - warm_up)
        run = measure(row.setting, conditions, number, warm_up=warming)
        row.runs.append(run)
        keep(run)


class Measuring:
    """An experiment under way: its rows fill with runs."""

    def __init__(
        self,
        rows: Sequence[Series],
        conditions: Conditions,
        shown: Shown,
        *,
        quiet: bool = False,
        json_file: Path | None = None,
    ) -> None:
        self._rows = rows
        self._conditions = conditions
        self._shown = shown
        self._quiet = quiet
        self._json_file = json_file

    def keep_in(self, store: Store, label: str, *, repeat: int = 1, warm_up: int = 0) -> None:
        """Makes all runs as a new set of a store, then shows what came of them, also when cut short."""
        programs = [row.setting.program for row in self._rows]
        set_id = store.begin(label, sys.argv[1:], self._conditions, Circumstances.here(programs))
        lines_only = self._conditions.show_output
        try:
            with live(self._rows, self._table, lines_only=lines_only, quiet=self._quiet) as tell:
                run_all(
                    self._rows,
                    self._conditions,
                    lambda run: store.add(set_id, run, self._conditions),
                    tell,
                    repeat=repeat,
                    warm_up=warm_up,
                )
        except BaseException:
            with suppress(Failed):  # What happened first is told.
                store.end(set_id, complete=False)
            self._show(f"kept as set {set_id}, which is not complete, in {store.file}")
            raise
        else:
            self._show(f"kept as set {set_id} in {store.file}")
            store.end(set_id, complete=True)
        finally:
            if self._json_file:
                runs = [run for row in self._rows for run in row.runs]
                write_json(self._json_file, [(store.find(str(set_id)), runs)])

    def _table(self, rows: Sequence[Series]) -> Table:
        return table_of(rows, title_of(self._rows, self._conditions), self._shown)

    def _show(self, says: str) -> None:
        if not self._quiet:
            print_table(self._table(self._rows))
            console.print(says, style="dim", markup=False)
        for line in failures(self._rows):
            errors.print(f"[bold red]failed:[/] {escape(line)}")
