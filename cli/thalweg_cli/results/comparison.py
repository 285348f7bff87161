"""What two sets of runs have in common, and what became faster or slower from one to the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from thalweg_cli.results.statistics import FEWEST, Estimate, cliffs_delta, ratio_of_medians
from thalweg_cli.results.store_rows import RunSet
from thalweg_cli.run.experiment import Setting
from thalweg_cli.run.metrics import Metric
from thalweg_cli.run.runs import Run

SAME = "no difference shown"
TOO_FEW = "too few runs"

OF_NO_EFFECT = ("show_output", "timeout_s", "verify", "user_args", "latency_log")
"""Conditions that change nothing of what is measured. Settings have the arguments, which were here once."""


@dataclass(frozen=True)
class Pair:
    """The values of one setting in two sets."""

    setting: Setting
    metric: Metric
    before: tuple[float, ...]
    after: tuple[float, ...]

    @property
    def ratio(self) -> Estimate | None:
        """The second median relative to the first; None if a value is not above 0, so that there is none."""
        if min(self.before + self.after) <= 0:
            return None
        return ratio_of_medians(self.before, self.after)

    @property
    def effect(self) -> float:
        """Cliff's delta, above 0 where the second set is the better one."""
        delta = cliffs_delta(self.before, self.after)
        return delta if self.metric.more_is_better else -delta

    @property
    def verdict(self) -> str:
        """What may be said: nothing about few runs, and a difference only if the interval leaves 1 out."""
        if min(len(self.before), len(self.after)) < FEWEST:
            return TOO_FEW
        ratio = self.ratio
        if ratio is None or ratio.low <= 1 <= ratio.high:
            return SAME
        return self.metric.more if ratio.low > 1 else self.metric.less


def match(
    before: Sequence[Run], after: Sequence[Run], metric: Metric, *, by_threads: bool = False
) -> tuple[list[Pair], list[Setting], list[Setting]]:
    """The settings that both sets have values of; then those that only the first has, and only the second.

    Settings are the same if program, input, threads, batch, frequency and arguments are: the threads asked
    for, or, if `by_threads`, those that were really there. A pattern of the recipe is the same with any
    numbers.
    """
    first, second = (values_of(runs, metric, by_threads=by_threads) for runs in (before, after))
    pairs = [
        Pair(setting, metric, tuple(values), tuple(second[setting]))
        for setting, values in first.items()
        if setting in second
    ]
    return pairs, [one for one in first if one not in second], [one for one in second if one not in first]


def values_of(runs: Sequence[Run], metric: Metric, *, by_threads: bool) -> dict[Setting, list[float]]:
    """The values of the runs that count, by setting."""
    found: dict[Setting, list[float]] = {}
    for run in runs:
        value = metric.told(run)
        if run.counts and value is not None:
            setting = replace(run.setting, freq_pattern=run.setting.pace)
            setting = replace(setting, nthreads=run.threads) if by_threads else setting
            found.setdefault(setting, []).append(value)
    return found


def differences(before: RunSet, after: RunSet) -> list[str]:
    """What else is not the same in two sets, and may be the cause of what is seen: a line each."""
    return [
        *differing(before.conditions, after.conditions, leave_out=OF_NO_EFFECT),
        *differing(before.circumstances, after.circumstances, leave_out=("load",)),
    ]


def differing(
    before: dict[str, Any], after: dict[str, Any], leave_out: Sequence[str] = (), within: str = ""
) -> Iterator[str]:
    """Lines for the values that are not the same, also inside of groups of values."""
    for name in dict.fromkeys([*before, *after]):
        one, two = before.get(name), after.get(name)
        if name in leave_out or one == two:
            continue
        if isinstance(one, dict) and isinstance(two, dict):
            yield from differing(one, two, within=f"{name} ")
        else:
            yield f"{within}{name}: {text(one)} -> {text(two)}"


def text(value: object) -> str:
    """A value for people."""
    if isinstance(value, list | tuple):
        return " ".join(map(str, value)) or "none"
    return "none" if value in (None, "") else str(value)
