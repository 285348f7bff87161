"""SPBench's spellings: options with one dash, and other names for options, commands and programs."""

import re
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches

from typer.core import TyperCommand, TyperGroup, TyperOption

from thalweg_cli.base.names import APPLICATIONS, INTERFACES, did_you_mean
from thalweg_cli.base.terminal import WrongUsage

ALIASES: Mapping[str, tuple[str, ...]] = {
    "benchmark": ("--bench",),
    "batch-size": ("--batch",),
    "freq-patt": ("--freq-pattern",),
    "resource-usage": ("--memory-usage",),
    "test-result": ("--verify",),
    "monitor-thread": ("--monitor",),
    "latency-monitor": ("--latency-log=log",),
    "class": ("--input",),
    "id": ("--name",),
    "input-string": ("--file",),
    "md5": ("--hash",),
    "operator": ("--op",),
    "nsources": ("--several-sources",),
}
"""Names that SPBench, or its thesis, has for options. A value goes to the last one, if that has none here."""

ONE_DASH: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "exec": {"print": ("--dry-run",), "debug": ("--print",), "quiet": (), "d": ()},
    "new": {"bench": ("--whole", "--bench"), "benchmark": ("--whole", "--bench")},
    "new-app": {"operators": ("--op",)},
    "rename": {"new-name": ("--whole", "--new-name")},
}
"""Options that mean something else with one dash, by commands: there they are what SPBench has.

What it shows with -quiet is always shown here, and what is packed is unpacked without -d.
"""

PLACES: Mapping[str, str] = {
    "bench": "name",
    "benchmark": "name",
    "app": "name",
    "old-name": "name",
    "new-name": "to",
}
"""Options of SPBench for what is an argument here, and its name, in commands that have no such option."""

REFUSED: Mapping[str, Mapping[str, str]] = {
    "clean": {
        "logs": "what runs have measured is in one file: to forget all of it, remove thalweg/results.db in "
        "$XDG_DATA_HOME, or in ~/.local/share",
        "outputs": "leave it out: the output of a run is removed when the run ends",
    },
    "new-app": {
        "name": "leave it out: an application has one name, that of -app; --description says what it does",
        "notes": "write them into the README.md of the application, which new-app makes",
    },
}
"""Options of SPBench for what is not here, by commands, and what to do instead."""

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "execute": ("exec",),
    "list-apps": ("list", "applications"),
    "list-inputs": ("list", "inputs"),
    "list-op": ("list", "operators"),
    "-version": ("version",),
    "--version": ("version",),
    "-h": ("--help",),
    "-help": ("--help",),
}
"""Names of commands."""

SEVERAL: Mapping[str, tuple[str, ...]] = {"--freq-recipe": ("all",), "-user-arg": (), "-operators": ()}
"""Options that take any number of values behind them, and what they mean without one."""

JOINED: Mapping[tuple[str, str], str] = {("exec", "-input"): "--input"}
"""Options of commands that take any number of values, all of which are for one program: joined by commas."""


def rewrite(arguments: Sequence[str], group: TyperGroup, own: Collection[str] = ()) -> list[str]:
    """Arguments as the commands of `group` know them: `-nthreads 4` becomes `--nthreads 4`.

    Values of options stay as they are, whatever they look like, and so does what follows `--`; but names of
    applications, interfaces and programs become ours, if they are not the user's `own`. Of an option that
    takes several values each gets the option's name. What is misspelt is left to Typer, which knows our
    names; it is WrongUsage if one of SPBench's is nearer, and for an option of `REFUSED`.
    """
    if not arguments:
        return []
    name = COMMANDS.get(arguments[0], (arguments[0],))
    command = group.commands.get(name[0])
    if not isinstance(command, TyperCommand):
        if not name[0].startswith("-") and is_nearest(name[0], COMMANDS, group.commands):
            raise WrongUsage(f"No such command: {name[0]}", remedy=did_you_mean(name[0], COMMANDS))
        return [*name, *arguments[1:]] if name[0] == "--help" else list(arguments)
    words = Words(name[0], command, own)
    rest = list(arguments[1:])
    while rest:
        argument = rest.pop(0)
        if argument == "--":
            words.found += [argument, *rest]
            break
        words.take(argument, rest)
    return [*name, *words.in_their_places(), *words.found]


