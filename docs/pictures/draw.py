"""Draws the pictures of the documentation.

`python3 docs/pictures/draw.py` writes the .svg files beside it.
"""

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

INK = "#1b2a3a"
PALE = "#5b6b7b"
PAPER = "#ffffff"
STAGE = "#d8e8f8"
WORK = "#cfe8d5"
SOURCE = "#fde9c4"
SINK = "#f3d6e4"
NOTHING = "#f4f6f8"


@dataclass
class Picture:
    """An SVG drawing that is put together piece by piece."""

    width: int
    height: int
    pieces: list[str] = field(default_factory=list)

    def box(
        self, x: float, y: float, w: float, h: float, text: str = "", fill: str = STAGE, dashed: bool = False
    ) -> None:
        """A rounded box with one line of text in its middle."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.pieces.append(
            f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="6" fill="{fill}" stroke="{INK}"{dash}/>'
        )
        if text:
            self.text(x + w / 2, y + h / 2 + 5, text, anchor="middle")

    def text(
        self, x: float, y: float, text: str, anchor: str = "start", size: int = 14, colour: str = INK
    ) -> None:
        """A line of text whose baseline is at `y`."""
        self.pieces.append(
            f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" '
            f'text-anchor="{anchor}">{escape(text)}</text>'
        )

    def arrow(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """A straight arrow."""
        self.pieces.append(
            f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{INK}" '
            'stroke-width="1.5" marker-end="url(#tip)"/>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, dashed: bool = False) -> None:
        """A thin line."""
        dash = ' stroke-dasharray="3 4"' if dashed else ""
        self.pieces.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{PALE}"{dash}/>')

    def write(self, path: Path) -> None:
        """Writes the picture to a file."""
        body = "\n".join(self.pieces)
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" font-family="Helvetica, Arial, sans-serif">\n'
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            f'orient="auto"><path d="M0 0L10 5L0 10z" fill="{INK}"/></marker></defs>\n'
            f'<rect width="100%" height="100%" fill="{PAPER}"/>\n{body}\n</svg>\n',
            encoding="utf-8",
        )


def shapes() -> Picture:
    """Pipeline, farm, pipeline of farms, farm of pipelines."""
    p = Picture(620, 510)

    def row(y: float, title: str, code: str) -> None:
        p.text(20, y, title, size=15)
        p.text(180, y, code, size=13, colour=PALE)

    row(30, "a pipeline", "source | map | filter | sink")
    for i, (name, fill) in enumerate([("source", SOURCE), ("map", STAGE), ("filter", STAGE), ("sink", SINK)]):
        p.box(20 + 130 * i, 45, 90, 34, name, fill)
        if i:
            p.arrow(20 + 130 * i - 40, 62, 20 + 130 * i - 2, 62)

    def farm(x: float, y: float, lines: list[list[str]], widths: int = 90) -> tuple[float, float, float]:
        """Replicas, one below the other, in a dashed frame: returns its left, right and middle."""
        w = 20 + len(lines[0]) * (widths + 30) - 30
        p.box(x, y, w, 14 + 34 * len(lines), fill=NOTHING, dashed=True)
        for r, line in enumerate(lines):
            for c, name in enumerate(line):
                left = x + 10 + c * (widths + 30)
                p.box(left, y + 10 + 34 * r, widths, 26, name)
                if c:
                    p.arrow(left - 30, y + 23 + 34 * r, left - 2, y + 23 + 34 * r)
        return x, x + w, y + 7 + 17 * len(lines)

    row(115, "a farm", "source | farm(a, {.replicas = 3}) | sink")
    left, right, middle = farm(150, 128, [["a"], ["a"], ["a"]])
    p.box(20, middle - 17, 90, 34, "source", SOURCE)
    p.arrow(110, middle, left - 2, middle)
    p.arrow(right, middle, right + 38, middle)
    p.box(right + 40, middle - 17, 90, 34, "sink", SINK)
    p.text(right + 145, middle - 4, "in the order of the source", size=13, colour=PALE)
    p.text(right + 145, middle + 14, "(unless .unordered)", size=13, colour=PALE)

    row(275, "a pipeline of farms", "source | farm(a) | farm(b) | sink")
    left, right, middle = farm(150, 288, [["a"], ["a"]])
    p.box(20, middle - 17, 90, 34, "source", SOURCE)
    p.arrow(110, middle, left - 2, middle)
    left2, right2, _ = farm(right + 40, 288, [["b"], ["b"]])
    p.arrow(right, middle, left2 - 2, middle)
    p.arrow(right2, middle, right2 + 38, middle)
    p.box(right2 + 40, middle - 17, 90, 34, "sink", SINK)

    row(400, "a farm of pipelines", "source | farm(map(a) | map(b)) | sink")
    left, right, middle = farm(150, 413, [["a", "b"], ["a", "b"]])
    p.box(20, middle - 17, 90, 34, "source", SOURCE)
    p.arrow(110, middle, left - 2, middle)
    p.arrow(right, middle, right + 38, middle)
    p.box(right + 40, middle - 17, 90, 34, "sink", SINK)
    return p


def layers() -> Picture:
    """The folders; what is above may include what is below."""
    p = Picture(760, 330)
    rows = [
        [("run", "run, launch, the policies", WORK)],
        [("flow", "paced sources", STAGE), ("stages", "files, lines, samplers", STAGE)],
        [("pattern", "source, map, filter, flat_map, farm, batch, sink", STAGE)],
        [("model", "stages, pipelines, chains, options, errors", STAGE)],
        [
            ("pipe", "chunks, rings, reorder window, waiting", SOURCE),
            ("observe", "clock, counters, histogram, report, trace", SINK),
        ],
    ]
    y = 20
    for row in rows:
        w = (720 - 20 * (len(row) - 1)) / len(row)
        for i, (name, what, fill) in enumerate(row):
            x = 20 + i * (w + 20)
            p.box(x, y, w, 46, fill=fill)
            p.text(x + 14, y + 29, f"{name}/", size=16)
            p.text(x + 100, y + 28, what, size=13, colour=PALE)
        y += 60
    return p


def pool() -> Picture:
    """Two workers carry runs of items from the source to the sink."""
    p = Picture(860, 300)
    lanes = {"worker 0": 60, "worker 1": 140}
    for name, y in lanes.items():
        p.text(20, y + 22, name)
        p.line(100, y + 17, 840, y + 17)
    bars: list[tuple[str, float, float, str, str]] = [
        ("worker 0", 100, 50, "source", SOURCE),
        ("worker 0", 150, 190, "farm: 0", WORK),
        ("worker 0", 340, 40, "sink 0", SINK),
        ("worker 0", 380, 50, "source", SOURCE),
        ("worker 0", 430, 130, "farm: 2", WORK),
        ("worker 0", 560, 50, "source", SOURCE),
        ("worker 0", 610, 170, "farm: 3", WORK),
        ("worker 1", 165, 50, "source", SOURCE),
        ("worker 1", 215, 450, "farm: 1, a slow one", WORK),
        ("worker 1", 665, 80, "sink 1, 2", SINK),
        ("worker 1", 745, 50, "source", SOURCE),
    ]
    for lane, x, w, text, fill in bars:
        p.box(x, lanes[lane], w, 34, fill=fill)
        p.text(x + w / 2, lanes[lane] + 22, text, anchor="middle", size=12)
    p.text(
        100, 30, "0, 1, 2, ... are runs of items, numbered in the order of the source", size=13, colour=PALE
    )
    p.line(560, 94, 560, 215, dashed=True)
    p.text(552, 212, "2 is done, but 1 is not: the worker deposits 2", anchor="end", size=13)
    p.text(552, 230, "in the sink's window and takes new work", anchor="end", size=13)
    p.line(665, 174, 665, 262, dashed=True)
    p.text(657, 260, "1 is done: the worker drains 1 and 2, in order", anchor="end", size=13)
    p.line(165, 94, 165, 262, dashed=True)
    p.text(173, 282, "woken by worker 0, since run 0 is worth more than a wake-up", size=13)
    p.line(165, 262, 165, 284, dashed=True)
    return p


def window() -> Picture:
    """The reorder window in front of a serial stage."""
    p = Picture(760, 250)
    p.text(20, 30, "the window of a serial stage, here with 8 slots", size=15)
    slots = [
        (40, "at work", NOTHING),
        (41, "done", WORK),
        (42, "at work", NOTHING),
        (43, "done", WORK),
        (44, "done", WORK),
        (45, "at work", NOTHING),
        (46, "free", PAPER),
        (47, "free", PAPER),
    ]
    for i, (number, state, fill) in enumerate(slots):
        x = 40 + 85 * i
        p.box(x, 90, 75, 50, fill=fill, dashed=state != "done")
        p.text(x + 37.5, 112, str(number), anchor="middle")
        p.text(x + 37.5, 130, state, anchor="middle", size=12, colour=PALE)
    p.text(77.5, 58, "next", anchor="middle")
    p.arrow(77.5, 64, 77.5, 86)
    p.text(587.5, 58, "the source gives this number next", anchor="middle")
    p.arrow(587.5, 64, 587.5, 86)
    told = [
        "A worker that has finished a run puts it into its slot and tries to become the drainer.",
        "The drainer takes 40 when it is there, then 41, and stops at 42. Nobody waits for a turn.",
        "Number 48 is not given before 40 has been taken: a slow run holds the source back, no memory grows.",
    ]
    for i, line in enumerate(told):
        p.text(40, 175 + 20 * i, line, size=13)
    return p


def main() -> None:
    """Draws all of them."""
    here = Path(__file__).parent
    for draw in (shapes, layers, pool, window):
        draw().write(here / f"{draw.__name__}.svg")


main()
