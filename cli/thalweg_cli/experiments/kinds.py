"""What all experiments have in common: applications on inputs, fixed numbers, and what is asked."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rich.table import Table

from thalweg_cli.catalog.programs import Program
from thalweg_cli.experiments.sections import Section, table_of
from thalweg_cli.measure.measuring import Bench, Findings
from thalweg_cli.run.runs import Series

FIXED = "#6b6b6b"
COLORS = ("#0072b2", "#d55e00", "#009e73")
"""Of what stays as it is, and of what is compared."""


@dataclass(frozen=True)
class Case:
    """An application and its input; `quick` is the one of short runs."""

    application: str
    input: str
    quick: str

    def of(self, *, quick: bool) -> str:
        """The input that is taken."""
        return self.quick if quick else self.input


@dataclass(frozen=True)
class Asked:
    """What the user wants: programs by their names, how many runs of each, ranks, and whether in short."""

    cases: Sequence[Case]
    programs: Mapping[str, Program]
    repeat: int
    quick: bool = False
    nprocs: int | None = None


class Experiment(ABC):
    """A plan of runs, as `measure/` makes them, and what came of them."""

    rows: list[Series]
    shows_rows = False

    @abstractmethod
    def go(self, bench: Bench) -> None:
        """Makes the runs."""

    @abstractmethod
    def sections(self) -> list[Section]:
        """What came of the runs so far."""

    def tables(self) -> list[Table]:
        """Of all sections."""
        return [table_of(section) for section in self.sections()]

    def findings(self) -> Findings:
        """Nothing that the runs do not have."""
        return []


@dataclass(frozen=True)
class Kind:
    """An experiment that users can ask for by its name.

    `programs` are its programs, without the names of the applications in front; `over_mpi` are those over
    MPI, if it can use these. `repeat`: how many runs of each, if nothing else is asked for.
    """

    name: str
    says: str
    cases: Sequence[Case]
    programs: Sequence[str]
    repeat: int
    make: Callable[[Asked], Experiment]
    over_mpi: Sequence[str] = ()


def cores() -> int:
    """The processors that programs may use."""
    return len(os.sched_getaffinity(0))


def fixed_numbers(*, quick: bool) -> list[int]:
    """The numbers of replicas that are tried: the powers of two up to four times the cores."""
    most = 2 if quick else 4 * cores()
    return [2**power for power in range(most.bit_length())]
