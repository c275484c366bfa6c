"""A server of the idempotency tests, whose processes may be killed at any moment.

    python idempotent_service.py DATABASE SOCKET [CACHE]

DATABASE is JSON for DATABASES, CACHE for CACHES, SOCKET the number of an open file. With a cache,
keys are kept there. Each process serves requests in
threads; one that was killed is replaced. The header Die says when a process kills itself.
"""

import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import transaction

PROCESSES = 4


#: Seconds after which the lock of a dead process ends, if keys are kept in a cache.
LOCK_SECONDS = 3


def configure(database: dict[str, Any], cache: dict[str, Any] | None) -> None:
    settings.configure(
        SECRET_KEY="tests",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=__name__,
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "lintel",
            "lintel.idempotency",
            "contract_project",
        ],
        MIDDLEWARE=[f"{__name__}.DieBeforeAnswering"],
        DATABASES={"default": database},
        REST_FRAMEWORK={
            "DEFAULT_AUTHENTICATION_CLASSES": [],
            "IDEMPOTENCY_STORE": "database" if cache is None else "cache",
        },
        **({} if cache is None else {"CACHES": {"default": cache}}),
    )
    sys.modules["idempotent_service"] = sys.modules[__name__]
    django.setup()


def die_if(request: Any, moment: str) -> None:
    if request.META.get("HTTP_DIE") == moment:
        os.kill(os.getpid(), signal.SIGKILL)


class DieBeforeAnswering:
    def __init__(self, get_response: Callable[[Any], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: Any) -> Any:
        response = self.get_response(request)
        die_if(request, "before the answer")
        return response


def patterns() -> list[Any]:
    from contract_project.models import Membership
    from django.urls import path

    from lintel import serializers
    from lintel.conditional import ConditionalMixin
    from lintel.generics import ListCreateAPIView, RetrieveUpdateAPIView
    from lintel.idempotency import IdempotentMixin

    class MemberSerializer(serializers.ModelSerializer):
        class Meta:
            model = Membership
            fields = ["id", "team"]

    class Members(IdempotentMixin, ListCreateAPIView):
        queryset = Membership.objects.order_by("id")
        serializer_class = MemberSerializer
        idempotency_lock_seconds = LOCK_SECONDS

        def perform_create(self, serializer: Any) -> None:
            die_if(self.request, "before the write")
            transaction.on_commit(lambda: die_if(self.request, "after the commit"))
            serializer.save()
            die_if(self.request, "before the commit")

    class Member(ConditionalMixin, RetrieveUpdateAPIView):
        queryset = Membership.objects.all()
        serializer_class = MemberSerializer

    return [
        path("members/", Members.as_view()),
        path("members/<int:pk>/", Member.as_view()),
    ]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 64


class Handler(WSGIRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass


def serve(listener: socket.socket) -> None:
    server = Server(("127.0.0.1", 0), Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    server.server_name, server.server_port = "127.0.0.1", listener.getsockname()[1]
    server.setup_environ()
    server.set_app(get_wsgi_application())
    server.serve_forever()


def main(database: str, number: str, cache: str = "null") -> None:
    configure(json.loads(database), json.loads(cache))
    globals()["urlpatterns"] = patterns()
    listener = socket.socket(fileno=int(number))
    listener.setblocking(False)  # the processes race for each connection
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    children: set[int] = set()
    try:
        while True:
            while len(children) < PROCESSES:
                child = os.fork()
                if child == 0:
                    signal.signal(signal.SIGTERM, signal.SIG_DFL)
                    serve(listener)
                children.add(child)
            children.discard(os.wait()[0])
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
