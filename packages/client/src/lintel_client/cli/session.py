"""A client with the credentials and headers that the user has stored."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from lintel_client.cli.failures import Failure
from lintel_client.cli.output import note, print_document, print_result
from lintel_client.cli.redaction import shown_request, shown_response
from lintel_client.cli.state import CREDENTIALS, HEADERS, State
from lintel_client.client import MAX_BODY, Client
from lintel_client.codecs import media_type_of
from lintel_client.messages import Request, Response
from lintel_client.transports import HTTPTransport
from lintel_document.document import Document

__all__ = ["CommandTransport", "fetch", "open_client"]


class CommandTransport:
    """HTTPTransport with the stored credentials; prints what it sends when asked to."""

    schemes: tuple[str, ...] = HTTPTransport.schemes

    def __init__(self, state: State, timeout: float | None, debug: bool) -> None:
        headers = state.headers()
        try:
            self._inner = HTTPTransport(state.credentials(), headers, timeout=timeout)
        except ValueError as error:
            files = f"{CREDENTIALS} or {HEADERS} in {state.folder}"
            raise Failure(
                f"A stored credential or header is not valid ({files}): {error}"
            ) from error
        self._secret_headers = [name for fields in headers.values() for name in fields]
        self._debug = debug

    def send(self, request: Request) -> Response:
        if not self._debug:
            return self._inner.send(request)
        note(self.shown(request) + "\n")
        response = self._inner.send(request)
        body = None
        if _is_readable(response):
            body = response.read(MAX_BODY)
            response.body = [body]
        note(shown_response(response, body) + "\n")
        return response

    def shown(self, request: Request) -> str:
        """Return the request as it would be sent, with secrets hidden."""
        return shown_request(self._inner.prepared(request), self._secret_headers)

    def close(self) -> None:
        self._inner.close()


@contextmanager
def open_client(state: State, debug: bool = False) -> Iterator[tuple[Client, CommandTransport]]:
    """Yield a client and its transport, with the time limit of the command line."""
    timeout = click.get_current_context().find_object(float)
    transport = CommandTransport(state, timeout, debug)
    with Client(transports=[transport]) as client:
        yield client, transport


def fetch(state: State, url: str, format: str | None = None, debug: bool = False) -> Any:
    """Fetch a URL, make a document that is there the current one, and print what came."""
    with open_client(state, debug) as (client, _):
        result = client.get(url, format)
        if isinstance(result, Document):
            state.visit(result)
            print_document(result)
        else:
            print_result(result)
            note("This is no document, so the current document stays as it is.")
    return result


def _is_readable(response: Response) -> bool:
    media_type = media_type_of(response.headers.get("Content-Type", ""))
    return not media_type or media_type.startswith("text/") or media_type.endswith("json")
