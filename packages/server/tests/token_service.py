"""A server of the tests of hashed tokens: four processes with threads, on one database.

python token_service.py DATABASE SOCKET

DATABASE is JSON for DATABASES, SOCKET the number of an open file. It creates the tables first, and
the user alice.
"""

import json
import os
import signal
import socket
import sys
from typing import Any

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from idempotent_service import Handler, Server

PROCESSES = 4

#: The key of a token of an earlier version.
OLD_KEY = "k" * 40


def configure(database: dict[str, Any]) -> None:
    settings.configure(
        SECRET_KEY="tests",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=__name__,
        USE_TZ=True,
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "lintel",
            "lintel.hashedtokens",
        ],
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        DATABASES={"default": database},
        REST_FRAMEWORK={
            "DEFAULT_AUTHENTICATION_CLASSES": [],
            "DEFAULT_RENDERER_CLASSES": ["lintel.renderers.JSONRenderer"],
        },
    )
    sys.modules["token_service"] = sys.modules[__name__]
    django.setup()


def patterns() -> list[Any]:
    from django.urls import include, path

    from lintel.hashedtokens.authentication import HashedTokenAuthentication
    from lintel.hashedtokens.views import obtain_hashed_token
    from lintel.hashedtokens.viewsets import HashedTokenViewSet
    from lintel.response import Response
    from lintel.routers import SimpleRouter
    from lintel.views import APIView

    class Patient(HashedTokenAuthentication):
        rotation_grace = 600

    class Tokens(HashedTokenViewSet):
        authentication_classes = (Patient,)

    class Few(Tokens):
        by_tokens = True
        tokens_per_user = 5

    class Who(APIView):
        authentication_classes = (HashedTokenAuthentication,)

        def get(self, request: Any) -> Response:
            return Response({"id": request.auth.pk})

    router = SimpleRouter()
    router.register("tokens", Tokens, basename="token")
    router.register("few", Few, basename="few")
    return [
        path("token/", obtain_hashed_token),
        path("who/", Who.as_view()),
        path("", include(router.urls)),
    ]


def migrate() -> None:
    """Create the tables as the first version did, with a token, and bring them up to date."""
    call_command("migrate", "auth", verbosity=0)
    call_command("migrate", "hashedtokens", "0001", verbosity=0)
    from django.contrib.auth.models import User
    from django.db import connection, connections

    from lintel.hashedtokens.models import digest_of

    alice = User.objects.create_user("alice", password="alice-pw")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO hashedtokens_hashedtoken (digest, prefix, name, created, user_id) "
            "VALUES (%s, '', '', now(), %s)",
            [digest_of(OLD_KEY), alice.pk],
        )
    call_command("migrate", verbosity=0)
    connections.close_all()


def serve(listener: socket.socket) -> None:
    server = Server(("127.0.0.1", 0), Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    server.server_name, server.server_port = "127.0.0.1", listener.getsockname()[1]
    server.setup_environ()
    server.set_app(get_wsgi_application())
    server.serve_forever()


def main(database: str, number: str) -> None:
    configure(json.loads(database))
    globals()["urlpatterns"] = patterns()
    migrate()
    listener = socket.socket(fileno=int(number))
    listener.setblocking(False)  # the processes race for each connection
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    children = []
    for _ in range(PROCESSES):
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            serve(listener)
        children.append(child)
    try:
        signal.pause()
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
