"""A service with spans and metrics in memory, which it hands out: for a server of its own.

The applications are those of Django (``wsgi``, ``asgi``) and of ``lintel.serving``.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import (
    MetricExporter,
    MetricExportResult,
    MetricsData,
    PeriodicExportingMetricReader,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, ParentBased

sys.path.insert(0, str(Path(__file__).parent))
settings.configure(
    SECRET_KEY="tests",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    MIDDLEWARE=[
        "lintel.requestlog.RequestLogMiddleware",
        "lintel.telemetry.TelemetryMiddleware",
        "django.middleware.common.CommonMiddleware",
    ],
    DATABASES={
        "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]},
    },
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "lintel",
        "lintel.idempotency",
    ],
    REST_FRAMEWORK={
        "TRUSTED_PROXIES": ["127.0.0.1"] if os.environ.get("BEHIND_PROXY") else None,
        "HEALTH_OPERATORS": ["127.0.0.1"] if not os.environ.get("CLOSED") else [],
    },
    LOGGING_CONFIG=None,
    USE_TZ=True,
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse  # noqa: E402
from django.urls import path  # noqa: E402

from lintel import permissions, serializers, throttling, views, viewsets  # noqa: E402
from lintel.authentication import BasicAuthentication  # noqa: E402
from lintel.idempotency import IdempotentMixin  # noqa: E402
from lintel.response import Response  # noqa: E402
from lintel.routers import SimpleRouter  # noqa: E402
from lintel.telemetry.exporting import WithRequests  # noqa: E402
from lintel.telemetry.prometheus import metrics as metrics_view  # noqa: E402


class Kept(MetricExporter):
    """Keeps what was exported last."""

    data: MetricsData

    def export(self, metrics_data: MetricsData, *args: Any, **kwargs: Any) -> MetricExportResult:
        self.data = metrics_data
        return MetricExportResult.SUCCESS

    def force_flush(self, timeout_millis: float = 10_000) -> bool:
        return True

    def shutdown(self, timeout_millis: float = 30_000, **kwargs: Any) -> None:
        pass


def metrics_by_otlp(address: str) -> MetricExporter:
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

    return OTLPMetricExporter(f"{address}/v1/metrics")


def spans_by_otlp(address: str) -> SpanExporter:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter(f"{address}/v1/traces")


kept = Kept()
receiver = os.environ.get("OTLP")
readers = [
    PeriodicExportingMetricReader(WithRequests(each), export_interval_millis=3_600_000)
    for each in ([kept, metrics_by_otlp(receiver)] if receiver else [kept])
]
exporter = InMemorySpanExporter()
root = ALWAYS_OFF if os.environ.get("SAMPLED") == "never" else ALWAYS_ON
provider = TracerProvider(sampler=ParentBased(root))
provider.add_span_processor(SimpleSpanProcessor(exporter))
if receiver:
    provider.add_span_processor(SimpleSpanProcessor(spans_by_otlp(receiver)))
trace.set_tracer_provider(provider)
metrics.set_meter_provider(MeterProvider(metric_readers=readers))


class UserSerializer(serializers.ModelSerializer[User]):
    class Meta:
        model = User
        fields = ["id", "username"]


class Never(throttling.SimpleRateThrottle):
    rate = "1/day"

    def get_cache_key(self, request: Any, view: Any) -> str:
        return "never"


class Rarely(Never):
    rate = "10000/day"


class Users(IdempotentMixin, viewsets.ModelViewSet[User]):
    queryset = User.objects.order_by("id")
    serializer_class = UserSerializer
    authentication_classes = [BasicAuthentication]
    throttle_classes = [Rarely]


class Guarded(views.APIView):
    authentication_classes = [BasicAuthentication]
    permission_classes = [permissions.IsAuthenticated]

    def get(self, request: Any) -> Response:
        return Response({})


class Limited(views.APIView):
    throttle_classes = [Never]

    def get(self, request: Any) -> Response:
        return Response({})


class Asked(permissions.BasePermission):
    async def has_permission(self, request: Any, view: Any) -> bool:
        return await User.objects.filter(username="nobody").aexists() is False


class Async(views.APIView):
    permission_classes = [Asked]

    async def get(self, request: Any) -> Response:
        return Response({"users": await User.objects.acount()})


class Broken(views.APIView):
    def get(self, request: Any) -> Response:
        raise ValueError("it broke")


def stream(request: HttpRequest) -> StreamingHttpResponse:
    def lines() -> Iterator[bytes]:
        yield b"a"
        User.objects.count()
        yield b"b"

    return StreamingHttpResponse(lines())


def raw(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 'hunter2', 4711 FROM auth_user WHERE username = 'it''s secret'")
    return HttpResponse()


def spans(request: HttpRequest) -> JsonResponse:
    found = [json.loads(span.to_json()) for span in exporter.get_finished_spans()]
    exporter.clear()
    return JsonResponse({"spans": found})


def points(request: HttpRequest) -> JsonResponse:
    for reader in readers:
        reader.collect()
    return JsonResponse(json.loads(kept.data.to_json()))


router = SimpleRouter()
router.register("users", Users)
urlpatterns = [
    *router.urls,
    path("guarded/", Guarded.as_view()),
    path("limited/", Limited.as_view()),
    path("async/", Async.as_view()),
    path("broken/", Broken.as_view()),
    path("stream/", stream),
    path("raw/", raw),
    path("spans/", spans),
    path("points/", points),
    path("metrics/", metrics_view),
]


def fill() -> None:
    call_command("migrate", verbosity=0)
    User.objects.create_user("ada", password="secret")


if __name__ == "__main__":
    fill()
else:
    from django.core.asgi import get_asgi_application
    from django.core.wsgi import get_wsgi_application

    from lintel import serving

    wsgi = get_wsgi_application()
    asgi = get_asgi_application()
    lintel_wsgi = serving.get_wsgi_application()
    lintel_asgi = serving.get_asgi_application()
