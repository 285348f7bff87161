"""A run as it is now, for a terminal: a table of its stages, and what limits it."""

from collections.abc import Callable

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from thalweg_cli.watch.live_page import Json
from thalweg_cli.watch.units import count, digits, duration, percent, rate

LINES_AROUND = 8
"""Lines of a terminal that are not rows of the table."""


def overview(graph: Json, sample: Json, *, height: int | None = None) -> Group:
    """All of it; of many stages the busiest ones, so that it has no more lines than `height`."""
    parts: list[RenderableType] = [heading(graph, sample), table(graph, sample, height)]
    if verdict := limit(sample):
        parts.append(verdict)
    return Group(*parts)


def heading(graph: Json, sample: Json) -> Text:
    """What runs, in what state, how far and how fast."""
    state = "ended" if sample["done"] else "paused" if sample["paused"] else "running"
    said = [state, duration(sample["time_ns"])]
    if "items" in sample:
        said += [f"{count(sample['items'])} items", rate(sample["throughput"])]
    if latency := sample.get("latency_ns"):
        said.append(f"latency p50 {duration(latency['p50'])}, p99 {duration(latency['p99'])}")
    said.append(f"{digits(sample['cores_used'])} of {graph['cores']} cores")
    if sample.get("dropped"):
        said.append(f"{count(sample['dropped'])} dropped")
    return Text.assemble((graph["title"], "bold"), "  ", ", ".join(said))


def at_work(stage: Json) -> str:
    """How many replicas worked at once."""
    return f"{stage['busy']:.2f} of {stage['replicas']}" if "busy" in stage else f"of {stage['replicas']}"


def in_pipe(stage: Json) -> str:
    """How full its pipe was."""
    if "occupancy" not in stage:
        return ""
    capacity = f" / {stage['capacity']}" if "capacity" in stage else ""
    return digits(stage["occupancy"]) + capacity


def failures(stage: Json) -> str:
    """Errors so far; none is no text."""
    return count(stage["errors"]) if stage.get("errors") else ""


COLUMNS: dict[str, Callable[[Json], str]] = {
    "rate": lambda stage: rate(stage.get("rate")),
    "time/item": lambda stage: duration(stage.get("service_ns")),
    "busy": lambda stage: percent(share_at_work(stage)),
    "at work": at_work,
    "in pipe": in_pipe,
    "waits in": lambda stage: percent(stage.get("wait_in")),
    "waits out": lambda stage: percent(stage.get("wait_out")),
    "errors": failures,
    "latency p99": lambda stage: duration(stage.get("latency_ns", {}).get("p99")),
}


def share_at_work(stage: Json) -> float | None:
    """The part of the time that its replicas worked."""
    return min(1.0, stage["busy"] / max(1, stage["replicas"])) if "busy" in stage else None


def table(graph: Json, sample: Json, height: int | None) -> Table:
    """A row for each stage. A column without numbers is left out."""
    rows = list(zip(graph["stages"], sample["stages"], strict=False))
    most = len(rows) if height is None else max(1, height - LINES_AROUND)
    if len(rows) > most:
        rows = sorted(rows, key=lambda row: share_at_work(row[1]) or 0, reverse=True)[:most]
    limiting = sample.get("bottleneck", {}).get("stage")
    shown = {heading: text for heading, text in COLUMNS.items() if any(text(stage) for _, stage in rows)}
    found = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("stage", *shown):
        found.add_column(
            heading, justify="left" if heading == "stage" else "right", no_wrap=heading != "stage"
        )
    for of, stage in rows:
        style = "bold" if of["name"] == limiting else ""
        found.add_row(Text(of["name"]), *(text(stage) for text in shown.values()), style=style)
    if len(rows) < len(graph["stages"]):
        found.caption = f"the busiest of {len(graph['stages'])} stages"
    return found


def limit(sample: Json) -> Text | None:
    """What limits the run, and what would help."""
    told = sample.get("bottleneck")
    if not told:
        return None
    reason = told["reason"].replace("_", " ")
    where = f"{reason} ({told['stage']})" if told["stage"] else reason
    return Text.assemble(("Limit: ", "bold"), f"{where}. {told['advice']}")
