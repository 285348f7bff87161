"""The sources that a wheel of this command line brings, copied to where they can be built."""

import shutil
import stat
import tempfile
from pathlib import Path

from thalweg_cli.base.paths import CARRIED, ROOT
from thalweg_cli.base.terminal import Failed


def unpack() -> None:
    """Copies them if that has not been done, as the launcher does for packages of the system."""
    if not CARRIED.is_dir() or ROOT.exists():
        return
    try:
        ROOT.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="part.", dir=ROOT.parent) as name:
            part = Path(name) / ROOT.name
            shutil.copytree(CARRIED, part)
            for folder in (part, *(one for one in part.rglob("*") if one.is_dir())):
                folder.chmod(folder.stat().st_mode | stat.S_IRWXU)  # an installed one may be read-only
            (part / "packaged").unlink()
            part.rename(ROOT)
    except OSError as error:
        if ROOT.exists():  # Another first run was quicker.
            return
        raise Failed(
            f"the sources cannot be copied to {ROOT}: {error.strerror}",
            remedy="XDG_CACHE_HOME names another folder for what can be made again",
        ) from error
