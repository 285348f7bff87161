"""The store of results: one SQLite file, to which every run is added as soon as it has ended."""

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from thalweg_cli.base.paths import data_folder
from thalweg_cli.base.terminal import Failed
from thalweg_cli.results.circumstances import Circumstances
from thalweg_cli.results.store_rows import RunSet, row_of, run_from, set_from
from thalweg_cli.run.experiment import Conditions
from thalweg_cli.run.runs import Run, now

SCHEMA = 5
APPLICATION = 0x54776C67
"""How SQLite files say whose they are."""

PATIENCE_S = 60.0
"""How long one waits for another that writes."""

TABLES = """
CREATE TABLE sets (
  id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL, began TEXT NOT NULL, ended TEXT,
  complete INTEGER NOT NULL DEFAULT 0, command TEXT NOT NULL, conditions TEXT NOT NULL,
  cpu TEXT NOT NULL, cores INTEGER NOT NULL, kernel TEXT NOT NULL, governor TEXT NOT NULL, load REAL NOT NULL,
  compiler TEXT NOT NULL, flags TEXT NOT NULL, "commit" TEXT NOT NULL, changed INTEGER NOT NULL,
  libraries TEXT NOT NULL, environment TEXT NOT NULL, findings TEXT NOT NULL DEFAULT '[]',
  memory INTEGER NOT NULL DEFAULT 0, caches TEXT NOT NULL DEFAULT 'unknown',
  clock TEXT NOT NULL DEFAULT 'unknown', system TEXT NOT NULL DEFAULT 'unknown');
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, set_id INTEGER NOT NULL REFERENCES sets(id), ended TEXT NOT NULL,
  program TEXT NOT NULL, application TEXT NOT NULL, interface TEXT NOT NULL, composition TEXT NOT NULL,
  input TEXT NOT NULL, nthreads INTEGER NOT NULL, batch INTEGER, batch_interval REAL, frequency REAL,
  freq_pattern TEXT NOT NULL, user_args TEXT NOT NULL, threads INTEGER NOT NULL, number INTEGER NOT NULL,
  warm_up INTEGER NOT NULL, metrics TEXT NOT NULL, verified INTEGER, error TEXT NOT NULL,
  command TEXT NOT NULL, said TEXT NOT NULL, batch_bytes INTEGER, purpose TEXT NOT NULL DEFAULT '',
  judged TEXT NOT NULL DEFAULT '', nprocs INTEGER, adapt TEXT NOT NULL DEFAULT '');
CREATE INDEX runs_of_set ON runs(set_id);
"""

UPGRADES = {
    1: """
    ALTER TABLE sets ADD COLUMN findings TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE runs ADD COLUMN batch_bytes INTEGER;
    ALTER TABLE runs ADD COLUMN purpose TEXT NOT NULL DEFAULT '';
    ALTER TABLE runs ADD COLUMN judged TEXT NOT NULL DEFAULT '';
    """,
    2: "ALTER TABLE runs ADD COLUMN nprocs INTEGER;",
    3: """
    ALTER TABLE sets ADD COLUMN memory INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sets ADD COLUMN caches TEXT NOT NULL DEFAULT 'unknown';
    ALTER TABLE sets ADD COLUMN clock TEXT NOT NULL DEFAULT 'unknown';
    ALTER TABLE sets ADD COLUMN system TEXT NOT NULL DEFAULT 'unknown';
    """,
    4: "ALTER TABLE runs ADD COLUMN adapt TEXT NOT NULL DEFAULT '';",
}
"""What makes a store of a version one of the next. Stores that are only read stay as they are."""

ALL_SETS = """
SELECT sets.*, count(runs.id) AS count, total(runs.error <> '') AS failed,
  json_group_array(DISTINCT runs.program) AS programs, json_group_array(DISTINCT runs.input) AS inputs
FROM sets LEFT JOIN runs ON runs.set_id = sets.id GROUP BY sets.id ORDER BY sets.id
"""

LATEST, PREVIOUS = "latest", "previous"

StoreFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Where the sets are, if not in the user's data folder.")
]
"""The option of commands that read a store."""


def default_file() -> Path:
    """Where results are kept if the user names no other file."""
    return data_folder() / "results.db"


