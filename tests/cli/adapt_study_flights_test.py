"""Loads from tables of flights: which flights count, the file that is written, and their packages."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from thalweg_cli.adapt_study import flights, packages
from thalweg_cli.adapt_study.command import write_traces
from thalweg_cli.adapt_study.flights import (
    NEW_YORK,
    USA,
    as_trace,
    day_counts,
    departures_of_day,
    departures_of_week,
    week_counts,
    write_trace,
)
from thalweg_cli.adapt_study.packages import npm_package, npm_place_of, place_of, python_package
from thalweg_cli.adapt_study.scenarios import Scale
from thalweg_cli.base.npm import NoPackages
from thalweg_cli.base.terminal import Failed


def departure(month: int, day: int, time: int) -> dict[str, str]:
    """A row of the table of New York; times are such as 1745."""
    return {"month": str(month), "day": str(day), "sched_dep_time": str(time)}


class Counts(unittest.TestCase):
    """Made-up tables."""

    def test_a_week(self) -> None:
        """Of all flights, those of one week, by the hour of it."""
        found = departures_of_week(
            departure(*one)
            for one in (
                *((7, 8, 0), (7, 8, 59), (7, 8, 600), (7, 14, 2359), (7, 9, 15)),
                *((7, 7, 600), (7, 15, 600), (6, 8, 600)),
            )
        )
        self.assertEqual(len(found), 7 * 24)
        self.assertEqual(
            {hour: count for hour, count in enumerate(found) if count}, {0: 2, 6: 1, 24: 1, 167: 1}
        )

    def test_a_day(self) -> None:
        found = departures_of_day({"time": time, "delay": 1} for time in (0, 0.49, 0.5, 13.75, 23.99, 24))
        self.assertEqual(len(found), 48)
        self.assertEqual({part: n for part, n in enumerate(found) if n}, {0: 3, 1: 1, 27: 1, 47: 1})

    def test_a_trace(self) -> None:
        """The fewest are the low rate, the most the high one; times go from 0 to the end of the study."""
        self.assertEqual(
            as_trace([0, 5, 10, 5], 2, 100, 300, "it"), "# it\n0, 100\n0.5, 200\n1, 300\n1.5, 200\n"
        )
        self.assertEqual(as_trace([3, 3], 1, 100, 300, "it"), "# it\n0, 100\n0.5, 100\n")

    def test_a_file(self) -> None:
        """Of the rates of the study, for its seconds; the same each time."""
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.dict(flights.COUNTS, {"flights": lambda: [1, 3, 2]}),
            mock.patch("thalweg_cli.adapt_study.command.FOLDER", Path(folder, "sub")),
        ):
            write_traces(["step", "flights"], Scale(3, 2000))
            (file,) = Path(folder, "sub").iterdir()
            text = file.read_text(encoding="utf-8")
            self.assertEqual(
                (file.name, text.splitlines()[1:]), ("flights.trace", ["0, 300", "1, 2100", "2, 1200"])
            )
            write_trace("flights", file, text.splitlines()[0][2:], 3, 300, 2100)
            self.assertEqual(file.read_text(encoding="utf-8"), text)


class Packages(unittest.TestCase):
    """They are got once."""

    def test_from_pypi_once(self) -> None:
        """Without the packages that it needs, and not among those of the command line."""

        def pretend(_python: Path, words: list[str]) -> None:
            Path(words[words.index("--target") + 1], "it").mkdir(parents=True)

        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(packages, "FOLDER", Path(folder)),
            mock.patch.object(packages, "pip_install", side_effect=pretend) as install,
        ):
            self.assertEqual(python_package("it==1.2"), Path(folder, "it-1.2", "it"))
            python_package("it==1.2")
        install.assert_called_once()
        self.assertEqual(install.call_args[0][1][0], "--no-deps")

    def test_what_is_no_such_package(self) -> None:
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(packages, "FOLDER", Path(folder)),
            mock.patch.object(packages, "pip_install"),
        ):
            self.assertRaisesRegex(Failed, "it==1.2 has no folder it", python_package, "it==1.2")

    def test_from_npm_once(self) -> None:
        def pretend(_npm: str, _requirement: str, folder: Path) -> None:
            (folder / "node_modules" / "it").mkdir(parents=True)

        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(packages, "FOLDER", Path(folder)),
            mock.patch.object(packages, "find", return_value="npm"),
            mock.patch.object(packages, "download", side_effect=pretend) as download,
        ):
            found = npm_package("it@1.2")
            self.assertEqual(found, Path(folder, "it-1.2", "node_modules", "it"))
            self.assertTrue(found.is_dir())
            npm_package("it@1.2")
        download.assert_called_once()

    def test_what_npm_cannot_get(self) -> None:
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(packages, "FOLDER", Path(folder)),
            mock.patch.object(packages, "find", side_effect=NoPackages("there is no npm")),
        ):
            self.assertRaisesRegex(Failed, "there is no npm", npm_package, "it@1.2")


class RealFlights(unittest.TestCase):
    """The packages, where a study has downloaded them."""

    @unittest.skipUnless(place_of(NEW_YORK).is_dir(), f"{NEW_YORK} is not there: no study has wanted it")
    def test_the_week(self) -> None:
        """6759 flights; hardly any at night, and most in the morning."""
        found = week_counts()
        self.assertEqual(sum(found), 6759)
        self.assertEqual((min(found), max(found)), (0, 84))

    @unittest.skipUnless(npm_place_of(USA).is_dir(), f"{USA} is not there: no study has wanted it")
    def test_the_day(self) -> None:
        """200 000 flights; one of them between four and half past."""
        found = day_counts()
        self.assertEqual(sum(found), 200_000)
        self.assertEqual((min(found), found[8], max(found)), (1, 1, 7234))


if __name__ == "__main__":
    unittest.main()
