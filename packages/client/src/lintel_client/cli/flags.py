"""Options generated for the parameters of an operation: --title, --page-size."""

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import click
from click.shell_completion import CompletionItem

from lintel_client.cli.index import Operation, Parameter, current_index
from lintel_client.cli.later import later

__all__ = [
    "ParameterOption",
    "check_files",
    "check_switches",
    "clearer",
    "complete_keys",
    "complete_param",
    "flag_values",
    "flags_of",
]

_METAVARS = {
    "integer": "INTEGER",
    "number": "NUMBER",
    "string": "TEXT",
    "file": "FILE",
    "": "VALUE",
    "anything": "VALUE",
}


class ParameterOption(click.Option):
    """An option that gives one parameter its value."""

    def __init__(self, parameter: Parameter, names: list[str], **attributes: Any) -> None:
        self.parameter = parameter
        # Click stores the value under this name; it conflicts with no option of the command.
        super().__init__([*names, f"parameter_{names[0].strip('-').encode().hex()}"], **attributes)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[Any]]:
        """Return the examples of the parameter if it has no choices."""
        if isinstance(self.type, click.Choice) or not self.parameter.examples:
            return super().shell_complete(ctx, incomplete)
        texts = _texts(self.parameter)
        return [CompletionItem(text) for text in texts if text.startswith(incomplete)]

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Show only the first spelling."""
        opts, self.opts = self.opts, self.opts[:1]
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts: list[str] = opts


def flags_of(parameters: Iterable[Parameter], taken: Iterable[str]) -> list[ParameterOption]:
    """Return one option per name of a parameter.

    A name that the command itself uses (``taken``, with dashes) gets its location as prefix:
    --query-output.
    """
    used = set(taken)
    named = []
    distinct = {each.name: each for each in reversed(list(parameters))}
    dashed = {f"--{name.replace('_', '-')}" for name in distinct}
    for parameter in distinct.values():
        names = _names(parameter, used)
        if names:
            names = [*_short(parameter.name, used | dashed), *names]
        used.update(names)
        if names:
            named.append((parameter, names))
    return [_flag(each, [*names, *_lower(each, names, used)]) for each, names in named[::-1]]


def _short(name: str, used: set[str]) -> list[str]:
    """Return the spelling of a lookup that is easy to type: --created-gte for created__gte."""
    short = f"--{re.sub('_+', '-', name)}"
    return [short] if "__" in name and short not in used else []


def _lower(parameter: Parameter, names: list[str], used: set[str]) -> list[str]:
    """Return further spellings of a header, whose name is the same in every case."""
    lower = [names[0].lower()] if parameter.location == "header" else []
    return [name for name in lower if name not in used]


def flag_values(flags: Iterable[ParameterOption], given: dict[str, Any]) -> dict[str, Any]:
    """Return the values of the given options, by the names of their parameters.

    Raises click.UsageError for a value of another type.
    """
    found = {flag.parameter: given.pop(str(flag.name), None) for flag in flags}
    return {
        parameter.name: _converted(parameter, value)
        for parameter, value in found.items()
        if value is not None and value != ()
    }


def check_switches(flags: Iterable[ParameterOption], words: Sequence[str]) -> None:
    """Reject ``true`` or ``false`` after a switch. Raises click.UsageError with its spellings."""
    switches = {name: flag for flag in flags if flag.is_flag for name in flag.opts}
    for word, following in pairwise([*words, ""]):
        flag = switches.get(word)
        if flag is not None and following.lower() in ("true", "false"):
            raise click.UsageError(_spellings(word, flag))


def clearer(error: click.BadOptionUsage, flags: Iterable[ParameterOption]) -> click.UsageError:
    """Return the error about an option with both spellings, if the option is a switch."""
    for flag in flags:
        if flag.is_flag and error.option_name in (*flag.opts, *flag.secondary_opts):
            return click.UsageError(_spellings(error.option_name, flag), error.ctx)
    return error


def _spellings(word: str, flag: ParameterOption) -> str:
    on, off = flag.opts[0], flag.secondary_opts[0]
    return f"{word} takes no value: write {on} for true and {off} for false"


def check_files(flags: Iterable[ParameterOption], files: Iterable[str]) -> None:
    """Reject a file without a parameter name. Raises click.UsageError that names candidates."""
    known = [flag.parameter for flag in flags]
    names = [each.name for each in known if each.kind == "file" or each.file_type]
    for text in files:
        if "=" not in text:
            ways = " or ".join(f"--file {name}={text}" for name in names or ["NAME"])
            raise click.UsageError(f"--file {text!r} names no parameter: write {ways}")


def complete_keys(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[Any]]:
    """Return the keys below the given ones, then the flags of the operation."""
    index = current_index()
    found = index.find(ctx.params.get("keys") or ())
    if isinstance(found, Operation):
        texts = [
            (flag.opts[0], flag.help or "")
            for flag in ctx.command.get_params(ctx)
            if isinstance(flag, ParameterOption)
        ]
    else:
        texts = [(key, _summary(index.entry(below))) for key, below in (found or {}).items()]
    return [
        CompletionItem(text, help=summary) for text, summary in texts if text.startswith(incomplete)
    ]


def complete_param(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[Any]]:
    """Return the names of parameters as NAME=, followed by their possible values."""
    flags = [flag for flag in ctx.command.get_params(ctx) if isinstance(flag, ParameterOption)]
    name, equals, _ = incomplete.partition("=")
    found = [(f"{flag.parameter.name}=", flag.help or "") for flag in flags]
    if equals:
        found = [
            (f"{name}={text}", "")
            for flag in flags
            if flag.parameter.name == name
            for text in _texts(flag.parameter)
        ]
    return [
        CompletionItem(text, help=about) for text, about in found if text.startswith(incomplete)
    ]


def _summary(entry: Any) -> str:
    return entry.summary if isinstance(entry, Operation) else ""


def _names(parameter: Parameter, used: set[str]) -> list[str]:
    """Return unused spellings of an option, dashes first."""
    for name in (parameter.name, f"{parameter.location or 'param'}-{parameter.name}"):
        spellings = dict.fromkeys([f"--{name.replace('_', '-')}", f"--{name}"])
        # Values that would not be read as one word, or as a name, need --param.
        if not all(char.isalnum() or char in "-_." for char in name) or not name[0].isalnum():
            return []
        if used.isdisjoint(spellings):
            return list(spellings)
    return []


def _flag(parameter: Parameter, names: list[str]) -> ParameterOption:
    text = "  ".join([parameter.description, *(f"[{note}]" for note in _notes(parameter))]).strip()
    if parameter.kind == "boolean":
        switches = [f"{name}/--no-{name[2:]}" for name in names]
        return ParameterOption(parameter, switches, default=None, help=text)
    attributes: dict[str, Any] = {"help": text, "multiple": parameter.kind == "array"}
    if parameter.choices:
        return ParameterOption(parameter, names, type=_Choice(_texts(parameter)), **attributes)
    kind = parameter.item if parameter.kind == "array" else parameter.kind
    return ParameterOption(parameter, names, metavar=_METAVARS.get(kind, "JSON"), **attributes)


def _notes(parameter: Parameter) -> Iterator[str]:
    """Return what help says of a parameter beside its description."""
    if parameter.examples and not parameter.choices:
        yield f"such as: {_choice(parameter.examples[0])}"
    bare = parameter.name.removeprefix("query.")
    if bare != parameter.name and parameter.location not in ("form", "body"):
        yield f"in the query; --{bare} is in the body"
    if parameter.location == "body":
        item = "; one per item" if parameter.kind == "array" else ""
        yield f"the whole body{item}; or: --body JSON"
    elif _takes_lists(parameter) and not parameter.choices:
        yield "one per item, or a list in JSON"
    if parameter.file_type:
        yield f"a file with --encoding {parameter.file_type}"
    if parameter.required:
        yield "required"


class _Choice(click.Choice[str]):
    """A choice whose values are shown unchanged, and truncated if there are many."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        if len(self.choices) <= 12:
            return super().get_metavar(param, ctx)
        return f"[{'|'.join(self.choices[:8])}|…]"

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        if len(self.choices) <= 12:
            return super().get_invalid_choice_message(value, ctx)
        near = difflib.get_close_matches(str(value), self.choices)
        hint = f"Did you mean {' or '.join(near)}?" if near else "See: lintel describe --full KEYS"
        return f"{value!r} is not one of the {len(self.choices)} values. {hint}"


