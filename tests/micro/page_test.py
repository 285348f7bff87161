"""The program that measures what a live page costs: it prints rows that are compared, and hears the page.

usage: page_test.py program
"""

import json
import subprocess
import sys
import unittest

PROGRAM = ""


class OverAPage(unittest.TestCase):
    """A short run of it."""

    def test_rows(self) -> None:
        """The run with a page is held against the one without."""
        command = [PROGRAM, "--quick", "--repeats", "2"]
        said = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        rows = [one for one in map(json.loads, said.splitlines()) if one["type"] == "row"]
        self.assertEqual(
            [(one["bench"], one["setting"]) for one in rows],
            [("observe", "pool, no page"), ("observe", "pool, page at 4 Hz, one listener")],
        )
        without, with_page = rows
        self.assertEqual(with_page["against"], "thalweg, pool, no page")
        self.assertEqual([len(one["samples"]) for one in rows], [2, 2])
        self.assertEqual(len(with_page["ratios"]), 2)
        self.assertNotIn("ratios", without)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
