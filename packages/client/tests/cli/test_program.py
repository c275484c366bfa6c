"""The table of commands, and its documentation."""

import re
from pathlib import Path

import click
import pytest

from lintel_client.cli.program import PLACES, program
from lintel_client.version import __version__

PAGE = (Path(__file__).parents[4] / "docs" / "command-line.md").read_text()


def commands(group=program, path=()):
    """All commands with their paths, groups expanded."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = [pytest.param(path, command, id=" ".join(path)) for path, command in commands()]


@pytest.mark.parametrize(("path", "command"), COMMANDS)
def test_every_command_and_option_is_documented(path, command):
    assert re.search(rf"`lintel {' '.join(path)}\b", PAGE)
    for option in command.params:
        for name in option.opts if isinstance(option, click.Option) else ():
            assert f"`{name}" in PAGE, f"docs/command-line.md does not describe {name}"


@pytest.mark.parametrize(("path", "command"), COMMANDS)
def test_every_command_has_help(lintel, path, command):
    outcome = lintel(*path, "--help")
    assert outcome.status == 0
    assert command.help.splitlines()[0][:40] in outcome.output


def test_global_options_are_documented():
    for option in program.params:
        assert all(f"`{name}" in PAGE for name in option.opts)


def test_help_lists_all_commands(lintel):
    for arguments in (["--help"], ["-h"]):
        outcome = lintel(*arguments)
        assert all(name in outcome.output for name in PLACES)


def test_version(lintel):
    assert lintel("--version").output == f"lintel {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["get"], ["action"], ["--nonsense"], ["credentials", "nonsense"], ["describe"]],
)
def test_wrong_usage(lintel, arguments):
    outcome = lintel(*arguments)
    assert outcome.status == 2
    assert outcome.output == ""
    assert "Error" in outcome.errors or "Usage" in outcome.errors


def test_the_time_limit_must_be_positive(lintel):
    assert lintel("--timeout", "0", "codecs", "show").status == 2


def test_an_unknown_command_names_near_misses(lintel, snippets):
    assert "Did you mean list?" in lintel("snippets", "lst").errors
    assert "Did you mean snippets?" in lintel("snippts", "list").errors
    assert "Did you mean describe?" in lintel("descrbe", "x").errors
    assert lintel("snippets", "lst").status == 2
