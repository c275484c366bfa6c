"""How errors reach people: a message on standard error and an exit code, never a traceback."""

import re
from typing import Any, NoReturn

import click

from lintel_client.errors import ErrorMessage, LinkLookupError, ParameterError
from lintel_document.errors import LintelError

__all__ = ["Command", "Failure", "printable"]

LONGEST_MESSAGE = 2000

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Failure(click.ClickException):
    """Wrong usage, with a message of one or more lines."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(click.style("Error: ", fg="red") + printable(self.message), err=True)


class Refused(Failure):
    """The server answered with an error."""

    exit_code = 1


class Unreachable(Failure):
    """No answer came, or none that can be read."""

    exit_code = 3


class Command(click.Command):
    """A command whose expected errors become failures."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Whoever read the output has had enough; click ends quietly.
            raise
        except (LintelError, OSError) as error:
            _fail(error)
        except RecursionError:
            raise Unreachable("The answer is nested too deeply to be shown") from None


def printable(text: str) -> str:
    """Return text without what could steer a terminal: all control characters but line breaks."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def _fail(error: LintelError | OSError) -> NoReturn:
    if isinstance(error, ErrorMessage):
        raise Refused("\n".join(_lines(error))) from error
    if isinstance(error, ParameterError):
        details = [f"    {name}: {message}" for name, message in error.errors.items()]
        raise Failure("\n".join(["The parameters do not fit:", *details])) from error
    if isinstance(error, LinkLookupError):
        raise Failure(str(error)) from error
    if isinstance(error, OSError):
        raise Failure(f"{error.filename or 'File error'}: {error.strerror or error}") from error
    raise Unreachable(str(error)) from error


def _lines(error: ErrorMessage) -> list[str]:
    lines = [_status_line(error)]
    if error.status == 401 and "WWW-Authenticate" in error.headers:
        lines.append(f"    WWW-Authenticate: {error.headers['WWW-Authenticate']}")
    if error.retry_after is not None:
        lines.append(f"    Retry-After: {error.retry_after} seconds")
    for name, messages in error.messages.items():
        lines += [f"    {name}: {_shortened(message)}" for message in messages]
    return lines


def _status_line(error: ErrorMessage) -> str:
    title, status = error.error.title, str(error.status)
    return title if title.startswith(status) else f"{status} {error.reason} {title}".strip()


def _shortened(message: str) -> str:
    if len(message) <= LONGEST_MESSAGE:
        return message
    return f"{message[:LONGEST_MESSAGE]} ({len(message) - LONGEST_MESSAGE} more characters)"
