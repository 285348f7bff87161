"""Takes one frame out of a film, as the JPEG picture that it is there.

`python3 docs/pictures/frame.py lanes.avi 150 docs/pictures/lane_detection.jpg`: frame 150 (from 0) of a film
that an application wrote.
"""

import struct
import sys
from collections.abc import Iterator
from pathlib import Path


def frames(film: bytes) -> Iterator[bytes]:
    """The frames of an AVI film in Motion JPEG, as `apps::film_writer` writes it."""
    at = film.index(b"movi") + 4
    while film[at : at + 4] == b"00dc":
        (size,) = struct.unpack_from("<I", film, at + 4)
        yield film[at + 8 : at + 8 + size]
        at += 8 + size + size % 2


def main() -> None:
    """Writes the frame that the arguments name."""
    film, number, picture = sys.argv[1:]
    wanted = [frame for i, frame in enumerate(frames(Path(film).read_bytes())) if i == int(number)]
    if not wanted:
        sys.exit(f"'{film}' has no frame {number}")
    Path(picture).write_bytes(wanted[0])


if __name__ == "__main__":
    main()
