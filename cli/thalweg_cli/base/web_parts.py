"""The files of the page that shows a stream, and of npm's packages. The setup of a wheel uses this, too."""

import hashlib
from pathlib import Path

from thalweg_cli.base.npm import NoPackages, find, install
from thalweg_cli.base.paths import BUILD, PROGRAM, ROOT

PACKED = PROGRAM / "live_page"
"""All of them, in what was packaged."""

WEB = ROOT / "web"


def parts() -> dict[str, Path]:
    """Each path below `assets/`, and its file; the page itself is `index.html`. Raises NoPackages."""
    if PACKED.is_dir():
        return {str(file.relative_to(PACKED)): file for file in sorted(PACKED.rglob("*")) if file.is_file()}
    if not (WEB / "live" / "index.html").is_file():
        raise NoPackages("this command line was packaged without the page, where there was no npm")
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
    """A folder with npm's packages as they are locked, got now if no build has them. Raises NoPackages."""
    locked = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    folder = BUILD / "web"
    for place in (folder, *sorted(BUILD.glob("*/web"))):
        mark = place / "installed"
        if mark.is_file() and mark.read_text(encoding="utf-8") == locked:
            return place
    folder.mkdir(parents=True, exist_ok=True)
    install(find(), "the packages of the page", WEB, folder, folder / "npm.log")
    (folder / "installed").write_text(locked, encoding="utf-8")
    return folder
