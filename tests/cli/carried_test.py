"""The sources of a wheel, copied to where they are built."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from thalweg_cli import carried
from thalweg_cli.base import paths
from thalweg_cli.base.terminal import Failed


class Carried(unittest.TestCase):
    """A wheel with two files, and the cache of a user."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.wheel = Path(folder.name) / "carried"
        self.cache = Path(folder.name) / "cache"
        (self.wheel / "src").mkdir(parents=True)
        (self.wheel / "packaged").write_text("1.2.3-4\n", encoding="utf-8")
        (self.wheel / "src" / "a.cpp").touch()
        for module in (carried, paths):
            patch = mock.patch.object(module, "CARRIED", self.wheel)
            patch.start()
            self.addCleanup(patch.stop)

    def unpack(self) -> Path:
        """Copies, and gives the folder."""
        with mock.patch.dict("os.environ", {"XDG_CACHE_HOME": str(self.cache)}):
            root = paths.root_folder()
        with mock.patch.object(carried, "ROOT", root):
            carried.unpack()
        return root

    def test_is_copied_once(self) -> None:
        root = self.unpack()
        self.assertEqual(root, self.cache / "thalweg" / "1.2.3-4")
        self.assertEqual({one.name for one in root.rglob("*")}, {"src", "a.cpp"})
        (root / "build").mkdir()
        self.assertEqual(self.unpack(), root)
        self.assertTrue((root / "build").is_dir())
        self.assertEqual([one.name for one in root.parent.iterdir()], ["1.2.3-4"])

    def test_the_copy_of_a_read_only_folder_can_be_written(self) -> None:
        for folder in (self.wheel / "src", self.wheel):
            folder.chmod(0o555)
            self.addCleanup(folder.chmod, 0o755)
        root = self.unpack()
        for folder in (root, root / "src"):
            self.assertEqual(folder.stat().st_mode & 0o700, 0o700)

    def test_other_sources_lie_elsewhere(self) -> None:
        first = self.unpack()
        (self.wheel / "packaged").write_text("1.2.3-5\n", encoding="utf-8")
        self.assertNotEqual(self.unpack(), first)
        self.assertTrue(first.is_dir())

    def test_a_folder_that_cannot_be_made(self) -> None:
        self.cache.touch()
        with self.assertRaisesRegex(Failed, "cannot be copied to .*1.2.3-4"):
            self.unpack()

    def test_a_tree_is_built_where_it_is(self) -> None:
        with mock.patch.object(carried, "CARRIED", self.wheel / "nothing"):
            carried.unpack()
        self.assertFalse(self.cache.exists())
