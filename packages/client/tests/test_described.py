"""A foreign service on loopback that describes itself in YAML: fetched, called, refused."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from lintel_client import Client, CredentialsMissing, SchemeAuthentication
from lintel_client.negotiation import default_decoders
from lintel_codecs.openapi import OpenAPICodec

DESCRIPTION = b"""
openapi: 3.0.3
info: {title: Pets, version: 2024-01-01}
servers: [{url: /v1/}]
security: [{key: []}]
paths:
  /pets/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    put:
      operationId: pets_update
      tags: [pets]
      requestBody:
        required: true
        content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}
      responses: {200: {description: ok, content: {application/json: {}}}}
components: {securitySchemes: {key: {type: apiKey, in: query, name: key}}}
"""


class Service(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.answer(DESCRIPTION, "text/yaml")

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.answer(json.dumps([self.path, content]).encode(), "application/json")

    def answer(self, body: bytes, content_type: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/openapi.yaml"
        server.shutdown()
        thread.join()


def test_a_service_is_called_by_its_description(url):
    decoders = [OpenAPICodec(), *default_decoders()]
    with Client(auth=SchemeAuthentication({"key": "a b"}), decoders=decoders) as client:
        document = client.get(url)
        assert (document.title, document.version) == ("Pets", "2024-01-01")
        result = client.action(document, ["pets", "update"], {"id": "a/b", "name": "Rex"})
        assert result == ["/v1/pets/a%2Fb?key=a%20b", '{"name":"Rex"}']
        assert client.action(document, "pets_update", {"id": "1", "body": {}})[1] == "{}"
    with Client(auth=SchemeAuthentication({}), decoders=decoders) as client:
        document = client.get(url)
        with pytest.raises(CredentialsMissing, match="asks for credentials: key"):
            client.action(document, ["pets", "update"], {"id": "1"})


def test_credentials_stay_on_the_host_that_was_asked(url):
    decoders = [OpenAPICodec(), *default_decoders()]
    with Client(auth=SchemeAuthentication({"key": "k"}), decoders=decoders) as client:
        document = client.get(url)
        overrides = {"server": "https://other.example"}
        request = client.request(document, "pets_update", {"id": "1"}, overrides=overrides)
        assert request.url == "https://other.example/pets/1"
