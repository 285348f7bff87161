"""Counting what passed."""

import unittest

from thalweg_cli.build.ctest import FINISHED, read_results

JUNIT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="Linux-c++" tests="6" failures="1" time="3.5">
  <testcase name="a" time="0.1" status="run"><system-out>fine</system-out></testcase>
  <testcase name="b" time="0.1" status="fail"><failure/><system-out>1 &lt; 2 \x1b</system-out></testcase>
  <testcase name="c" time="0.1" status="notrun"><skipped message="Unable to find executable"/></testcase>
  <testcase name="d" time="0.1" status="run"><system-out/></testcase>
  <testcase name="e" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
  <testcase name="f" status="disabled"><skipped message="Disabled"/></testcase>
</testsuite>
"""


class ReadResults(unittest.TestCase):
    """`read_results` counts as passed only what ran and passed, as skipped only what said so itself."""

    def test_counts(self) -> None:
        results = read_results(JUNIT)
        self.assertEqual(results.passed, 2)
        self.assertEqual(results.skipped, 1)
        self.assertEqual([failure.name for failure in results.failures], ["b", "c", "f"])
        self.assertEqual(results.seconds, 3.5)

    def test_keeps_output_that_is_not_xml(self) -> None:
        self.assertEqual(read_results(JUNIT).failures[0].output, "1 < 2 ?")


class Finished(unittest.TestCase):
    """`FINISHED` reads CTest's progress."""

    def test_reads_a_line(self) -> None:
        found = FINISHED.match("12/345 Test  #7: pipe.ring.keeps_order ......   Passed    0.01 sec")
        assert found is not None
        self.assertEqual(found.groups(), ("12", "345", "pipe.ring.keeps_order"))

    def test_ignores_starts(self) -> None:
        self.assertIsNone(FINISHED.match("      Start  7: pipe.ring.keeps_order"))
