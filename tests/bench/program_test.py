"""Runs a benchmark program on good and on bad inputs, and looks at what it says and what it leaves behind."""

import bz2
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

PROGRAM = Path(sys.argv[1])
APPLICATION = sys.argv[2]
GOOD = {
    "bzip2": ["test", "test_d"],
    "fraud_detection": ["test_n"],
    "ferret": ["test"],
    "mandelbrot": ["test"],
    "mandelbrot_zoom": ["test"],
    "primes": ["test"],
    "video_filter": ["test"],
    "xml_transform": ["test"],
}
TEXT = "".join(f"line {number * number}\n" for number in range(20_000)).encode()
BLOCKS = b"".join(bz2.compress(TEXT[start : start + 90_000], 1) for start in range(0, len(TEXT), 90_000))


class Case(unittest.TestCase):
    """A test of the program, in a folder of its own."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.output = self.folder / "output"

    def run_on(
        self, name: str, *options: str, output: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs the program."""
        command = [PROGRAM, "-input", name, "-output", output or self.output, "-nthreads", "2", *options]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    def left(self) -> list[str]:
        """What lies in the folder, hidden files, too."""
        return sorted(file.name for file in self.folder.iterdir())

    def refuses(self, name: str, *says: str, output: Path | None = None) -> None:
        """The program ends with an error that names what is wrong, and leaves nothing behind."""
        before = self.left()
        done = self.run_on(name, output=output)
        self.assertEqual(done.returncode, 1, done.stderr)
        for text in (PROGRAM.name, *says):
            self.assertIn(text, done.stderr)
        self.assertEqual(self.left(), before)

    def file(self, name: str, content: bytes) -> str:
        """A file of the folder."""
        (self.folder / name).write_bytes(content)
        return str(self.folder / name)


class Program(Case):
    """What every program does."""

    def test_good_inputs(self) -> None:
        for name in GOOD[APPLICATION]:
            with self.subTest(name):
                done = self.run_on(name, "-verify", "-latency", "--json", str(self.folder / "json"))
                self.assertEqual(done.returncode, 0, done.stderr)
                found = json.loads((self.folder / "json").read_text())
                self.assertTrue(found["verified"]["good"])
                self.assertGreater(found["elements"], 0)
                self.assertEqual(self.left(), ["json", "output"])

    def test_missing_input(self) -> None:
        self.refuses(str(self.folder / "nothing"), "nothing")

    def test_empty_input(self) -> None:
        self.refuses(self.file("hollow", b""), "hollow")

    def test_output_that_cannot_be_written(self) -> None:
        self.refuses(GOOD[APPLICATION][0], "no_folder", output=self.folder / "no_folder" / "output")

    def test_unknown_option(self) -> None:
        done = self.run_on(GOOD[APPLICATION][0], "-nthread", "2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("did you mean -nthreads", done.stderr)


@unittest.skipIf(APPLICATION == "bzip2", "of others")
class BrokenFolder(Case):
    """An input that is a folder, in which the stream comes to something that is wrong."""

    BREAKS: ClassVar[dict[str, tuple[str, Callable[[bytes], bytes]]]] = {
        "fraud_detection": ("transactions.csv", lambda text: text[: 28 * 5_000] + b"CARD,T,XYZ\n"),
        "ferret": ("queries.pack", lambda pack: pack[: len(pack) // 2]),
        "mandelbrot": ("scene.txt", lambda text: text + b"nonsense\n"),
        "mandelbrot_zoom": ("film.txt", lambda text: text + b"nonsense\n"),
        "primes": ("range.txt", lambda text: text + b"nonsense\n"),
        "video_filter": ("frame00030.jpg", lambda picture: picture[: len(picture) // 2]),
        "xml_transform": ("statement00040.xml", lambda text: text[: len(text) // 2]),
    }

    def test_broken_stream(self) -> None:
        made = Path(os.environ["XDG_CACHE_HOME"]) / "thalweg" / "inputs" / APPLICATION / GOOD[APPLICATION][0]
        if not made.exists():
            self.run_on(GOOD[APPLICATION][0])
            self.output.unlink()
        broken = self.folder / "broken"
        shutil.copytree(made, broken)
        name, damage = self.BREAKS[APPLICATION]
        (broken / name).write_bytes(damage((broken / name).read_bytes()))
        self.refuses(str(broken), name)


@unittest.skipIf(APPLICATION != "bzip2", "of bzip2")
class Bzip2(Case):
    """What only compression can meet."""

    def test_restores_what_bzip2_made(self) -> None:
        done = self.run_on(self.file("text.bz2", BLOCKS), "-batch-size", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.output.read_bytes(), TEXT)

    def test_truncated_file(self) -> None:
        self.refuses(self.file("cut.bz2", BLOCKS[:-40]), "cut.bz2", "truncated")

    def test_damaged_file(self) -> None:
        middle = len(BLOCKS) // 2
        self.refuses(
            self.file("bad.bz2", BLOCKS[:middle] + b"?" * 20 + BLOCKS[middle + 20 :]), "bad.bz2", "damaged"
        )

    def test_output_that_is_the_input(self) -> None:
        name = self.file("text", TEXT)
        self.refuses(name, "is the input", output=Path(name))
        self.assertEqual(Path(name).read_bytes(), TEXT)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
