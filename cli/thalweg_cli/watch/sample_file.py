"""What a run has written as its `.monitor`, as the page gets it from a running program."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]

DIGITS = 6
COUNTS = ("items_in", "items_out", "errors", "retries", "skipped", "dead_lettered", "dropped")
HAPPENINGS = ("resizes", "rate_changes", "batch_changes", "decisions", "notes")
LEVELS = ("occupancy", "reorder", "latency_ns")
WAITS = {"wait_in": "waited_for_input_ns", "wait_out": "waited_for_output_ns"}
WHOLE = ("items", "dropped", "cpu_ns", "resident_bytes", "latency_ns", "bottleneck")
NEEDED = ("time_ns", "paused_ns", "items", "throughput", "stages")
NEEDED_OF_STAGES = (*COUNTS, "name", "replicas", "busy_ns", *WAITS.values())


class BadSamples(ValueError):
    """A file that is none of samples: which line, and why."""


def read_state(file: Path) -> Json:
    """The graph and the samples of a file, as `/api/state` gives them. Raises BadSamples or OSError."""
    graph: Json = {}
    samples: list[Json] = []
    before: Json = {}
    for number, line in lines_of(file):
        graph = line.get("graph", graph)
        try:
            check(line, graph, before)
            samples.append(sample(line, graph, before))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            why = error if isinstance(error, BadSamples) else "it is no sample of a run"
            raise BadSamples(f"line {number}: {why}") from error
        before = line
    if not samples:
        raise BadSamples("it is empty: a run writes its first sample after `.every`, and one at its end")
    return {"version": 1, "graph": graph | {"control": False}, "history": samples}


def lines_of(file: Path) -> Iterator[tuple[int, Json]]:
    """The lines, each with its number."""
    with file.open("rb") as read:
        for number, line in enumerate(read, 1):
            try:
                found = json.loads(line)
            except ValueError as error:
                cut = "the file is cut off within this line" if not line.endswith(b"\n") else "it is no JSON"
                raise BadSamples(f"line {number}: {cut}") from error
            if not isinstance(found, dict):
                raise BadSamples(f"line {number}: it is no sample of a run")
            yield number, found


def check(line: Json, graph: Json, before: Json) -> None:
    """Raises BadSamples if a line cannot follow another one."""
    for name in NEEDED:
        if name not in line:
            raise BadSamples(f"it is no sample of a run: it has no '{name}'")
    if not graph:
        raise BadSamples("the graph of the run is not in it: an earlier Thalweg wrote this file")
    for stage in line["stages"]:
        for name in NEEDED_OF_STAGES:
            if name not in stage:
                raise BadSamples(f"it is no sample of a run: a stage has no '{name}'")
    if [stage["name"] for stage in line["stages"]] != [stage["name"] for stage in graph["stages"]]:
        raise BadSamples("its stages are not those of the graph")
    if before and (before["final"] or line["time_ns"] < before["time_ns"]):
        raise BadSamples("another run begins here: a file has one run")


def sample(line: Json, graph: Json, before: Json) -> Json:
    """A sample with what has happened since the one before."""
    window = line["time_ns"] - before.get("time_ns", 0)
    paused = line["paused_ns"] - before.get("paused_ns", 0)
    found: Json = {"time_ns": line["time_ns"], "window_ns": window, "done": line["final"]}
    found["paused"] = not line["final"] and paused > 0 and 2 * paused >= window
    found |= {name: line[name] for name in WHOLE if name in line}
    found |= {name: rounded(line[name]) for name in ("throughput", "cores_used") if name in line}
    earlier = before.get("stages", [])
    found["stages"] = [
        stage(now, earlier[index] if index < len(earlier) else {}, of["kind"], window, window - paused)
        for index, (now, of) in enumerate(zip(line["stages"], graph["stages"], strict=True))
    ]
    if "ranks" in line:
        found["ranks"] = line["ranks"]
    return found | {name: line.get(name, []) for name in HAPPENINGS}


def stage(now: Json, before: Json, kind: str, window_ns: int, active_ns: int) -> Json:
    """A stage with its rates and shares of time."""
    found: Json = {name: now[name] for name in ("replicas", *COUNTS)}
    if "shares" in now:
        found["shares"] = now["shares"]
    worked_on = "items_out" if kind == "source" else "items_in"
    if window_ns > 0:
        found["rate"] = rounded(1e9 * (now[worked_on] - before.get(worked_on, 0)) / window_ns)
    if "parallelism" in now:
        found |= {"busy": rounded(now["parallelism"]), "service_ns": rounded(now["service_ns_per_item"])}
    elif now["busy_ns"] > 0:
        found["busy"] = 0.0
    time_ns = active_ns * max(1, now["replicas"])
    for share, name in WAITS.items():
        if now[name] > 0 and time_ns > 0:
            found[share] = rounded(min(1.0, max(0.0, (now[name] - before.get(name, 0)) / time_ns)))
    found |= {name: now[name] for name in ("batch",) if name in now}
    return found | {name: rounded(now[name]) for name in LEVELS if name in now}


def rounded(value: Any) -> Any:  # noqa: ANN401
    """A number without digits that nobody reads; anything else as it is."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
