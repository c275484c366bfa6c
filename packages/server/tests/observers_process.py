"""A service under the observers of other packages: prints what these have seen, as JSON.

Takes JSON: DATABASES, CACHES, ``shortcuts``, ``entry`` (django or lintel), and ``observer``:
instrumentation (the packages of OpenTelemetry for Django, psycopg and Redis) or sentry.
"""

import io
import json
import sys
from typing import Any

import django
from django.conf import settings

given = json.loads(sys.argv[1])
settings.configure(
    SECRET_KEY="tests",
    ALLOWED_HOSTS=["localhost"],
    ROOT_URLCONF=__name__,
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    DATABASES=given["DATABASES"],
    CACHES=given.get("CACHES", {}),
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "lintel"],
    REST_FRAMEWORK={"SHORTCUTS": given["shortcuts"]},
    LOGGING_CONFIG=None,
    USE_TZ=True,
)

SEEN: list[Any] = []


def instrument() -> None:
    from opentelemetry import trace
    from opentelemetry.instrumentation.django import DjangoInstrumentor
    from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor
    from opentelemetry.instrumentation.redis import RedisInstrumentor
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

    class Seen(SpanExporter):
        def export(self, spans: Any) -> SpanExportResult:
            SEEN.extend(described(span) for span in spans)
            return SpanExportResult.SUCCESS

    def described(span: ReadableSpan) -> dict[str, Any]:
        parent = span.parent.span_id if span.parent else 0
        attributes = dict(span.attributes or {})
        return {
            "name": span.name,
            "kind": span.kind.name,
            "id": span.context.span_id if span.context else 0,
            "parent": parent,
            "attributes": attributes,
        }

    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(Seen()))
    trace.set_tracer_provider(provider)
    DjangoInstrumentor().instrument()
    PsycopgInstrumentor().instrument(skip_dep_check=True)
    RedisInstrumentor().instrument()


def report_to_sentry() -> None:
    import sentry_sdk
    from sentry_sdk.integrations.django import DjangoIntegration
    from sentry_sdk.transport import Transport

    class Seen(Transport):
        def capture_envelope(self, envelope: Any) -> None:
            for item in envelope.items:
                event = item.get_event() or item.get_transaction_event()
                if event:
                    SEEN.append(json.loads(json.dumps(event, default=str)))

    sentry_sdk.init(
        dsn="https://key@localhost/1",
        transport=Seen,
        traces_sample_rate=1.0,
        integrations=[DjangoIntegration()],
        auto_enabling_integrations=False,
        send_client_reports=False,
        auto_session_tracking=False,
    )


{"instrumentation": instrument, "sentry": report_to_sentry}[given["observer"]]()
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.cache import cache  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection  # noqa: E402
from django.http import HttpRequest, JsonResponse  # noqa: E402
from django.urls import path  # noqa: E402

from lintel import serializers, viewsets  # noqa: E402
from lintel.routers import SimpleRouter  # noqa: E402
from lintel.serving import get_wsgi_application as get_lintel_application  # noqa: E402
from lintel.throttling import AnonRateThrottle  # noqa: E402


class UserSerializer(serializers.ModelSerializer[User]):
    class Meta:
        model = User
        fields = ["id", "username"]


class Broken(User):
    class Meta:
        proxy = True
        app_label = "auth"

    @property
    def length(self) -> int:
        raise ValueError("it broke")


class BrokenSerializer(serializers.ModelSerializer[Broken]):
    length = serializers.ReadOnlyField()

    class Meta:
        model = Broken
        fields = ["id", "length"]


class Rarely(AnonRateThrottle):
    rate = "10000/day"


class Users(viewsets.ModelViewSet[User]):
    queryset = User.objects.order_by("id")
    serializer_class = UserSerializer
    throttle_classes = [Rarely]


class Breaking(viewsets.ReadOnlyModelViewSet[Broken]):
    queryset = Broken.objects.order_by("id")
    serializer_class = BrokenSerializer


def plain(request: HttpRequest) -> JsonResponse:
    """What a project without lintel does: one of the cache, one of the database."""
    cache.get("a")
    return JsonResponse({"users": list(User.objects.order_by("id").values("id", "username"))})


router = SimpleRouter()
router.register("users", Users)
router.register("broken", Breaking)
urlpatterns = [*router.urls, path("plain/", plain)]


def ask(application: Any, url: str, method: str, body: bytes) -> int:
    statuses: list[str] = []
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": url,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "localhost",
        "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(),
        "wsgi.url_scheme": "http",
    }
    response = application(environ, lambda status, *rest: statuses.append(status))
    b"".join(response)
    response.close()
    return int(statuses[0].partition(" ")[0])


def main() -> None:
    make = get_lintel_application if given["entry"] == "lintel" else get_wsgi_application
    application = make()
    connection.ensure_connection()
    answers = []
    for url, method, body in json.load(sys.stdin):
        SEEN.clear()
        status = ask(application, url, method, body.encode())
        answers.append({"status": status, "seen": list(SEEN)})
    print(json.dumps(answers))


if __name__ == "__main__":
    sys.modules[settings.ROOT_URLCONF] = sys.modules[__name__]
    main()
