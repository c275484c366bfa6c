"""A small API on a real server, and its tools."""

import json

import pytest

from lintel_client import Client, HTTPTransport
from lintel_client.mcp.calling import WatchedTransport
from lintel_client.mcp.secrets import Secrets
from lintel_client.mcp.toolset import Toolset
from lintel_document import Document, Field, Link, schemas
from lintel_document.agents.operations import Selection

TOKEN = "very-secret-token"


@pytest.fixture
def document(service):
    key = Field("id", True, "path", schemas.Integer())
    body = [
        Field("title", True, "form", schemas.String(description="The title.")),
        Field("tags", False, "form", schemas.Array(items=schemas.String())),
    ]
    data = [Field("data", True, "body")]
    return Document(
        service.url(),
        "Books",
        content={
            "books": {
                "list": Link(
                    "/books/", "get", title="All books", fields=[Field("page", False, "query")]
                ),
                "read": Link("/books/{id}/", "get", fields=[key]),
                "file": Link("/files/{+path}", "get", fields=[Field("path", True, "path")]),
                "create": Link("/books/", "post", "application/json", fields=body),
                "update": Link("/books/{id}/", "put", "application/json", fields=[key, *body]),
                "destroy": Link("/books/{id}/", "delete", fields=[key]),
                "import": Link("/import/", "post", "application/octet-stream", fields=data),
            },
            "elsewhere": Link("http://{+host}/x", "get"),
        },
    )


@pytest.fixture
def toolset(service, document):
    """Make the tools of the document, with a token bound to the service's host."""

    def made(
        allow_write=False, include=(), exclude=(), budget=8_000, document=document, fetched=True
    ):
        secrets = Secrets()
        transport = HTTPTransport({"127.0.0.1": f"Token {TOKEN}"}, trust_env=False)
        client = Client(transports=[WatchedTransport(transport, secrets.learn)])
        clients.append(client)
        service.answer("/", document)
        read = client.get(service.url()) if fetched else document
        selection = Selection(allow_write, include, exclude)
        return Toolset(client, read, selection, budget=budget, secrets=secrets)

    clients = []
    yield made
    for client in clients:
        client.close()


@pytest.fixture
def called():
    """Call a tool and return its answer as data; `error` says that it must be one."""

    def call(toolset, name, arguments=None, error=False):
        answer = toolset.call(name, arguments or {})
        assert answer.is_error == error, answer.text
        return json.loads(answer.text)

    return call
