"""Benchmark programs that only pretend: scripts in a build folder of their own, and runs that never were."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from thalweg_cli.catalog.programs import Program
from thalweg_cli.run.experiment import Setting
from thalweg_cli.run.runs import Run

READS_OPTIONS = """#!/bin/bash
while [ $# -gt 0 ]; do
  case $1 in -help) exit ;; -json) json=$2 ;; -nthreads) nthreads=$2 ;; -input) input=$2 ;; esac
  shift
done
"""

MEASURES = (
    READS_OPTIONS + 'echo "{\\"seconds\\": 0.5, \\"throughput\\": 20, \\"peak_bytes\\": 1e6}" >"$json"\n'
)
"""A program that does nothing, in half a second."""


def program(application: str, interface: str, composition: str = "", missing: str = "") -> Program:
    """A program as CMake lists it."""
    name = "_".join(part for part in (application, interface, composition) if part)
    return Program(name, application, interface, composition, missing)


def a_run(setting: Setting, seconds: float, **more: object) -> Run:
    """A run that took so long."""
    result = {"seconds": seconds, "throughput": 10 / seconds}
    return Run(setting, 1, "2026-01-01T00:00:00.000Z", 3, ("a", "b c"), result=result, **more)  # type: ignore[arg-type]


class FakeBuild(unittest.TestCase):
    """Each test has a build folder, and a store."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bench").mkdir()
        self.store = self.folder / "data" / "results.db"
        self.programs: list[Program] = []
        self.patch("thalweg_cli.run.runs.build_folder", return_value=self.folder)
        self.patch("thalweg_cli.catalog.applications.build_folder", return_value=self.folder)
        self.patch("thalweg_cli.measure.command.build_folder", return_value=self.folder)
        self.patch("thalweg_cli.measure.command.known_programs", return_value=self.programs)
        self.patch("thalweg_cli.user.build.build")
        self.patch("thalweg_cli.measure.command.make_input")

    def patch(self, what: str, **more: object) -> None:
        """Replaces a part of the command line."""
        patched = mock.patch(what, **more)
        patched.start()
        self.addCleanup(patched.stop)

    def add(self, one: Program, script: str = MEASURES) -> Program:
        """Builds a program."""
        self.programs.append(one)
        file = self.folder / "bench" / one.name
        file.write_text(script, encoding="utf-8")
        file.chmod(0o755)
        return one
