"""Maps errors of the library or of the system to failures."""

from lintel_client.cli.failures import Failure, Refused, Unreachable
from lintel_client.errors import ErrorMessage, LinkLookupError, LoginRequired, ParameterError
from lintel_client.passwords import PasswordsUnusable
from lintel_document.errors import LintelError

__all__ = ["failure"]

LONGEST_MESSAGE = 2000
EXTRAS = {"keyring": "keyring", "mcp": "mcp", "jmespath": "cli"}
"""Libraries, and the extras that they come with."""


def failure(error: Exception) -> Exception:
    """Return the failure that reports an error; an unexpected error is returned itself."""
    if isinstance(error, ErrorMessage):
        return Refused("\n".join(_lines(error)))
    if isinstance(error, LoginRequired):
        return Refused(f"{error}\nSign in with: lintel login --oauth2")
    if isinstance(error, ParameterError):
        details = [f"    {name}: {message}" for name, message in error.errors.items()]
        return Failure("\n".join(["Some parameters are missing or wrong:", *details]))
    if isinstance(error, LinkLookupError | PasswordsUnusable):
        return Failure(str(error))
    if isinstance(error, OSError):
        return Failure(f"{error.filename or 'File error'}: {error.strerror or error}")
    if isinstance(error, ModuleNotFoundError) and error.name in EXTRAS:
        return Failure(f"This takes {error.name}: install lintel-client[{EXTRAS[error.name]}]")
    return Unreachable(str(error)) if isinstance(error, LintelError) else error


def _lines(error: ErrorMessage) -> list[str]:
    lines = [_status_line(error)]
    if error.status == 401 and "WWW-Authenticate" in error.headers:
        lines.append(f"    WWW-Authenticate: {error.headers['WWW-Authenticate']}")
    if error.refused:
        lines.append(f"    {error.refused}")
    if error.retry_after is not None:
        lines.append(f"    Retry-After: {error.retry_after} seconds")
    for name, messages in error.messages.items():
        lines += [f"    {name}: {_shortened(message)}" for message in messages]
    if error.request_id and "request_id" not in error.messages:
        lines.append(f"    request_id: {_shortened(error.request_id)}")
    return lines


def _status_line(error: ErrorMessage) -> str:
    title, status = error.error.title, str(error.status)
    return title if title.startswith(status) else f"{status} {error.reason} {title}".strip()


def _shortened(message: str) -> str:
    if len(message) <= LONGEST_MESSAGE:
        return message
    return f"{message[:LONGEST_MESSAGE]} ({len(message) - LONGEST_MESSAGE} more characters)"
