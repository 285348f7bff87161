"""Runs a stream whose load steps up and down, and draws how it adapts itself.

`./thalweg adapt-study --list` builds the program; then, with the Python of `.venv`:
`python docs/pictures/adaptation.py build/release/micro/thalweg_micro_adapt docs/pictures/adaptation-step.svg`
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

RATE = "steps,4,300,4,2500,4,1200"
"""Items a second that are due: three times 4 s."""
SECONDS, WORK_US = 12.0, 2000
OURS, DUE, FIXED, MPR = "#0b6e99", "#d1495b", "#8a8d91", "#edae49"
STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "grid.color": "#e5e7eb",
    "svg.hashsalt": "thalweg",
}
Json = dict[str, Any]


def samples(program: str, replicas: int, adapt: str) -> list[Json]:
    """What a run shows every 100 ms."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "samples.jsonl")
        options = {
            "--rate": RATE,
            "--seconds": str(SECONDS),
            "--policy": "pool",
            "--replicas": str(replicas),
            "--wait-us": str(WORK_US),
            "--monitor": str(file),
        }
        command = [program, *(word for pair in options.items() for word in pair)]
        subprocess.run(
            command,
            check=True,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "THALWEG_ADAPT": adapt},
        )
        return [
            json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()
        ]


def farm(sample: Json) -> Json:
    """The stage that adapts."""
    return next(stage for stage in sample["stages"] if stage["name"] == "work")


def draw(found: dict[str, tuple[str, Sequence[Json]]], file: Path) -> None:
    """Throughput, replicas and latency over time: one line for each run."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.5, 6.2), layout="constrained")
        rate, replicas, latency = figure.subplots(3, 1, sharex=True)
        for name, (colour, all_of) in found.items():
            time = [one["time_ns"] / 1e9 for one in all_of]
            rate.plot(
                time, [one["throughput"] for one in all_of], color=colour, label=name
            )
            replicas.step(
                time,
                [farm(one)["replicas"] for one in all_of],
                color=colour,
                where="post",
            )
            late = [
                (one["time_ns"] / 1e9, one["latency_ns"]["p99"] / 1e6)
                for one in all_of
                if "latency_ns" in one
            ]
            latency.plot([at for at, _ in late], [ms for _, ms in late], color=colour)
        rate.step(
            [0, 4, 8, 12],
            [300, 2500, 1200, 1200],
            color=DUE,
            where="post",
            ls="--",
            label="due",
        )
        titled(rate, "items a second", 0, None)
        titled(replicas, "replicas allowed", 0, None)
        titled(latency, "99 of 100 items are done within (ms)", 1, None)
        latency.set_yscale("log")
        latency.set_xlabel("seconds")
        rate.legend(frameon=False, ncols=len(found) + 1, loc="upper left")
        figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)


def titled(axes: Axes, title: str, least: float, most: float | None) -> None:
    """What an axis shows, and from where to where."""
    axes.set_title(title)
    axes.set_ylim(least, most)
    axes.set_xlim(0, SECONDS)


def main() -> None:
    """Runs and draws."""
    program, file = sys.argv[1:]
    found = {
        "adapts itself": (
            OURS,
            samples(program, 1, "planner=thalweg goal=keep_up every=100ms"),
        ),
        "2 replicas": (FIXED, samples(program, 2, "")),
        "planner mpr": (MPR, samples(program, 1, "planner=mpr every=100ms")),
    }
    draw(found, Path(file))


main()
