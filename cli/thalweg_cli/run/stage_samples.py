"""Samples of stages, which programs of Thalweg take while they run: files beside the store of results."""

import hashlib
import re
from pathlib import Path

from thalweg_cli.run.adapting import OURS
from thalweg_cli.run.experiment import Conditions, Setting

VARIABLE = "THALWEG_MONITOR"
"""Names the file to a program that is started with `-monitor`."""

SUFFIX = ".jsonl"
NAME = re.compile(r"[\w.+-]+-[0-9a-f]{8}")
"""Names that `file_of` gives, without the suffix."""
LONGEST_NAME = 120


def folder_of(store: Path, set_id: int) -> Path:
    """Where the files of a set of runs are."""
    return store.absolute().with_name(f"{store.name}.samples") / str(set_id)


def file_of(folder: Path, setting: Setting, number: int) -> Path:
    """The file of a run that counts, whether it is there or not."""
    name = f"{setting.name} {number}"
    mark = hashlib.sha256(
        f"{name} {setting.purpose} {setting.freq_pattern}{setting.adapt}".encode()
    ).hexdigest()[:8]
    words = re.sub(r"[^\w.+-]+", "_", name)[:LONGEST_NAME]
    return folder / f"{words}-{mark}{SUFFIX}"


def asks_for_samples(setting: Setting, conditions: Conditions) -> bool:
    """Whether a run takes samples of its stages. On other hosts nobody would find the file."""
    return setting.program.interface in OURS and bool(conditions.monitor_ms) and not conditions.hosts


def variables(setting: Setting, conditions: Conditions, file: Path | None) -> dict[str, str]:
    """What a program finds in its environment so that it writes them."""
    return {VARIABLE: str(file)} if file and asks_for_samples(setting, conditions) else {}


def written(folder: Path) -> list[Path]:
    """The files that there are."""
    return sorted(folder.glob(f"*{SUFFIX}"))
