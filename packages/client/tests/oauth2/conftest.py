"""A real authorization server, and what tests ask of it."""

from dataclasses import dataclass

import authorization_server
import httpx2
import pytest
from authorization_server.browser import allow, enter

from lintel_client import Client
from lintel_client.oauth2 import AuthorizationCode, ClientCredentials, DeviceCode


@dataclass
class Authorization:
    """The running server: its URL, its clients by name, and their secret."""

    url: str
    secret: str
    clients: dict

    @property
    def issuer(self):
        return f"{self.url}/o"

    @property
    def api(self):
        return f"{self.url}/me/"

    def state(self, **asked):
        return httpx2.get(f"{self.url}/state/", params=asked).json()

    def program(self, source=None, **options):
        source = source or self.issuer
        return ClientCredentials(source, self.clients["program"], self.secret, **options)

    def browser(self, source=None, open_page=allow, **options):
        source = source or self.issuer
        return AuthorizationCode(source, self.clients["browser"], open_page=open_page, **options)

    def device(self, source, action="accept", **options):
        def show(login):
            enter(self.url, login.code, action)

        return DeviceCode(source, self.clients["device"], show=show, **options)

    def description(self):
        with Client() as client:
            return client.get(f"{self.url}/openapi.json")


@pytest.fixture(scope="session")
def authorization(tmp_path_factory):
    with authorization_server.running(tmp_path_factory.mktemp("authorization")) as known:
        yield Authorization(known.pop("url"), known.pop("secret"), known)
