"""Files that a user asks for are whole, or the old ones."""

import resource
import tempfile
import unittest
from pathlib import Path

from thalweg_cli.base.files import as_csv, check_writable, write_text
from thalweg_cli.base.terminal import Failed


class Files(unittest.TestCase):
    """Each test has a folder with a file in it."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "a.txt"
        self.file.write_text("old", encoding="utf-8")

    def test_takes_the_place_of_an_older_one(self) -> None:
        write_text(self.file, "néw\n")
        self.assertEqual(self.file.read_text(encoding="utf-8"), "néw\n")

    def test_older_one_stays_if_the_disk_is_full(self) -> None:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, before)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, before[1]))
        with self.assertRaisesRegex(Failed, f"{self.file} cannot be written"):
            write_text(self.file, "new")
        self.assertEqual(self.file.read_text(encoding="utf-8"), "old")
        self.assertEqual(list(self.folder.iterdir()), [self.file])

    def test_what_is_no_file(self) -> None:
        write_text(Path("/dev/null"), "new")
        self.assertTrue(Path("/dev/null").is_char_device())
        for file, says in ((self.folder, "is a folder"), (self.folder / "b" / "c", "there is no folder")):
            with self.subTest(says), self.assertRaisesRegex(Failed, says):
                check_writable(file)
        check_writable(self.file)

    def test_csv(self) -> None:
        self.assertEqual(as_csv(["a", "b"], [[1, "x,y"]]), 'a,b\n1,"x,y"\n')
