"""What is compared: fixed numbers of replicas, and planners."""

from dataclasses import dataclass, field

from thalweg_cli.adapt_study.observed import Observed
from thalweg_cli.run.adapting import EVERY, GOAL


@dataclass(frozen=True)
class Asked:
    """What planners are asked for, in the texts that the library takes. `most`: replicas, at most."""

    most: int
    goal: str = GOAL
    every: str = EVERY


@dataclass(frozen=True)
class Way:
    """A number of replicas that stays, or a planner, which begins with one."""

    replicas: int = 1
    planner: str = ""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.planner or f"{self.replicas} replica{'s' * (self.replicas != 1)}"

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
