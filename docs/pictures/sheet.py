"""Makes a PNG picture of the pictures in a binary PGM file: of all of them, or of those whose numbers follow.

usage: sheet.py film.pgm sheet.png [number ...]

Three of them stand in a row. The pictures mandelbrot.png and mandelbrot_zoom.png were made so from outputs of
the benchmark programs: of a scene of 540x360 with 1000 iterations, and of frames 0, 15, 30, 45, 60 and 75 of
the input `small`.
"""

import struct
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

PER_ROW = 3


@dataclass
class Picture:
    """A picture of greys, a byte for each pixel, line by line from the top."""

    width: int
    height: int
    pixels: bytes


def pictures_in(data: bytes) -> list[Picture]:
    """The pictures of a PGM file as the applications write it: three lines of header, then the pixels."""
    found = []
    while data:
        kind, size, levels, data = data.split(b"\n", 3)
        if (kind, levels) != (b"P5", b"255"):
            raise ValueError("not a binary PGM file of 256 greys")
        width, height = (int(number) for number in size.split())
        found.append(Picture(width, height, data[: width * height]))
        data = data[width * height :]
    return found


def sheet_of(pictures: list[Picture]) -> Picture:
    """Pictures of the same size, side by side and one below the other."""
    first = pictures[0]
    columns = min(PER_ROW, len(pictures))
    black = Picture(first.width, first.height, bytes(first.width * first.height))
    pictures = pictures + [black] * (-len(pictures) % columns)
    lines = []
    for row in range(0, len(pictures), columns):
        for start in range(0, first.width * first.height, first.width):
            lines += [one.pixels[start : start + first.width] for one in pictures[row : row + columns]]
    return Picture(first.width * columns, first.height * len(pictures) // columns, b"".join(lines))


def png_of(picture: Picture) -> bytes:
    """The picture as a PNG file."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    starts = range(0, len(picture.pixels), picture.width)
    lines = b"".join(b"\0" + picture.pixels[start : start + picture.width] for start in starts)
    header = struct.pack(">IIBBBBB", picture.width, picture.height, 8, 0, 0, 0, 0)
    packed = zlib.compress(lines, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def main() -> None:
    """Reads the file, writes the sheet."""
    source, target, *numbers = sys.argv[1:]
    pictures = pictures_in(Path(source).read_bytes())
    chosen = [pictures[int(number)] for number in numbers] or pictures
    Path(target).write_bytes(png_of(sheet_of(chosen)))


if __name__ == "__main__":
    main()
