"""Takes the pictures of docs/observing.md in a browser: the demo, orders.cpp, and a run on several ranks.

`.venv/bin/python docs/pictures/observing.py` writes live.png and observing-*.png beside it, in two minutes.
It needs Chromium, Pillow, and programs that are built: `demo_live` and mandelbrot_zoom_mpi-thalweg_pipe-farm,
in build/release. With a folder as its argument it writes there.
"""

import io
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from PIL import Image
from rich.console import Console
from thalweg_cli.base.paths import ROOT, build_folder
from thalweg_cli.base.web_parts import parts
from thalweg_cli.run.mpi import launched, variables
from thalweg_cli.watch.live_page import LivePage
from thalweg_cli.watch.sample_file import read_state
from thalweg_cli.watch.saved_page import saved_page
from thalweg_cli.watch.stage_table import overview

sys.path.insert(0, str(ROOT / "tests" / "cli"))
from browser import Page, a_page, find_browser

SIZE = (1280, 900)
TALL = 1700
NARROW = 960
"""For parts of the page that stand alone: so their text is not small on a page of the docs."""
LEAST_S = 60
"""What the curves show at least."""
COLOURS = 200
MARGIN = 8
BLOCKS, SLOW_FROM = 6_000, 1_500
FRAMES = (
    "new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 1200))"
)
TERMINAL = """<!DOCTYPE html><meta charset="utf-8"><style>
body { margin: 0; }
pre { display: inline-block; margin: 0; padding: 14px 18px; background: #16191d; color: #d8dde3;
font: 14px/1.45 "DejaVu Sans Mono", monospace; }</style><pre>{code}</pre>"""


class Camera:
    """A browser, and the folder that its pictures go to."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.folder = folder

    def open(self, address: str, width: int = SIZE[0], height: int = SIZE[1]) -> None:
        """Shows a page."""
        self.page.size(width, height)
        self.page.open("about:blank")  # An address that differs in its token alone is the same page.
        self.page.open(address)

    def until(self, script: str) -> None:
        """Waits until a script says yes."""
        while not self.page.tells(script):
            time.sleep(0.1)

    def take(self, name: str, *selectors: str, margin: int = MARGIN) -> None:
        """A picture of what holds some parts of the page; of the window without any."""
        self.page.tells(FRAMES)
        whole = Image.open(io.BytesIO(self.page.picture(whole=bool(selectors)))).convert("RGB")
        if selectors:
            boxes = [self.box(one) for one in selectors]
            left, top = (min(box[side] for box in boxes) for side in (0, 1))
            right, bottom = (max(box[side] for box in boxes) for side in (2, 3))
            whole = whole.crop(
                (
                    max(0, left - margin),
                    max(0, top - margin),
                    min(whole.width, right + margin),
                    bottom + margin,
                )
            )
        whole.quantize(COLOURS).save(self.folder / f"{name}.png", optimize=True)

    def box(self, selector: str) -> list[int]:
        """Where a part of the page is."""
        said: list[float] = self.page.tells(
            "(({ left: x, top: y, right, bottom }) =>"
            " [x + scrollX, y + scrollY, right + scrollX, bottom + scrollY])"
            f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"
        )
        return [round(one) for one in said]

    def choose(self, stage: str) -> None:
        """Clicks on a stage's box."""
        self.page.tells(
            "[...document.querySelectorAll('.stage')]"
            f".find((box) => box.textContent.startsWith({json.dumps(f'{stage},')}))"
            ".dispatchEvent(new MouseEvent('click', { bubbles: true }))"
        )

    def select(self, what: str, value: str) -> None:
        """Chooses from a list."""
        self.page.tells(
            f"((list) => {{ list.value = {json.dumps(value)}; list.dispatchEvent(new Event('change')); }})"
            f"(document.querySelector({json.dumps(what)}))"
        )


@contextmanager
def demo() -> Iterator[str]:
    """The demo's stream, while it runs; where its page is."""
    program = build_folder("release") / "examples" / "demo" / "demo_live"
    command = [str(program), "--slow-from", str(SLOW_FROM), "--blocks", str(BLOCKS), str(ROOT)]
    with tempfile.TemporaryFile("w+") as said, subprocess.Popen(command, stdout=said, text=True) as process:
        try:
            line = ""
            while not line.endswith("\n"):
                time.sleep(0.1)
                said.seek(0)
                line = said.readline()
            said.seek(0, io.SEEK_END)
            yield json.loads(line)["url"]
        finally:
            process.kill()


def post(url: str, order: str, **what: object) -> None:
    """Asks the program for something, as the page does."""
    where = urlsplit(url)
    headers = {"Authorization": f"Bearer {where.fragment.removeprefix('token=')}"}
    address = f"http://{where.netloc}/api/{order}"
    with urllib.request.urlopen(urllib.request.Request(address, json.dumps(what).encode(), headers)):
        pass


