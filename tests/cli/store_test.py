"""The store of results: nothing is lost, and what cannot be kept is told."""

import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from contextlib import closing
from pathlib import Path
from unittest import mock

from fake_programs import a_run, program
from thalweg_cli.base.paths import ROOT
from thalweg_cli.base.terminal import Failed
from thalweg_cli.build import peers
from thalweg_cli.results import circumstances
from thalweg_cli.results.circumstances import Circumstances
from thalweg_cli.results.export import conditions_of
from thalweg_cli.results.store import SCHEMA, Store, default_file
from thalweg_cli.run.experiment import Conditions, Setting

CONDITIONS = Conditions(pin=(0,))
HERE = Circumstances(
    "a processor",
    2,
    libraries={"tbb": "1"},
    environment={"OMP_NUM_THREADS": "4"},
    memory=2**34,
    caches="L1d 48K",
    clock="3 GHz",
    system="an OS",
)
SETTING = Setting(
    program("ferret", "tbb", "farm"),
    "test",
    4,
    batch=8,
    batch_bytes=4096,
    batch_interval=0.5,
    freq_pattern="wave,1,2,3",
    purpose="recipe",
    user_args=("2", "a b"),
    adapt="planner=ds2 goal=keep_up every=100ms",
)

ADDS_MANY = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from store_test import CONDITIONS, HERE, SETTING, Store, a_run
store = Store(Path(sys.argv[1]), make=True)
one = store.begin("", [], CONDITIONS, HERE)
for number in range(40):
    store.add(one, a_run(SETTING, 1 + number))
store.end(one, complete=True)
"""


class InAFolder(unittest.TestCase):
    """Each test has a folder and, once it asks for it, a store."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "a" / "results.db"

    def open(self, *, make: bool = True) -> Store:
        """Opens the store of the test."""
        store = Store(self.file, make=make)
        self.addCleanup(store.close)
        return store

    def database(self) -> "closing[sqlite3.Connection]":
        """The file as SQLite sees it."""
        return closing(sqlite3.connect(self.file, isolation_level=None))


class Keeps(InAFolder):
    """What is added is there."""

    def test_run_comes_back_whole(self) -> None:
        store = self.open()
        one = store.begin("first", ["exec", "--bench"], CONDITIONS, HERE)
        runs = [
            a_run(SETTING, 0.5, verified=True),
            a_run(SETTING, 1, warm_up=True, error="it broke", judged="bounded"),
        ]
        for run in runs:
            store.add(one, run)
        again = self.open(make=False)
        self.assertEqual(again.runs(one), runs)
        kept = again.find("first")
        self.assertEqual(kept.circumstances, HERE.as_plain())
        self.assertEqual((kept.command, kept.count, kept.complete), (["exec", "--bench"], 2, False))
        store.end(one, complete=True)
        store.note(one, [{"program": "a", "rate": 2.5}])
        self.assertEqual(kept.findings, [])
        self.assertEqual(again.find("first").findings, [{"program": "a", "rate": 2.5}])
        self.assertTrue(again.find("first").complete)

    def test_sets_by_name(self) -> None:
        store = self.open()
        ids = [store.begin(label, [], CONDITIONS, HERE) for label in ("x", "x", "", "empty")]
        for one in ids[:3]:
            store.add(one, a_run(SETTING, 1))
        for name, found in {"1": 0, "x": 1, "previous": 1, "latest": 2, "empty": 3}.items():
            with self.subTest(name):
                self.assertEqual(store.find(name).id, ids[found])
        for name in ("", "5", "y"):
            with self.subTest(name), self.assertRaisesRegex(Failed, "has no set"):
                store.find(name)

    def test_names_of_files_may_be_any_bytes(self) -> None:
        store = self.open()
        setting = Setting(program("ferret", "tbb"), os.fsdecode(b"/a\xff"))
        store.add(store.begin("", [], CONDITIONS, HERE), a_run(setting, 1))
        self.assertEqual(store.runs(1)[0].setting.input, "/a?")

    def test_two_at_once_lose_nothing(self) -> None:
        path = [str(ROOT / "cli"), str(Path(__file__).parent)]
        command = [sys.executable, "-c", ADDS_MANY, str(self.file), *path]
        both = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        said = [one.communicate()[1] for one in both]
        self.assertEqual([one.returncode for one in both], [0, 0], said)
        store = self.open(make=False)
        times = [[run.result["seconds"] for run in store.runs(one)] for one in (1, 2)]
        self.assertEqual(times, [list(range(1, 41))] * 2)
        self.assertTrue(all(one.complete for one in store.sets()))


