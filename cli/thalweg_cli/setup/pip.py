"""Packages from PyPI, installed into a Python environment."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from thalweg_cli.base.terminal import Failed
from thalweg_cli.build.cmake import last_lines

CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
"""Those that the owner of the system trusts; pip brings its own."""


def pip_install(python: Path, requirements: Sequence[str]) -> None:
    """Installs packages for a Python. Raises Failed with pip's last words."""
    environment = {**os.environ}
    if CERTIFICATES.is_file():
        environment.setdefault("PIP_CERT", str(CERTIFICATES))
    command = [str(python), "-m", "pip", "install", "--disable-pip-version-check", *requirements]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        raise Failed(
            f"{', '.join(requirements)} cannot be installed",
            output=last_lines(done.stdout + done.stderr),
            remedy="check that PyPI can be reached (pip reads HTTPS_PROXY and PIP_INDEX_URL)",
        )
