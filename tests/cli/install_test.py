"""`./thalweg install`: packages, and the places of interfaces that have none."""

import io
import json
import os
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

from thalweg_cli.app import app
from thalweg_cli.base.packages import Package
from thalweg_cli.base.paths import ROOT
from thalweg_cli.base.terminal import Failed
from thalweg_cli.build import interfaces
from thalweg_cli.build.interfaces import INTERFACES, interface_named, registered, state_of, wanted_places
from thalweg_cli.catalog.applications import Application
from thalweg_cli.setup import install
from typer.testing import CliRunner, Result

FASTFLOW, TBB = interface_named("fastflow"), interface_named("tbb")


class InAHome(unittest.TestCase):
    """Each test has a data folder, and folders of sources."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        plain = {name: value for name, value in os.environ.items() if not name.endswith("_DIR")}
        plain |= {"XDG_DATA_HOME": str(self.folder / "data")}
        self.patch(mock.patch.dict(os.environ, plain, clear=True))
        self.patch(mock.patch.object(interfaces, "cached", return_value=""))
        self.again = self.patch(mock.patch.object(install, "look_again"))
        self.file = self.folder / "data" / "thalweg" / "interfaces.json"

    def patch(self, what: "mock._patch") -> mock.Mock:  # type: ignore[type-arg]
        """Replaces something until the test has ended."""
        self.addCleanup(what.stop)
        return what.start()

    def sources(self, name: str, place: str = "") -> Path:
        """A folder with the sources of an interface."""
        folder = self.folder / (place or name)
        header = folder / interface_named(name).header
        header.parent.mkdir(parents=True)
        header.touch()
        return folder

    def type(self, *options: str) -> Result:
        """Runs the command."""
        return CliRunner().invoke(app, ["install", *options])


class Places(InAHome):
    """What is registered."""

    def test_register(self) -> None:
        fastflow, grppi = self.sources("fastflow"), self.sources("grppi")
        done = self.type("--path", f"FastFlow={fastflow}", "--path", f"grppi={grppi}/include")
        self.assertEqual(done.exit_code, 0, done.exception)
        self.assertIn(f"registered FastFlow: {fastflow}", done.output)
        self.assertEqual(registered(), {"fastflow": fastflow, "grppi": grppi})
        self.assertEqual(wanted_places(), {"FASTFLOW_DIR": str(fastflow), "GRPPI_DIR": str(grppi)})
        self.assertEqual(state_of(FASTFLOW).says, f"{fastflow} (registered)")
        self.assertIn("no", done.output)

    def test_a_later_place_counts_and_others_stay(self) -> None:
        one, two, taskflow = (
            self.sources("fastflow"),
            self.sources("fastflow", "two"),
            self.sources("taskflow"),
        )
        for given in (f"fastflow={one}", f"taskflow={taskflow}", f"fastflow={two}"):
            self.type("--path", given)
        self.assertEqual(registered(), {"fastflow": two, "taskflow": taskflow})

    def test_environment_counts_first(self) -> None:
        self.type("--path", f"fastflow={self.sources('fastflow')}")
        other = self.sources("fastflow", "other")
        os.environ["FASTFLOW_DIR"] = str(other)
        self.assertEqual(wanted_places(), {"FASTFLOW_DIR": str(other)})
        self.assertEqual(state_of(FASTFLOW).says, f"{other} (FASTFLOW_DIR)")
        self.assertIn(
            "but FASTFLOW_DIR is set", self.type("--path", f"fastflow={self.folder / 'fastflow'}").output
        )

    def test_sources_that_have_gone(self) -> None:
        folder = self.sources("fastflow")
        self.type("--path", f"fastflow={folder}")
        (folder / FASTFLOW.header).unlink()
        self.assertEqual(wanted_places(), {})
        state = state_of(FASTFLOW)
        self.assertFalse(state.there)
        self.assertEqual(state.says, f"{folder} (registered) does not hold ff/ff.hpp")

    def test_forget(self) -> None:
        self.type("--path", f"fastflow={self.sources('fastflow')}")
        self.again.assert_called_with([])
        self.assertEqual(self.type("--forget", "fastflow").exit_code, 0)
        self.again.assert_called_with(["FASTFLOW_DIR"])
        self.assertEqual(registered(), {})
        self.assertIn("no folder of FastFlow", str(self.type("--forget", "fastflow").exception))

    def test_what_another_needs(self) -> None:
        done = self.type("--path", f"windflow={self.sources('windflow')}")
        self.assertIn("WindFlow also needs FastFlow: ./thalweg install --path fastflow=", done.output)

    def test_what_is_no_place(self) -> None:
        for given, says in (
            ("fastflow", "not NAME=DIR"),
            ("fastflow=", "not NAME=DIR"),
            ("fastflo=/", "there is no interface fastflo"),
            ("tbb=/", "oneTBB has a package"),
            (f"fastflow={self.folder / 'nowhere'}", "there is no folder"),
            (f"fastflow={self.folder}", "there is no ff/ff.hpp"),
        ):
            with self.subTest(given):
                self.assertIn(says, str(self.type("--path", given).exception))
        self.assertFalse(self.file.exists())
        with self.assertRaises(Failed) as caught:
            interface_named("fastflo")
        self.assertIn("did you mean fastflow?", caught.exception.remedy)

    def test_malformed_file(self) -> None:
        self.file.parent.mkdir(parents=True)
        for text, says in (
            ('{\n "fastflow": \n}', "line 3"),
            ("[]", "map some of these to folders"),
            ('{"fastflow": 1}', "map some of these to folders"),
            ('{"tbb": "/"}', "map some of these to folders"),
        ):
            with self.subTest(text):
                self.file.write_text(text, encoding="utf-8")
                done = (
                    self.type("--path", f"fastflow={self.folder}")
                    if "fast" not in text
                    else self.type("--list")
                )
                self.assertIsInstance(done.exception, Failed)
                with self.assertRaisesRegex(Failed, says):
                    registered()
                self.assertEqual(self.file.read_text(encoding="utf-8"), text)

    def test_file_is_plain(self) -> None:
        folder = self.sources("taskflow")
        self.type("--path", f"taskflow={folder}")
        self.assertEqual(json.loads(self.file.read_text(encoding="utf-8")), {"taskflow": str(folder)})


class Packages(InAHome):
    """What is installed."""

    APT = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-o", "DPkg::Lock::Timeout=120")

    def run_with(
        self,
        *names: str,
        missing: bool,
        codes: tuple[int, ...] = (0,),
        root: bool = True,
        known: tuple[str, ...] = (),
    ) -> tuple[Result, list[list[str]]]:
        """Runs the command on a machine where packages are missing or not; what it would have run.

        `known`: what apt has, of packages in several versions.
        """
        run = mock.Mock(side_effect=[mock.Mock(returncode=code) for code in codes])
        with (
            mock.patch.object(Package, "found", return_value=None if missing else "1.2"),
            mock.patch.object(interfaces, "known_to_apt", return_value=set(known)),
            mock.patch.object(install.subprocess, "run", run),
            mock.patch.object(install.os, "geteuid", return_value=0 if root else 1000),
            mock.patch.object(install.shutil, "which", side_effect=lambda name: f"/usr/bin/{name}"),
        ):
            done = self.type(*names)
        return done, [call.args[0] for call in run.call_args_list]

    def test_missing_ones(self) -> None:
        done, ran = self.run_with("tbb", missing=True)
        self.assertEqual(done.exit_code, 0, done.exception)
        self.assertEqual(ran, [[*self.APT, "install", "--no-install-recommends", "libtbb-dev"]])
        # CMake keeps that it was not there.
        self.again.assert_called_with(["TBB_DIR"])
        _, ran = self.run_with("tbb", missing=True, root=False)
        self.assertEqual(ran[0][:4], ["sudo", *self.APT[:3]])
        self.assertEqual(self.run_with(missing=True)[1][0][-2:], ["libtbb-dev", "g++"])

    def test_the_newest_version_that_apt_has(self) -> None:
        sixteen = ("libclang-16-dev", "libclang-cpp16-dev", "llvm-16-dev")
        half = ("libclang-19-dev", "llvm-19-dev")  # does not do
        done, ran = self.run_with("spar", missing=True, known=(*half, *sixteen))
        self.assertEqual(done.exit_code, 0, done.exception)
        self.assertEqual(ran[0][-3:], list(sixteen))
        self.again.assert_called_with(["THALWEG_SPAR_CLANG"])
        done, ran = self.run_with("spar", missing=True)
        self.assertEqual((str(done.exception), ran), ("apt has no package of SPar", []))
        # Of all interfaces, those that apt has.
        self.assertEqual(self.run_with(missing=True)[1][0][-2:], ["libtbb-dev", "g++"])

    def test_old_lists_are_updated(self) -> None:
        done, ran = self.run_with("tbb", missing=True, codes=(100, 0, 0))
        self.assertEqual(done.exit_code, 0, done.exception)
        self.assertEqual([one[len(self.APT)] for one in ran], ["install", "update", "install"])

    def test_what_applications_need(self) -> None:
        known = [
            Application("a", fix="apt-get install libfirst-dev libboth-dev"),
            Application("b", fix="apt-get install libboth-dev"),
            Application("c"),
        ]
        with (
            mock.patch.object(install, "known_applications", lambda names: known if not names else known[2:]),
            mock.patch.object(install, "look_again_at_applications") as again,
            mock.patch.object(install, "configure") as configured,
        ):
            done, ran = self.run_with("--app", "all", missing=True)
            self.assertEqual(done.exit_code, 0, done.exception)
            self.assertEqual(
                ran, [[*self.APT, "install", "--no-install-recommends", "libfirst-dev", "libboth-dev"]]
            )
            again.assert_called_once()
            configured.assert_called_once()
            done, ran = self.run_with("--app", "c", missing=True)
        self.assertEqual(ran, [])
        self.assertIn("all packages that these applications need are installed", done.output)

    def test_nothing_to_do(self) -> None:
        done, ran = self.run_with(missing=False)
        self.assertEqual((done.exit_code, ran), (0, []))
        self.assertIn("all of these packages are installed", done.output)
        self.assertEqual(self.run_with("--list", missing=True)[1], [])

    def test_failures(self) -> None:
        self.assertIn(
            "cannot be installed", str(self.run_with("tbb", missing=True, codes=(100, 100))[0].exception)
        )
        self.again.assert_not_called()
        done, ran = self.run_with("tbb", "fastflow", missing=True)
        self.assertEqual((str(done.exception), ran), ("no package has FastFlow", []))
        self.type("--path", f"fastflow={self.sources('fastflow')}")
        failure = self.run_with("fastflow", missing=True)[0].exception
        assert isinstance(failure, Failed)
        self.assertIn(f"its sources are in {self.folder}/fastflow", failure.remedy)

    def test_packages_are_those_of_the_launcher(self) -> None:
        listed = (ROOT / "cli" / "packages.txt").read_text(encoding="utf-8")
        for one in INTERFACES:
            if one.package:
                self.assertRegex(listed, rf"(?m)^{one.package.replace('+', '[+]')} ")

    def test_cmake_looks_for_these_headers(self) -> None:
        files = (ROOT / "bench" / "CMakeLists.txt", ROOT / "cmake" / "mpi_libraries.cmake")
        cmake = "".join(file.read_text(encoding="utf-8") for file in files)
        for one in INTERFACES:
            if one.variable:
                self.assertIn(f"find_path({one.variable} {one.header} HINTS ENV {one.variable}", cmake)

    def test_list(self) -> None:
        text = io.StringIO()
        with redirect_stdout(text):
            install.install(list_only=True)
        for one in INTERFACES:
            self.assertIn(one.title, text.getvalue())
