"""What is to be known before one believes the numbers of a report."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from thalweg_cli.base.machine import UNKNOWN
from thalweg_cli.report.data import Row, searches
from thalweg_cli.results.comparison import differences
from thalweg_cli.results.statistics import FEWEST
from thalweg_cli.results.store_rows import RunSet
from thalweg_cli.results.sustainable_table import remark
from thalweg_cli.run.experiment import SUSTAINABLE
from thalweg_cli.run.metrics import TIME

BUSY = 0.3
"""The load for each core at which a machine is called busy."""

WIDE = 1.3
"""The longest time relative to the shortest at which runs are said to vary."""

BAD, CARE, PLAIN = "bad", "care", "plain"

RUNS, NOISE, SEARCHES, MACHINE, SETS = "runs", "how sure numbers are", "searches", "the machine", "sets"
KINDS = (RUNS, NOISE, SEARCHES, MACHINE, SETS)
"""What notes are about, in the order in which they stand."""


@dataclass(frozen=True)
class Note:
    """A sentence, what kind of thing it is about, how bad it is, and which ones are meant, line by line."""

    kind: str
    level: str
    text: str
    details: tuple[str, ...] = ()


def notes(sets: Sequence[RunSet], rows: Sequence[Row]) -> list[Note]:
    """All that is to be noted, kind by kind; in each the worst first."""
    found = [*of_runs(rows), *of_settings(rows), *of_searches(rows)]
    of_sets = [
        (one, note) for one in sets for note in of_set(one, [row for row in rows if row.of.id == one.id])
    ]
    found += together(of_sets, len(sets))
    for other in sets[1:]:
        if lines := differences(sets[0], other):
            text = f"Sets {sets[0].name} and {other.name} were not measured alike."
            found.append(Note(SETS, CARE, text, tuple(lines)))
    return sorted(found, key=lambda note: (KINDS.index(note.kind), (BAD, CARE, PLAIN).index(note.level)))


def together(found: Sequence[tuple[RunSet, Note]], sets: int) -> list[Note]:
    """Notes that are the same for several sets, as one that says for which, if not for all."""
    of_whom: dict[Note, list[str]] = {}
    for one, note in found:
        of_whom.setdefault(note, []).append(one.name)
    return [
        note if len(names) == sets else replace(note, text=f"Set {', '.join(names)}: {note.text}")
        for note, names in of_whom.items()
    ]


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
        found.append(Note(RUNS, BAD, text, tuple(lines)))
    unchecked = [row for row in rows if any(run.verified is None for run in row.series.good)]
    if unchecked:
        count = sum(run.verified is None for row in unchecked for run in row.series.good)
        good = sum(len(row.series.good) for row in rows)
        text = f"The output of {count} of {good} runs was not checked (exec --verify)."
        found.append(Note(RUNS, CARE, text, named(unchecked) if len(unchecked) < len(rows) else ()))
    return found


def of_settings(rows: Sequence[Row]) -> list[Note]:
    """What is to be known of series of runs."""
    found = []
    rows = [row for row in rows if not row.is_point]
    if few := [row for row in rows if 0 < len(row.series.good) < FEWEST]:
        lines = named(few) if len(few) < len(rows) else ()
        text = f"{len(few)} of {len(rows)} settings have fewer than {FEWEST} runs: too few for differences."
        found.append(Note(NOISE, CARE, text, lines))
    wide = []
    for row in rows:
        spread = row.spread(TIME)
        if spread and spread.low > 0 and spread.high / spread.low > WIDE:
            wide.append(f"{row.series.setting.name}: {spread.low:.4g} to {spread.high:.4g} s")
    if wide:
        text = (
            f"In {len(wide)} of {len(rows)} settings the longest run took over {WIDE:g} times the shortest."
        )
        found.append(Note(NOISE, CARE, text, tuple(wide)))
    crowded = [row for row in rows if row.series.setting.degree > row.of.circumstances["cores"] > 0]
    if crowded:
        text = f"{len(crowded)} of {len(rows)} settings asked for more threads than there were cores."
        found.append(Note(MACHINE, PLAIN, text))
    return found


def of_set(one: RunSet, rows: Sequence[Row]) -> list[Note]:
    """What is to be known of a set."""
    here = one.circumstances
    found = []
    if not one.complete:
        found.append(Note(RUNS, BAD, "The set was interrupted: not all runs were made."))
    if here["cores"] and here["load"] > BUSY * here["cores"]:
        load = f"a load of {here['load']:.2f} on {here['cores']} cores"
        found.append(Note(MACHINE, CARE, f"The machine was busy when the set began, with {load}."))
    if here["changed"]:
        found.append(Note(MACHINE, CARE, f"Files differed from commit {here['commit']}."))
    if here["governor"] == UNKNOWN:
        found.append(Note(MACHINE, PLAIN, "The governor of the clock is not known."))
    elif here["governor"] != "performance":
        text = f"The governor was {here['governor']}, so the clock may have changed."
        found.append(Note(MACHINE, CARE, text))
    if not any(run.warm_up for row in rows for run in row.series.runs):
        found.append(Note(NOISE, PLAIN, "There were no warm-up runs: the first ones count."))
    return found


def of_searches(rows: Sequence[Row]) -> list[Note]:
    """What is to be known of the searches for sustainable rates."""
    found = [(one, answer) for one, answer in searches(rows) if remark(answer)]
    lines = [f"set {one.name}: {answer.setting.name}: {remark(answer)}" for one, answer in found]
    text = f"{len(lines)} sustainable rates are not certain."
    return [Note(SEARCHES, CARE, text, tuple(lines))] if lines else []


def named(rows: Sequence[Row]) -> tuple[str, ...]:
    """The settings of rows."""
    return tuple(f"set {row.of.name}: {row.series.setting.name}, {len(row.series.good)} runs" for row in rows)
