"""Draws the chunks of an archive that the application dedup has written: what is stored, and what repeats.

`python3 docs/pictures/dedup.py archive docs/pictures/dedup.svg`
"""

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

MARK = b"thalweg dedup 1\n"
ROW = 300_000  # bytes of the file in a row
ROWS = 20  # of the file's beginning
WIDTH, HEIGHT, GAP = 900, 14, 4  # of a row, in pixels
STORED, REPEATED = "#4a7fb5", "#f2c879"


def chunks(archive: bytes) -> Iterator[tuple[int, bool]]:
    """The size of each chunk, and whether it repeats, in the order of the file."""
    if not archive.startswith(MARK):
        raise ValueError("no archive of dedup")
    at = len(MARK)
    sizes = []
    while (kind := archive[at : at + 1]) != b"E":
        if kind == b"N":
            size, packed = struct.unpack_from("<II", archive, at + 1)
            sizes.append(size)
            at += 9 + packed
        else:
            size = sizes[struct.unpack_from("<I", archive, at + 1)[0]]
            at += 5
        yield size, kind == b"R"


def in_rows(start: int, size: int) -> Iterator[tuple[int, int, int]]:
    """Row, first byte there and number of bytes of each part of a piece."""
    while size > 0:
        part = min(size, ROW - start % ROW)
        yield start // ROW, start % ROW, part
        start += part
        size -= part


def main() -> None:
    """Reads the archive, writes the picture."""
    archive, picture = (Path(argument) for argument in sys.argv[1:])
    boxes = []
    at = 0
    for size, repeats in chunks(archive.read_bytes()):
        for row, start, part in in_rows(at, min(size, ROW * ROWS - at)):
            boxes.append(
                f'<rect x="{start * WIDTH / ROW:.1f}" y="{row * (HEIGHT + GAP)}" '
                f'width="{part * WIDTH / ROW:.1f}" height="{HEIGHT}" class="{"r" if repeats else "n"}"/>'
            )
        at += size
    rows = min(-(-at // ROW), ROWS)
    style = f"rect{{stroke:#fff;stroke-width:.6}}.n{{fill:{STORED}}}.r{{fill:{REPEATED}}}"
    picture.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {rows * (HEIGHT + GAP) - GAP}" '
        f'width="{WIDTH}"><style>{style}</style>\n' + "\n".join(boxes) + "\n</svg>\n"
    )


if __name__ == "__main__":
    main()
