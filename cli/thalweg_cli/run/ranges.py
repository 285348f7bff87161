"""Ranges on the command line: `4`, `1:4`, `4:1`, `1:2:8`."""

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from thalweg_cli.base.terminal import Failed

MOST_VALUES = 1000
"""A range of more is a slip: each value means runs of every program."""

RANGE, WORDS = r"\d+(?::\d+){1,2}", r"[A-Za-z][\w-]*(?:,[A-Za-z][\w-]*)+"
"""What stands for several arguments of programs: numbers have ranges, and words have lists."""

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
        """What a text stands for: a first value, and then one a step further, up or down, to the last.

        `3:2:7` is 3, 5 and 7. From 1 on, they are the multiples of a step above 1: `1:2:8` is 1, 2, 4, 6 and
        8. Both are so in SPBench. Raises Failed if the text is no such range.
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

    def whole_values(self, text: str) -> list[int]:
        """The same, of a range of whole numbers."""
        return [int(value) for value in self.values(text)]

    def forms(self) -> str:
        """What may be written."""
        return "N, A:B or A:STEP:B" if self.whole else "N or A:STEP:B"


def steps(first: Decimal, step: Decimal, last: Decimal) -> list[Decimal]:
    """The values from the first one to the last; one more than allowed, at most."""
    from_one = first == 1 < step and last >= first
    start = Decimal(0) if from_one else first
    way = 1 if last >= first else -1
    count = min(math.floor(abs(last - start) / step), MOST_VALUES)
    return [first, *(start + way * number * step for number in range(1, count + 1))]


def arguments_of(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """The arguments for programs, in all combinations of ranges of whole numbers and of lists of words.

    Another text is one argument, and so is a range or a list with `=` before it, without that.
    """
    each = []
    for text in texts:
        if re.fullmatch(RANGE, text, re.ASCII):
            each.append([str(value) for value in USER_ARG.values(text)])
        elif re.fullmatch(WORDS, text, re.ASCII):
            each.append(text.split(","))
        else:
            is_kept = re.fullmatch(f"={RANGE}|={WORDS}", text, re.ASCII)
            each.append([text.removeprefix("=") if is_kept else text])
    return list(itertools.product(*each))


NTHREADS = Range("--nthreads", 4096)
NPROCS = Range("--nprocs", 4096)
BATCH = Range("--batch", 2**31 - 1)
USER_ARG = Range("--user-arg", 2**63 - 1)
BATCH_INTERVAL = Range("--batch-interval", 1e9, whole=False)
BATCH_BYTES = Range("--batch-bytes", 2**40)
FREQUENCY = Range("--frequency", 1e12, whole=False, least=1e-6)