class Store:
    """An open store. Several processes may add to one at the same time.

    Every method raises Failed, which names the file, if it cannot be read or written.
    """

    def __init__(self, file: Path, *, make: bool = False) -> None:
        """Opens a file; makes it, and its folder, if it is not there and `make` is set."""
        self.file = file
        if not make and not file.exists():
            raise Failed(
                f"no results are kept in {file}",
                remedy="./thalweg exec keeps some; --store names other files",
            )
        with self._told("opened"):
            file.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(file, timeout=PATIENCE_S, isolation_level=None)
        try:
            with self._told("opened"):
                self._db.row_factory = sqlite3.Row
                if make:
                    self._prepare()
                elif self._check():
                    raise Failed(f"{file} is empty, not a store of results")
        except BaseException:
            self._db.close()
            raise

    def close(self) -> None:
        """Ends the use of the file."""
        self._db.close()

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            remedy = "--store names another file"
            if not isinstance(error, sqlite3.Error) or isinstance(error, sqlite3.OperationalError):
                remedy = f"is there room on the disk, and may you write there? {remedy}"
            raise Failed(f"{self.file} cannot be {what}: {error}", remedy=remedy) from error

    def _pragma(self, name: str) -> int:
        return int(self._db.execute(f"PRAGMA {name}").fetchone()[0])

    def _check(self) -> bool:
        """Whether there are no tables yet. Refuses files that are of others, or of a later version."""
        version = self._pragma("user_version")
        if self._pragma("schema_version") == 0:
            return True
        if self._pragma("application_id") != APPLICATION:
            raise Failed(f"{self.file} is a database, but not one of results")
        if version > SCHEMA:
            what = f"{self.file} is of version {version}, but this program knows no later one than {SCHEMA}"
            raise Failed(what, remedy="use the ./thalweg that wrote it, or --store with another file")
        return False

    def _prepare(self) -> None:
        """Makes the tables in a new file, and adds to an older one. Of several who find it so, one does."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            if self._check():
                self._execute_all(TABLES)
                self._db.execute(f"PRAGMA application_id = {APPLICATION}")
            else:
                for version in range(self._pragma("user_version"), SCHEMA):
                    self._execute_all(UPGRADES[version])
            self._db.execute(f"PRAGMA user_version = {SCHEMA}")
        except BaseException:
            if self._db.in_transaction:  # SQLite itself gives some up.
                self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
        self._log_ahead()

    def _execute_all(self, statements: str) -> None:
        for statement in filter(str.strip, statements.split(";")):
            self._db.execute(statement)

    def _log_ahead(self) -> None:
        """Lets readers read while another writes. SQLite itself does not wait to be alone for that."""
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                    raise
                time.sleep(0.02)
            else:
                return

    def begin(self, label: str, command: Sequence[str], conditions: Conditions, here: Circumstances) -> int:
        """Adds a set without runs. Returns its id."""
        row: dict[str, Any] = {"label": label, "began": now(), "command": list(command)}
        return self._insert("sets", row | {"conditions": conditions.as_plain()} | here.as_plain())

    def add(self, set_id: int, run: Run) -> None:
        """Adds a run to a set; when this returns, it is on the disk."""
        self._insert("runs", {"set_id": set_id} | row_of(run))

    def note(self, set_id: int, findings: Sequence[dict[str, object]]) -> None:
        """Keeps what follows from the runs of a set so far, in place of what was kept before."""
        with self._told("written"):
            self._db.execute("UPDATE sets SET findings = ? WHERE id = ?", (json.dumps(findings), set_id))

    def end(self, set_id: int, *, complete: bool) -> None:
        """Notes that nothing more comes to a set, and whether all came that was to come."""
        with self._told("written"):
            query = "UPDATE sets SET ended = ?, complete = ? WHERE id = ?"
            self._db.execute(query, (now(), complete, set_id))

    def sets(self) -> list[RunSet]:
        """All sets, the oldest first."""
        with self._told("read"):
            return [set_from(dict(row)) for row in self._db.execute(ALL_SETS)]

    def runs(self, set_id: int) -> list[Run]:
        """The runs of a set, in their order."""
        with self._told("read"):
            rows = self._db.execute("SELECT * FROM runs WHERE set_id = ? ORDER BY id", (set_id,)).fetchall()
            return [run_from(dict(row)) for row in rows]

    def find(self, name: str) -> RunSet:
        """A set by its id, its label (the last one that has it), `latest` or `previous`.

        Sets without runs are not among the last two. Raises Failed if there is none.
        """
        known = self.sets()
        with_runs = [one for one in known if one.count]
        back = {LATEST: 1, PREVIOUS: 2}.get(name)
        if back is not None:
            found = with_runs[-back:][:1] if len(with_runs) >= back else []
        else:
            found = [one for one in known if name and name in (str(one.id), one.label)][-1:]
        if not found:
            raise Failed(f"{self.file} has no set {name}", remedy="./thalweg results lists all")
        return found[0]

    def _insert(self, table: str, row: dict[str, Any]) -> int:
        values = [plain(value) for value in row.values()]
        names = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" * len(row))
        with self._told("written"):
            done = self._db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)
        return int(done.lastrowid or 0)


def plain(value: Any) -> Any:  # noqa: ANN401  (what SQLite takes)
    """A value as it is kept: JSON for what has parts, and no bytes of file names that are no text."""
    if isinstance(value, dict | list):
        return json.dumps(value)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
