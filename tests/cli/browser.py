"""A browser without a window, which is told what to do over its own protocol."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")


KEYS = {
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
}
"""The keys that can be pressed, and the numbers that go with them."""

PATIENCE_S = 600
"""How long a browser may be silent that is asked something, on a machine however busy: it is stuck then."""


def find_browser() -> str | None:
    """Where a browser is, if there is one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


class Page:
    """The one page that the browser shows.

    `errors` are what its scripts could not do, or wrote as errors into its console; `requests` are the
    addresses that it asked for something.
    """

    def __init__(self, to: int, back: int) -> None:
        self._to = to
        self._back = os.fdopen(back, "rb")
        self._read = b""
        self._number = 0
        self._session = ""
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def _messages(self) -> Iterator[dict[str, Any]]:
        while True:
            before, end, after = self._read.partition(b"\0")
            if end:
                self._read = after
                yield json.loads(before)
                continue
            if not select.select([self._back], [], [], PATIENCE_S)[0]:
                raise RuntimeError(f"the browser says nothing for {PATIENCE_S} s")
            got = os.read(self._back.fileno(), 1 << 20)
            if not got:
                raise RuntimeError("the browser has ended")
            self._read += got

    def _note(self, said: dict[str, Any]) -> None:
        if said.get("method") == "Runtime.exceptionThrown":
            details = said["params"]["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        if said.get("method") == "Log.entryAdded" and said["params"]["entry"]["level"] == "error":
            self.errors.append(said["params"]["entry"]["text"])
        if said.get("method") == "Runtime.consoleAPICalled" and said["params"]["type"] == "error":
            told = said["params"]["args"]
            self.errors.append(" ".join(str(one.get("value", one.get("description"))) for one in told))
        if said.get("method") == "Network.requestWillBeSent":
            self.requests.append(said["params"]["request"]["url"])

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401
        self._number += 1
        call = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            call["sessionId"] = self._session
        os.write(self._to, json.dumps(call).encode() + b"\0")
        for said in self._messages():
            if said.get("id") == self._number:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']['message']}")
                return dict(said["result"])
            self._note(said)
        raise AssertionError

    def size(self, width: int, height: int, *, dark: bool = False) -> None:
        """What the window is from now on; a narrow one is a phone's."""
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, address: str) -> None:
        """Shows a page, until it has loaded."""
        self._call("Page.navigate", url=address)
        for said in self._messages():
            if said.get("method") == "Page.loadEventFired":
                return
            self._note(said)

    def tells(self, expression: str) -> Any:  # noqa: ANN401
        """What a script says, or what it promises."""
        said = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in said:
            raise RuntimeError(said["exceptionDetails"]["exception"]["description"])
        return said["result"].get("value")

    def press(self, key: str) -> None:
        """Presses a key and lets it go, by the name that scripts know it by, such as `Tab`."""
        for kind in ("keyDown", "keyUp"):
            self._call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS[key]
            )

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Presses the mouse's button at a point of the window, and lets it go at another one."""
        for kind, (x, y) in (("Moved", start), ("Pressed", start), ("Moved", end), ("Released", end)):
            button = {"button": "left", "buttons": 1, "clickCount": 1}
            self._call("Input.dispatchMouseEvent", type=f"mouse{kind}", x=x, y=y, **button)

    def download_to(self, folder: Path) -> None:
        """Where files go from now on that the page offers."""
        self._call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def end(self) -> None:
        """Ends the browser."""
        self._session = ""
        self._call("Browser.close")
        self._back.close()

    def picture(self, *, whole: bool = False) -> bytes:
        """The window as a PNG picture, or the whole page."""
        return base64.b64decode(self._call("Page.captureScreenshot", captureBeyondViewport=whole)["data"])


@contextmanager
def a_page(browser: str) -> Iterator[Page]:
    """A browser with a page, for as long as it is used."""
    ours, theirs = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # It reads orders from its descriptor 3, and answers to 4.
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += ["--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"]
        shell = f'exec "$@" 3<&{ours[0]} 4>&{theirs[1]}'
        process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *command],
            pass_fds=(ours[0], theirs[1]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(ours[0])
        os.close(theirs[1])
        try:
            page = Page(ours[1], theirs[0])
            yield page
            page.end()
        finally:
            process.kill()
            process.wait()
            os.close(ours[1])
