"""A run of a benchmark program: how it is made, and what came of it."""

import json
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count, cycle
from pathlib import Path
from typing import Any

from thalweg_cli.base.paths import build_folder
from thalweg_cli.base.process import Waits, finish
from thalweg_cli.base.terminal import console
from thalweg_cli.catalog.applications import place_of, tool_of
from thalweg_cli.catalog.programs import PRESET
from thalweg_cli.run import adapting, stage_samples
from thalweg_cli.run.experiment import Conditions, Setting
from thalweg_cli.run.mpi import cause, launched, variables

Result = dict[str, Any]
"""What a program measured, as it writes it in JSON."""

MOST_SAID = 16_384
"""Characters kept of what a program (or its executor) says on standard error."""


@dataclass(frozen=True)
class Run:
    """One run. `number` counts from 1, among the runs to warm up and among the others.

    `threads` were really there at once, those that measure among them. `error` says why the program failed;
    `result` may be there even so, as when its output is wrong. `verified` is None if that was not asked for.
    `said`: what came on standard error, the executor's words among it. `judged`: what a search thinks of it.
    """

    setting: Setting
    number: int
    ended: str
    threads: int
    command: tuple[str, ...]
    warm_up: bool = False
    result: Result = field(default_factory=dict)
    verified: bool | None = None
    error: str = ""
    said: str = ""
    judged: str = ""

    @property
    def counts(self) -> bool:
        """Whether its numbers are to be used."""
        return not self.warm_up and not self.error


@dataclass
class Series:
    """The runs of one setting. `planned`: how many are to come, without those to warm up; 0 is unknown."""

    setting: Setting
    runs: list[Run] = field(default_factory=list)
    planned: int = 0

    @property
    def good(self) -> list[Run]:
        """The runs whose numbers are to be used."""
        return [run for run in self.runs if run.counts]

    @property
    def failed(self) -> Run | None:
        """The first run that failed."""
        return next((run for run in self.runs if run.error), None)

    @property
    def error(self) -> str:
        """The first error."""
        return self.failed.error if self.failed else ""

    @property
    def threads(self) -> int:
        """The most threads that a run had."""
        return max((run.threads for run in self.runs), default=0)


def in_series(runs: Iterable[Run]) -> list[Series]:
    """Runs by their settings, in the order of their first runs."""
    found: dict[Setting, Series] = {}
    for run in runs:
        found.setdefault(run.setting, Series(run.setting)).runs.append(run)
    return list(found.values())


def now() -> str:
    """The time, in UTC, as the store has it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def is_verified_apart(setting: Setting, conditions: Conditions) -> bool:
    """Whether not the program itself is to check its output."""
    return conditions.verify and setting.program.has_own_operators


def command_of(setting: Setting, conditions: Conditions) -> list[str]:
    """The command that runs a program, but for the files that are there for one run only."""
    apart = is_verified_apart(setting, conditions)
    options = replace(conditions, verify=False).options() if apart else conditions.options()
    place = build_folder(PRESET) / setting.program.executable
    ranks = launched(setting.nprocs, conditions.hosts) if setting.nprocs else []
    before = [*ranks, *adapting.words(setting.adapt), *conditions.executor]
    return [*before, str(place), *setting.options(), *options]


def measure(
    setting: Setting,
    conditions: Conditions,
    number: int,
    *,
    warm_up: bool = False,
    waits: Waits | None = None,
    samples: Path | None = None,
) -> Run:
    """Runs a program once. `samples`: the file for those of its stages, if it takes any."""
    program = setting.program
    apart = is_verified_apart(setting, conditions)
    command = command_of(setting, conditions)
    ranks = setting.nprocs is not None
    with tempfile.TemporaryDirectory(prefix="thalweg-") as folder:
        found, output = Path(folder, "results.json"), Path(folder, "output")
        written = ["-output", str(output)] if apart else []
        done = finish(
            [*command, *files_of(setting, conditions, number), *written, "-json", str(found)],
            timeout_s=conditions.timeout_s,
            pin=conditions.pin,
            show_output=conditions.show_output,
            variables=(variables(Path(folder)) if ranks else {})
            | stage_samples.variables(setting, conditions, samples),
            starts_others=ranks,
            waits=waits,
        )
        result, error = read(found)
        if apart and done.code == 0 and not error:
            result["verified"] = verified_apart(setting, output)
    verified = result.get("verified")
    if done.late:
        error = f"it did not end within {conditions.timeout_s:g} s (--timeout)"
    elif done.code != 0:
        error = cause(done, program.name) if ranks else done.cause(program.name)
        error += f" (exit code {done.code})" if done.code > 0 and f"code {done.code}" not in error else ""
    elif isinstance(verified, dict) and not verified.get("good"):
        error = f"the output is wrong: {verified.get('says')}"
    if conditions.show_output and done.errors:
        console.print(done.errors.rstrip(), markup=False)
    return Run(
        setting,
        number,
        now(),
        done.threads,
        tuple(command),
        warm_up,
        result,
        verified.get("good") if isinstance(verified, dict) else None,
        error,
        done.errors[-MOST_SAID:],
    )


def files_of(setting: Setting, conditions: Conditions, number: int) -> list[str]:
    """The options for files that a run leaves behind: its latencies, if they are asked for."""
    if not conditions.latency_log:
        return []
    name = re.sub(r"[^\w.+-]+", "_", f"{setting.name} {number}")
    return ["-latency-file", str(conditions.latency_log / f"{name}.csv")]


def verified_apart(setting: Setting, output: Path) -> Result:
    """What the application itself says of the output, or outputs, of a program.

    A program checks what it has written by its own application: one with other operators would compare these
    with themselves.
    """
    tool = place_of(tool_of(setting.program.application))
    all_says = []
    for source, (name, file) in enumerate(zip(cycle(setting.inputs), outputs_of(output)), 1):
        done = finish([str(tool), "verify", setting.program.application, name, str(file)])
        good, _, says = done.out.strip().removeprefix(f"{file}: ").partition(": ")
        says = says or done.cause(tool.name)
        all_says.append(says if source == 1 else f"source {source}: {says}")
        if done.code != 0 or good != "good":
            return {"good": False, "says": "; ".join(all_says)}
    return {"good": True, "says": "; ".join(all_says)}


def outputs_of(output: Path) -> Iterator[Path]:
    """What a program has written: an output, or one for each source, `output.2` for the second."""
    yield output
    for source in count(2):
        other = output.with_name(f"{output.stem}.{source}{output.suffix}")
        if not other.exists():
            return
        yield other


def read(file: Path) -> tuple[Result, str]:
    """The results in a file, and what is wrong with it."""
    try:
        result = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, "it wrote no results"
    except (OSError, ValueError) as error:
        return {}, f"what it wrote is not a file of results: {error}"
    return (result, "") if isinstance(result, dict) else ({}, "what it wrote is not a file of results")
