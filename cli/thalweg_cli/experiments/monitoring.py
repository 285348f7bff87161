"""What monitoring costs: programs that take samples of their stages never, each second, and each 100 ms.

J. H. Löff, master's thesis, PUCRS, 2023, section 6.4.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from thalweg_cli.experiments.kinds import COLORS, Asked, Case, Experiment, Kind, cores
from thalweg_cli.experiments.sections import Json, Plot, Section, shown
from thalweg_cli.measure.measuring import Bench, in_rounds
from thalweg_cli.results.statistics import FEWEST, Estimate, ratio_of_medians
from thalweg_cli.run.experiment import SAMPLED, Setting
from thalweg_cli.run.metrics import METRICS, THROUGHPUT, Metric
from thalweg_cli.run.runs import Series

PERIODS_MS = {"never": 0, "every 1 s": 1000, "every 100 ms": 100}

CASES = tuple(Case(name, "medium", "test") for name in ("mandelbrot", "primes", "bzip2", "lane_detection"))


@dataclass(frozen=True)
class Loss:
    """How much less of something there is than without samples, in per cent, with its 95 % interval."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, ratio: Estimate) -> "Loss":
        """By what remains."""
        return cls(*(100 * (1 - share) for share in (ratio.median, ratio.high, ratio.low)))

    @property
    def interval(self) -> str:
        """In words."""
        return f"{shown(self.low)} to {shown(self.high)}"


def loss(metric: Metric, never: Series, row: Series) -> Loss | None:
    """Of a metric; None without runs."""
    before, after = metric.values(never), metric.values(row)
    if not before or not after or min(*before, *after) <= 0:
        return None
    return Loss.of(ratio_of_medians(before, after))


class Monitoring(Experiment):
    """Runs each program with each period in turn."""

    def __init__(self, asked: Asked) -> None:
        self._repeat = asked.repeat
        self._periods = {f"{SAMPLED}{name}": ms for name, ms in PERIODS_MS.items()}
        programs = list(asked.programs.values())
        inputs = {case.application: case.of(quick=asked.quick) for case in asked.cases}
        self.programs = [
            [
                Series(
                    Setting(
                        program,
                        inputs[program.application],
                        1 if program.is_over_mpi else cores(),
                        nprocs=asked.nprocs if program.is_over_mpi else None,
                        purpose=purpose,
                    )
                )
                for purpose in self._periods
            ]
            for program in programs
        ]
        self.rows = [row for rows in self.programs for row in rows]

    def go(self, bench: Bench) -> None:
        """Makes all runs."""
        total = self._repeat * len(self.rows)
        in_rounds(bench, self.rows, self._repeat, 0, total, lambda setting: self._periods[setting.purpose])

    def sections(self) -> list[Section]:
        """One, with all programs."""
        rows = [cells_of(row, rows[0]) for rows in self.programs for row in rows]
        columns = (
            "",
            "samples",
            "runs",
            "elements (/s)",
            "lost (%)",
            "95 % interval",
            "more processor time (%)",
        )
        title = "what monitoring costs, relative to none"
        return [Section("monitoring", title, columns, rows, [plot_of(self.programs)])]


def cells_of(row: Series, never: Series) -> tuple[str, ...]:
    """A row of the table. Of few runs the interval is too narrow, and is not shown."""
    values = THROUGHPUT.values(row)
    lost = None if row is never else loss(THROUGHPUT, never, row)
    used = None if row is never else loss(METRICS["processors"], never, row)
    enough = lost and min(len(values), len(THROUGHPUT.values(never))) >= FEWEST
    return (
        f"{row.setting.program.name} {row.setting.input}",
        row.setting.sampled.removeprefix(SAMPLED),
        str(len(row.good)),
        shown(median(values) if values else None),
        shown(lost.median if lost else None),
        lost.interval if lost and enough else "-",
        shown(0 - used.median if used else None),
    )


def plot_of(programs: Sequence[Sequence[Series]]) -> Plot:
    """The loss of throughput of each program: a bar for each period."""
    bars = [
        bars_of(name, [(rows[0], rows[place]) for rows in programs], COLORS[place])
        for place, name in enumerate(PERIODS_MS)
        if place
    ]
    return Plot("Throughput lost, with 95 % intervals", "", "%", bars, {"barmode": "group"})


def bars_of(name: str, pairs: Sequence[tuple[Series, Series]], color: str) -> Json:
    """The bars of a period, by rows without samples and rows with them."""
    found = [(never.setting.program.application, loss(THROUGHPUT, never, row)) for never, row in pairs]
    there = [(application, lost) for application, lost in found if lost]
    return {
        "type": "bar",
        "name": name,
        "x": [application for application, _ in there],
        "y": [lost.median for _, lost in there],
        "marker": {"color": color},
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [lost.high - lost.median for _, lost in there],
            "arrayminus": [lost.median - lost.low for _, lost in there],
        },
    }


KIND = Kind(
    "mpr-monitoring",
    "what it costs MPR's four applications to take samples of their stages: never, each second, each 100 ms",
    CASES,
    ("thalweg_farm",),
    15,
    Monitoring,
    over_mpi=("mpi-thalweg_farm",),
)
