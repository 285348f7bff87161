"""Samples of a long run, made so few that a page can hold them: neighbours become one."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from thalweg_cli.watch.sample_file import Json, rounded

MOST = 2400
"""Samples, as many as a running program's page has of ten minutes."""
MOST_OF_STAGES = 60_000
"""Samples times stages."""

MEANS = ("throughput", "cores_used")
MEANS_OF_STAGES = ("rate", "busy", "wait_in", "wait_out", "occupancy", "reorder")
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}

Weight = Callable[[Json], float]


def thinned(state: Json) -> Json:
    """A graph and samples with no more samples than a page can hold."""
    samples = state["history"]
    most = max(1, min(MOST, MOST_OF_STAGES // max(1, len(state["graph"]["stages"]))))
    width = -(-len(samples) // most)
    if width <= 1:
        return state
    return state | {"history": [merged(samples[at : at + width]) for at in range(0, len(samples), width)]}


def merged(group: Sequence[Json]) -> Json:
    """Neighbours as one: counts of the last one, and what happened in the time of all of them."""
    windows = [one["window_ns"] for one in group]
    found = group[-1] | {"window_ns": sum(windows)}
    found |= means(group, MEANS, windows)
    found["paused"] = 2 * sum(one["window_ns"] for one in group if one["paused"]) > sum(windows)
    for name in ("resizes", "rate_changes", "batch_changes", "decisions"):
        found[name] = [change for one in group for change in one.get(name, [])]
    put(found, "latency_ns", latency([one["latency_ns"] for one in group if "latency_ns" in one]))
    put(found, "bottleneck", limit([one for one in group if "bottleneck" in one]))
    found["stages"] = [
        merged_stage([one["stages"][index] for one in group if index < len(one["stages"])], windows)
        for index in range(len(group[-1]["stages"]))
    ]
    return found


def merged_stage(group: Sequence[Json], windows: Sequence[int]) -> Json:
    """One stage of neighbours. A stage that came later has only the last windows."""
    windows = windows[len(windows) - len(group) :]
    found = group[-1] | means(group, MEANS_OF_STAGES, windows)
    items = [one.get("rate", 0) * window for one, window in zip(group, windows, strict=True)]
    found |= means(group, ("service_ns",), items)
    put(found, "latency_ns", latency([one["latency_ns"] for one in group if "latency_ns" in one]))
    return found


def means(group: Sequence[Json], names: Sequence[str], weights: Sequence[float]) -> Json:
    """Means of what is there, weighted."""
    found = {}
    for name in names:
        there = [(one[name], weight) for one, weight in zip(group, weights, strict=True) if name in one]
        whole = sum(weight for _, weight in there)
        if whole > 0:
            found[name] = rounded(sum(value * weight for value, weight in there) / whole)
        elif there:
            found[name] = there[-1][0]
    return found


def latency(group: Sequence[Json]) -> Json | None:
    """Latencies of neighbours: quantiles are those of the buckets together."""
    if not group:
        return None
    counts: Counter[int] = Counter()
    for one in group:
        counts.update(dict(map(tuple, one["buckets"])))
    buckets = sorted(counts.items())
    most = max(one["max"] for one in group)
    found: Json = {"count": sum(one["count"] for one in group)}
    found |= {name: min(most, quantile(buckets, part)) for name, part in QUANTILES.items()}
    return found | {"max": most, "buckets": [list(bucket) for bucket in buckets]}


def quantile(buckets: Sequence[tuple[int, int]], part: float) -> int:
    """The upper end of the bucket that has it."""
    rest = part * sum(count for _, count in buckets)
    for upper, count in buckets:
        rest -= count
        if rest <= 0:
            return upper
    return buckets[-1][0]


def limit(group: Sequence[Json]) -> Json | None:
    """What limited the run for most of the time, in its latest words."""
    times: Counter[tuple[str, str]] = Counter()
    words: dict[tuple[str, str], Json] = {}
    for one in group:
        key = (one["bottleneck"]["stage"], one["bottleneck"]["reason"])
        times[key] += one["window_ns"]
        words[key] = one["bottleneck"]
    return words[times.most_common(1)[0][0]] if times else None


def put(found: Json, name: str, value: Any) -> None:  # noqa: ANN401
    """Sets a member, or takes it away if there is none."""
    if value is None:
        found.pop(name, None)
    else:
        found[name] = value
