"""Draws the picture of a report: a page made of numbers that no program measured, as a browser shows it.

`.venv/bin/python docs/pictures/report.py` writes report.png beside it. It needs Chromium and Pillow, which
matplotlib brings along. With a folder as its argument it leaves the store and the whole page there.
"""

import math
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from PIL import Image
from thalweg_cli.catalog.programs import Program
from thalweg_cli.report.command import report
from thalweg_cli.results.circumstances import Circumstances
from thalweg_cli.results.store import Store
from thalweg_cli.run.experiment import Conditions, Setting
from thalweg_cli.run.runs import Run

APPLICATIONS = {"bzip2": 11.0, "ferret": 55.0, "lane_detection": 32.0}
"""Elements a second of one thread."""

WAYS = {
    ("sequential", ""): (1.0, 0.0),
    ("thalweg", "farm"): (0.96, 0.03),
    ("thalweg", "pipe-farm"): (0.94, 0.05),
    ("tbb", "farm"): (0.98, 0.02),
    ("openmp", "farm"): (0.93, 0.06),
    ("threads", "farm"): (0.97, 0.02),
    ("fastflow", "farm"): (0.95, 0.04),
}
"""Speed relative to the sequential program, and the share of the work that stays serial."""

DEGREES, CORES, REPEATS = (1, 2, 4, 6, 8), 8, 5
QUANTILES = {"p50_ms": 1.0, "p95_ms": 1.6, "p99_ms": 2.4, "p99_9_ms": 4.0, "p99_99_ms": 7.5}
OPERATORS = (("read", 0.02), ("work", 0.9), ("write", 0.05))
SIZE = (1300, 1500)


def runs() -> Iterator[Run]:
    """Runs that never were."""
    chance = random.Random(1)
    for number in range(1, REPEATS + 1):
        for application, speed in APPLICATIONS.items():
            for (interface, composition), (quick, serial) in WAYS.items():
                favour = 1 + 0.12 * math.sin(17 * len(application) + 5 * len(interface + composition))
                name = "_".join(filter(None, (application, interface, composition)))
                program = Program(name, application, interface, composition, "")
                for degree in (1,) if interface == "sequential" else DEGREES:
                    threads = degree + (interface in ("threads", "fastflow")) * 2
                    gain = 1 / (serial + (1 - serial) / min(degree, CORES))
                    throughput = speed * favour * quick * gain * chance.gauss(1, 0.015)
                    setting = Setting(program, "small", degree)
                    result = measured(throughput, degree, serial, chance)
                    yield Run(setting, number, "2026-01-01T00:00:00.000Z", threads, (), False, result, True)


def measured(throughput: float, degree: int, serial: float, chance: random.Random) -> dict[str, object]:
    """What a run would have measured."""
    typical = 1000 * degree / throughput * (1 + 6 * serial)
    latency = {
        key: typical * factor ** (1 + 4 * serial) * chance.gauss(1, 0.06) for key, factor in QUANTILES.items()
    }
    samples = [
        {
            "seconds": step / 10,
            "throughput": throughput * (1 + 0.15 * math.sin(step / 6)) * chance.gauss(1, 0.03),
            "latency_ms": typical * chance.gauss(1, 0.08),
            "cores": min(degree, CORES) * chance.gauss(0.97, 0.01),
            "resident_bytes": 2e7 + 4e6 * degree + 2e5 * min(step, 20),
        }
        for step in range(1, 80)
    ]
    return {
        "seconds": 400 / throughput,
        "throughput": throughput,
        "cpu_seconds": 400 / throughput * degree,
        "peak_bytes": 2.4e7 + 4e6 * degree,
        "latency": {"count": 40_000, "mean_ms": typical * 1.1, **latency, "max_ms": 9 * typical},
        "operators": [
            {"name": name, "time": {"count": 40_000, "mean_ms": typical * share}} for name, share in OPERATORS
        ],
        "samples": samples,
    }


def draw(folder: Path, picture: Path) -> None:
    """Makes the store and the page in a folder, and takes the picture."""
    conditions = Conditions(verify=True, latency=True, monitor_ms=100)
    here = Circumstances("no machine: these numbers are made up", CORES, "none", "performance", 3.1)
    file, page, shot = folder / "results.db", folder / "report.html", folder / "shot.png"
    file.unlink(missing_ok=True)
    with closing(Store(file, make=True)) as store:
        one = store.begin("made up", ["exec", "--label", "made up"], conditions, here)
        for run in runs():
            store.add(one, run)
        store.end(one, complete=True)
    report(page, store=file)
    size = ",".join(map(str, SIZE))
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [f"--window-size={size}", "--virtual-time-budget=20000", f"--screenshot={shot}"]
    subprocess.run([*command, page.resolve().as_uri()], check=True, capture_output=True)
    with Image.open(shot) as image:
        image.convert("RGB").quantize(128).save(picture, optimize=True)


if __name__ == "__main__":
    target = Path(__file__).parent / "report.png"
    if len(sys.argv) > 1:
        draw(Path(sys.argv[1]), target)
    else:
        with tempfile.TemporaryDirectory() as made:
            draw(Path(made), target)
