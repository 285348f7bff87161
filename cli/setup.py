"""What pyproject.toml cannot say of the package: its version, and what a wheel carries besides modules."""

import hashlib
import re
import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "cli"))

from thalweg_cli.base.npm import NoPackages, find  # noqa: E402
from thalweg_cli.base.web_parts import PACKED, packages, parts_with  # noqa: E402
from thalweg_cli.report import bundle  # noqa: E402

BUILD = ROOT / "build" / "wheel"
HEADER = ROOT / "include" / "thalweg" / "version.hpp"
VERSION = ".".join(
    re.findall(r"^#define THALWEG_VERSION_\w+ (\d+)$", HEADER.read_text(encoding="utf-8"), re.MULTILINE)
)
LEFT_OUT = shutil.ignore_patterns(
    "__pycache__", "*.egg-info", ".*_cache", "build", "setup.py", "thalweg_cli", "CMakeUserPresets.json"
)
"""What is made by others; and the program itself, which a wheel has in another place."""


class BuildWithSources(build_py):
    """Has a wheel carry what it builds from, and what the page of a report draws with."""

    def run(self) -> None:
        """Copies both beside the modules."""
        super().run()
        if not self.editable_mode:
            carry(Path(self.build_lib) / "thalweg_cli" / "carried")
            pack_page(Path(self.build_lib) / "thalweg_cli" / PACKED.name)
            carry_bundle(Path(self.build_lib) / "thalweg_cli" / "page")


def carry_bundle(to: Path) -> None:
    """Copies Plotly's bundle, so that nobody needs npm who has the wheel. Without it, the wheel works too."""
    for old in to.glob("plotly-*.js"):
        old.unlink()
    try:
        shutil.copy2(bundle.there() or bundle.fetch(find()), to)
    except NoPackages as why:
        print(f"pages of reports will be larger: {why}", file=sys.stderr)


def carry(to: Path) -> None:
    """Copies what packaging/carried.txt lists, with a file that tells one set of sources from another."""
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    lines = (ROOT / "packaging" / "carried.txt").read_text(encoding="utf-8").splitlines()
    for name in (line for line in lines if line and not line.startswith("#")):
        place = ROOT / name
        if place.is_dir():
            shutil.copytree(place, to / name, ignore=LEFT_OUT)
        else:
            shutil.copy2(place, to / name)
    content = hashlib.sha256()
    for file in sorted(to.rglob("*")):
        if file.is_file():
            content.update(f"{file.relative_to(to)} {file.stat().st_size}\n".encode())
            content.update(file.read_bytes())
    (to / "packaged").write_text(f"{VERSION}-{content.hexdigest()[:12]}\n", encoding="utf-8")


def pack_page(to: Path) -> None:
    """Copies the page that shows a run, with npm's packages. A wheel that is made without npm has no page."""
    shutil.rmtree(to, ignore_errors=True)
    try:
        found = parts_with(packages())
    except NoPackages as why:
        print(f"the wheel gets no page for `thalweg view`: {why}", file=sys.stderr)
        return
    for name, file in found.items():
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, to / name)


setup(
    version=VERSION,
    cmdclass={"build_py": BuildWithSources},
    # Beside other builds, not among the sources.
    options={"build": {"build_base": str(BUILD)}, "bdist_wheel": {"bdist_dir": str(BUILD / "bdist")}},
)
