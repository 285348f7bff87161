"""Programs over MPI: how `exec` starts their ranks, keeps what came of them, and tells what is wrong."""

import os
import socket
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from fake_programs import MEASURES, READS_OPTIONS, FakeBuild, a_run, program
from thalweg_cli.app import app
from thalweg_cli.base.process import Finished
from thalweg_cli.base.terminal import Failed
from thalweg_cli.catalog.programs import select
from thalweg_cli.report.data import rows_of
from thalweg_cli.report.panels import axis_named
from thalweg_cli.report.ranking import degrees
from thalweg_cli.results.export import conditions_of
from thalweg_cli.results.store import Store
from thalweg_cli.run import mpi
from thalweg_cli.run.experiment import Conditions, Setting, settings
from thalweg_cli.run.mpi import Host, hosts_of
from thalweg_cli.run.runs import Run
from typer.testing import CliRunner, Result

PLAIN = program("mandelbrot", "mpi-plain", "farm")
OURS = program("mandelbrot", "mpi-thalweg", "farm")
DSPARLIB = program("mandelbrot", "mpi-dsparlib", "farm")
TBB = program("mandelbrot", "tbb", "farm")

LAUNCHER = """#!/bin/bash
[ "$1" = --version ] && { echo "mpirun (Open MPI) 4.1.4"; exit; }
echo "$*" >>"$(dirname "$0")/launched"
echo "$TMPDIR" >"$(dirname "$0")/temporary"
shift 2
[ "$1" = --host ] && shift 2
exec "$@"
"""
"""It starts one process, whatever it is asked for."""

FELL = """
mpirun noticed that process rank 2 with PID 0 on node vm exited on signal 11 (Segmentation fault).
"""


