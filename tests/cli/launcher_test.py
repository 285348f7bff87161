"""The launcher on a machine made of stubs: what it does, its ways to fail, what it says, and that it ends."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from thalweg_cli.base.packages import needed
from thalweg_cli.base.paths import ROOT

TOOLS = ["awk", "bash", "cat", "cksum", "cp", "dirname", "env", "find", "flock", "mkdir", "mktemp", "mv"]
TOOLS += ["python3", "readlink", "rm", "sed", "sleep", "tail", "tr"]


class Launcher(unittest.TestCase):
    """Each test has a copy of the launcher in a path with a space, and a PATH of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "a clone"
        self.bin = Path(folder.name) / "bin"
        self.bin.mkdir()
        self.home = Path(folder.name) / "home"
        (self.root / "cli").mkdir(parents=True)
        (self.root / "tests").mkdir()
        shutil.copy(ROOT / "thalweg", self.root)
        for name in ("packages.txt", "pyproject.toml"):
            shutil.copy(ROOT / "cli" / name, self.root / "cli")
        for tool in TOOLS:
            place = shutil.which(tool)
            assert place is not None, tool
            (self.bin / tool).symlink_to(place)

    def stub(self, name: str, script: str) -> None:
        """Puts a command on the PATH."""
        (self.bin / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (self.bin / name).chmod(0o755)

    def start(self, command: str = "test") -> subprocess.CompletedProcess[str]:
        """Starts the launcher from another folder without a terminal."""
        return subprocess.run(
            [self.root / "thalweg", command],
            cwd="/",
            env={**os.environ, "PATH": str(self.bin), "HOME": str(self.home), "XDG_CACHE_HOME": ""},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def run_launcher(self) -> str:
        """What the launcher says while it fails."""
        done = self.start()
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr

    def doctor(self) -> str:
        """What `doctor` lists on a machine where it misses something, and that it changes nothing there."""
        calls = self.bin.parent / "calls"
        for name in ("apt-get", "sudo"):
            self.stub(name, f'echo "$0" >>"{calls}"; exit 1')
        before = sorted(self.root.rglob("*"))
        done = self.start("doctor")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr, "")
        self.assertEqual(sorted(self.root.rglob("*")), before)
        self.assertFalse(calls.exists(), "called apt-get or sudo")
        return done.stdout

    def test_doctor_on_a_fresh_machine(self) -> None:
        (self.bin / "python3").unlink()
        self.stub("dpkg-query", 'case "$*" in *" bzip2") echo installed ;; *) exit 1 ;; esac')
        listed = self.doctor()
        for package in needed():
            name, purpose = re.escape(package.name), re.escape(package.purpose)
            if package.name == "bzip2":
                self.assertRegex(listed, rf"(?m)^{name} +found +{purpose}$")
            else:
                fix = re.escape(package.fix)
                self.assertRegex(listed, rf"(?m)^{name} +not found +{purpose}\n +fix: {fix}$")
        self.assertRegex(listed, r"\nPython environment +not found .*\n +fix: \./thalweg --help\n")
        self.assertIn(f"\n{len(needed())} missing", listed)
        self.assertIn("any other command of ./thalweg installs missing packages", listed)

    def test_doctor_where_a_package_lacks_its_command(self) -> None:
        self.stub("dpkg-query", "echo installed")
        listed = self.doctor()
        self.assertRegex(listed, r"\ncmake +found ")
        self.assertRegex(listed, r"\ncommands +not found .*\n +fix: apt-get install --reinstall .*cmake")
        self.assertIn("\n2 missing", listed)

    def test_without_tests_nothing_is_needed_for_them(self) -> None:
        (self.root / "tests").rmdir()
        self.stub("dpkg-query", "exit 1")
        listed = self.doctor()
        self.assertRegex(listed, r"(?m)^ninja-build +not found ")
        self.assertNotRegex(listed, r"(?m)^(libgtest-dev|lintian) ")

    def test_what_a_package_has_installed_is_copied(self) -> None:
        (self.root / "packaged").write_text("1.2.3-4\n", encoding="utf-8")
        self.stub("dpkg-query", "exit 1")
        for _ in range(2):
            listed = self.doctor()
            self.assertIn("fix: thalweg --help", listed)
        kept = self.home / ".cache" / "thalweg"
        self.assertEqual([one.name for one in kept.iterdir()], ["1.2.3-4"])
        copied = {one.relative_to(kept / "1.2.3-4") for one in kept.rglob("*")} - {Path()}
        there = {one.relative_to(self.root) for one in self.root.rglob("*")}
        self.assertEqual(copied, there - {Path("packaged")})

    def test_a_copy_that_fails_leaves_nothing(self) -> None:
        (self.root / "packaged").write_text("1.2.3-4\n", encoding="utf-8")
        (self.bin / "cp").unlink()
        self.stub(
            "cp", 'for last; do :; done; echo x >"$last/half"; echo "cp: No space left on device" >&2; exit 1'
        )
        kept = self.home / ".cache" / "thalweg"
        self.assertRegex(
            self.run_launcher(),
            rf"No space left(.|\n)*cannot be copied to {kept}/1.2.3-4(.|\n)*XDG_CACHE_HOME",
        )
        self.assertEqual(list(kept.iterdir()), [])

    def test_a_cache_that_cannot_be_made(self) -> None:
        (self.root / "packaged").write_text("1.2.3-4\n", encoding="utf-8")
        self.home.touch()
        self.assertRegex(self.run_launcher(), r"cannot be copied to .*/1.2.3-4(.|\n)*XDG_CACHE_HOME")

    def test_doctor_without_dpkg(self) -> None:
        done = self.start("doctor")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"there is no dpkg(.|\n)*g\+\+ cmake ninja-build")

    def test_without_root_and_sudo(self) -> None:
        self.stub("id", "echo 1000")
        self.stub("dpkg-query", "exit 1")
        self.stub("apt-get", "exit 1")
        self.assertRegex(self.run_launcher(), r"only root may install(.|\n)*apt-get install .*cmake")

    def test_sudo_that_needs_a_password(self) -> None:
        self.stub("id", "echo 1000")
        self.stub("dpkg-query", "exit 1")
        self.stub("apt-get", "exit 1")
        self.stub("sudo", "echo sudo: a password is required >&2; exit 1")
        self.assertRegex(
            self.run_launcher(), r"a password is required(.|\n)*sudo refused(.|\n)*apt-get install .*cmake"
        )

    def test_without_network_for_apt(self) -> None:
        self.stub("id", "echo 0")
        self.stub("dpkg-query", "exit 1")
        self.stub("apt-get", "echo 'Temporary failure resolving a package server'; exit 100")
        said = self.run_launcher()
        self.assertIn("Temporary failure resolving", said)
        self.assertIn("package lists cannot be updated", said)
        self.assertIn("Check the network", said)

    def test_package_that_apt_does_not_know(self) -> None:
        self.stub("id", "echo 0")
        self.stub("dpkg-query", "exit 1")
        self.stub(
            "apt-get",
            'case "$*" in *update*) exit 0 ;; esac; echo E: Unable to locate package spin; exit 100',
        )
        said = self.run_launcher()
        self.assertIn("Unable to locate package spin", said)
        self.assertIn("packages cannot be installed", said)

    def installs_of_clang(self, *, there: str, known: str) -> str:
        """What apt is told where all packages are there but those of Clang.

        Of these, `there` and `known` are the installed ones, and those that apt has: patterns of sh.
        """
        calls = self.bin.parent / "calls"
        calls.write_text("", encoding="utf-8")
        of_clang = '*" llvm-"*-dev | *" libclang-"[0-9c]*'
        self.stub("id", "echo 0")
        self.stub("dpkg-query", f'case "$*" in {there}) ;; {of_clang}) exit 1 ;; esac; echo installed')
        self.stub("apt-cache", f'case "$*" in {known}) echo "Package: x" ;; *) exit 100 ;; esac')
        self.stub("apt-get", f'echo "$*" >>"{calls}"')
        self.run_launcher()  # There is no compiler.
        return calls.read_text(encoding="utf-8")

    def test_the_newest_clang_that_apt_has(self) -> None:
        told = self.installs_of_clang(there="none", known="*llvm-19-dev | *16-dev | *cpp16-dev")
        self.assertRegex(
            told, r"install --no-install-recommends libclang-16-dev libclang-cpp16-dev llvm-16-dev ?\n"
        )

    def test_a_clang_that_is_there_will_do(self) -> None:
        self.assertEqual(self.installs_of_clang(there="*16-dev", known="*"), "")

    def test_without_a_clang_nothing_else_is_missing(self) -> None:
        self.assertEqual(self.installs_of_clang(there="none", known="none"), "")

    def test_without_apt_and_compiler(self) -> None:
        self.assertRegex(self.run_launcher(), r"there is no apt(.|\n)*g\+\+ cmake ninja-build")

    def test_package_without_its_command(self) -> None:
        self.stub("id", "echo 0")
        self.stub("dpkg-query", "echo installed")
        self.stub("apt-get", "exit 0")
        self.assertRegex(self.run_launcher(), r"not on the PATH(.|\n)*--reinstall")

    def test_without_network_for_pip(self) -> None:
        self.stub("id", "echo 0")
        self.stub("dpkg-query", "echo installed")
        self.stub("apt-get", "exit 0")
        for tool in ("c++", "cmake", "ninja"):
            self.stub(tool, "exit 0")
        environment = {
            "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
            "PIP_RETRIES": "0",
            "PIP_NO_CACHE_DIR": "1",
        }
        with unittest.mock.patch.dict(os.environ, environment):
            said = self.run_launcher()
        self.assertIn("Python packages cannot be installed", said)
        self.assertIn("PyPI", said)

    def test_second_start_installs_nothing(self) -> None:
        calls = self.bin.parent / "calls"
        noted = f'echo "${{0##*/}} $*" >>"{calls}"'
        self.stub("id", "echo 0")
        for tool in ("c++", "cmake", "ninja"):
            self.stub(tool, "exit 0")
        self.stub("dpkg-query", f"{noted}; echo installed")
        self.stub("apt-get", noted)
        # An environment in which pip has nothing to fetch, left by a version that needed other packages.
        python = self.root / ".venv" / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.write_text(f"#!/bin/sh\n{noted}\n", encoding="utf-8")
        python.chmod(0o755)
        ready = self.root / ".venv" / "ready"
        ready.write_text(f"other packages\n{self.root.resolve()}\n", encoding="utf-8")

        self.assertEqual(self.start("doctor").returncode, 1)
        self.assertNotRegex(calls.read_text(encoding="utf-8"), "python |apt-get ")

        self.assertEqual(self.start().returncode, 0)
        first = calls.read_text(encoding="utf-8")
        self.assertRegex(first, r"dpkg-query .* cmake\n(.|\n)*python -m pip install")
        self.assertTrue(first.endswith("python -I -m thalweg_cli test\n"), first)

        calls.unlink()
        done = self.start("doctor")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(calls.read_text(encoding="utf-8"), "python -I -m thalweg_cli doctor\n")
        self.assertEqual(done.stderr, "")
