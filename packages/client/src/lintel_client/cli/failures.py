"""How errors are reported: a message on standard error and an exit code, never a traceback."""

from typing import Any

import click

from lintel_client.cli.later import later
from lintel_document.controls import printable

__all__ = ["Command", "Failure", "Refused", "Unreachable"]


class Failure(click.ClickException):
    """Wrong usage, with a message of one or more lines."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(click.style("Error: ", fg="red") + printable(self.message), err=True)


class Refused(Failure):
    """The server answered with an error."""

    exit_code = 1


class Unreachable(Failure):
    """No response came, or an unreadable one."""

    exit_code = 3


class Command(click.Command):
    """A command whose expected errors become failures."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (BrokenPipeError, click.ClickException, click.exceptions.Exit, click.Abort):
            # The reader of the output has closed the pipe, or click knows what to say.
            raise
        except RecursionError:
            raise Unreachable("The response is nested too deeply to be shown") from None
        except Exception as error:
            failure = later("refusals:failure", error)
            if failure is error:
                raise
            raise failure from error
