"""The list of packages, and finding what is there."""

import os
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from thalweg_cli.base.packages import Package, needed, needed_later
from thalweg_cli.base.paths import ROOT
from thalweg_cli.doctor import PEERS, Peer


class Needed(unittest.TestCase):
    """`needed` reads cli/packages.txt."""

    def test_every_package_says_how_to_find_it(self) -> None:
        packages = [*needed(), *needed_later()]
        self.assertIn("cmake", [package.name for package in packages])
        for package in packages:
            self.assertRegex(package.probe, r"^(command|header|file|python):\S+$")
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

    def test_file(self) -> None:
        self.assertTrue(Package("libx-dev", f"file:{ROOT}", "").found())
        self.assertIsNone(Package("libx-dev", f"file:{ROOT}/no/such/file", "").found())

    def test_fix(self) -> None:
        self.assertEqual(Package("cmake", "command:cmake", "").fix, "apt-get install cmake")


class Peers(unittest.TestCase):
    """A peer is found where CMake looks for it."""

    def test_variable(self) -> None:
        peer = Peer("Nothing", "nothing/nothing.hpp", "NOTHING_DIR")
        self.assertIsNone(peer.found())
        with tempfile.TemporaryDirectory() as folder:
            header = Path(folder) / "nothing" / "nothing.hpp"
            header.parent.mkdir(parents=True)
            header.touch()
            with mock.patch.dict(os.environ, {"NOTHING_DIR": folder}):
                self.assertEqual(peer.found(), str(header.resolve()))

    def test_cmake_package(self) -> None:
        peer = Peer("Nothing", "nothing.hpp", "NOTHING_DIR", "NothingConfig.cmake", ("../../../include",))
        self.assertIn("--peer-path NOTHING=<the folder that holds NothingConfig.cmake>", peer.fix)
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "lib" / "cmake" / "Nothing"
            config.mkdir(parents=True)
            (Path(folder) / "include").mkdir()
            (Path(folder) / "include" / "nothing.hpp").touch()
            with mock.patch.dict(os.environ, {"NOTHING_DIR": str(config)}):
                self.assertIsNotNone(peer.found())

    def test_cmake_reads_the_variables(self) -> None:
        files = [*(ROOT / "micro").rglob("CMakeLists.txt")]
        cmake = "\n".join(file.read_text(encoding="utf-8") for file in files)
        looked_for = dict(re.findall(r"find_path\((\w+) (\S+)", cmake))
        self.assertGreaterEqual(len(looked_for), 5)
        for peer in PEERS:
            if peer.marker:
                self.assertRegex(cmake, rf"find_package\({peer.variable.removesuffix('_DIR')}\b")
            else:
                self.assertEqual(looked_for.pop(peer.variable, ""), peer.header, peer.name)
        self.assertEqual(looked_for, {}, "not named by ./thalweg doctor")
