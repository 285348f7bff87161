"""What CMake has found, as the release build keeps it."""

import re

from thalweg_cli.base.paths import build_folder


def cached(variable: str) -> str:
    """The value of a variable in the release build's CMake cache, or nothing."""
    cache = build_folder("release") / "CMakeCache.txt"
    if not cache.exists():
        return ""
    line = re.search(rf"^{variable}:\w+=(.+)$", cache.read_text(encoding="utf-8"), re.MULTILINE)
    return "" if line is None or line[1].endswith("-NOTFOUND") else line[1]
