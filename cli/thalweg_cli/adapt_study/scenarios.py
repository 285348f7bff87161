"""What a study runs: loads that change, on operators that wait, compute, or share a lock."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from thalweg_cli.base.terminal import Failed
from thalweg_cli.run.experiment import number

LOW, HIGH = 0.6, 4.2
"""Rates of a load, in items that one replica can do if its operator takes no longer than it should."""


@dataclass(frozen=True)
class Phase:
    """A time in which the load stays as it is, in seconds."""

    begin: float
    end: float


@dataclass(frozen=True)
class Scenario:
    """A load, and what is done with it: `options` are for the program. In `phases` the load is constant."""

    name: str
    says: str
    rate: str
    seconds: float
    options: tuple[str, ...]
    phases: tuple[Phase, ...] = ()


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

    def share(self, of: float) -> str:
        """Part of its seconds."""
        return number(round(self.seconds * of, 6))

    def phases(self, *ends: float) -> tuple[Phase, ...]:
        """One phase up to each of these parts of its seconds."""
        return tuple(
            Phase(self.seconds * begin, self.seconds * end)
            for begin, end in zip((0.0, *ends[:-1]), ends, strict=True)
        )

    @property
    def waits(self) -> tuple[str, ...]:
        """The options of an operator that waits."""
        return ("--wait-us", number(self.work_us))


SAYS = {
    "step": "a load that steps up after a third of the time; the operator waits",
    "wave": "a load like a sine, two periods; the operator waits",
    "spike": "a low load with three spikes; the operator waits",
    "binary": "a load that is low, high, low and high; the operator waits",
    "constant": "a load that stays the same; the operator waits",
    "compute": "a load like a sine; the operator computes, so that more replicas than cores are of no use",
    "lock": "a load that stays the same; the operator waits with a lock that all replicas share",
    "sink": "a load that stays the same; the sink is too slow for it",
    "trace": "the load of a file (--trace); the operator waits",
}
"""All scenarios, in words."""


def scenario(name: str, scale: Scale, trace: Path | None = None) -> Scenario:
    """The scenario of a name. Raises Failed if there is none."""
    if name not in SAYS:
        raise Failed(f"there is no scenario {name}", remedy=f"one of {', '.join(SAYS)}")
    if name == "trace" and trace is None:
        raise Failed("the scenario trace needs a file", remedy="--trace FILE, as tw::rate::trace reads it")
    middle = scale.rate((LOW + HIGH) / 2)
    waits = scale.waits
    third, rest = scale.share(1 / 3), scale.share(2 / 3)
    found: dict[str, tuple[str, tuple[str, ...], tuple[Phase, ...]]] = {
        "step": (
            f"steps,{third},{scale.rate(LOW)},{rest},{scale.rate(HIGH)}",
            waits,
            scale.phases(1 / 3, 1),
        ),
        "wave": (f"wave,{scale.share(0.5)},{scale.swing}", waits, ()),
        "spike": (f"spike,{third},{scale.swing},20", waits, ()),
        "binary": (f"binary,{scale.share(0.5)},{scale.swing}", waits, scale.phases(0.25, 0.5, 0.75, 1)),
        "constant": (middle, waits, scale.phases(1)),
        "compute": (
            f"wave,{scale.share(0.5)},{scale.rate(LOW / 2)},{scale.rate(1.5)}",
            ("--compute-us", number(scale.work_us)),
            (),
        ),
        "lock": (middle, ("--locked-us", number(scale.work_us)), scale.phases(1)),
        "sink": (middle, (*waits, "--sink-us", number(scale.work_us)), scale.phases(1)),
        "trace": (f"trace,{trace}", waits, ()),
    }
    rate, options, phases = found[name]
    return Scenario(name, SAYS[name], rate, scale.seconds, options, phases)


def chosen(names: Sequence[str], scale: Scale, trace: Path | None) -> list[Scenario]:
    """The scenarios of these names; without any all, that of a file only if there is one."""
    if not names:
        names = [name for name in SAYS if name != "trace" or trace]
    return [scenario(name, scale, trace) for name in dict.fromkeys(names)]
