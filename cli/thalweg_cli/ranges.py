"""Ranges on the command line: `4`, `1:4`, `4:1`, `1:2:8`."""

import math
import re
from dataclasses import dataclass
from decimal import Decimal

from thalweg_cli.terminal import Failed

MOST_VALUES = 1000
"""A range of more is a slip: each value means runs of every program."""

NUMBER = r"\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?"


@dataclass(frozen=True)
class Range:
    """An option that takes a range. Its values lie above 0, and are `least` at least and `most` at most.

    Real numbers have no step of their own: what lies between two of them is the user's to say.
    """

    option: str
    most: float
    whole: bool = True
    least: float = 0

    def values(self, text: str) -> list[float]:
        """What a text stands for: a first value, and then the multiples of the step up, or down, to the last.

        `1:2:8` is 1, 2, 4, 6 and 8, as in SPBench. Raises Failed if the text is no such range.
        """
        number = r"\d+" if self.whole else NUMBER
        if not re.fullmatch(rf"{number}(:{number}){{0,2}}", text, re.ASCII):
            raise Failed(f"{self.option} {text}: not {self.forms()} with numbers above 0")
        first, *more = (Decimal(part) for part in text.split(":"))
        if len(more) == 1 and not self.whole:
            raise Failed(f"{self.option} {text}: a range of real numbers needs a step, A:STEP:B")
        for value in (first, *more):
            if not Decimal(self.least) <= value <= Decimal(self.most) or value == 0:
                least = f"at least {self.least:g}" if self.least else "above 0"
                raise Failed(f"{self.option} {text}: {value} is not {least} and at most {self.most:.10g}")
        found = [first] if not more else steps(first, more[0] if len(more) > 1 else Decimal(1), more[-1])
        if len(found) > MOST_VALUES:
            raise Failed(f"{self.option} {text}: these are more than {MOST_VALUES} values")
        return [int(value) if self.whole else float(value) for value in found]

    def forms(self) -> str:
        """What may be written."""
        return "N, A:B or A:STEP:B" if self.whole else "N or A:STEP:B"


def steps(first: Decimal, step: Decimal, last: Decimal) -> list[Decimal]:
    """The first value, then the multiples of the step between it and the last one; one more than allowed."""
    if last >= first:
        next_one, last_one, way = math.floor(first / step) + 1, math.floor(last / step), 1
    else:
        next_one, last_one, way = math.ceil(first / step) - 1, math.ceil(last / step), -1
    multiples = range(next_one, last_one + way, way)[:MOST_VALUES]
    return [first, *(number * step for number in multiples)]


NTHREADS = Range("--nthreads", 4096)
NPROCS = Range("--nprocs", 4096)
BATCH = Range("--batch", 2**31 - 1)
BATCH_INTERVAL = Range("--batch-interval", 1e9, whole=False)
BATCH_BYTES = Range("--batch-bytes", 2**40)
FREQUENCY = Range("--frequency", 1e12, whole=False, least=1e-6)
