"""What is compared: fixed settings, and planners."""

from dataclasses import dataclass, field

from thalweg_cli.adapt_study.observed import Observed
from thalweg_cli.adapt_study.scenarios import FEWER, MORE, Compares, Scenario
from thalweg_cli.run.adapting import EVERY, GOAL

PARTS = {
    "both": "",
    "replicas": "replicas alone",
    "batches": "batches alone",
    "neither": "neither",
}
"""What planners may change, and how that is called."""

MOST_WITH_BATCHES = 3
"""With any interval the load keeps fewer than two replicas busy: more fixed ones would show nothing."""

POLICIES = ("threads", f"pool:{MORE + 1}")
"""Under which the cost of one change is measured: each replica can have a thread."""


@dataclass(frozen=True)
class Asked:
    """What planners are asked for, in the texts that the library takes. `most`: replicas, at most."""

    most: int
    goal: str = GOAL
    every: str = EVERY


@dataclass(frozen=True)
class Way:
    """A number of replicas that stays, or a planner, which begins with one.

    `note` tells it from others of the same number or planner; one that is `called` something needs none.
    `options` are for the program, and override those of the scenario.
    """

    replicas: int = 1
    planner: str = ""
    note: str = ""
    options: tuple[str, ...] = ()
    called: str = ""

    @property
    def name(self) -> str:
        """What it is called."""
        if self.called:
            return self.called
        name = self.planner or f"{self.replicas} replica{'s' * (self.replicas != 1)}"
        return f"{name}, {self.note}" if self.note else name

    def text(self, asked: Asked) -> str:
        """What the program is told of how it adapts itself; empty if it does not."""
        if not self.planner:
            return ""
        return f"planner={self.planner} goal={asked.goal} every={asked.every} most={asked.most}"


@dataclass
class Tried:
    """A way, and its runs."""

    way: Way
    runs: list[Observed] = field(default_factory=list)


def all_ways(most: int, planners: list[str]) -> list[Way]:
    """Every number of replicas up to the most, then every planner."""
    return [Way(n) for n in range(1, most + 1)] + [Way(planner=name) for name in dict.fromkeys(planners)]


def ways_of(scenario: Scenario, most: int, planners: list[str], policy: str) -> list[Way]:
    """What a scenario compares. `policy`: of all runs; empty if there is none that all have."""
    if scenario.compares is Compares.BATCHES:
        return ways_with_batches(scenario, most, planners)
    if scenario.compares is Compares.POLICIES:
        names = (policy,) if policy else POLICIES
        return [Way(FEWER, options=("--policy", name), called=name) for name in names]
    return all_ways(most, planners)


def ways_with_batches(scenario: Scenario, most: int, planners: list[str]) -> list[Way]:
    """Numbers of replicas with each interval of batches; every planner, with what it may change."""
    fixed = [
        Way(n, note=f"{interval} ms", options=("--batch-ms", interval))
        for n in range(1, min(most, MOST_WITH_BATCHES) + 1)
        for interval in scenario.intervals
    ]
    return fixed + [
        Way(planner=name, note=note, options=("--may", part))
        for name in dict.fromkeys(planners)
        for part, note in PARTS.items()
    ]
