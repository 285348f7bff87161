"""Draws what applications wrote as lists: the first words of a word count, or the numbers of hash searches.

`python3 docs/pictures/lists.py words words.txt docs/pictures/word_count.svg` takes the output of the input
`small`. With `numbers` in the place of `words` it takes several lists: hash_search.svg was made of the
numbers.txt of the inputs `medium`, `medium_even` and `medium_growing`, which is what their outputs are, in
files that were named as what stands below each.
"""

import sys
from pathlib import Path

from draw import PALE, WORK, Picture

WORDS = 16
DOTS = 200


def words(output: Path) -> Picture:
    """Bars for the most frequent words."""
    with output.open(encoding="utf-8") as lines:
        top = [next(lines).rstrip("\n").split("\t") for _ in range(WORDS)]
    p = Picture(560, 20 + 22 * WORDS)
    most = int(top[0][0])
    for i, (times, word) in enumerate(top):
        y = 10 + 22 * i
        width = round(380 * int(times) / most)
        p.text(80, y + 15, word, anchor="end")
        p.box(90, y, width, 18, fill=WORK)
        p.text(96 + width, y + 14, times, size=12, colour=PALE)
    return p


def numbers(outputs: list[Path]) -> Picture:
    """For each output a dot for every tenth hash or so: to the right its place, upwards its number."""
    p = Picture(210 * len(outputs) + 20, 240)
    for i, output in enumerate(outputs):
        left = 20 + 210 * i
        p.box(left, 10, 190, 190, fill="none")
        p.text(left + 95, 225, output.stem, anchor="middle")
        found = output.read_text(encoding="utf-8").split()
        most = max(60_000, *(int(number) for number in found if number != "-"))
        for place in range(0, len(found), max(1, len(found) // DOTS)):
            x = round(left + 5 + 180 * place / len(found))
            if found[place] == "-":
                p.text(x, 195, "-", anchor="middle", size=12)
            else:
                y = round(190 - 175 * int(found[place]) / most)
                p.pieces.append(f'<circle cx="{x}" cy="{y}" r="2" fill="{PALE}"/>')
    return p


def main() -> None:
    """Draws what the arguments name."""
    kind, *outputs, picture = sys.argv[1:]
    files = [Path(output) for output in outputs]
    drawn = words(files[0]) if kind == "words" else numbers(files)
    drawn.write(Path(picture))


if __name__ == "__main__":
    main()
