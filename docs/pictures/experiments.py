"""Draws the pictures of docs/experiments.md from the sets of runs that its commands have kept.

`.venv/bin/python docs/pictures/experiments.py [STORE]` writes experiments-*.png beside it, each below 100 kB.
The sets are found by their labels. It needs Pillow, which matplotlib brings along.
"""

import sys
import tempfile
from contextlib import closing
from pathlib import Path

from PIL import Image
from thalweg_cli.report.data import rows_of
from thalweg_cli.report.figures import write_pictures
from thalweg_cli.report.panels import THREADS
from thalweg_cli.results.store import Store, default_file

HERE = Path(__file__).parent

PICTURES = {
    "workloads": "ferret-small-over-time",
    "interfaces": "ferret-small-in-memory",
    "back-ends": "ferret-small-in-memory",
    "patterns": "ferret-small-wave-by-the-recipe-in-memory-over-time",
    "growing": "ferret-small-argument-1-in-memory-over-time",
    "sustainable": "ferret-small-in-memory-sustainable",
}
"""Labels, and which of the pictures of their reports is shown."""

WIDTH, COLORS = 1000, 128


def draw(store: Store, label: str, name: str) -> None:
    """Draws a picture, and makes it small."""
    one = store.find(label)
    with tempfile.TemporaryDirectory() as folder:
        rows = rows_of([(one, store.runs(one.id))])
        files = {file.stem: file for file in write_pictures(Path(folder), ".png", rows, THREADS)}
        with Image.open(files[name]) as image:
            height = round(image.height * WIDTH / image.width)
            small = image.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
            small.quantize(COLORS).save(HERE / f"experiments-{label}.png", optimize=True)


if __name__ == "__main__":
    with closing(Store(Path(sys.argv[1]) if len(sys.argv) > 1 else default_file())) as opened:
        for wanted, picture in PICTURES.items():
            draw(opened, wanted, picture)
