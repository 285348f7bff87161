"""What an experiment consists of: the conditions that all runs share, and the settings that are compared."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from thalweg_cli.catalog.applications import inputs_in
from thalweg_cli.catalog.programs import SEQUENTIAL, Program
from thalweg_cli.run import adapting
from thalweg_cli.run.mpi import Host

ONE_THREAD = (SEQUENTIAL, "mpi-plain", "mpi-dsparlib")
"""Interfaces of programs that have one thread for each process."""

RECIPE, SEARCH, SUSTAINABLE = "recipe", "search", "sustainable"
"""What settings may be for: a pattern of --freq-recipe, a point of --find-sustainable, and what it found."""

BY_RECIPE = " by the recipe"

SAMPLED = "samples: "
"""How the purpose of a setting begins that is about how often samples are taken."""


@dataclass(frozen=True)
class Setting:
    """A point of an experiment: a program, its input, and what is varied.

    `input` may be several, between commas, for the sources of a program that has several.
    `frequency` is in elements a second, `batch_interval` in seconds; None is what programs do by themselves.
    `freq_pattern` is a frequency that changes, as programs take it. `purpose` is empty for what a user asked
    for point by point. `nprocs` is the number of ranks of a program over MPI, each of which has `nthreads`;
    None for others. `user_args` are for the program itself. `adapt` is how it adapts itself, as it reads that
    from its environment; empty: not at all.
    """

    program: Program
    input: str
    nthreads: int = 1
    batch: int | None = None
    batch_bytes: int | None = None
    batch_interval: float | None = None
    frequency: float | None = None
    freq_pattern: str = ""
    purpose: str = ""
    nprocs: int | None = None
    user_args: tuple[str, ...] = ()
    adapt: str = ""

    def options(self) -> list[str]:
        """The options of the program."""
        options = [word for name in self.inputs for word in ("-input", name)]
        options += ["-nthreads", str(self.nthreads)]
        for name, value in (
            ("-batch-size", self.batch),
            ("-batch-bytes", self.batch_bytes),
            ("-batch-interval", self.batch_interval),
            ("-frequency", self.frequency),
        ):
            if value is not None:
                options += [name, number(value)]
        if self.freq_pattern:
            options += ["-freq-patt", self.freq_pattern]
        for argument in self.user_args:
            options += ["-user-arg", argument]
        return options

    @property
    def inputs(self) -> list[str]:
        """The input of each source; behind the last one sources begin with the first again."""
        return inputs_in(self.input)

    @property
    def pace(self) -> str:
        """The pattern of the frequency, in words.

        One of the recipe has no numbers: they follow from what was measured before, and are not what differs.
        """
        if self.purpose == RECIPE:
            return self.freq_pattern.partition(",")[0].removesuffix(BY_RECIPE) + BY_RECIPE
        return self.freq_pattern

    @property
    def given(self) -> str:
        """Batches, frequency, arguments, planner and samples, as far as they are given, in words."""
        parts = (
            (self.batch, "a batch"),
            (self.batch_bytes, "bytes a batch"),
            (self.batch_interval, "s a batch"),
            (None if self.purpose == SUSTAINABLE else self.frequency, "/s"),
        )
        found = [f"{number(value)} {unit}" for value, unit in parts if value is not None]
        found += ["at its sustainable rate"] if self.purpose == SUSTAINABLE else []
        how = (self.pace, self.arguments, adapting.named(self.adapt), self.sampled)
        return ", ".join(filter(None, [*found, *how]))

    @property
    def sampled(self) -> str:
        """How often samples are taken, in words, if that is what settings differ by."""
        return self.purpose if self.purpose.startswith(SAMPLED) else ""

    @property
    def arguments(self) -> str:
        """Its own arguments, in words."""
        several = "s" if len(self.user_args) > 1 else ""
        return f"argument{several} {' '.join(self.user_args)}" if self.user_args else ""

    @property
    def name(self) -> str:
        """What it is, in words."""
        ranks = "" if self.nprocs is None else f"{self.nprocs} ranks"
        parts = (self.program.name, self.input, ranks, f"{self.nthreads} threads", self.given)
        return ", ".join(filter(None, parts))

    @property
    def degree(self) -> int:
        """The threads that were asked for, of all ranks together."""
        return self.nthreads * (self.nprocs or 1)


def number(value: float) -> str:
    """A number as programs read it, without an exponent or a `.0` that it does not need."""
    return str(int(value)) if value == int(value) else f"{value:.15g}"


CATCH_UP = "catch-up"


class WhenLate(StrEnum):
    """What becomes of elements that were due while the stream was busy."""

    CATCH_UP = CATCH_UP
    SKIP = "skip"
    CLOSED_LOOP = "closed-loop"


@dataclass(frozen=True)
class Conditions:
    """What holds for all runs of an experiment.

    `executor` is a command that runs the programs, `pin` the processors they may use (without any, all).
    `when_late` is a value of `WhenLate`. `hosts` are where the ranks of programs over MPI run; without any,
    here. `latency_log`: a folder for the latencies of all items.
    """

    verify: bool = False
    latency: bool = False
    in_memory: bool = False
    monitor_ms: int = 0
    executor: tuple[str, ...] = ()
    pin: tuple[int, ...] = ()
    timeout_s: float = 0
    show_output: bool = False
    when_late: str = CATCH_UP
    hosts: tuple[Host, ...] = ()
    latency_log: Path | None = None

    def options(self) -> list[str]:
        """The options of the programs."""
        flags = (("-verify", self.verify), ("-latency", self.latency), ("-in-memory", self.in_memory))
        options = [name for name, wanted in flags if wanted]
        if self.when_late != CATCH_UP:
            options += ["-when-late", self.when_late]
        if self.monitor_ms:
            options += ["-monitor", str(self.monitor_ms)]
        return options

    def as_plain(self) -> dict[str, Any]:
        """As JSON has it."""
        log = str(self.latency_log) if self.latency_log else None
        return asdict(self) | {"hosts": list(map(str, self.hosts)), "latency_log": log}


def has_one_thread(program: Program) -> bool:
    """Whether it has one thread for each process, however many are asked for."""
    return program.interface in ONE_THREAD or program.on_one_thread


def ranks_of(program: Program, nprocs: Iterable[int]) -> list[int]:
    """Those numbers of ranks with which a program over MPI can be started."""
    return [ranks for ranks in nprocs if ranks >= program.fewest_ranks]


def settings(
    programs: Iterable[Program],
    inputs: Sequence[str],
    nthreads: Sequence[int],
    *,
    batch: Sequence[int | None] = (None,),
    batch_bytes: Sequence[int | None] = (None,),
    batch_interval: Sequence[float | None] = (None,),
    frequency: Sequence[float | None] = (None,),
    freq_pattern: str = "",
    nprocs: Sequence[int] = (1,),
    user_args: Sequence[tuple[str, ...]] = ((),),
    adapt: Sequence[str] = ("",),
) -> list[Setting]:
    """All combinations. What has one thread, or is one process, has so whatever the others have.

    A program that needs more ranks has none with fewer.
    """
    return [
        Setting(
            program,
            name,
            threads,
            elements,
            size,
            seconds,
            rate,
            freq_pattern,
            nprocs=ranks,
            user_args=arguments,
            adapt=how,
        )
        for program in programs
        for ranks in (ranks_of(program, nprocs) if program.is_over_mpi else (None,))
        for name, threads, elements, size, seconds, rate, arguments, how in itertools.product(
            inputs,
            [1] if has_one_thread(program) else nthreads,
            batch,
            batch_bytes,
            batch_interval,
            frequency,
            user_args,
            adapt,
        )
    ]
