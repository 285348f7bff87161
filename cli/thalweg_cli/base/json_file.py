"""JSON that users edit: whatever is wrong with it is told with the file and the line."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from thalweg_cli.base.terminal import Failed


@dataclass(frozen=True)
class JsonFile:
    """An object in a file, with what it takes to say where something stands."""

    file: Path
    text: str
    values: dict[str, Any]

    @classmethod
    def read(cls, file: Path) -> Self:
        """Raises Failed if the file is not there, or does not hold an object without errors."""
        try:
            text = file.read_text(encoding="utf-8")
        except FileNotFoundError as error:
            raise Failed(f"there is no file {file}") from error
        except (OSError, UnicodeDecodeError) as error:
            raise Failed(f"{file} cannot be read: {error}") from error
        return cls.parse(file, text)

    @classmethod
    def parse(cls, file: Path, text: str) -> Self:
        """As `read`, of a text that is, or is to be, in the file."""
        try:
            values = json.loads(text, object_pairs_hook=once_each)
        except json.JSONDecodeError as error:
            what = f"{file}:{error.lineno}: not JSON: {error.msg}, at column {error.colno}"
            raise Failed(what, output=marked(text, error.lineno, error.colno)) from error
        except Twice as twice:
            line = line_of(text, twice.name, last=True)
            raise Failed(f"{file}:{line}: {twice.name} is there twice") from twice
        if not isinstance(values, dict):
            raise Failed(f'{file}:1: not an object: it begins with {{ and holds "name": value')
        return cls(file, text, values)

    def where(self, key: str) -> str:
        """The file and the line of a key."""
        return f"{self.file}:{line_of(self.text, key)}"

    def text_at(self, key: str, default: str | None = None) -> str:
        """The text that a key has. Raises Failed if it is no text, or missing without a default."""
        value = self.values.get(key, default)
        if value is None:
            raise Failed(f'{self.file}:1: "{key}" is missing')
        if not isinstance(value, str):
            raise Failed(f"{self.where(key)}: {key} is {what_is(value)}, not a text")
        return value

    def object_at(self, key: str) -> dict[str, Any]:
        """The object that a key has, empty if it is not there. Raises Failed if it is none."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise Failed(f"{self.where(key)}: {key} is {what_is(value)}, not an object")
        return value


class Twice(ValueError):
    """A key that an object has twice."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. Raises Twice where JSON's own rules would silently take the last of two values."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise Twice(name)
        found[name] = value
    return found


def line_of(text: str, key: str, *, last: bool = False) -> int:
    """The line on which a key stands, for the first or the last time; 1 if it is not found."""
    places = [found.start() for found in re.finditer(rf"{re.escape(json.dumps(key))}\s*:", text)]
    return 1 + text.count("\n", 0, places[-1 if last else 0]) if places else 1


def marked(text: str, line: int, column: int) -> str:
    """A line of a text, with a mark below a column."""
    lines = text.splitlines()
    return f"{lines[line - 1]}\n{' ' * (column - 1)}^" if 0 < line <= len(lines) else ""


def what_is(value: Any) -> str:  # noqa: ANN401  (anything that JSON has)
    """What kind of value JSON has there."""
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list"}
    return "null" if value is None else kinds.get(type(value), "an object")
