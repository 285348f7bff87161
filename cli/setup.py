"""What pyproject.toml cannot say of the package: its version stands in a header of the library."""

import re
from pathlib import Path

from setuptools import setup

HEADER = Path(__file__).resolve().parents[1] / "include" / "thalweg" / "version.hpp"

setup(
    version=".".join(
        re.findall(r"^#define THALWEG_VERSION_\w+ (\d+)$", HEADER.read_text(encoding="utf-8"), re.MULTILINE)
    )
)
