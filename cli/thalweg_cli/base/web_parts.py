"""The files of the page that shows a stream, and of npm's packages. The setup of a wheel uses this, too."""

import hashlib
import shutil
import subprocess
from pathlib import Path

from thalweg_cli.base.paths import BUILD, PROGRAM, ROOT

PACKED = PROGRAM / "live_page"
"""All of them, in what was packaged."""

WEB = ROOT / "web"
NPM = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
PATIENCE_S = 120


class NoParts(Exception):
    """The page is not there, and why."""


def parts() -> dict[str, Path]:
    """Each path below `assets/`, and its file; the page itself is `index.html`. Raises NoParts."""
    if PACKED.is_dir():
        return {str(file.relative_to(PACKED)): file for file in sorted(PACKED.rglob("*")) if file.is_file()}
    if not (WEB / "live" / "index.html").is_file():
        raise NoParts("this command line was packaged without the page, where there was no npm")
    return parts_with(packages())


def parts_with(packages: Path) -> dict[str, Path]:
    """The parts in the sources, with npm's packages from a folder that has `node_modules/`."""
    found = {file.name: file for file in sorted((WEB / "live").iterdir())}
    for line in (WEB / "assets.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            path, file = line.split()
            found[path] = packages / file
    return found


def packages() -> Path:
    """A folder with npm's packages as they are locked, got now if no build has got them. Raises NoParts."""
    locked = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    folder = BUILD / "web"
    for place in (folder, *sorted(BUILD.glob("*/web"))):
        mark = place / "installed"
        if mark.is_file() and mark.read_text(encoding="utf-8") == locked:
            return place
    npm = shutil.which("npm") or shutil.which("npm", path=ROOT / ".venv" / "bin")
    if not npm:
        raise NoParts("there is no npm, which gets the packages of the page: apt-get install npm")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(WEB / name, folder)
    try:
        got = subprocess.run(
            [npm, *NPM],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        said, failed = got.stdout + got.stderr, got.returncode != 0
    except subprocess.TimeoutExpired:
        said, failed = f"npm did not end within {PATIENCE_S} s", True
    (folder / "npm.log").write_text(said, encoding="utf-8")
    if failed:
        raise NoParts(f"npm has not got the packages of the page ({folder / 'npm.log'})")
    (folder / "installed").write_text(locked, encoding="utf-8")
    return folder
