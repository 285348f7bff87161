"""Runs as columns, and as a data frame of pandas, for notebooks."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from thalweg_cli.results.export import headings, lines
from thalweg_cli.results.store import Store, default_file

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped]


def columns(*names: str, store: Path | None = None) -> dict[str, list[object]]:
    """The runs of sets, as a list for each column: those of `./thalweg results --csv`, by their headings.

    `names`: ids, labels, `latest` or `previous`, as `./thalweg results` takes them; without any, all sets.
    `store`: the file that `--store` names; without one, the user's. The runs are in the order in which they
    were made, set by set, warm-ups and failures among them; what a run does not have is None.

    Raises Failed if there is no such set, or the store cannot be read.

        columns("before")["time (s)"]   # [0.0949, 0.0947, 0.0951]
    """
    with closing(Store(store or default_file())) as kept:
        sets = [kept.find(name) for name in names] if names else kept.sets()
        rows = list(lines((one, kept.runs(one.id)) for one in sets))
    return {heading: [row[place] for row in rows] for place, heading in enumerate(headings())}


def frame(*names: str, store: Path | None = None) -> "pd.DataFrame":
    """The same as a data frame with a row for each run; `ended` is a time. Needs pandas.

    runs = frame("before", "after")
    runs[~runs.warm_up].groupby(["label", "program"])["time (s)"].median()
    """
    try:
        import pandas as pd  # noqa: PLC0415  (it is optional, and loading it takes long)
    except ImportError as error:
        raise ImportError("frame() needs pandas: pip install pandas. columns() does without") from error
    found = pd.DataFrame(columns(*names, store=store))
    return found.assign(ended=pd.to_datetime(found["ended"]))
