"""What a program that serves a page of thalweg::live says about its run."""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from thalweg_cli.base.terminal import Failed, WrongUsage

Json = dict[str, Any]

SILENCE_S = 10.0
"""A program that serves its page says something each second, even if there are no news."""

ADDRESSES = (
    "a program that shows its run writes its address to standard error, such as http://127.0.0.1:8080/"
)
TOO_MANY = 503


class BrokenOff(Failed):
    """The program has gone, or the way to it, before its run was over."""


class LivePage:
    """The page at an address, such as `localhost:8080`. Raises WrongUsage if that is none."""

    def __init__(self, address: str) -> None:
        scheme, mark, rest = address.partition("://")
        if not mark:
            scheme, rest = "http", address
        if scheme not in ("http", "https") or not rest:
            raise WrongUsage(f"{address} is no address of a page", remedy=ADDRESSES)
        self.url = f"{scheme}://{rest.rstrip('/')}/"
        # No proxy that may be set for the world outside has a way to a program here.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def state(self) -> Json:
        """Its graph and the samples that are kept. Raises Failed."""
        with self._asked("api/state", "application/json") as answer, self._broken_off():
            try:
                state = json.loads(answer.read())
            except ValueError as error:
                raise self._no_page() from error
        if not isinstance(state, dict) or not state.get("history"):
            raise self._no_page()
        return state

    def events(self) -> Iterator[tuple[str, Json]]:
        """`graph`, `sample` and `end` with what they tell, as they come. Raises Failed, also BrokenOff."""
        with self._asked("api/events", "text/event-stream") as answer, self._broken_off():
            name = ""
            for line in answer:
                text = line.decode(errors="replace").rstrip("\r\n")
                if text.startswith("event:"):
                    name = text.removeprefix("event:").strip()
                elif text.startswith("data:"):
                    try:
                        told = json.loads(text.removeprefix("data:"))
                    except ValueError as error:
                        raise self._no_page() from error
                    yield name, told
                    if name == "end":
                        return
        raise BrokenOff(f"{self.url} broke off: the program has ended before its run")

    @contextmanager
    def _asked(self, path: str, kind: str) -> Iterator[http.client.HTTPResponse]:
        try:
            answer = self._opener.open(self.url + path, timeout=SILENCE_S)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == TOO_MANY:
                raise Failed(f"{self.url} has as many listeners as it may have") from error
            raise self._no_page() from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            why = getattr(error, "reason", error)
            raise Failed(f"nothing answers at {self.url}: {why}", remedy=ADDRESSES) from error
        with answer:
            if answer.headers.get_content_type() != kind:
                raise self._no_page()
            yield answer

    @contextmanager
    def _broken_off(self) -> Iterator[None]:
        try:
            yield
        except (OSError, http.client.HTTPException) as error:
            raise BrokenOff(f"{self.url} broke off: {error}") from error

    def _no_page(self) -> Failed:
        return Failed(f"{self.url} is no page of thalweg::live", remedy=ADDRESSES)
