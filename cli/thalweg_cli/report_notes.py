"""What is to be known before one believes the numbers of a report."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from thalweg_cli.bootstrap import FEWEST
from thalweg_cli.circumstances import UNKNOWN
from thalweg_cli.comparison import differences
from thalweg_cli.experiment import SUSTAINABLE
from thalweg_cli.metrics import TIME
from thalweg_cli.report_data import Row, searches
from thalweg_cli.store_rows import RunSet
from thalweg_cli.sustainable_table import remark

BUSY = 0.3
"""The load for each core at which a machine is called busy."""

WIDE = 1.3
"""The longest time relative to the shortest at which runs are said to vary."""

BAD, CARE, PLAIN = "bad", "care", "plain"


@dataclass(frozen=True)
class Note:
    """A sentence, how bad it is, and what it is about, line by line."""

    level: str
    text: str
    details: list[str] = field(default_factory=list)


def notes(sets: Sequence[RunSet], rows: Sequence[Row]) -> list[Note]:
    """All that is to be noted, the worst first."""
    found = [*of_runs(rows), *of_settings(rows), *of_searches(rows)]
    for one in sets:
        found += of_set(one, [row for row in rows if row.of.id == one.id])
    for other in sets[1:]:
        if lines := differences(sets[0], other):
            found.append(Note(CARE, f"Sets {sets[0].name} and {other.name} were not measured alike.", lines))
    return sorted(found, key=lambda note: (BAD, CARE, PLAIN).index(note.level))


def of_runs(rows: Sequence[Row]) -> list[Note]:
    """What is wrong with runs."""
    found = []
    rows = [
        row for row in rows if row.series.setting.purpose != SUSTAINABLE
    ]  # Their runs are those of points.
    total = sum(len(row.series.runs) for row in rows)
    if failed := [row for row in rows if row.failed]:
        count = sum(len(row.failed) for row in failed)
        lines = [f"set {row.of.name}: {row.series.setting.name}: {row.series.error}" for row in failed]
        text = f"{count} of {total} runs failed. A setting is not run again once it has failed."
        found.append(Note(BAD, text, lines))
    unchecked = [row for row in rows if any(run.verified is None for run in row.series.good)]
    if unchecked:
        count = sum(run.verified is None for row in unchecked for run in row.series.good)
        good = sum(len(row.series.good) for row in rows)
        text = f"The output of {count} of {good} runs was not checked (exec --verify)."
        found.append(Note(CARE, text, named(unchecked) if len(unchecked) < len(rows) else []))
    return found


def of_settings(rows: Sequence[Row]) -> list[Note]:
    """What is to be known of series of runs."""
    found = []
    rows = [row for row in rows if not row.is_point]
    if few := [row for row in rows if 0 < len(row.series.good) < FEWEST]:
        lines = named(few) if len(few) < len(rows) else []
        text = f"{len(few)} of {len(rows)} settings have fewer than {FEWEST} runs: too few for differences."
        found.append(Note(CARE, text, lines))
    wide = []
    for row in rows:
        spread = row.spread(TIME)
        if spread and spread.low > 0 and spread.high / spread.low > WIDE:
            wide.append(f"{row.series.setting.name}: {spread.low:.4g} to {spread.high:.4g} s")
    if wide:
        text = (
            f"In {len(wide)} of {len(rows)} settings the longest run took over {WIDE:g} times the shortest."
        )
        found.append(Note(CARE, text, wide))
    crowded = [row for row in rows if row.series.setting.degree > row.of.circumstances["cores"] > 0]
    if crowded:
        text = f"{len(crowded)} of {len(rows)} settings asked for more threads than there were cores."
        found.append(Note(PLAIN, text))
    return found


def of_set(one: RunSet, rows: Sequence[Row]) -> list[Note]:
    """What is to be known of a set."""
    here, name = one.circumstances, f"Set {one.name}"
    found = []
    if not one.complete:
        found.append(Note(BAD, f"{name} was cut short: not all runs were made."))
    if here["cores"] and here["load"] > BUSY * here["cores"]:
        load = f"a load of {here['load']:.2f} on {here['cores']} cores"
        text = f"{name}: the machine was busy when it began, with {load}."
        found.append(Note(CARE, text))
    if here["changed"]:
        found.append(Note(CARE, f"{name}: files differed from commit {here['commit']}."))
    if here["governor"] == UNKNOWN:
        found.append(Note(PLAIN, f"{name}: the governor of the clock is not known."))
    elif here["governor"] != "performance":
        found.append(
            Note(CARE, f"{name}: the governor was {here['governor']}, so the clock may have changed.")
        )
    if not any(run.warm_up for row in rows for run in row.series.runs):
        found.append(Note(PLAIN, f"{name}: no runs to warm up, the first ones count."))
    return found


def of_searches(rows: Sequence[Row]) -> list[Note]:
    """What is to be known of the searches for sustainable rates."""
    found = [(one, answer) for one, answer in searches(rows) if remark(answer)]
    lines = [f"set {one.name}: {answer.setting.name}: {remark(answer)}" for one, answer in found]
    return [Note(CARE, f"{len(lines)} sustainable rates are to be taken with care.", lines)] if lines else []


def named(rows: Sequence[Row]) -> list[str]:
    """The settings of rows."""
    return [f"set {row.of.name}: {row.series.setting.name}, {len(row.series.good)} runs" for row in rows]
