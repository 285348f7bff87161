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
from thalweg_cli.run.mpi import cause, launched, variables
from thalweg_cli.run.stage_samples import VARIABLE as MONITOR

PRESET = "release"
PROGRAM = "thalweg_micro_adapt"

PATIENCE_S = 60.0
"""How much longer than its load a run may take."""


@dataclass(frozen=True)
class Bench:
    """Where and how all runs are made. `pin`: the processors that they may use; without any, all.

    `ranks`: so many processes execute a run together; 0: one, without MPI.
    """

    program: Path
    policy: str
    asked: Asked
    late_ms: float
    pin: tuple[int, ...] = ()
    ranks: int = 0

    def command(self, scenario: Scenario, way: Way) -> list[str]:
        """What runs a way once, but for the file of its samples."""
        options = {
            "--rate": scenario.rate,
            "--seconds": number(scenario.seconds),
            "--policy": self.policy,
            "--replicas": str(way.replicas),
            "--late-ms": number(self.late_ms),
            "--adapt": way.text(self.asked),
        }
        # What is said twice counts as it was said last.
        said = [*options.items(), *pairs(scenario.options), *pairs(way.options)]
        given = [word for name, value in dict(said).items() if value for word in (name, value)]
        return [*(launched(self.ranks) if self.ranks else []), str(self.program), *given]

    def run(self, scenario: Scenario, way: Way) -> Observed:
        """Runs a way once. Raises Failed, which says why, if the program fails."""
        with tempfile.TemporaryDirectory(prefix="thalweg-") as folder:
            samples = Path(folder, "samples.jsonl")
            done = finish(
                [*self.command(scenario, way), "--monitor", str(samples)],
                timeout_s=scenario.seconds + PATIENCE_S,
                pin=self.pin,
                # Whatever is in the user's environment.
                variables={VARIABLE: "", MONITOR: "", **(variables(Path(folder)) if self.ranks else {})},
                starts_others=self.ranks > 0,
            )
            if done.late:
                raise Failed(f"{scenario.name}, {way.name}: it did not end")
            if done.code != 0:
                why = cause(done, PROGRAM) if self.ranks else done.cause(PROGRAM)
                raise Failed(f"{scenario.name}, {way.name}: {why}")
            return read(done.out, samples.read_text(encoding="utf-8").splitlines())


def pairs(options: Sequence[str]) -> list[tuple[str, str]]:
    """Options and their values."""
    return list(zip(options[::2], options[1::2], strict=True))


def program(ranks: int = 0) -> Path:
    """Builds the program: for one process, or for several."""
    name = f"{PROGRAM}_mpi" if ranks else PROGRAM
    build(PRESET, name)
    return build_folder(PRESET) / "micro" / name


def planners_of(one: Path) -> list[str]:
    """The planners that it knows."""
    done = finish([str(one), "--planners"])
    if done.code != 0:
        raise Failed(f"{PROGRAM}: {done.cause(PROGRAM)}")
    return done.out.split()


def in_turn(
    bench: Bench,
    scenarios: Sequence[tuple[Scenario, Sequence[Way]]],
    repeats: int,
    tell: Callable[[int, int, str], None],
) -> dict[str, list[Tried]]:
    """Runs all scenarios, each in all its ways, so often; gives them by the names of scenarios.

    `tell` hears how many runs are done, of how many, and what is run next.
    """
    found = {one.name: [Tried(way) for way in ways] for one, ways in scenarios}
    total, done = sum(map(len, found.values())) * repeats, 0
    for _ in range(repeats):
        for scenario, _ways in scenarios:
            for tried in found[scenario.name]:
                tell(done, total, f"{scenario.name}, {tried.way.name}")
                tried.runs.append(bench.run(scenario, tried.way))
                done += 1
    return found
