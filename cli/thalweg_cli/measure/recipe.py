"""Frequencies that change, made for each program by what it can do: the recipe of the literature.

A. M. Garcia, Easing the Benchmarking of Parallel Stream Processing on Multi-cores, 2023, section 6.5.1.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from rich.box import SIMPLE_HEAD
from rich.table import Table

from thalweg_cli.measure.measuring import Bench, Findings, in_rounds
from thalweg_cli.results.run_table import leading_cells, leading_columns
from thalweg_cli.run.experiment import RECIPE, Setting, number
from thalweg_cli.run.metrics import THROUGHPUT, TIME
from thalweg_cli.run.runs import Series

LEAST, GREATEST = 0.1, 1.1
"""The lowest and the highest frequency, as shares of the throughput without a frequency."""


class Pattern(StrEnum):
    """How frequencies change; `all` is each of the others."""

    ALL = "all"
    WAVE = "wave"
    BINARY = "binary"
    INCREASING = "increasing"
    DECREASING = "decreasing"
    SPIKE = "spike"


PERIODS: dict[str, float] = {
    Pattern.WAVE: 1 / 3,
    Pattern.BINARY: 1 / 3,
    Pattern.INCREASING: 1.0,
    Pattern.DECREASING: 1.0,
    Pattern.SPIKE: 1 / 3,
}
"""The period of each pattern, as a share of the time that a run without a frequency takes."""

SPIKE_PERCENT = 10
DIGITS = 4

MONITOR_MS = 250
"""What the literature samples at, and what is sampled at if nothing else is asked for."""


@dataclass(frozen=True)
class Pace:
    """What a program did without a frequency: elements a second, and the seconds that it took."""

    throughput: float
    seconds: float

    @classmethod
    def of(cls, plain: Series) -> "Pace | None":
        """The medians of the runs that count; None if they came to nothing."""
        rates, times = THROUGHPUT.values(plain), TIME.values(plain)
        if not rates or not times or min(*rates, *times) <= 0:
            return None
        return cls(statistics.median(rates), statistics.median(times))

    def pattern(self, name: str) -> str:
        """A pattern with its numbers, as programs take it."""
        values = (PERIODS[name] * self.seconds, LEAST * self.throughput, GREATEST * self.throughput)
        percent = [str(SPIKE_PERCENT)] if name == Pattern.SPIKE else []
        return ",".join([name, *map(short, values), *percent])


def short(value: float) -> str:
    """A number in a few digits, without an exponent."""
    return number(float(f"{value:.{DIGITS}g}"))


def patterns_of(names: Sequence[str]) -> list[str]:
    """The patterns that are meant."""
    return list(PERIODS) if Pattern.ALL in names else list(dict.fromkeys(map(str, names)))


class FrequencyRecipe:
    """Runs every setting without a frequency first, and then with each pattern."""

    shows_rows = True

    def __init__(
        self, settings: Sequence[Setting], patterns: Sequence[str], repeat: int, warm_up: int
    ) -> None:
        self.rows = [Series(setting) for setting in settings]
        self._plain = tuple(self.rows)
        self._patterns = patterns
        self._repeat = repeat
        self._warm_up = warm_up

    def go(self, bench: Bench) -> None:
        """Makes all runs. What failed without a frequency has none to run with."""
        each = len(self._plain) * self._repeat
        total = len(self._plain) * self._warm_up + each * (1 + len(self._patterns))
        in_rounds(bench, self._plain, self._repeat, self._warm_up, total)
        paced = [
            Series(replace(plain.setting, freq_pattern=pace.pattern(name), purpose=RECIPE))
            for plain in self._plain
            if not plain.error and (pace := Pace.of(plain))
            for name in self._patterns
        ]
        self.rows += paced
        in_rounds(bench, paced, self._repeat, 0, total)

    def tables(self) -> list[Table]:
        """The values that were used."""
        settings = [plain.setting for plain in self._plain]
        table = Table(
            title="the recipe: frequencies from 10 to 110 % of the throughput T without any, periods by the "
            "duration D",
            title_justify="left",
            box=SIMPLE_HEAD,
            pad_edge=False,
        )
        leading_columns(table, settings)
        for heading in (
            "T (/s)",
            "D (s)",
            "lowest\n(/s)",
            "highest\n(/s)",
            "period of wave,\nbinary, spike (s)",
        ):
            table.add_column(heading, justify="right")
        for plain in self._plain:
            if pace := Pace.of(plain):
                values = (pace.throughput, pace.seconds, LEAST * pace.throughput, GREATEST * pace.throughput)
                cells = [short(value) for value in (*values, PERIODS[Pattern.WAVE] * pace.seconds)]
                table.add_row(*leading_cells(plain.setting, settings), *cells)
        return [table] if table.row_count else []

    def findings(self) -> Findings:
        """Nothing that the runs do not have."""
        return []
