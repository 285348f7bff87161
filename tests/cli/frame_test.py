"""The runs of a store as columns and as a data frame."""

import csv
import importlib.util
import sys
import unittest
from dataclasses import replace
from unittest import mock

from report_test import OURS, TBB, OverAStore, a_run
from thalweg_cli.app import app
from thalweg_cli.base.terminal import Failed
from thalweg_cli.results.export import headings
from thalweg_cli.results.frame import columns, frame
from thalweg_cli.run.experiment import Setting
from typer.testing import CliRunner

PLAIN, SLOW = Setting(TBB, "small", 2), Setting(OURS, "small", 4, frequency=5.0)


class Frames(OverAStore):
    """Two more sets: of two runs and a warm-up, and of one that failed."""

    def setUp(self) -> None:
        super().setUp()
        self.keep("a", [a_run(PLAIN, 3, 5, warm_up=True), a_run(PLAIN, 2, 10), a_run(SLOW, 4, 2.5)])
        self.keep("b", [replace(a_run(PLAIN, 1, 1), error="broke")])

    def test_a_list_for_each_column(self) -> None:
        found = columns("a", store=self.file)
        self.assertEqual(list(found), headings())
        self.assertEqual(found["label"], ["a"] * 3)
        self.assertEqual(found["program"], [TBB.name, TBB.name, OURS.name])
        self.assertEqual(found["nthreads"], [2, 2, 4])
        self.assertEqual(found["warm_up"], [True, False, False])
        self.assertEqual(found["frequency"], [None, None, 5])
        self.assertEqual(found["time (s)"], [20, 10, 40])

    def test_sets_come_in_their_order(self) -> None:
        self.assertEqual(columns("b", "a", store=self.file)["label"], ["b", "a", "a", "a"])
        self.assertEqual(set(columns(store=self.file)["label"]), {"first", "a", "b"})
        self.assertEqual(columns("latest", store=self.file)["error"], ["broke"])

    def test_columns_are_those_of_the_csv(self) -> None:
        file = self.folder / "a.csv"
        CliRunner().invoke(app, ["results", "a", "--csv", str(file), "--store", str(self.file)])
        with file.open(encoding="utf-8", newline="") as text:
            rows = list(csv.DictReader(text))
        for name, values in columns("a", store=self.file).items():
            self.assertEqual([row[name] for row in rows], ["" if one is None else str(one) for one in values])

    def test_a_set_that_is_not_there(self) -> None:
        with self.assertRaises(Failed):
            columns("c", store=self.file)

    def test_without_pandas_it_says_what_to_install(self) -> None:
        with (
            mock.patch.dict(sys.modules, {"pandas": None}),
            self.assertRaisesRegex(ImportError, "pip install"),
        ):
            frame("a", store=self.file)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_data_frame(self) -> None:
        runs = frame("a", store=self.file)
        self.assertEqual(list(runs.columns), headings())
        self.assertEqual(len(runs), 3)
        good = runs[~runs["warm_up"] & (runs["error"] == "")]
        medians = good.groupby(["label", "program", "nthreads"])["time (s)"].median()
        self.assertEqual(dict(medians), {("a", TBB.name, 2): 10, ("a", OURS.name, 4): 40})
        self.assertEqual(runs["ended"].dtype.kind, "M")
        self.assertTrue(runs["frequency"].isna()[0])


if __name__ == "__main__":
    unittest.main()
