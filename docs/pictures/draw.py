"""Draws the pictures of the documentation.

`python3 docs/pictures/draw.py` writes the .svg files beside it.
"""

from dataclasses import dataclass, field
from html import escape
from math import pi, sin
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

    def curve(self, points: list[tuple[float, float]]) -> None:
        """A thick line through several points."""
        along = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.pieces.append(f'<polyline points="{along}" fill="none" stroke="{INK}" stroke-width="2"/>')

    def way(self, points: list[tuple[float, float]]) -> None:
        """An arrow along several points."""
        along = " ".join(f"{x},{y}" for x, y in points)
        self.pieces.append(
            f'<polyline points="{along}" fill="none" stroke="{INK}" '
            'stroke-width="1.5" marker-end="url(#tip)"/>'
        )

    def open_box(self, x: float, y: float, w: float, h: float, fill: str, left: bool) -> None:
        """A box that goes on to the left, or to the right."""
        edge, far, r = (x + w, x, -6) if left else (x, x + w, 6)
        self.pieces.append(
            f'<path d="M{far} {y} H{edge + r} Q{edge} {y} {edge} {y + 6} V{y + h - 6} '
            f'Q{edge} {y + h} {edge + r} {y + h} H{far}" fill="{fill}" stroke="{INK}"/>'
        )

    def number(self, x: float, y: float, n: int) -> None:
        """A number in a circle."""
        self.pieces.append(f'<circle cx="{x}" cy="{y}" r="10" fill="{INK}"/>')
        self.text(x, y + 4, str(n), anchor="middle", size=12, colour=PAPER)

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


