"""What the store keeps of a set and of a run, as rows of its tables."""

import json
from dataclasses import dataclass, fields
from typing import Any

from thalweg_cli.base.machine import UNKNOWN
from thalweg_cli.catalog.programs import Program
from thalweg_cli.run.experiment import Setting
from thalweg_cli.run.runs import Run

VARIED = (
    "input",
    "nthreads",
    "batch",
    "batch_bytes",
    "batch_interval",
    "frequency",
    "freq_pattern",
    "purpose",
    "nprocs",
)
"""What a setting is made of beside its program and its arguments, in the order of its fields."""


ADDED_TO_SETS: dict[str, Any] = {
    "findings": "[]",
    "memory": 0,
    "caches": UNKNOWN,
    "clock": UNKNOWN,
    "system": UNKNOWN,
}
ADDED_TO_RUNS: dict[str, Any] = {
    "batch_bytes": None,
    "purpose": "",
    "judged": "",
    "nprocs": None,
    "adapt": "",
}
"""What stores of earlier versions do not have, and what it is there."""


@dataclass(frozen=True)
class RunSet:
    """What one call of `exec` measured. It is complete if nothing cut it short.

    `count` is the number of its runs, those that failed and those to warm up among them. `findings` follow
    from several runs together.
    """

    id: int
    label: str
    began: str
    ended: str | None
    complete: bool
    command: list[str]
    conditions: dict[str, Any]
    circumstances: dict[str, Any]
    count: int
    failed: int
    programs: list[str]
    inputs: list[str]
    findings: list[dict[str, Any]]

    @property
    def name(self) -> str:
        """Its id, and its label if it has one."""
        return f"{self.id} ({self.label})" if self.label else str(self.id)


def row_of(run: Run) -> dict[str, Any]:
    """The row of a run, without the set that it belongs to."""
    setting, program = run.setting, run.setting.program
    return {
        "ended": run.ended,
        "program": program.name,
        "application": program.application,
        "interface": program.interface,
        "composition": program.composition,
        **{name: getattr(setting, name) for name in VARIED},
        "user_args": list(setting.user_args),
        "adapt": setting.adapt,
        "threads": run.threads,
        "number": run.number,
        "warm_up": run.warm_up,
        "metrics": run.result,
        "verified": run.verified,
        "error": run.error,
        "command": list(run.command),
        "said": run.said,
        "judged": run.judged,
    }


def set_from(row: dict[str, Any]) -> RunSet:
    """A set from its row, and what is counted of its runs."""
    row = ADDED_TO_SETS | row
    of_set = [field.name for field in fields(RunSet) if field.name != "circumstances"]
    own, here = {name: row[name] for name in of_set}, {name: row[name] for name in row if name not in of_set}
    for name in ("command", "conditions", "programs", "inputs", "findings"):
        own[name] = json.loads(own[name])
    for name in ("programs", "inputs"):
        own[name] = [one for one in own[name] if one is not None]  # A set without runs has the name of none.
    for name in ("libraries", "environment"):
        here[name] = json.loads(here[name])
    own |= {"complete": bool(own["complete"]), "failed": int(own["failed"])}
    return RunSet(**own, circumstances=here | {"changed": bool(here["changed"])})


def run_from(row: dict[str, Any]) -> Run:
    """A run from its row."""
    row = ADDED_TO_RUNS | row
    program = Program(row["program"], row["application"], row["interface"], row["composition"], missing="")
    return Run(
        Setting(
            program,
            **{name: row[name] for name in VARIED},
            user_args=tuple(json.loads(row["user_args"])),
            adapt=row["adapt"],
        ),
        row["number"],
        row["ended"],
        row["threads"],
        tuple(json.loads(row["command"])),
        bool(row["warm_up"]),
        json.loads(row["metrics"]),
        None if row["verified"] is None else bool(row["verified"]),
        row["error"],
        row["said"],
        row["judged"],
    )