FIRST_VERSION = """
CREATE TABLE sets (
  id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL, began TEXT NOT NULL, ended TEXT,
  complete INTEGER NOT NULL DEFAULT 0, command TEXT NOT NULL, conditions TEXT NOT NULL,
  cpu TEXT NOT NULL, cores INTEGER NOT NULL, kernel TEXT NOT NULL, governor TEXT NOT NULL, load REAL NOT NULL,
  compiler TEXT NOT NULL, flags TEXT NOT NULL, "commit" TEXT NOT NULL, changed INTEGER NOT NULL,
  libraries TEXT NOT NULL, environment TEXT NOT NULL);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, set_id INTEGER NOT NULL REFERENCES sets(id), ended TEXT NOT NULL,
  program TEXT NOT NULL, application TEXT NOT NULL, interface TEXT NOT NULL, composition TEXT NOT NULL,
  input TEXT NOT NULL, nthreads INTEGER NOT NULL, batch INTEGER, batch_interval REAL, frequency REAL,
  freq_pattern TEXT NOT NULL, user_args TEXT NOT NULL, threads INTEGER NOT NULL, number INTEGER NOT NULL,
  warm_up INTEGER NOT NULL, metrics TEXT NOT NULL, verified INTEGER, error TEXT NOT NULL,
  command TEXT NOT NULL, said TEXT NOT NULL);
INSERT INTO sets VALUES (1, 'old', '2026-01-01T00:00:00.000Z', NULL, 1, '[]',
  '{"freq_pattern": "wave,1,2,3"}', 'a', 2, 'b', 'c', 0, 'd', 'e', 'f', 0, '{}', '{}');
INSERT INTO runs VALUES (1, 1, '2026-01-01T00:00:00.000Z', 'ferret_tbb_farm', 'ferret', 'tbb', 'farm',
  'test', 2, 8, NULL, NULL, 'wave,1,2,3', '[]', 3, 1, 0, '{"seconds": 5}', NULL, '', '["a"]', '');
PRAGMA user_version = 1;
PRAGMA application_id = 1417112679;
"""


class FirstVersion(InAFolder):
    """A store that an earlier version of this program has made."""

    def setUp(self) -> None:
        super().setUp()
        self.file.parent.mkdir()
        with self.database() as database:
            database.executescript(FIRST_VERSION)

    def version(self) -> int:
        """The version of the file."""
        with self.database() as database:
            return int(database.execute("PRAGMA user_version").fetchone()[0])

    def test_is_read_as_it_is(self) -> None:
        store = self.open(make=False)
        (run,) = store.runs(store.find("old").id)
        self.assertEqual(run.setting, Setting(run.setting.program, "test", 2, 8, freq_pattern="wave,1,2,3"))
        self.assertEqual((run.result, run.judged, store.find("old").findings), ({"seconds": 5}, "", []))
        self.assertEqual(conditions_of(store.find("old")), Conditions())
        self.assertEqual(self.version(), 1)

    def test_is_added_to(self) -> None:
        for _ in range(2):  # The second time there is nothing to upgrade.
            store = self.open()
            store.add(1, a_run(SETTING, 1, judged="bounded"))
        self.assertEqual(self.version(), SCHEMA)
        old, *added = self.open(make=False).runs(1)
        self.assertEqual((old.result["seconds"], [run.setting for run in added]), (5, [SETTING] * 2))


