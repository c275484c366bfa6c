"""The part of --filter: expressions of JMESPath on results."""

import json
from typing import Any

import click
import jmespath
from jmespath.exceptions import JMESPathError, LexerError, ParseError

from lintel_client.cli.output import json_text
from lintel_client.downloads import Download
from lintel_document.document import Array, Node

__all__ = ["Filter"]


class Filter:
    """One expression. Raises click.UsageError for one that cannot be read, and says where."""

    def __init__(self, expression: str) -> None:
        self._expression = expression
        try:
            self._compiled = jmespath.compile(expression)
        except LexerError as error:
            raise self._unreadable(error.lexer_position, error.message) from None
        except ParseError as error:
            raise self._unreadable(error.lex_position, _reason(error)) from None
        except (JMESPathError, RecursionError) as error:
            raise click.UsageError(f"--filter: {_reason(error)}") from None

    def __call__(self, value: Any) -> Any:
        """Return what the expression finds in a value. Raises click.UsageError if it cannot."""
        if isinstance(value, Download | bytes):
            raise click.UsageError("--filter: the answer is a file, not JSON")
        if isinstance(value, Node | Array):
            value = json.loads(json_text(value))
        try:
            return self._compiled.search(value)
        except (JMESPathError, RecursionError) as error:
            raise click.UsageError(f"--filter {self._expression!r}: {_reason(error)}") from None

    def _unreadable(self, position: int, reason: str) -> click.UsageError:
        before = self._expression[:position]
        start = before.rfind("\n") + 1
        line = self._expression[start:].partition("\n")[0]
        mark = " " * (position - start) + "^"
        place = f"character {position + 1}"
        return click.UsageError(f"--filter, {place}: {reason}\n  {line}\n  {mark}")


def _reason(error: JMESPathError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "the expression or the answer is nested too deeply"
    if isinstance(error, ParseError):
        if not error.token_value:
            return "the expression ends too early"
        return f"{error.token_value!r} is not expected here"
    return str(error)
