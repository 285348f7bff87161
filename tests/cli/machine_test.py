"""What is told of machine and peers: read from files that are made up, unknown where there are none."""

import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from thalweg_cli.base import machine
from thalweg_cli.build.interfaces import interface_named
from thalweg_cli.build.peers import of_folder


class InAFolder(unittest.TestCase):
    """Each test has a folder of files."""

    def setUp(self) -> None:
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)

    def file(self, name: str, text: str) -> Path:
        """Writes a file."""
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        return place


class Machine(InAFolder):
    """What the system says."""

    def patched(self, **places: Path) -> None:
        """Has the system's files elsewhere."""
        for name, place in places.items():
            patch = mock.patch.object(machine, name, place)
            patch.start()
            self.addCleanup(patch.stop)

    def test_it_is_told(self) -> None:
        for index, (level, kind, size, shared) in enumerate(
            ((1, "Data", "48K", "0"), (1, "Instruction", "32K", "0"), (3, "Unified", "16M", "0-3"))
        ):
            for name, text in (("level", level), ("type", kind), ("size", size), ("shared_cpu_list", shared)):
                self.file(f"cpu0/cache/index{index}/{name}", f"{text}\n")
        self.file("cpu0/cpufreq/cpuinfo_max_freq", "3600000\n")
        self.patched(
            CPU=self.folder / "cpu0",
            CPUINFO=self.file("cpuinfo", "processor\t: 0\nmodel name\t: A <b>\ncpu MHz\t\t: 2600.5\n"),
            MEMINFO=self.file("meminfo", "MemTotal:       16 kB\nMemFree: 1 kB\n"),
            RELEASE=self.file("os-release", 'ID=x\nPRETTY_NAME="An OS 1"\n'),
        )
        self.assertEqual(machine.processor(), "A <b>")
        self.assertEqual(machine.memory(), 16384)
        self.assertEqual(machine.caches(), "L1d 48K, L1i 32K, L3 16M shared by processors 0-3")
        self.assertEqual(machine.clock(), "3.60 GHz at most")
        self.assertEqual(machine.system(), "An OS 1")
        self.patched(CPU=self.folder / "none")
        self.assertEqual(machine.clock(), "2.60 GHz")

    def test_what_is_not_there_is_unknown(self) -> None:
        nowhere = self.folder / "nowhere"
        self.patched(CPU=nowhere, CPUINFO=nowhere, MEMINFO=nowhere, RELEASE=nowhere)
        self.assertEqual(machine.memory(), 0)
        self.assertEqual({machine.caches(), machine.clock(), machine.system()}, {machine.UNKNOWN})


class Peers(InAFolder):
    """Versions of interfaces that are folders of sources."""

    def test_what_sources_say(self) -> None:
        taskflow, grppi, fastflow = map(interface_named, ("taskflow", "grppi", "fastflow"))
        self.file(f"tf/{taskflow.header}", "// current version: 3.5.0\n#define TF_VERSION 300500\n")
        self.file(f"newer/{taskflow.header}", "#define TF_VERSION 300800\n")
        self.file(f"grppi/{grppi.header}", "")
        self.file("grppi/CMakeLists.txt", "project(GRPPI VERSION 0.4.0 LANGUAGES CXX)\n")
        self.file(f"ff/{fastflow.header}", "")
        self.assertEqual(of_folder(self.folder / "tf", taskflow), "3.5.0")
        self.assertEqual(of_folder(self.folder / "newer", taskflow), "300800")
        self.assertEqual(of_folder(self.folder / "grppi", grppi), "0.4.0")
        self.assertEqual(of_folder(self.folder / "ff", fastflow), str(self.folder / "ff"))

    def test_what_git_says_counts_only_for_its_own_files(self) -> None:
        fastflow = interface_named("fastflow")
        self.file(f"{fastflow.header}", "")
        self.file(f"copied/{fastflow.header}", "")
        self.file(".gitignore", "/copied/\n")
        git = ["git", "-C", str(self.folder), "-c", "user.name=a", "-c", "user.email=a@b"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "a"], ["tag", "v3"]):
            subprocess.run([*git, *command], check=True)
        self.assertEqual(of_folder(self.folder, fastflow), "v3")
        self.assertEqual(of_folder(self.folder / "copied", fastflow), str(self.folder / "copied"))


if __name__ == "__main__":
    unittest.main()