class OverMpi(FakeBuild):
    """Programs that only pretend, and a launcher that does."""

    def setUp(self) -> None:
        super().setUp()
        self.launcher = self.folder / "mpirun"
        self.launcher.write_text(LAUNCHER, encoding="utf-8")
        self.launcher.chmod(0o755)
        self.patch("thalweg_cli.run.mpi.cached", return_value=str(self.launcher))
        mpi.is_hydra.cache_clear()

    def type(self, *options: str) -> Result:
        """Runs the command."""
        command = ["exec", "--input", "test", "--store", str(self.store), *options]
        return CliRunner().invoke(app, command)

    def launched(self) -> list[str]:
        """What the launcher was asked for."""
        file = self.folder / "launched"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def kept(self) -> list[Run]:
        """The runs of the last set."""
        store = Store(self.store)
        self.addCleanup(store.close)
        return store.runs(store.sets()[-1].id)

    def test_each_number_of_ranks_is_a_setting(self) -> None:
        for one in (PLAIN, OURS, TBB):
            self.add(one)
        done = self.type("--app", "mandelbrot", "--nprocs", "1:2:4", "--nthreads", "2", "--verify")
        self.assertEqual(done.exit_code, 0, done.output)
        found = [
            (run.setting.program.interface, run.setting.nprocs, run.setting.nthreads) for run in self.kept()
        ]
        # What is written by hand has one thread for each rank; what is no program of ranks, only threads.
        self.assertEqual(
            found,
            [("mpi-plain", ranks, 1) for ranks in (1, 2, 4)]
            + [("mpi-thalweg", ranks, 2) for ranks in (1, 2, 4)]
            + [("tbb", None, 2)],
        )
        bench = self.folder / "bench"
        self.assertIn(f"-n 4 {bench / OURS.name} -input test -nthreads 2 -verify -json", self.launched()[5])
        self.assertRegex(done.output, r"mandelbrot_mpi-thalweg_farm +2( \(1\))? +4 +\d")

    def test_hosts_and_executor_come_to_the_launcher(self) -> None:
        self.add(OURS)
        here = socket.gethostname()
        done = self.type(
            "--ppi", "mpi", "--nprocs", "3", "--hosts", f"{here}:2,localhost", "--executor", "env A=1"
        )
        self.assertEqual(done.exit_code, 0, str(done.exception))
        (said,) = self.launched()
        self.assertTrue(said.startswith(f"-n 3 --host {here}:2,localhost env A=1 {self.folder}"), said)
        store = Store(self.store)
        self.addCleanup(store.close)
        self.assertEqual(conditions_of(store.find("latest")).hosts, (Host(here, 2), Host("localhost")))

    def test_what_killed_ranks_leave_goes_with_the_run(self) -> None:
        self.add(PLAIN)
        self.type("--ppi", "mpi")
        temporary = Path((self.folder / "temporary").read_text(encoding="utf-8").strip())
        self.assertTrue(temporary.name.startswith("thalweg-"), temporary)
        self.assertFalse(temporary.exists())

    def test_users_environment_counts(self) -> None:
        self.enterContext(mock.patch.dict(os.environ, {"OMPI_MCA_hwloc_base_binding_policy": "core"}))
        self.assertNotIn("OMPI_MCA_hwloc_base_binding_policy", mpi.variables())
        with mock.patch.dict(os.environ, clear=True):
            self.assertEqual(mpi.variables(), mpi.ALLOWED)

    def test_all_ranks_are_told_how_to_adapt_themselves(self) -> None:
        self.add(OURS, MEASURES + 'echo "$THALWEG_ADAPT" >"$(dirname "$0")/told"\n')
        done = self.type("--ppi", "mpi", "--nprocs", "2", "--adapt", "ds2")
        self.assertEqual(done.exit_code, 0, done.output)
        told = (self.folder / "bench" / "told").read_text(encoding="utf-8")
        self.assertEqual(told, "planner=ds2 goal=keep_up every=100ms\n")
        self.assertTrue(self.launched()[-1].startswith("-n 2 env THALWEG_ADAPT=planner=ds2 "))

    def test_a_rank_that_falls_is_named(self) -> None:
        complaint = f"echo 'mandelbrot_mpi-plain_farm: interrupted' >&2; echo '{FELL}' >&2; exit 139\n"
        self.add(PLAIN, READS_OPTIONS + complaint)
        self.add(OURS)
        done = self.type("--ppi", "mpi", "--nprocs", "3")
        self.assertEqual(done.exit_code, 1)
        self.assertIn("3 ranks, 1 threads: rank 2 on vm was ended by SIGSEGV", done.stderr)
        self.assertEqual([bool(run.error) for run in self.kept()], [True, False])

    def test_ranks_that_hang_are_ended(self) -> None:
        self.add(PLAIN, "#!/bin/bash\nsleep 60\n")
        done = self.type("--ppi", "mpi", "--nprocs", "2", "--timeout", "0.2")
        self.assertIn("2 ranks, 1 threads: it did not end within 0.2 s", done.stderr)

    def test_mistakes_are_told_before_anything_runs(self) -> None:
        self.add(PLAIN)
        self.add(TBB, MEASURES)
        hosts = self.folder / "hosts"
        hosts.write_text("localhost slots=2\nwhat is this\n", encoding="utf-8")
        for options, says in (
            (("--nprocs", "0", "--ppi", "mpi"), "--nprocs 0: 0 is not above 0"),
            (("--nprocs", "2:x", "--ppi", "mpi"), "--nprocs 2:x: not N"),
            (("--nprocs", "2", "--bench", TBB.name), "--nprocs: mandelbrot_tbb_farm is not over MPI"),
            (("--hosts", "localhost", "--ppi", "tbb"), "--hosts: mandelbrot_tbb_farm is not over MPI"),
            (("--hosts", "no.such.host.invalid", "--ppi", "mpi"), "there is no host no.such.host.invalid"),
            (("--hosts", "localhost:0", "--ppi", "mpi"), "a host has 0 ranks"),
            (("--hosts", "a b", "--ppi", "mpi"), "neither a file nor hosts"),
            (("--hosts", str(hosts), "--ppi", "mpi"), "line 2: 'what is this' is not a host"),
            (("--hosts", "192.0.2.1", "--ppi", "mpi"), "192.0.2.1 is another machine"),
            (("--debug", "--nprocs", "2:3", "--ppi", "mpi"), "that would be 2 programs or settings"),
        ):
            with self.subTest(options):
                self.assertIn(says, str(self.type(*options).exception))
        self.assertEqual(self.launched(), [])

    def test_programs_that_need_more_ranks(self) -> None:
        self.add(OURS)
        self.add(DSPARLIB)
        done = self.type("--ppi", "mpi", "--nprocs", "1:4", "--nthreads", "2")
        self.assertEqual(done.exit_code, 0, done.output)
        says = "left out: mandelbrot_mpi-dsparlib_farm with 1, 2 ranks: it needs 3"
        self.assertIn(says, " ".join(done.output.split()))
        found = [
            (run.setting.program.interface, run.setting.nprocs, run.setting.nthreads) for run in self.kept()
        ]
        self.assertEqual(
            found,
            [("mpi-thalweg", ranks, 2) for ranks in (1, 2, 3, 4)]
            + [("mpi-dsparlib", ranks, 1) for ranks in (3, 4)],
        )
        failure = self.type("--ppi", "mpi-dsparlib").exception
        self.assertIn("there are too few ranks", str(failure))

    def test_no_launcher(self) -> None:
        self.add(PLAIN)
        self.patch("thalweg_cli.run.mpi.cached", return_value="")
        self.patch("thalweg_cli.run.mpi.shutil.which", return_value=None)
        failure = self.type("--ppi", "mpi").exception
        assert isinstance(failure, Failed)
        self.assertEqual(
            (failure.what, failure.remedy[:7]), ("there is no mpirun to start ranks with", "apt-get")
        )


