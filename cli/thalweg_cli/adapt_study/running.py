"""Makes the runs of a study: all ways in turn, so that what the machine does meanwhile meets all alike."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from thalweg_cli.adapt_study.observed import Observed, read
from thalweg_cli.adapt_study.scenarios import Scenario
from thalweg_cli.adapt_study.ways import Asked, Tried, Way
from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.process import finish
from thalweg_cli.base.terminal import Failed
from thalweg_cli.build.cmake import build
from thalweg_cli.run.adapting import VARIABLE
from thalweg_cli.run.experiment import number
from thalweg_cli.run.stage_samples import VARIABLE as MONITOR

PRESET = "release"
PROGRAM = "thalweg_micro_adapt"

PATIENCE_S = 60.0
"""How much longer than its load a run may take."""


@dataclass(frozen=True)
class Bench:
    """Where and how all runs are made. `pin`: the processors that they may use; without any, all."""

    program: Path
    policy: str
    asked: Asked
    late_ms: float
    pin: tuple[int, ...] = ()

    def command(self, scenario: Scenario, way: Way) -> list[str]:
        """What runs a way once, but for the file of its samples."""
        options = {
            "--rate": scenario.rate,
            "--seconds": number(scenario.seconds),
            "--policy": self.policy,
            "--replicas": str(way.replicas),
            "--late-ms": number(self.late_ms),
        }
        given = [word for name, value in options.items() for word in (name, value)]
        return [str(self.program), *given, *scenario.options]

    def run(self, scenario: Scenario, way: Way) -> Observed:
        """Runs a way once. Raises Failed, which says why, if the program fails."""
        with tempfile.TemporaryDirectory(prefix="thalweg-") as folder:
            samples = Path(folder, "samples.jsonl")
            done = finish(
                [*self.command(scenario, way), "--monitor", str(samples)],
                timeout_s=scenario.seconds + PATIENCE_S,
                pin=self.pin,
                # Whatever is in the user's environment.
                variables={VARIABLE: way.text(self.asked), MONITOR: ""},
            )
            if done.late:
                raise Failed(f"{scenario.name}, {way.name}: it did not end")
            if done.code != 0:
                raise Failed(f"{scenario.name}, {way.name}: {done.cause(PROGRAM)}")
            return read(done.out, samples.read_text(encoding="utf-8").splitlines())


def program() -> Path:
    """Builds the program."""
    build(PRESET, PROGRAM)
    return build_folder(PRESET) / "micro" / PROGRAM


def planners_of(one: Path) -> list[str]:
    """The planners that it knows."""
    done = finish([str(one), "--planners"])
    if done.code != 0:
        raise Failed(f"{PROGRAM}: {done.cause(PROGRAM)}")
    return done.out.split()


def in_turn(
    bench: Bench,
    scenarios: Sequence[Scenario],
    ways: Sequence[Way],
    repeats: int,
    tell: Callable[[int, int, str], None],
) -> dict[str, list[Tried]]:
    """Runs all ways of all scenarios so often; gives them by the names of scenarios.

    `tell` hears how many runs are done, of how many, and what is run next.
    """
    found = {one.name: [Tried(way) for way in ways] for one in scenarios}
    total, done = len(scenarios) * len(ways) * repeats, 0
    for _ in range(repeats):
        for scenario in scenarios:
            for tried in found[scenario.name]:
                tell(done, total, f"{scenario.name}, {tried.way.name}")
                tried.runs.append(bench.run(scenario, tried.way))
                done += 1
    return found
