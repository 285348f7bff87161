"""Samples of stages: `exec --monitor` has programs of Thalweg write them, and a report has their pages."""

import json
import unittest
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest import mock

from browser import BROWSERS, a_page, find_browser
from fake_programs import MEASURES, FakeBuild, program
from report_test import OURS, TBB, OverAStore, a_run, data_in
from thalweg_cli.app import app
from thalweg_cli.base.npm import NoPackages
from thalweg_cli.report import run_pages
from thalweg_cli.results.store import Store
from thalweg_cli.run.experiment import Conditions, Setting
from thalweg_cli.run.mpi import Host
from thalweg_cli.run.runs import Run
from thalweg_cli.run.stage_samples import file_of, folder_of, variables, written
from thalweg_cli.watch.saved_page import MARK
from typer.testing import CliRunner, Result
from view_test import GRAPH, PARTS, line

BROWSER = find_browser()
WRITES = MEASURES + '[ -z "$THALWEG_MONITOR" ] || echo "$nthreads" >>"$THALWEG_MONITOR"\n'


class Exec(FakeBuild):
    """What is asked of programs, and where the files are."""

    def type(self, *options: str) -> Result:
        """Runs the command."""
        command = ["exec", "--bench", "all", "--input", "test", "--store", str(self.store), *options]
        return CliRunner().invoke(app, command)

    def files(self) -> dict[str, list[str]]:
        """The files of the last set, and what is in them."""
        with closing(Store(self.store)) as store:
            found = written(folder_of(self.store, store.sets()[-1].id))
        return {file.name: file.read_text(encoding="utf-8").split() for file in found}

    def test_each_run_of_thalweg_has_a_file(self) -> None:
        self.add(program("bzip2", "thalweg", "farm"), WRITES)
        self.add(program("bzip2", "tbb", "farm"), WRITES)
        done = self.type("--nthreads", "1:2", "--repeat", "2", "--warm-up", "1", "--monitor", "20")
        self.assertEqual(done.exit_code, 0, done.output)
        self.assertEqual(sorted(self.files().values()), [["1"], ["1"], ["2"], ["2"]])
        self.assertTrue(all(name.startswith("bzip2_thalweg_farm_test_") for name in self.files()))
        self.assertIn(f"samples of the stages of 4 runs are in {folder_of(self.store, 1)}", done.output)

    def test_one_run_is_offered_as_a_page(self) -> None:
        self.add(program("bzip2", "thalweg", "farm"), WRITES)
        done = self.type("--monitor", "20")
        (name,) = self.files()
        self.assertIn(f"./thalweg view {folder_of(self.store, 1) / name} shows its stages", done.output)

    def test_nothing_without_the_option(self) -> None:
        self.add(program("bzip2", "thalweg", "farm"), WRITES)
        done = self.type()
        self.assertEqual(self.files(), {})
        self.assertFalse(folder_of(self.store, 1).exists())
        self.assertNotIn("stages", done.output)

    def test_files_of_settings_that_look_alike(self) -> None:
        ours = program("bzip2", "thalweg", "farm")
        names = {file_of(Path("a"), Setting(ours, f"a{sign}b"), 1) for sign in "/ ?"}
        self.assertEqual(len(names), 3)

    def test_who_is_asked(self) -> None:
        ours, file = program("bzip2", "thalweg", "farm"), Path("/a/b.jsonl")
        asked = {"THALWEG_MONITOR": "/a/b.jsonl"}
        self.assertEqual(variables(Setting(ours, "test"), Conditions(monitor_ms=5), file), asked)
        self.assertEqual(variables(Setting(ours, "test"), Conditions(), file), {})
        self.assertEqual(variables(Setting(ours, "test"), Conditions(monitor_ms=5), None), {})
        self.assertEqual(variables(Setting(TBB, "test"), Conditions(monitor_ms=5), file), {})
        ranks, there = program("bzip2", "mpi-thalweg", "farm"), (Host("there"),)
        self.assertEqual(variables(Setting(ranks, "test"), Conditions(monitor_ms=5), file), asked)
        self.assertEqual(variables(Setting(ranks, "test"), Conditions(monitor_ms=5, hosts=there), file), {})