class Words:
    """The words of a command so far. `places`: the arguments that were given as options.

    `joined`: where the values of an option of `JOINED` stand; 0 before.
    """

    def __init__(self, name: str, command: TyperCommand, own: Collection[str]) -> None:
        self.found: list[str] = []
        self._name = name
        self._own = own
        self._flags = flags_of(command)
        self._arguments = [str(one.name) for one in command.params if not isinstance(one, TyperOption)]
        self._places: dict[str, str] = {}
        self._named = False
        self._joined = 0

    def in_their_places(self) -> list[str]:
        """The arguments that were given as options, in the order of the arguments."""
        return [self._places[name] for name in self._arguments if name in self._places]

    def take(self, argument: str, rest: list[str]) -> None:
        """Takes a word, and from `rest` what belongs to it."""
        written, equals, value = argument.partition("=")
        if not written.startswith("-"):
            is_name = self._arguments[:1] == ["name"] and self._name != "new-app" and not self._named
            self.found.append(self._name_of(argument) if is_name else argument)
            self._named = True
            return
        if joined := JOINED.get((self._name, written)):
            self._join(joined, [value] if equals else values_behind(rest))
            return
        options = self._options_for(written)
        *others, last = options or [""]
        if not equals and (written in SEVERAL or last in SEVERAL):
            self.found += several(last, SEVERAL.get(written, SEVERAL.get(last, ())), rest)
            return
        self.found += others
        bare = last.removeprefix("--")
        place = PLACES.get(bare, "") if last not in self._flags else ""
        if place in self._arguments:
            if equals or rest:
                said = value if equals else rest.pop(0)
                self._places[place] = (
                    said if place == "to" or self._name == "new-app" else self._name_of(said)
                )
        elif last:
            self.found.append(f"{last}={self._value(last, value)}" if equals else last)
            if not equals and self._flags.get(last) is False and rest:
                self.found.append(self._value(last, rest.pop(0)))

    def _join(self, option: str, values: Sequence[str]) -> None:
        """Adds values to those that the option has already, or gives it these."""
        if self._joined:
            values = [self.found[self._joined], *values]
            self.found[self._joined] = ",".join(values)
            return
        self.found.append(option)
        if values:
            self._joined = len(self.found)
            self.found.append(",".join(values))

    def _options_for(self, written: str) -> tuple[str, ...]:
        """The options that a word stands for; the word itself if it is none.

        With one dash the beginning of a name will do, if there is one such name only. A misspelt option gets
        its two dashes, too: with them it is told which one may have been meant.
        """
        word = re.fullmatch(r"(--?)([A-Za-z][\w-]*)", written)
        if word is None or written in self._flags:
            return (written,)
        dashes, bare = word.groups()
        of_one_dash = ONE_DASH.get(self._name, {}) if dashes == "-" else {}
        meanings = {
            **{one.removeprefix("--"): (one,) for one in self._flags if one.startswith("--")},
            **{other: ours for other, ours in ALIASES.items() if self._has(ours)},
            **{other: (f"--{other}",) for other, place in PLACES.items() if place in self._arguments},
            **of_one_dash,
            **{other: (f"--{other}",) for other in REFUSED.get(self._name, ())},
        }
        if bare in meanings:
            return self._unless_refused(bare, meanings)
        if bare == "h":
            return ("--help",)
        begun = {ours: other for other, ours in meanings.items() if dashes == "-" and other.startswith(bare)}
        if len(bare) > 1 and len(begun) == 1:
            return self._unless_refused(begun.popitem()[1], meanings)
        if len(bare) == 1 or written[:2] in self._flags:
            return (written,)
        if is_nearest(bare, meanings, [one.removeprefix("--") for one in self._flags]):
            near = did_you_mean(written, [f"{dashes}{one}" for one in meanings])
            raise WrongUsage(f"{self._name}: No such option: {written}", remedy=near)
        return (f"--{bare}",)

    def _unless_refused(self, name: str, meanings: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """The options that a name stands for. Raises WrongUsage if it is one of `REFUSED`."""
        if remedy := REFUSED.get(self._name, {}).get(name):
            raise WrongUsage(f"{self._name}: there is no -{name} here", remedy=remedy)
        return meanings[name]

    def _has(self, options: Sequence[str]) -> bool:
        return all(one.partition("=")[0] in self._flags for one in options)

    def _value(self, option: str, value: str) -> str:
        if option == "--app":
            return value if value in self._own else APPLICATIONS.get(value, value)
        if option == "--ppi":
            return value if value in self._own else INTERFACES.get(value, value)
        is_new = option == "--bench" and self._name == "new"
        return self._name_of(value) if option in ("--bench", "--from") and not is_new else value

    def _name_of(self, name: str) -> str:
        """Our name of a program that may be SPBench's."""
        if name in self._own:
            return name
        application, underscore, rest = name.partition("_")
        ours = APPLICATIONS.get(application, application)
        name = ours + underscore + rest if rest and not f"{name}_".startswith(f"{ours}_") else name
        return re.sub(r"(?<=_)(ff|omp|thr)(?=_|$)", lambda found: INTERFACES[found[0]], name, count=1)


def is_nearest(name: str, theirs: Collection[str], ours: Collection[str]) -> bool:
    """Whether a misspelt name is near to one of theirs, and nearer than to any of ours."""
    nearest = get_close_matches(name, sorted({*theirs, *ours}), n=1)
    return bool(nearest) and nearest[0] not in ours


def several(option: str, without: Sequence[str], rest: list[str]) -> list[str]:
    """An option once for each of the values that come next, which are taken from `rest`."""
    values = [] if without or not rest else [rest.pop(0)]
    values += values_behind(rest)
    if not values and not without:
        return [option]  # which is told
    return [word for value in values or without for word in (option, value)]


def values_behind(rest: list[str]) -> list[str]:
    """The words up to the next option, which are taken from `rest`."""
    values: list[str] = []
    while rest and not rest[0].startswith("-"):
        values.append(rest.pop(0))
    return values


def flags_of(command: TyperCommand) -> dict[str, bool]:
    """The options of a command, and whether each stands alone, without a value."""
    return {
        name: option.is_flag
        for option in command.params
        if isinstance(option, TyperOption)
        for name in [*option.opts, *option.secondary_opts]
    } | {"--help": True}