def _texts(parameter: Parameter) -> list[str]:
    if parameter.kind == "boolean":
        return ["true", "false"]
    values = parameter.choices or parameter.examples
    return list(dict.fromkeys(_choice(value) for value in values))


def _choice(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _converted(parameter: Parameter, value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if parameter.choices:
        values = {_choice(choice): choice for choice in reversed(parameter.choices)}
        return [values[text] for text in value] if parameter.kind == "array" else values[value]
    if parameter.kind == "array":
        whole = _whole_list(parameter, value)
        if whole is not None:
            return whole
        return [later("values:typed", parameter.name, parameter.item, text) for text in value]
    return later("values:typed", parameter.name, parameter.kind, value)


def _whole_list(parameter: Parameter, texts: Sequence[str]) -> list[Any] | None:
    """Return the list that a single text is, in JSON; None where it is one item."""
    if len(texts) != 1 or not _takes_lists(parameter) or not texts[0].lstrip().startswith("["):
        return None
    found: list[Any] = later("values:inferred", parameter.name, texts[0])
    is_item = parameter.item == "array" and not all(isinstance(each, list) for each in found)
    return None if is_item else found


def _takes_lists(parameter: Parameter) -> bool:
    # A text may begin with a bracket.
    return parameter.kind == "array" and parameter.item not in ("string", "file")
