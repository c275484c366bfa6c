"""A schema-driven client of ``lintel_client`` whose requests the project handles."""

from functools import cached_property
from importlib import import_module
from typing import Any

from lintel.test.requests import RequestsClient

# Imported by name: the client is beside the server, not in a lower layer.
lintel_client: Any = import_module("lintel_client")
messages: Any = import_module("lintel_client.messages")
headers: Any = import_module("lintel_client.headers")


class SessionTransport:
    schemes: tuple[str, str] = ("http", "https")

    def __init__(self, session: RequestsClient) -> None:
        self.session = session

    def send(self, request: Any) -> Any:
        response = self.session.request(
            request.method,
            request.url,
            data=request.body,
            headers=dict(request.headers.pairs()),
            allow_redirects=False,
        )
        return messages.Response(
            status=response.status_code,
            headers=headers.Headers(list(response.headers.items())),
            body=[response.content],
            url=request.url,
            reason=response.reason,
        )


class CoreAPIClient(lintel_client.Client):
    """``client.action(document, keys, params)``; ``session`` sends the requests."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["transports"] = [SessionTransport(self.session)]
        super().__init__(*args, **kwargs)

    @cached_property
    def session(self) -> RequestsClient:
        return RequestsClient()