class Refuses(InAFolder):
    """What is no store, or cannot be written, is told with its name."""

    def refused(self, says: str, *, make: bool = True) -> None:
        """Opening fails, and tells the file."""
        with self.assertRaisesRegex(Failed, says) as caught:
            self.open(make=make)
        self.assertIn(str(self.file), caught.exception.what)

    def test_nothing_there(self) -> None:
        self.refused("no results are kept", make=False)
        self.assertFalse(self.file.parent.exists())

    def test_later_version(self) -> None:
        self.open().close()
        with self.database() as database:
            database.execute(f"PRAGMA user_version = {SCHEMA + 1}")
        for make in (False, True):
            self.refused(f"is of version {SCHEMA + 1}, but this program knows no later one", make=make)

    def test_files_of_others(self) -> None:
        self.file.parent.mkdir()
        with self.database() as database:
            database.execute("CREATE TABLE x (y)")
        self.refused("not one of results")
        self.file.write_text("no database at all, but long enough to be taken for one" * 9, encoding="utf-8")
        self.refused("file is not a database")
        self.file.write_text("", encoding="utf-8")
        self.refused("is empty", make=False)

    def test_place_that_cannot_be_written(self) -> None:
        self.file.parent.write_text("a file", encoding="utf-8")
        self.refused("File exists|Not a directory")

    def test_disk_without_room_for_a_new_store(self) -> None:
        self.file.parent.mkdir()
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, before)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
        self.refused("cannot be opened")

    def test_full_disk(self) -> None:
        store = self.open()
        one = store.begin("", [], CONDITIONS, HERE)
        store.add(one, a_run(SETTING, 1))
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, before)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
        with self.assertRaisesRegex(Failed, "cannot be written") as caught:
            for _ in range(100):
                store.add(one, a_run(SETTING, 2, said="x" * 1000))
        self.assertIn(str(self.file), caught.exception.what)
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        self.assertEqual(store.runs(one)[0].result["seconds"], 1)


class Place(unittest.TestCase):
    """`default_file` and what surrounds the numbers."""

    def test_users_data_folder(self) -> None:
        with mock.patch.dict(os.environ, {"XDG_DATA_HOME": "/data", "HOME": "/home/a"}):
            self.assertEqual(str(default_file()), "/data/thalweg/results.db")
            os.environ["XDG_DATA_HOME"] = "relative"
            self.assertEqual(str(default_file()), "/home/a/.local/share/thalweg/results.db")

    def test_variables_that_matter(self) -> None:
        given = {
            "OMP_PROC_BIND": "true",
            "LD_PRELOAD": "a.so",
            "TBB_X": "1",
            "TF_X": "1",
            "HOME": "/",
            "AOMP_X": "",
            "OMP": "",
        }
        self.assertEqual(set(circumstances.mattering(given)), {"OMP_PROC_BIND", "LD_PRELOAD", "TBB_X"})

    def test_this_machine(self) -> None:
        here = Circumstances.here()
        self.assertEqual(here.cores, len(os.sched_getaffinity(0)))
        self.assertRegex(here.kernel, r"Linux \d")
        self.assertNotEqual(here.cpu, "unknown")
        self.assertRegex(here.libraries["libgtest-dev"], r"\d")
        self.assertRegex(here.libraries["oneTBB"], r"libtbb-dev \d")
        self.assertGreater(here.memory, 2**27)
        self.assertNotEqual(here.system, "unknown")

    def test_outside_of_a_build_and_a_checkout(self) -> None:
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(peers, "ROOT", Path(folder)),
            mock.patch.object(circumstances, "cached", return_value=""),
        ):
            here = Circumstances.here()
        self.assertEqual((here.commit, here.compiler, here.flags), ("unknown",) * 3)
