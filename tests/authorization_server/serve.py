"""Serves until it is stopped; prints its URL and its clients as a line of JSON."""

import json
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application

SECRET = "s3cret+of a/client:%"
CODE = "authorization-code"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
CLIENTS = {
    "program": ("confidential", "client-credentials"),
    "browser": ("public", CODE),
    "trusted": ("confidential", CODE),
    "device": ("public", DEVICE),
}


class Handler(WSGIRequestHandler):
    def log_message(self, *arguments):
        """Write nothing."""


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


def register(name: str, kind: str, grant: str) -> str:
    """Register a client; return its id."""
    from oauth2_provider.models import Application

    made = Application.objects.create(
        name=name,
        client_type=kind,
        authorization_grant_type=grant,
        client_secret=SECRET if kind == "confidential" else "",
        redirect_uris="http://127.0.0.1/callback",
    )
    return made.client_id


def main() -> None:
    django.setup()
    call_command("migrate", verbosity=0)
    from django.contrib.auth.models import User

    User.objects.create_user("ada")
    clients = {name: register(name, *how) for name, how in CLIENTS.items()}
    with make_server("127.0.0.1", 0, get_wsgi_application(), Server, Handler) as server:
        url = f"http://127.0.0.1:{server.server_port}"
        print(json.dumps({"url": url, "secret": SECRET, **clients}), flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
