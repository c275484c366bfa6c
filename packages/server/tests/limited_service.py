"""A server of the throttle tests: four processes with threads, on one database and one Redis.

    python limited_service.py SETTINGS SOCKET

SETTINGS is JSON of DATABASES and CACHES, SOCKET the number of an open file. A process that was
killed is replaced. The header Die lets a process kill itself between the count and the write.
"""

import json
import os
import signal
import socket
import sys
from typing import Any

import django
from django.conf import settings
from idempotent_service import die_if, serve

PROCESSES = 4

#: Rates by path, and what else the throttle and the view say.
KINDS: dict[str, dict[str, Any]] = {
    "several": {"rate": ["13/hour", "40/day"]},
    "costly": {"rate": "50/hour", "cost": 7},
    "levels": {"rate": "20/365d", "above": 10},
    "mixed": {"rate": ["30/365d", "28/y"], "above": 10, "cost": 3},
}

#: How many requests of one client pass.
NUMBERS = {"several": 13, "costly": 7, "levels": 20, "mixed": 9}


def configure(given: dict[str, Any]) -> None:
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
            "contract_project",
        ],
        REST_FRAMEWORK={
            "DEFAULT_AUTHENTICATION_CLASSES": [],
            "DEFAULT_RENDERER_CLASSES": ["lintel.renderers.JSONRenderer"],
            "RATE_LIMIT_HEADERS": "draft",
        },
        **given,
    )
    sys.modules["limited_service"] = sys.modules[__name__]
    django.setup()


def patterns() -> list[Any]:
    from contract_project.models import Membership
    from django.urls import path

    from lintel import serializers
    from lintel.generics import CreateAPIView
    from lintel.throttling import AnonRateThrottle

    class MemberSerializer(serializers.ModelSerializer):
        class Meta:
            model = Membership
            fields = ["id", "team"]

    class Members(CreateAPIView):
        queryset = Membership.objects.all()
        serializer_class = MemberSerializer

        def perform_create(self, serializer: Any) -> None:
            die_if(self.request, "before the write")
            serializer.save()

    def view(name: str, rate: Any, cost: int = 1, above: int | None = None) -> Any:
        own = {"rate": rate, "scope": name, "gcra_above": above}
        throttle = type("Limited", (AnonRateThrottle,), own)
        return type("Limits", (Members,), {"throttle_classes": [throttle], "throttle_cost": cost})

    return [path(f"{name}/", view(name, **own).as_view()) for name, own in KINDS.items()]


def main(given: str, number: str) -> None:
    configure(json.loads(given))
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
