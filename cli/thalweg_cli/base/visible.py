"""A console on which texts of others cannot give orders to the terminal: what would is shown as a sign."""

import re
from collections.abc import Iterable
from typing import Any

from rich.console import Console as RichConsole
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from thalweg_cli.base.paths import COMMAND

OURS = "./thalweg"

PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"} | {0x7F: 0x2421}
"""Signs for what ASCII has for the terminal alone: an escape is shown as one sign."""

UNSEEN = (*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""More orders to the terminal, and those that turn the direction of texts."""

SIGNS = PICTURES | dict.fromkeys(UNSEEN, 0xFFFD)


def visible(text: str) -> str:
    """A text whose orders to a terminal can be seen, and do nothing."""
    return text.translate(SIGNS)


def called(text: str) -> str:
    """A text that says how this command line is called here, where it is not `./thalweg`."""
    return text if COMMAND == OURS else re.sub(rf"(?<![\w/.]){re.escape(OURS)}\b", COMMAND, text)


class Console(RichConsole):
    """Prints names, labels, errors and what programs said as they are, but for orders to the terminal."""

    def render_str(self, text: str, **how: Any) -> Text:  # noqa: ANN401
        """A text, before it is measured."""
        return super().render_str(visible(called(text)), **how)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is printed, piece by piece: also what was made a text elsewhere. Its own orders are apart."""
        for piece in super().render(renderable, options):
            yield piece if piece.control else Segment(visible(piece.text), piece.style)