class Report(OverAStore):
    """Pages beside a report."""

    def setUp(self) -> None:
        super().setUp()
        folder = self.folder / "parts"
        folder.mkdir()
        parts = {}
        for name, text in PARTS.items():
            parts[name] = folder / name.replace("/", "_")
            parts[name].write_text(text, encoding="utf-8")
        patched = mock.patch.object(run_pages, "parts", return_value=parts)
        self.parts = patched.start()
        self.addCleanup(patched.stop)

    def put(self, run: Run, lines: Sequence[dict[str, Any]]) -> Path:
        """Samples of a run of the first set."""
        file = file_of(folder_of(self.file, 1), run.setting, run.number)
        file.parent.mkdir(parents=True, exist_ok=True)
        told = [lines[0] | {"graph": GRAPH}, *lines[1:]]
        file.write_text("".join(json.dumps(one) + "\n" for one in told), encoding="utf-8")
        return file

    def pages(self, *more: str) -> dict[tuple[str, int], str | None]:
        """The links of the report's rows."""
        done = self.type(*more)
        self.assertEqual(done.exit_code, 0, done.exception)
        self.output = done.output
        rows = data_in(self.page.read_text(encoding="utf-8"))["rows"]
        return {(row["program"], row["nthreads"]): row["page"] for row in rows}

    def test_the_run_that_is_shown_over_time_has_a_page(self) -> None:
        setting = Setting(OURS, "small", 2)  # Its median is that of the second run.
        for number in (1, 2, 3):
            self.put(a_run(setting, number, 1), [line(1, 10 * number, final=True)])
        pages = self.pages()
        (link,) = filter(None, pages.values())
        self.assertEqual(pages[OURS.name, 2], link)
        text = (self.page.parent / link).read_text(encoding="utf-8")
        self.assertIn(MARK, text)
        self.assertIn('"items":20', text)
        self.assertIn("with the pages of 1 runs", self.output)

    @unittest.skipIf(BROWSER is None, f"none of {', '.join(BROWSERS)} is on the PATH")
    def test_the_link_stands_above_what_is_shown_over_time(self) -> None:
        setting = Setting(OURS, "small", 2)
        self.put(a_run(setting, 2, 1), [line(1, 5, final=True)])
        link = next(filter(None, self.pages().values()))
        with a_page(str(BROWSER)) as page:
            page.open(self.page.as_uri())
            script = (
                "[...document.querySelectorAll('#series .pages a')].map((one) => [one.textContent, one.href])"
            )
            self.assertEqual(
                page.tells(script), [["thalweg farm, run 2", (self.page.parent / link).as_uri()]]
            )
            self.assertEqual(page.errors, [])

    def test_none(self) -> None:
        self.assertEqual(set(self.pages().values()), {None})
        self.assertFalse((self.folder / "report.runs").exists())

    def test_pages_of_an_earlier_report_are_removed(self) -> None:
        files = [self.put(a_run(Setting(OURS, "small", n), 2, 1), [line(1, 5, final=True)]) for n in (1, 2)]
        first, second = (self.folder / link for link in filter(None, self.pages().values()))
        folder = first.parent
        # What a user has put there stays: other names, what is no such page, and what only leads to one.
        page = first.read_text(encoding="utf-8")
        kept = {"mine.html": page, "copy of " + first.name: page, f"no_page-{'0' * 8}.html": "<p>mine</p>"}
        for name, text in kept.items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / f"leads-{'1' * 8}.html").symlink_to(folder / "mine.html")
        files[0].unlink()
        self.assertEqual(len(list(filter(None, self.pages().values()))), 1)
        self.assertIn("removed 1 pages of an earlier report", self.output)
        self.assertEqual({first, second} & set(folder.iterdir()), {second})
        files[1].unlink()
        self.assertEqual(set(self.pages().values()), {None})
        self.assertEqual(len(list(folder.iterdir())), len(kept) + 1)
        self.assertNotIn("removed", self.type().output)

    def test_a_folder_that_is_empty_then_is_removed(self) -> None:
        file = self.put(a_run(Setting(OURS, "small", 2), 2, 1), [line(1, 5, final=True)])
        self.pages()
        file.unlink()
        self.pages()
        self.assertFalse((self.folder / "report.runs").exists())

    def test_what_is_no_file_of_samples_is_left_out(self) -> None:
        good, bad = Setting(OURS, "small", 1), Setting(OURS, "small", 2)
        self.put(a_run(good, 1, 1), [line(1, 5, final=True)])
        self.put(a_run(good, 2, 1), [line(1, 5, final=True)])
        self.put(a_run(bad, 2, 1), [line(1, 5)]).write_text("{", encoding="utf-8")
        pages = self.pages()
        self.assertEqual([key for key, link in pages.items() if link], [(OURS.name, 1)])
        self.assertIn("left out: the page of a run", self.output)

    def test_a_report_has_so_many_pages(self) -> None:
        for threads in (1, 2):
            self.put(a_run(Setting(OURS, "small", threads), 2, 1), [line(1, 5, final=True)])
        with mock.patch.object(run_pages, "MOST", 1):
            pages = self.pages()
        self.assertEqual(len(list(filter(None, pages.values()))), 1)
        self.assertIn("left out: the pages of 1 runs", self.output)

    def test_without_the_packages_of_the_page(self) -> None:
        self.put(a_run(Setting(OURS, "small", 2), 2, 1), [line(1, 5, final=True)])
        self.parts.side_effect = NoPackages("there is no npm")
        self.assertEqual(set(self.pages().values()), {None})
        self.assertIn("the report has no pages of runs: there is no npm", self.output)
