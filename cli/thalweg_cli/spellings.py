"""SPBench's spellings: options with one dash, and other names for some of ours."""

import re
from collections.abc import Mapping, Sequence

from typer.core import TyperCommand, TyperGroup, TyperOption

ALIASES: Mapping[str, tuple[str, ...]] = {
    "batch-size": ("--batch",),
    "freq-patt": ("--freq-pattern",),
    "resource-usage": ("--memory-usage",),
    "test-result": ("--verify",),
    "monitor-thread": ("--monitor",),
    "latency-monitor": ("--latency", "--monitor"),
    "class": ("--input",),
    "md5": ("--hash",),
}
"""Names that SPBench, or its thesis, has for options. A value goes to the last of the options."""

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "execute": ("exec",),
    "list-apps": ("list", "applications"),
    "list-inputs": ("list", "inputs"),
    "list-op": ("list", "operators"),
    "-version": ("version",),
    "--version": ("version",),
}
"""Names of commands."""

SEVERAL = {"--freq-recipe": "all"}
"""Options that take any number of values behind them, and what they mean without one."""


def rewrite(arguments: Sequence[str], group: TyperGroup) -> list[str]:
    """Arguments as the commands of `group` know them: `-nthreads 4` becomes `--nthreads 4`.

    Where a command takes the name of a benchmark, that may have `-bench` before it. Values of options stay as
    they are, whatever they look like, and so does what follows `--`. Of an option that takes several values
    each gets the option's name.
    """
    if not arguments:
        return []
    name = COMMANDS.get(arguments[0], (arguments[0],))
    command = group.commands.get(name[0])
    if command is None:
        return list(arguments)
    flags = flags_of(command)
    names = takes_name(command)
    result = [*name]
    rest = list(arguments[1:])
    while rest:
        argument = rest.pop(0)
        if argument == "--":
            return [*result, argument, *rest]
        written, equals, value = argument.partition("=")
        *others, last = options_for(written, flags)
        if names and not others and last == "--bench":
            result += [value] if equals else []  # What follows is the name.
            continue
        if last in SEVERAL and not equals:
            result += several(last, rest)
            continue
        result += [*others, last + equals + value]
        if not equals and flags.get(last) is False and rest:
            result.append(rest.pop(0))
    return result


def several(option: str, rest: list[str]) -> list[str]:
    """An option once for each of the values that come next, which are taken from `rest`."""
    values = []
    while rest and not rest[0].startswith("-"):
        values.append(rest.pop(0))
    return [word for value in values or [SEVERAL[option]] for word in (option, value)]


def flags_of(command: TyperCommand) -> dict[str, bool]:
    """The options of a command, and whether each stands alone, without a value."""
    return {
        name: option.is_flag
        for option in command.params
        if isinstance(option, TyperOption)
        for name in [*option.opts, *option.secondary_opts]
    } | {"--help": True}


def takes_name(command: TyperCommand) -> bool:
    """Whether a benchmark is named by an argument, for which SPBench has `-bench`."""
    return any(one.name == "name" and not isinstance(one, TyperOption) for one in command.params)


def options_for(written: str, flags: Mapping[str, bool]) -> tuple[str, ...]:
    """The options that a word stands for; the word itself if it is none.

    A misspelt option gets its two dashes, too: with them it is told which one may have been meant.
    """
    word = re.fullmatch(r"--?([A-Za-z][\w-]+)", written)
    if word is None or written[:2] in flags:
        return (written,)
    bare = word[1]
    if f"--{bare}" in flags:
        return (f"--{bare}",)
    ours = ALIASES.get(bare, ())
    return ours if ours and all(one in flags for one in ours) else (f"--{bare}",)