def running(camera: Camera, url: str) -> None:
    """The views of a stream that runs: at first it keeps up, then `upload` is slow, then it gets replicas."""
    told = LivePage(url.partition("#")[0])
    camera.open(url)
    while told.state()["history"][-1]["items"] < SLOW_FROM:
        time.sleep(0.2)
    slow_from = told.state()["history"][-1]["time_ns"] / 1e9
    camera.until("document.querySelector('#limit-stage').textContent === 'upload'")
    time.sleep(10)
    camera.choose("upload")
    camera.take("live")
    camera.take("observing-panel", "#panel")
    terminal(camera, told.state())
    camera.open(url, NARROW, 700)
    camera.until("document.querySelector('#limit-stage').textContent === 'upload'")
    camera.take("observing-graph", "#now")
    post(url, "replicas", stage="upload", replicas=2)
    time.sleep(6)
    post(url, "pause")
    time.sleep(2)
    post(url, "resume")
    time.sleep(4)
    post(url, "replicas", stage="upload", replicas=4)
    time.sleep(10)
    executions(camera)
    camera.open(url, SIZE[0], TALL)
    camera.until("document.querySelectorAll('#curves canvas').length > 4")
    camera.take("observing-curves", "#past h2", "#curves figure:nth-child(2)")
    camera.take("observing-latency", "#curves figure:nth-child(3)")
    interval(camera, slow_from + 1, slow_from + 9, told.state()["history"][-1]["time_ns"] / 1e9)


def executions(camera: Camera) -> None:
    """Who has worked when: a short recording, and a part of it."""
    camera.page.tells("document.querySelector('#seconds').value = 0.3")
    camera.page.tells("document.querySelector('#begin').click()")
    camera.until("!document.querySelector('#file').hidden")
    camera.take("observing-executions", "#executions")


def interval(camera: Camera, begin: float, end: float, now: float) -> None:
    """An interval of the past, dragged over a curve, while the boxes have the colours of a metric."""
    camera.select("#metric", "busy")
    left, top, right, _ = camera.box(".u-over")
    places = (left + (right - left) * at / max(now, LEAST_S) for at in (begin, end))
    camera.page.drag((next(places), top + 20), (next(places), top + 20))
    camera.take("observing-interval", "#now", "aside", "#curves figure:nth-child(2)")


def terminal(camera: Camera, state: dict[str, Any]) -> None:
    """What `./thalweg top` prints."""
    console = Console(
        record=True, width=112, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    console.print(overview(state["graph"], state["history"][-1]))
    code = console.export_html(inline_styles=True, code_format="{code}").rstrip()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "top.html"
        prompt = '<span style="color: #7f8994">$</span> ./thalweg top localhost:8080\n'
        file.write_text(TERMINAL.replace("{code}", prompt + code), encoding="utf-8")
        camera.open(file.as_uri())
        camera.take("observing-top", "pre", margin=-1)


@contextmanager
def orders() -> Iterator[str]:
    """The stream of orders.cpp, while it runs; where its page is."""
    built = build_folder("release")
    libraries = ["thalweg_live", "thalweg", "hwloc", "cpp-httplib", "pthread"]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "orders"
        source = Path(__file__).with_name("orders.cpp")
        command = ["c++", "-std=c++20", "-O1", f"-I{ROOT / 'include'}", str(source), "-o", str(program)]
        subprocess.run([*command, f"-L{built}", *(f"-l{name}" for name in libraries)], check=True)
        pipe = subprocess.PIPE
        with subprocess.Popen([program], stdin=pipe, stdout=pipe, text=True) as process:
            try:
                assert process.stdout is not None
                yield f"{process.stdout.readline().strip()}#token=sesame"
            finally:
                process.kill()


def items_and_shares(camera: Camera, url: str) -> None:
    """What is on an edge, and how uneven the keys of a stage are."""
    camera.open(url)
    camera.until("document.querySelectorAll('.stage').length > 2")
    camera.choose("count")
    time.sleep(20)
    camera.until("!document.querySelector('#panel .divided').hidden")
    camera.take("observing-shares", "#panel .divided")
    camera.open(url, NARROW, 700)
    camera.until("document.querySelectorAll('.stage').length > 2")
    camera.choose("orders")
    camera.until("document.querySelector('#panel .taps button')?.textContent.includes('gives')")
    camera.page.tells("document.querySelector('#panel .taps button').click()")
    camera.until("document.querySelectorAll('#tap li').length === 10")
    camera.page.tells("document.activeElement.blur()")
    camera.take("observing-items", "#tap", margin=0)


def on_ranks(camera: Camera) -> None:
    """A run of the past on three ranks: `exec --monitor` keeps such samples."""
    program = build_folder("release") / "bench" / "mandelbrot_zoom_mpi-thalweg_pipe-farm"
    with tempfile.TemporaryDirectory() as folder:
        samples, page = Path(folder) / "run.jsonl", Path(folder) / "run.html"
        subprocess.run(
            [*launched(3), str(program), "-input", "small", "-nthreads", "1", "-monitor", "100", "-quiet"],
            check=True,
            capture_output=True,
            env={"PATH": "/usr/bin:/bin", "HOME": str(Path.home()), "THALWEG_MONITOR": str(samples)}
            | variables(),
        )
        page.write_text(saved_page(parts(), read_state(samples)), encoding="utf-8")
        camera.open(page.as_uri())
        camera.until("document.querySelector('#ranks').checkVisibility()")
        camera.take("observing-ranks", "#now", "#ranks")


def main(folder: Path) -> None:
    """Takes all of them."""
    browser = find_browser()
    if browser is None:
        sys.exit("there is no Chromium")
    with a_page(browser) as page:
        camera = Camera(page, folder)
        on_ranks(camera)
        with orders() as url:
            items_and_shares(camera, url)
        with demo() as url:
            running(camera, url)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
