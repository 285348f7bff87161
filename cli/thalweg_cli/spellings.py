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
}
"""Names of commands."""


def rewrite(arguments: Sequence[str], group: TyperGroup) -> list[str]:
    """Arguments as the commands of `group` know them: `-nthreads 4` becomes `--nthreads 4`.

    Where a command takes the name of a benchmark, that may have `-bench` before it. Values of options stay as
    they are, whatever they look like, and so does what follows `--`.
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
    rest = iter(arguments[1:])
    for argument in rest:
        if argument == "--":
            return [*result, argument, *rest]
        written, equals, value = argument.partition("=")
        ours = options_for(written, flags)
        if names and ours == ("--bench",):
            result += [value] if equals else []  # What follows is the name.
            continue
        result += [*ours[:-1], ours[-1] + equals + value]
        if not equals and flags.get(ours[-1]) is False:
            result += [following for following in [next(rest, None)] if following is not None]
    return result


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
    return (f"--{bare}",) if f"--{bare}" in flags else ALIASES.get(bare, (f"--{bare}",))