class Parts(unittest.TestCase):
    """What needs no programs."""

    def test_one_name_for_all_interfaces_over_mpi(self) -> None:
        programs = [PLAIN, OURS, TBB]
        self.assertEqual(select(programs, [], [], ["mpi"]), [PLAIN, OURS])
        self.assertEqual(select(programs, [], [], ["mpi-thalweg"]), [OURS])
        with self.assertRaisesRegex(Failed, "no interface mpi"):
            select([TBB], [], [], ["mpi"])

    def test_hosts_of_a_file(self) -> None:
        file = Path(self.enterContext(tempfile.TemporaryDirectory()), "hosts")
        file.write_text(
            "# ours\nlocalhost slots=2 max_slots=4\n\nlocalhost:3  # again\nlocalhost\n", encoding="utf-8"
        )
        self.assertEqual(hosts_of(str(file)), (Host("localhost", 2), Host("localhost", 3), Host("localhost")))

    def test_how_mpich_tells_of_a_rank(self) -> None:
        said = "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)\n"
        self.assertEqual(mpi.cause(Finished(11, "", said, 1), "a"), "a rank was ended by SIGSEGV")
        self.assertEqual(mpi.cause(Finished(0, "", FELL, 1), "a"), "")
        self.assertEqual(mpi.cause(Finished(1, "", "---\na: no input\n---\n", 1), "a"), "no input")

    def test_threads_asked_for_are_those_of_all_ranks(self) -> None:
        rows = settings([OURS, TBB], ["test"], [2], nprocs=[1, 3])
        self.assertEqual([one.degree for one in rows], [2, 6, 2])
        self.assertEqual(rows[1].name, "mandelbrot_mpi-thalweg_farm, test, 3 ranks, 2 threads")

    def test_ranks_are_an_axis_of_reports(self) -> None:
        runs = [a_run(Setting(OURS, "test", 2, nprocs=ranks), 1 / ranks) for ranks in (1, 2)]
        runs.append(a_run(Setting(TBB, "test", 2), 1))
        one = type("Set", (), {"id": 1, "conditions": Conditions().as_plain(), "findings": []})()
        rows = rows_of([(one, runs)])  # type: ignore[list-item]
        ranks = axis_named(rows, "nprocs")
        self.assertEqual([ranks.place(row) for row in rows], [1, 2, None])
        self.assertEqual(degrees(rows), [2, 4])
        self.assertEqual(rows[0].way, "mpi-thalweg farm, 2 threads a rank")


if __name__ == "__main__":
    unittest.main()
