"""Tests that look at a page in a browser: what they ask it, and how they wait."""

import json
import time
import unittest
from typing import Any

from browser import BROWSERS, PATIENCE_S, Page, a_page, find_browser

LOOK_AGAIN_S = 0.05
BROWSER = find_browser()

needs_a_browser = unittest.skipIf(
    BROWSER is None, f"none of {', '.join(BROWSERS)} is on the PATH: apt-get install {BROWSERS[1]}"
)


def text(selector: str) -> str:
    """A script for the text of an element."""
    return f"document.querySelector({json.dumps(selector)})?.textContent ?? null"


def seen(selector: str) -> str:
    """A script that says whether an element is there to be seen."""
    return f"document.querySelector({json.dumps(selector)})?.checkVisibility() === true"


class Looking(unittest.TestCase):
    """One browser for all tests."""

    page: Page

    @classmethod
    def setUpClass(cls) -> None:
        """Starts the browser."""
        assert BROWSER is not None
        cls.page = cls.enterClassContext(a_page(BROWSER))

    def tells(self, script: str) -> Any:  # noqa: ANN401
        """What a script says."""
        return self.page.tells(script)

    def eventually(self, script: str, expected: Any = True) -> None:  # noqa: ANN401
        """Waits until a script says what is expected."""
        end = time.monotonic() + PATIENCE_S
        said = None
        while time.monotonic() < end:
            said = self.tells(script)
            if said == expected:
                return
            time.sleep(LOOK_AGAIN_S)
        self.fail(f"{script}: {said!r} is not {expected!r}")
