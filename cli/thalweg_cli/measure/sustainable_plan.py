"""`exec --find-sustainable`: searches for several settings at once, their runs in turn."""

from collections.abc import Sequence
from dataclasses import replace

from rich.table import Table

from thalweg_cli.measure.measuring import Bench, Findings
from thalweg_cli.results.sustainable_table import curve_tables, found_table
from thalweg_cli.run.experiment import SEARCH, Setting
from thalweg_cli.run.runs import Series
from thalweg_cli.run.sustainable import Ask, Search, Steps

SAMPLES = 50
"""Samples that a run should have, for its trend to be told."""

SHORTEST_MS, LONGEST_MS = 10, 1000


class Sustainable:
    """Runs of all searches in turn, so that what the machine does meanwhile meets all alike."""

    shows_rows = False

    def __init__(
        self,
        settings: Sequence[Setting],
        repeat: int = 1,
        warm_up: int = 0,
        bound_ms: float | None = None,
    ) -> None:
        self._warm_up = warm_up
        self.rows: list[Series] = []
        self._searches = [Search(replace(setting, purpose=SEARCH), repeat, bound_ms) for setting in settings]
        self._by_setting: dict[Setting, Series] = {}

    def go(self, bench: Bench) -> None:
        """Makes the runs that the searches ask for. A search whose program fails ends; the others go on."""
        for number in range(1, self._warm_up + 1):
            for search in self._searches:
                bench.run(self._row(search.found.setting), number, warm_up=True)
        under_way: list[tuple[Search, Steps, Ask]] = []
        for search in self._searches:
            steps = search.steps()
            under_way.append((search, steps, next(steps)))
        while under_way:
            going_on = []
            for search, steps, ask in under_way:
                row = self._row(replace(search.found.setting, frequency=ask.rate))
                monitor = min(max(int(1000 * ask.seconds / SAMPLES), SHORTEST_MS), LONGEST_MS)
                number = 1 + sum(not run.warm_up for run in row.runs)
                run = bench.run(row, number, judge=ask.judge, monitor_ms=monitor if ask.rate else 0)
                try:
                    going_on.append((search, steps, steps.send(run)))
                except StopIteration:
                    bench.note(self.findings())
            under_way = going_on

    def _row(self, setting: Setting) -> Series:
        row = self._by_setting.get(setting)
        if row is None:
            row = self._by_setting[setting] = Series(setting)
            self.rows.append(row)
        return row

    def tables(self) -> list[Table]:
        """The points of each curve, and what was found."""
        found = [search.found for search in self._searches]
        return [*curve_tables(self.rows, found), found_table(found)]

    def findings(self) -> Findings:
        """What the searches have found so far."""
        return [search.found.plain() for search in self._searches if search.found.rate or search.found.above]
