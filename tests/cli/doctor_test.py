"""The list of packages, and finding what is there."""

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from thalweg_cli.doctor import Peer
from thalweg_cli.packages import Package, needed


class Needed(unittest.TestCase):
    """`needed` reads cli/packages.txt."""

    def test_every_package_says_how_to_find_it(self) -> None:
        packages = needed()
        self.assertIn("cmake", [package.name for package in packages])
        for package in packages:
            self.assertRegex(package.probe, r"^(command|header|python):\S+$")
            self.assertTrue(package.purpose)


class Found(unittest.TestCase):
    """A package is found by what it holds, not by its name."""

    def test_command(self) -> None:
        self.assertRegex(Package("cmake", "command:cmake", "").found() or "", r"^\d+\.\d+")

    def test_missing_command(self) -> None:
        with mock.patch.dict(os.environ, {"PATH": ""}):
            self.assertIsNone(Package("cmake", "command:cmake", "").found())

    def test_missing_header(self) -> None:
        self.assertIsNone(Package("libx-dev", "header:no/such/header.h", "").found())

    def test_fix(self) -> None:
        self.assertEqual(Package("cmake", "command:cmake", "").fix, "apt-get install cmake")


class Peers(unittest.TestCase):
    """A peer is found below the folder that its variable names."""

    def test_variable(self) -> None:
        peer = Peer("Nothing", "nothing/nothing.hpp", "NOTHING_DIR")
        self.assertIsNone(peer.found())
        with tempfile.TemporaryDirectory() as folder:
            header = Path(folder) / "include" / "nothing" / "nothing.hpp"
            header.parent.mkdir(parents=True)
            header.touch()
            with mock.patch.dict(os.environ, {"NOTHING_DIR": folder}):
                self.assertEqual(peer.found(), str(header))
