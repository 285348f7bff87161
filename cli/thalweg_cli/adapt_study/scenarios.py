"""What a study runs: loads that change, on operators that wait, compute, or share a lock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from thalweg_cli.base.terminal import Failed
from thalweg_cli.run.experiment import number

LOW, HIGH = 0.6, 4.2
"""Rates of a load, in items that one replica can do if its operator takes no longer than it should."""

CALL, ITEM = 3.0, 0.125
"""What a call of the operator on a batch takes, and each item of it, in times of the operator on an item."""

INTERVALS = (2.5, 5.0, 10.0)
"""Those of batches, in the same times. A call takes longer than the first: that needs two replicas or larger
batches when the load is high."""

FEWER, MORE = 2, 3
BETWEEN_CHANGES_S = 1.0
"""Of changes that are made at known times: to how many replicas, and how long they stay."""

CHANGING_LOAD = 1.2
"""So many are busy meanwhile: fewer than there are at any time, so that only a change makes items late."""


@dataclass(frozen=True)
class Phase:
    """A time in which the load stays as it is, in seconds."""

    begin: float
    end: float


class Compares(StrEnum):
    """What is compared under a load."""

    SETTINGS = "fixed numbers of replicas, and planners"
    BATCHES = "fixed numbers with intervals of batches, and planners that may change one, both or neither"
    POLICIES = "changes at known times under several policies"


@dataclass(frozen=True)
class Scenario:
    """A load, and what is done with it: `options` are for the program. In `phases` the load is constant.

    `intervals`, in ms, are those of the batches in front of the operator; planners begin with the first.
    """

    name: str
    says: str
    rate: str
    seconds: float
    options: tuple[str, ...]
    phases: tuple[Phase, ...] = ()
    compares: Compares = Compares.SETTINGS
    intervals: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scale:
    """How long a scenario is, and how long the operator takes for an item."""

    seconds: float
    work_us: float

    def rate(self, replicas: float) -> str:
        """Items a second that keep so many replicas busy."""
        return number(round(replicas * 1e6 / self.work_us, 3))

    @property
    def swing(self) -> str:
        """From the low rate to the high one."""
        return f"{self.rate(LOW)},{self.rate(HIGH)}"

    @property
    def step(self) -> str:
        """From the low rate to the high one after a third of the time."""
        return f"steps,{self.share(1 / 3)},{self.rate(LOW)},{self.share(2 / 3)},{self.rate(HIGH)}"

    def share(self, of: float) -> str:
        """Part of its seconds."""
        return number(round(self.seconds * of, 6))

    def phases(self, *ends: float) -> tuple[Phase, ...]:
        """One phase up to each of these parts of its seconds."""
        return tuple(
            Phase(self.seconds * begin, self.seconds * end)
            for begin, end in zip((0.0, *ends[:-1]), ends, strict=True)
        )

    def time(self, of: float) -> str:
        """So many times as long as the operator takes, in µs."""
        return number(round(self.work_us * of, 3))

    @property
    def waits(self) -> tuple[str, ...]:
        """The options of an operator that waits."""
        return ("--wait-us", self.time(1))

    @property
    def intervals(self) -> tuple[str, ...]:
        """Those of batches, in ms. In the first, a call takes longer than it lasts."""
        return tuple(number(round(self.work_us * of / 1000, 6)) for of in INTERVALS)

    @property
    def change_s(self) -> float:
        """The time between two changes that are made at known times."""
        return min(BETWEEN_CHANGES_S, self.seconds / 4)

    @property
    def changes(self) -> str:
        """One replica more and one fewer, in turn, as the program takes it."""
        count = int(self.seconds / self.change_s + 1e-9) - 1
        steps = [(self.change_s * (k + 1), (MORE, FEWER)[k % 2]) for k in range(count)]
        return ",".join(f"{number(round(at, 6))}:{replicas}" for at, replicas in steps)


SAYS = {
    "step": "a load that steps up after a third of the time; the operator waits",
    "wave": "a load like a sine, two periods; the operator waits",
    "spike": "a low load with three spikes; the operator waits",
    "binary": "a load that is low, high, low and high; the operator waits",
    "constant": "a load that stays the same; the operator waits",
    "compute": "a load like a sine; the operator computes, so that more replicas than cores are of no use",
    "lock": "a load that stays the same; the operator waits with a lock that all replicas share",
    "sink": "a load that stays the same; the sink is too slow for it",
    "batches": "a load that steps up; the operator waits, above all once for each batch",
    "change": "a load that stays the same, and one replica more or fewer again and again; the operator waits",
    "flights": "a week of departures from New York in 2013; the operator waits",
    "flights-day": "a day of departures from airports of the USA in 2001; the operator waits",
    "trace": "the load of a file (--trace); the operator waits",
}
"""All scenarios, in words."""

ASKED_FOR = ("flights", "flights-day", "trace")
"""Those that run only if they are named: their loads are files, some of which are downloaded first."""


def scenario(name: str, scale: Scale, trace: Path | None = None) -> Scenario:
    """The scenario of a name. `trace`: of one whose load is a file. Raises Failed if there is none."""
    if name not in SAYS:
        raise Failed(f"there is no scenario {name}", remedy=f"one of {', '.join(SAYS)}")
    if name in ASKED_FOR:
        if trace is None:
            raise Failed(
                f"the scenario {name} needs a file", remedy="--trace FILE, as tw::rate::trace reads it"
            )
        return Scenario(name, SAYS[name], f"trace,{trace}", scale.seconds, scale.waits)
    if name == "batches":
        return with_batches(scale)
    if name == "change":
        load = scale.rate(CHANGING_LOAD)
        options = (*scale.waits, "--resize", scale.changes)
        return Scenario(name, SAYS[name], load, scale.seconds, options, compares=Compares.POLICIES)
    middle = scale.rate((LOW + HIGH) / 2)
    waits = scale.waits
    third = scale.share(1 / 3)
    found: dict[str, tuple[str, tuple[str, ...], tuple[Phase, ...]]] = {
        "step": (scale.step, waits, scale.phases(1 / 3, 1)),
        "wave": (f"wave,{scale.share(0.5)},{scale.swing}", waits, ()),
        "spike": (f"spike,{third},{scale.swing},20", waits, ()),
        "binary": (f"binary,{scale.share(0.5)},{scale.swing}", waits, scale.phases(0.25, 0.5, 0.75, 1)),
        "constant": (middle, waits, scale.phases(1)),
        "compute": (
            f"wave,{scale.share(0.5)},{scale.rate(LOW / 2)},{scale.rate(1.5)}",
            ("--compute-us", scale.time(1)),
            (),
        ),
        "lock": (middle, ("--locked-us", scale.time(1)), scale.phases(1)),
        "sink": (middle, (*waits, "--sink-us", scale.time(1)), scale.phases(1)),
    }
    rate, options, phases = found[name]
    return Scenario(name, SAYS[name], rate, scale.seconds, options, phases)


def with_batches(scale: Scale) -> Scenario:
    """The scenario in which a batch in front of the operator can be changed, too."""
    options = ("--call-us", scale.time(CALL), "--wait-us", scale.time(ITEM), "--batch-ms", scale.intervals[0])
    return Scenario(
        "batches",
        SAYS["batches"],
        scale.step,
        scale.seconds,
        options,
        scale.phases(1 / 3, 1),
        Compares.BATCHES,
        scale.intervals,
    )


def chosen(names: Sequence[str], scale: Scale, traces: Mapping[str, Path]) -> list[Scenario]:
    """The scenarios of these names; without any all, but for those whose load is a file that is not given."""
    if not names:
        names = [name for name in SAYS if name not in ASKED_FOR or name in traces]
    return [scenario(name, scale, traces.get(name)) for name in dict.fromkeys(names)]
