import os
from dataclasses import dataclass

import keyring
import pytest
from click.testing import CliRunner
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from lintel_client.cli.program import program
from lintel_document import CoreJSONCodec, Document, Field, Link, schemas


@dataclass
class Outcome:
    status: int
    output: str
    errors: str


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the folder of the command line's state, which does not exist yet."""
    folder = tmp_path / "config" / "lintel"
    monkeypatch.setenv("LINTEL_CONFIG_DIR", str(folder))
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    return folder


@pytest.fixture
def lintel(folder):
    """Run the command line; anything but an expected error fails the test."""

    def _lintel(*arguments, stdin=None):
        result = CliRunner().invoke(program, arguments, input=stdin)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result.exit_code, result.stdout_bytes.decode(), result.stderr)

    return _lintel


@pytest.fixture
def snippets(service, lintel):
    """A service with a schema at its root, loaded as the current document."""
    fields = [
        Field("code", True, "form", schemas.String(description="The source.")),
        Field("language", False, "form", schemas.Enum(enum=["python", "el"])),
    ]
    key = Field("id", True, "path", schemas.Integer())
    document = Document(
        service.url(),
        "Snippets",
        content={
            "snippets": {
                "list": Link("/s/", "get", fields=[Field("page", location="query")]),
                "create": Link("/s/", "post", "application/json", fields=fields),
                "update": Link("/s/{id}/", "put", "application/json", fields=[key, *fields]),
                "destroy": Link("/s/{id}/", "delete", fields=[key]),
                "upload": Link("/up/", "post", "multipart/form-data", fields=["file"]),
                "put_file": Link("/up/", "put", "application/octet-stream", fields=["file"]),
            },
            "": {"list": Link("/", "get")},
            "items": [{"go": Link("/s/", "get")}],
            "count": 3,
            "nothing": None,
        },
    )
    service.answer("/", document)
    service.answer("/s/", {"results": [1], "next": None})
    service.answer("/s/1/", b"", status=204)
    service.answer("/up/", {"size": 1})
    assert lintel("get", service.url()).status == 0
    return CoreJSONCodec().decode(CoreJSONCodec().encode(document))


@pytest.fixture
def ring():
    """A keyring in memory, replacing that of the system."""

    class Ring(KeyringBackend):
        priority = 1
        secrets = {}

        def get_password(self, service, username):
            return self.secrets.get((service, username))

        def set_password(self, service, username, password):
            self.secrets[service, username] = password

        def delete_password(self, service, username):
            if (service, username) not in self.secrets:
                raise PasswordDeleteError
            del self.secrets[service, username]

    before = keyring.get_keyring()
    keyring.set_keyring(Ring())
    yield Ring.secrets
    keyring.set_keyring(before)
