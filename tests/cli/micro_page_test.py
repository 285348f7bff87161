"""The rows of `./thalweg micro observe` that a separate program measures."""

import unittest
from unittest import mock

from thalweg_cli.micro import page
from thalweg_cli.micro.results import Results


class MeasurePage(unittest.TestCase):
    """The program runs where its component is built."""

    def setUp(self) -> None:
        self.build = self.enterContext(mock.patch.object(page, "build"))
        self.follow = self.enterContext(mock.patch.object(page, "follow"))

    def measured(self, missing: str) -> Results:
        """What is found where CMake says this of the component."""
        results = Results()
        with mock.patch.object(page, "cached", return_value=missing):
            page.measure_page("release", ["--quick"], results)
        return results

    def test_where_it_is_built(self) -> None:
        results = self.measured("")
        self.build.assert_called_once_with("release", "thalweg_micro_page")
        command, followed = self.follow.call_args.args
        self.assertTrue(command[0].endswith("release/micro/thalweg_micro_page"))
        self.assertEqual((command[1:], followed), (["--quick"], results))
        self.assertEqual(results.missing, {})

    def test_where_it_is_left_out(self) -> None:
        results = self.measured("there is no npm (apt-get install npm)")
        self.assertEqual(
            results.missing, {"observe with a live page": "there is no npm: apt-get install npm"}
        )
        self.build.assert_not_called()
        self.follow.assert_not_called()