def overview() -> Picture:
    """One program, and what executes it: one core, all cores, or several machines."""
    p = Picture(760, 325)
    stages = [("source", SOURCE), ("map", STAGE), ("farm", WORK), ("sink", SINK)]
    p.text(20, 35, "written once", size=15)
    p.box(128, 4, 504, 52, fill=NOTHING, dashed=True)
    for i, (name, fill) in enumerate(stages):
        p.box(140 + 130 * i, 12, 90, 36, name, fill)
        if i:
            p.arrow(140 + 130 * i - 40, 30, 140 + 130 * i - 2, 30)
    for x in (125, 380, 635):
        p.way([(380, 56), (380, 74), (x, 74), (x, 92)])

    def machine(x: float, title: str, cores: list[list[tuple[str, str]]]) -> None:
        p.box(x, 94, 220, 140, fill=NOTHING, dashed=True)
        p.text(x + 110, 116, title, anchor="middle")
        height = 100 / len(cores)
        for r, parts in enumerate(cores):
            width = 200 / len(parts)
            for c, (name, fill) in enumerate(parts):
                p.box(x + 12 + c * width, 130 + r * height, width - 4, height - 6, name, fill)

    machine(15, "one core: one loop", [stages])
    machine(
        270, "all cores: shared work", [[stages[0], stages[1], stages[2]], [stages[2], stages[2], stages[3]]]
    )
    machine(
        525,
        "several machines: messages",
        [[stages[0], stages[1], stages[3]], [stages[2], stages[2]], [stages[2], stages[2]]],
    )
    for x in (125, 380, 635):
        p.way([(x, 234), (x, 258), (380, 258), (380, 276)])
    for i in range(8):
        p.box(226 + 39 * i, 280, 34, 30, str(i + 1), PAPER)
    p.text(20, 300, "the same items", size=15)
    p.text(560, 300, "in the same order", size=15)
    return p


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
    p = Picture(760, 450)
    rows = [
        [("live", "a page about a run", NOTHING), ("test", "a stage by itself", NOTHING)],
        [("run", "run, launch, the policies", WORK)],
        [("flow", "paced sources", STAGE), ("net", "streams over TCP and Kafka", STAGE)],
        [("stages", "files, lines, samplers", STAGE)],
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


def one_item() -> Picture:
    """The way of an item through a graph, and the files along it."""
    p = Picture(880, 578)
    p.box(20, 70, 110, 60, fill=SOURCE)
    p.text(75, 97, "source", anchor="middle")
    p.text(75, 116, "a node", anchor="middle", size=12, colour=PALE)
    for x, runs in ((186, 3), (596, 2)):
        p.text(x + 50, 62, "channel", anchor="middle", size=13, colour=PALE)
        p.open_box(x, 80, 100, 40, NOTHING, left=False)
        for i in range(runs):
            p.box(x + 66 - 30 * i, 88, 24, 24, fill=PAPER)
    p.box(346, 20, 190, 160, fill=NOTHING, dashed=True)
    p.text(441, 40, "farm", anchor="middle", size=13, colour=PALE)
    for i in range(2):
        p.box(366, 52 + 36 * i, 150, 30, f"replica {i}, a node", WORK)
    for i, fill in enumerate([NOTHING, WORK, WORK, NOTHING, PAPER]):
        p.box(366 + 30 * i, 130, 30, 26, fill=fill, dashed=fill != WORK)
    p.text(441, 172, "window: results by number", anchor="middle", size=12, colour=PALE)
    p.box(750, 70, 110, 60, fill=SINK)
    p.text(805, 97, "sink", anchor="middle")
    p.text(805, 116, "a node", anchor="middle", size=12, colour=PALE)
    for x in (130, 286, 536, 696):
        p.arrow(x, 100, x + (56 if x in (130, 536) else 54), 100)
    p.box(260, 232, 270, 40, "ready queue: source, replica 1", STAGE)
    p.text(545, 257, "a worker group", size=13, colour=PALE)
    for i in range(2):
        p.box(260 + 150 * i, 302, 120, 34, f"worker {i}", PAPER)
    p.way([(160, 104), (160, 250), (258, 250)])
    p.text(152, 200, "is notified", anchor="end", size=12, colour=PALE)
    p.arrow(320, 272, 320, 300)
    p.way([(260, 319), (75, 319), (75, 132)])
    p.text(85, 310, "executes it", size=12, colour=PALE)
    numbers = [(340, 286), (75, 70), (20, 130), (130, 130), (160, 78), (236, 134), (260, 232), (536, 40)]
    for i, (x, y) in enumerate(numbers, start=1):
        p.number(x, y, i)
    told = [
        ("graph_engine.cpp", "live, execute", "a worker takes a node that is ready: here the source"),
        ("line_node.cpp", "produce", "decides how many items to ask for"),
        ("stage_runner.cpp", "produce, carry", "calls compiled loops with them, and takes the time"),
        ("model/chain.hpp", "", "the loop: each stage calls the next one directly"),
        ("node.cpp", "hand_over, notify", "what came out goes on, and the receiver becomes ready"),
        ("channel.cpp", "push, pop", "is joined with what waits, and taken out in runs"),
        ("worker_group.cpp", "submit, take", "what has just got items is next; is another thread worth it?"),
        ("farm.cpp", "execute, give, drain", "a run gets a number; its results go on when it is its turn"),
    ]
    for i, (file, functions, what) in enumerate(told):
        y = 376 + 22 * i
        p.number(32, y - 4, i + 1)
        p.text(52, y, file, size=13)
        p.text(190, y, functions, size=13, colour=PALE)
        p.text(340, y, what, size=13)
    p.text(52, 560, "The sink takes the run from its channel, and 2, 3 and 4 follow once more.", size=13)
    return p


def workers() -> Picture:
    """Two workers execute the nodes of source | farm | sink."""
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
    told = "0, 1, 2, ... are runs of items, numbered as the farm's replicas take them"
    p.text(100, 30, told, size=13, colour=PALE)
    p.line(560, 94, 560, 215, dashed=True)
    p.text(552, 212, "2 is done, but 1 is not: its results stay", anchor="end", size=13)
    p.text(552, 230, "in the farm's window, and the worker goes on", anchor="end", size=13)
    p.line(665, 174, 665, 262, dashed=True)
    p.text(657, 260, "1 is done: the worker hands over 1 and 2, in order", anchor="end", size=13)
    p.line(165, 94, 165, 262, dashed=True)
    p.text(173, 282, "woken by worker 0, since two nodes are worth more than a wake-up", size=13)
    p.line(165, 262, 165, 284, dashed=True)
    return p


def window() -> Picture:
    """The reorder window of a farm."""
    p = Picture(760, 250)
    p.text(20, 30, "the window of a farm, here with 8 slots in place of 64", size=15)
    slots = [
        (40, "at work", NOTHING),
        (41, "done", WORK),
        (42, "", NOTHING),
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
    for i, fill in enumerate([WORK, NOTHING, WORK]):
        p.box(40 + 85 * 2 + 7 + 21 * i, 117, 19, 17, fill=fill, dashed=fill != WORK)
    p.text(77.5, 58, "goes on next", anchor="middle")
    p.arrow(77.5, 64, 77.5, 86)
    p.text(587.5, 58, "the number of the next run that is taken", anchor="middle")
    p.arrow(587.5, 64, 587.5, 86)
    told = [
        "A replica that is done with a run puts its results into the slot, and takes the next run.",
        "The worker done with 40 sends 40 and 41. The run 42 was cut short: its pieces go on one by one.",
        "Number 48 is not taken before 40 has gone on: a slow run holds the source back.",
    ]
    for i, line in enumerate(told):
        p.text(40, 175 + 20 * i, line, size=13)
    return p


def whole_line() -> Picture:
    """When a line is one loop: the three modes."""
    p = Picture(800, 210)
    for x, name, what, fill in [
        (20, "apart", "each node by itself", STAGE),
        (310, "draining", "the first node waits", NOTHING),
        (600, "whole", "one compiled loop", WORK),
    ]:
        p.box(x, 70, 180, 60, fill=fill)
        p.text(x + 90, 97, name, anchor="middle", size=15)
        p.text(x + 90, 117, what, anchor="middle", size=12, colour=PALE)
    p.arrow(200, 100, 308, 100)
    p.text(254, 62, "an item is", anchor="middle", size=12)
    p.text(254, 78, "below 30 ns", anchor="middle", size=12)
    p.arrow(490, 100, 598, 100)
    p.text(544, 62, "the others", anchor="middle", size=12)
    p.text(544, 78, "are quiet", anchor="middle", size=12)
    p.way([(690, 130), (690, 170), (110, 170), (110, 132)])
    back = "the loop was slower in its trial; sharing may pay; expensive items"
    p.text(400, 163, back, anchor="middle", size=12)
    p.text(
        400,
        196,
        "A trial in vain: the next one comes after 10 ms, then 20 ms, 40 ms, ..., 1 s",
        anchor="middle",
        size=12,
        colour=PALE,
    )
    return p


def items(
    p: Picture, x: float, y: float, texts: list[str], colours: dict[str, str], step: float = 34
) -> None:
    """Items of a stream, in a row; the colour goes by the first letter of the text."""
    for i, text in enumerate(texts):
        if text:
            p.box(x + step * i, y, 30, 26, fill=colours.get(text[0], STAGE))
            p.text(x + step * i + 15, y + 18, text, anchor="middle", size=13)


KEYS = {"a": SOURCE, "b": WORK, "c": SINK}


def key_by() -> Picture:
    """A state for each key."""
    p = Picture(620, 130)
    items(p, 20, 52, ["a 1", "b 5", "a 2", "a 1"], KEYS, 38)
    p.text(20, 40, "in (first on the left)", size=12, colour=PALE)
    p.arrow(176, 65, 208, 65)
    p.box(210, 20, 170, 90, fill=NOTHING, dashed=True)
    p.text(295, 38, "a state for each key", anchor="middle", size=12, colour=PALE)
    p.box(235, 46, 120, 26, "a: 1, 3, 4", SOURCE)
    p.box(235, 78, 120, 26, "b: 5", WORK)
    p.arrow(380, 65, 412, 65)
    items(p, 415, 52, ["a 1", "b 5", "a 3", "a 4"], KEYS, 38)
    p.text(415, 40, "one for each, in order", size=12, colour=PALE)
    return p


def key_by_farm() -> Picture:
    """The keys are divided up into parts."""
    p = Picture(700, 200)
    items(p, 15, 82, ["a", "b", "c", "a"], KEYS)
    p.arrow(150, 95, 172, 95)
    p.box(174, 74, 76, 42, "by key")
    p.box(290, 20, 190, 150, fill=NOTHING, dashed=True)
    for i, (text, fill) in enumerate([("keys a, ...", SOURCE), ("keys b, ...", WORK), ("keys c, ...", SINK)]):
        y = 32 + 42 * i
        p.box(305, y, 160, 32, text, fill)
        p.arrow(250, 95, 303, y + 16)
        p.arrow(465, y + 16, 518, 95)
    p.text(385, 188, "32 parts; as many at once as there are replicas", anchor="middle", size=12, colour=PALE)
    p.box(520, 74, 24, 42)
    p.arrow(544, 95, 562, 95)
    items(p, 564, 82, ["a", "b", "c", "a"], KEYS, 33)
    return p


def reduce() -> Picture:
    """One result at the end."""
    p = Picture(560, 90)
    items(p, 20, 35, ["3", "1", "4", "1"], {}, 34)
    p.arrow(156, 48, 188, 48)
    p.box(190, 31, 190, 34, "0, 3, 4, 8, 9", NOTHING)
    p.text(285, 24, "one accumulator (or one for each key)", anchor="middle", size=12, colour=PALE)
    p.arrow(380, 48, 452, 48)
    p.text(416, 68, "at the end", anchor="middle", size=12, colour=PALE)
    items(p, 455, 35, ["9"], {"9": WORK})
    return p


def windows() -> Picture:
    """Which items belong together."""
    p = Picture(710, 330)
    times = [0.3, 1.1, 1.6, 2.7, 3.2, 6.1, 6.8, 7.9]
    begin, end = -0.6, 8.4  # of what is drawn

    def at(t: float) -> float:
        return 190 + 60 * t

    for t in times:
        p.line(at(t), 44, at(t), 246, dashed=True)
    for t in times:
        p.box(at(t) - 9, 24, 18, 18, fill=SOURCE)

    def bars(y: float, name: str, spans: list[tuple[float, float]], fill: str, rows: int = 1) -> None:
        p.text(20, y + 17, name, size=13)
        for i, (a, b) in enumerate(spans):
            if begin <= a and b <= end:
                p.box(at(a), y + 24 * (i % rows), at(b) - at(a), 20, fill=fill)
            else:
                seen = max(a, begin), min(b, end)
                p.open_box(at(seen[0]), y + 24 * (i % rows), at(seen[1]) - at(seen[0]), 20, fill, a < begin)

    p.text(20, 38, "items, by time", size=13, colour=PALE)
    bars(58, "count(3)", [(0.1, 1.8), (2.5, 6.3), (6.6, 8.1)], WORK)
    bars(100, "tumbling(2s)", [(0, 2), (2, 4), (6, 8)], STAGE)
    bars(142, "sliding(4s, 2s)", [(-2, 2), (0, 4), (2, 6), (4, 8), (6, 10)], STAGE, 2)
    bars(208, "session(2s)", [(0.3, 5.2), (6.1, 9.9)], SINK)
    p.line(at(begin), 250, at(end), 250)
    for t in range(0, 9, 2):
        p.line(at(t), 246, at(t), 254)
        p.box(at(t) - 14, 258, 28, 18, fill=PAPER)
        p.text(at(t), 272, f"{t} s", anchor="middle", size=12, colour=PALE)
    p.text(
        20,
        316,
        "Windows by time in which nothing lies give nothing. A session ends 2 s behind its last item. "
        "Open: goes on.",
        size=12,
        colour=PALE,
    )
    return p


def late() -> Picture:
    """Event time: the watermark, corrections and what comes too late."""
    p = Picture(800, 266)
    rows = ["1 s", "9 s", "14 s", "8 s", "30 s", "2 s", "end"]
    p.text(20, 30, "items, as they come", size=13)
    marks = ["-1 s", "7 s", "12 s", "12 s", "28 s", "28 s", ""]
    told = ["", "", "0-10: 2 items", "0-10: 3 items", "10-20: 1 item", "too late:", "30-40: 1 item"]
    more = ["", "", "(revision 0)", "(revision 1)", "", "to .late", ""]
    for i, name in enumerate(rows):
        x = 160 + 88 * i
        is_end = name == "end"
        p.box(x, 14, 60, 26, name, NOTHING if is_end else SINK if i in (3, 5) else SOURCE, dashed=is_end)
        p.text(x + 30, 74, marks[i], anchor="middle", size=13)
        if told[i]:
            p.arrow(x + 30, 84, x + 30, 118)
            p.text(x + 30, 136, told[i], anchor="middle", size=12)
            p.text(x + 30, 152, more[i], anchor="middle", size=12, colour=PALE)
    p.text(20, 74, "watermark behind it", size=13)
    p.text(20, 136, "tumbling(10s) gives", size=13)
    for i, line in enumerate(
        [
            "The watermark is the greatest time, less .disorder (2 s). At 10 s window 0-10 is given.",
            "8 s comes after that, but within .lateness (5 s): the window is given again, corrected.",
            "2 s comes when the watermark has passed 10 s + 5 s: it is counted as skipped and goes to .late.",
            "At the end of the stream all open windows are given.",
        ]
    ):
        p.text(20, 190 + 20 * i, line, size=13, colour=PALE)
    return p


def interval_join() -> Picture:
    """Pairs of two streams that are close in time."""
    p = Picture(640, 190)

    def at(t: float) -> float:
        return 110 + 55 * t

    p.text(20, 47, "left", size=14)
    p.text(20, 137, "right", size=14)
    p.line(90, 43, 620, 43)
    p.line(90, 133, 620, 133)
    for t, key, fill in [(1, "a", SOURCE), (3, "b", WORK), (6, "a", SOURCE)]:
        p.box(at(t), 66, 55 * 2, 18, fill=fill, dashed=True)
        p.box(at(t) - 14, 30, 28, 26, key, fill)
    for t, key, fill in [(2.4, "a", SOURCE), (3.9, "b", WORK), (5.3, "a", SOURCE), (7.5, "a", SOURCE)]:
        p.box(at(t) - 14, 120, 28, 26, key, fill)
    for a, b in [(1, 2.4), (3, 3.9), (6, 7.5)]:
        p.arrow(at(a) + 4, 56, at(b) - 3, 118)
    p.text(at(5.3), 166, "no partner", anchor="middle", size=12, colour=PALE)
    p.text(
        20,
        183,
        "dashed: from t - before to t + after, t the time of the left item (here 0 s and 2 s); same key",
        size=12,
        colour=PALE,
    )
    return p


def join_by() -> Picture:
    """Pairs of two streams with the same number."""
    p = Picture(600, 150)
    p.text(20, 45, "left", size=14)
    p.text(20, 105, "right", size=14)
    items(p, 70, 28, ["1", "2", "3", "4"], {}, 33)
    items(p, 70, 88, ["2", "3", "1"], {"1": WORK, "2": WORK, "3": WORK}, 33)
    p.arrow(206, 41, 258, 62)
    p.arrow(173, 101, 258, 78)
    p.box(260, 50, 80, 40, "join_by")
    p.arrow(340, 70, 368, 70)
    for i, key in enumerate(["1", "2", "3"]):
        x = 372 + 72 * i
        p.box(x, 57, 32, 26, key)
        p.box(x + 32, 57, 32, 26, key, WORK)
    p.text(
        15,
        142,
        "first on the left; right 2 and 3 are held until left 1 has its partner",
        size=12,
        colour=PALE,
    )
    return p


def reorder() -> Picture:
    """A stream that is nearly in order."""
    p = Picture(600, 100)
    items(p, 20, 40, ["2", "1", "4", "3", "5", "6"], {"1": SINK, "3": SINK}, 33)
    p.text(20, 28, "nearly in order (first on the left)", size=12, colour=PALE)
    p.arrow(216, 53, 248, 53)
    p.box(250, 30, 90, 46, fill=NOTHING, dashed=True)
    items(p, 262, 40, ["5", "6"], {}, 36)
    p.text(295, 94, "held back: slack = 2", anchor="middle", size=12, colour=PALE)
    p.arrow(340, 53, 372, 53)
    items(p, 375, 40, ["1", "2", "3", "4"], {"1": SINK, "3": SINK}, 33)
    p.text(375, 28, "in order", size=12, colour=PALE)
    return p


def iterate() -> Picture:
    """Until it is done."""
    p = Picture(560, 120)
    p.arrow(20, 50, 78, 50)
    p.text(20, 40, "item", size=13, colour=PALE)
    p.box(80, 30, 120, 40, "done(item)?", SOURCE)
    p.arrow(200, 50, 308, 50)
    p.text(254, 42, "no", anchor="middle", size=13, colour=PALE)
    p.box(310, 30, 120, 40, "body(item)", WORK)
    p.way([(370, 70), (370, 96), (140, 96), (140, 72)])
    p.text(255, 112, "again, at most .limit times", anchor="middle", size=12, colour=PALE)
    p.way([(140, 30), (140, 12), (538, 12)])
    p.text(480, 28, "yes", anchor="middle", size=13, colour=PALE)
    return p


def split() -> Picture:
    """One stream becomes several."""
    p = Picture(720, 170)
    kinds: list[tuple[str, list[list[str]], str]] = [
        ("round_robin", [["1", "3"], ["2", "4"]], "in turn"),
        ("on_demand", [["1"], ["2", "3", "4"]], "who has least waiting"),
        ("route, by_key, where", [["2", "4"], ["1", "3"]], "by a function: even?"),
        ("tee", [["1", "2", "3", "4"], ["1", "2", "3", "4"]], "each to all"),
    ]
    for i, (name, branches, what) in enumerate(kinds):
        x = 15 + 178 * i
        p.text(x, 24, name, size=14)
        p.text(x, 42, what, size=12, colour=PALE)
        p.arrow(x, 98, x + 14, 98)
        p.box(x + 16, 78, 14, 40)
        for b, texts in enumerate(branches):
            y = 60 + 52 * b
            p.arrow(x + 30, 98, x + 50, y + 13)
            for k, text in enumerate(texts):
                p.box(x + 52 + 26 * k, y, 23, 26, fill=SOURCE if b == 0 else WORK)
                p.text(x + 63.5 + 26 * k, y + 18, text, anchor="middle", size=13)
    p.text(15, 160, "in: 1 2 3 4 (first on the left)", size=12, colour=PALE)
    return p


def merge() -> Picture:
    """Several streams become one."""
    p = Picture(720, 160)
    kinds: list[tuple[str, list[list[str]], str, list[str]]] = [
        ("first_come", [["1", "5"], ["2", "3"]], "whatever is there", ["2", "1", "3", "5"]),
        ("in_turn", [["1", "5"], ["2", "3"]], "one of each", ["1", "2", "5", "3"]),
        ("a comparator", [["1", "5"], ["2", "3"]], "the least first", ["1", "2", "3", "5"]),
    ]
    for i, (name, inputs, what, out) in enumerate(kinds):
        x = 15 + 240 * i
        p.text(x, 24, name, size=14)
        p.text(x, 42, what, size=12, colour=PALE)
        fill: dict[str, str] = {}
        for b, texts in enumerate(inputs):
            y = 60 + 52 * b
            for k, text in enumerate(texts):
                fill[text] = SOURCE if b == 0 else WORK
                p.box(x + 26 * k, y, 23, 26, fill=fill[text])
                p.text(x + 11.5 + 26 * k, y + 18, text, anchor="middle", size=13)
            p.arrow(x + 50, y + 13, x + 70, 98)
        p.box(x + 72, 78, 14, 40)
        p.arrow(x + 86, 98, x + 102, 98)
        for k, text in enumerate(out):
            p.box(x + 105 + 26 * k, 85, 23, 26, fill=fill[text])
            p.text(x + 116.5 + 26 * k, 103, text, anchor="middle", size=13)
    return p


def ordered() -> Picture:
    """A split and an ordered merge."""
    p = Picture(720, 170)
    branch = {"1": SOURCE, "3": SOURCE, "2": WORK, "4": WORK}
    items(p, 15, 69, ["1", "2", "3", "4"], branch, 33)
    p.arrow(147, 82, 168, 82)
    p.box(170, 62, 60, 40, "split")
    p.arrow(230, 82, 258, 43)
    p.arrow(230, 82, 258, 121)
    p.box(260, 26, 120, 34, "drops 3", SOURCE)
    p.box(260, 104, 120, 34, "doubles", WORK)
    items(p, 420, 30, ["1"], branch)
    items(p, 392, 108, ["2", "2", "4", "4"], branch, 31)
    p.line(380, 43, 420, 43)
    p.line(380, 121, 392, 121)
    p.arrow(450, 43, 532, 78)
    p.arrow(516, 121, 532, 88)
    p.box(534, 62, 20, 40)
    p.text(544, 54, "ordered merge", anchor="middle", size=12, colour=PALE)
    p.arrow(554, 82, 566, 82)
    for k, text in enumerate(["1", "2", "2", "4", "4"]):
        p.box(568 + 29 * k, 69, 27, 26, text, branch[text])
    p.text(15, 160, "in the order in which the split has sent what they were made from", size=12, colour=PALE)
    return p


def zip_() -> Picture:
    """Streams side by side."""
    p = Picture(560, 150)
    items(p, 15, 24, ["1", "2", "3"], {}, 33)
    items(p, 15, 90, ["a", "b"], {"a": WORK, "b": WORK}, 33)
    p.arrow(116, 37, 168, 62)
    p.arrow(83, 103, 168, 78)
    p.box(170, 50, 60, 40, "zip")
    p.arrow(230, 70, 258, 70)
    for i, (left, right) in enumerate([("1", "a"), ("2", "b")]):
        x = 262 + 72 * i
        p.box(x, 57, 32, 26, left)
        p.box(x + 32, 57, 32, 26, right, WORK)
    p.text(15, 142, "first on the left; it ends with the shortest stream", size=12, colour=PALE)
    return p


def open_ports() -> Picture:
    """A tap and a feed."""
    p = Picture(640, 190)
    stages = [("source", SOURCE), ("tee", STAGE), ("merge", STAGE), ("sink", SINK)]
    for i, (name, fill) in enumerate(stages):
        p.box(20 + 170 * i, 30, 90, 36, name, fill)
        if i:
            p.arrow(20 + 170 * i - 80, 48, 18 + 170 * i, 48)
    p.text(280, 18, "a graph that runs", anchor="middle", size=12, colour=PALE)
    p.box(180, 132, 280, 36, "a thread outside, or another run", NOTHING, dashed=True)
    p.arrow(235, 66, 235, 130)
    p.arrow(405, 132, 405, 68)
    p.text(225, 94, "tee.tap():", anchor="end", size=13)
    p.text(225, 111, "receive()", anchor="end", size=13)
    p.text(415, 94, "merge.feed():", size=13)
    p.text(415, 111, "send(item)", size=13)
    return p


def rates() -> Picture:
    """The patterns of rates, over two periods."""
    shapes: list[tuple[str, list[tuple[float, float]]]] = [
        ("wave", [(x / 40, 0.5 + 0.5 * sin(2 * pi * x / 40)) for x in range(81)]),
        ("binary", [(0, 0), (0.5, 0), (0.5, 1), (1, 1), (1, 0), (1.5, 0), (1.5, 1), (2, 1)]),
        ("spike, share 0.2", [(0, 0), (0.8, 0), (1, 1), (1, 0), (1.8, 0), (2, 1)]),
        ("increasing", [(0, 0), (1, 1), (2, 1)]),
        ("decreasing", [(0, 1), (1, 0), (2, 0)]),
        ("steps", [(0, 0.2), (0.4, 0.2), (0.4, 0.7), (1, 0.7), (1, 0.2), (1.4, 0.2), (1.4, 0.7), (2, 0.7)]),
    ]
    p = Picture(720, 270)
    for i, (name, points) in enumerate(shapes):
        left, top = 30 + (i % 3) * 235, 30 + (i // 3) * 125
        p.line(left, top + 70, left + 200, top + 70)
        p.line(left, top, left, top + 70)
        p.line(left + 100, top, left + 100, top + 70, dashed=True)
        p.curve([(left + 100 * t, top + 66 - 58 * r) for t, r in points])
        p.text(left, top - 8, name)
        p.text(left + 100, top + 86, "period", anchor="middle", size=12, colour=PALE)
    return p


def main() -> None:
    """Draws all of them."""
    here = Path(__file__).parent
    for draw in (overview, shapes, layers, one_item, workers, window, whole_line, rates):
        draw().write(here / f"{draw.__name__}.svg")
    patterns = (
        key_by,
        key_by_farm,
        reduce,
        windows,
        late,
        interval_join,
        join_by,
        reorder,
        iterate,
        split,
        merge,
        ordered,
        zip_,
        open_ports,
    )
    for draw in patterns:
        draw().write(here / "patterns" / f"{draw.__name__.strip('_')}.svg")


main()
