"""What the micro-benchmarks found: rows with intervals, the machine, and what could not be measured."""

import json
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from thalweg_cli.results.statistics import Estimate, median_with_interval

Event = dict[str, Any]
"""A line that a benchmark program printed."""

REFERENCE = "reference"
TUNED = "tuned"
NANOSECONDS = "ns/item"
RATIO = "ratio"


@dataclass(frozen=True)
class Bar:
    """What a row is held against: its value, or its ratio to a reference, must not be above `limit`."""

    limit: float
    on: str

    def reached(self, value: Estimate, ratio: Estimate | None) -> bool:
        """Whether the interval of a row reaches it. One without numbers does not."""
        held = ratio if self.on == RATIO else value
        return held is not None and held.low <= self.limit


@dataclass(frozen=True)
class Row:
    """One measured thing: a contender in one variant of one benchmark."""

    bench: str
    variant: str
    peer: str
    setting: str
    role: str
    metric: str
    unit: str
    value: Estimate
    items: int
    repeats: int
    against: str = ""
    ratio: Estimate | None = None
    bar: Bar | None = None
    passed: bool | None = None
    parallelism: float | None = None

    @classmethod
    def from_event(cls, event: Event) -> Self:
        """Makes a row of the samples in a line of type `row`: medians, intervals and the verdict.

        `ratios` to the reference are there if one is named, and `parallelism` and `bar` may be. JSON has null
        in place of what is no number.
        """
        plain = {key: value for key, value in event.items() if key not in ("type", "samples", "ratios")}
        value = median_with_interval(numbers(event["samples"]))
        ratio = median_with_interval(numbers(event["ratios"])) if "ratios" in event else None
        held = Bar(**event["bar"]) if "bar" in event else None
        cores = numbers(event.get("parallelism", ()))
        plain["parallelism"] = statistics.median(cores) if cores else None
        plain["bar"] = held
        plain["passed"] = held.reached(value, ratio) if held else None
        return cls(value=value, ratio=ratio, **plain)

    @classmethod
    def from_file(cls, saved: dict[str, Any]) -> Self:
        """Makes a row of what `asdict` made of one."""
        plain = saved | {"value": Estimate(**saved["value"])}
        if plain.get("ratio"):
            plain["ratio"] = Estimate(**plain["ratio"])
        if plain.get("bar"):
            plain["bar"] = Bar(**plain["bar"])
        return cls(**plain)


def numbers(found: Sequence[float | None]) -> list[float]:
    """Values that JSON gave, NaN where they are no numbers."""
    return [math.nan if one is None else one for one in found]


@dataclass(frozen=True)
class Wrong:
    """A contender that failed, or whose output was not that of the loop: it is not compared."""

    bench: str
    variant: str
    who: str
    why: str


@dataclass
class Results:
    """All that a run of the benchmarks found."""

    machine: dict[str, Any] = field(default_factory=dict)
    quick: bool = False
    says: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    wrong: list[Wrong] = field(default_factory=list)

    def take(self, event: Event) -> None:
        """Adds what a line says. Lines of unknown types say nothing."""
        match event.get("type"):
            case "machine":
                self.machine.update({key: value for key, value in event.items() if key != "type"})
            case "unavailable":
                self.missing[event["peer"]] = event["fix"]
            case "begin":
                self.says[event["bench"]] = event["says"]
            case "end":
                self.seconds[event["bench"]] = event["seconds"]
            case "row":
                self.rows.append(Row.from_event(event))
            case "wrong":
                self.wrong.append(Wrong(**{key: value for key, value in event.items() if key != "type"}))

    def benches(self) -> list[str]:
        """The benchmarks that left rows, in the order in which they ran."""
        return list(dict.fromkeys(row.bench for row in self.rows))

    def of(self, bench: str) -> list[Row]:
        """The rows of a benchmark."""
        return [row for row in self.rows if row.bench == bench]

    def judged(self) -> list[Row]:
        """The rows that are held against a bar."""
        return [row for row in self.rows if row.passed is not None]

    def missed(self) -> list[Row]:
        """The rows that do not reach their bar."""
        return [row for row in self.judged() if not row.passed]

    def save(self, file: Path) -> None:
        """Writes all of it as JSON; the file's folder is made if need be."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, file: Path) -> Self:
        """Reads what `save` wrote."""
        plain = json.loads(file.read_text(encoding="utf-8"))
        plain["rows"] = [Row.from_file(row) for row in plain["rows"]]
        plain["wrong"] = [Wrong(**wrong) for wrong in plain["wrong"]]
        return cls(**plain)


def variants(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows by the variant they belong to, in their order."""
    result: dict[str, list[Row]] = {}
    for row in rows:
        result.setdefault(row.variant, []).append(row)
    return result
