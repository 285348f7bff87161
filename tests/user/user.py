"""A user with folders of their own, who types commands of ./thalweg."""

import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class User(unittest.TestCase):
    """Each test has an empty folder to work in, and folders for what is kept."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        (self.folder / "thalweg").symlink_to(ROOT / "thalweg")
        self.benchmarks = self.folder / "data" / "thalweg" / "benchmarks"
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("THALWEG_")}
        self.environment |= {"XDG_DATA_HOME": str(self.folder / "data"), "COLUMNS": "160", "VISUAL": "false"}

    def types(self, command: str, *, code: int = 0, **more: str) -> str:
        """Runs a command line as it stands there. Returns what it says, on both streams."""
        done = subprocess.run(
            shlex.split(command),
            cwd=self.folder,
            env=self.environment | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}")
        return done.stdout

    def file(self, name: str, text: str) -> Path:
        """Writes a file into the folder, as a program if it is a script."""
        place = self.folder / name
        place.write_text(text, encoding="utf-8")
        if text.startswith("#!"):
            place.chmod(0o755)
        return place


def blocks(page: str, kind: str) -> list[str]:
    """What stands between fences of a kind on a page of the documentation."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
