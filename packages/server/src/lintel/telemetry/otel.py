"""OpenTelemetry's API: the tracer, the instruments, and contexts that arrive with requests."""

from collections.abc import Iterable
from typing import TypeAlias

from django.core.exceptions import ImproperlyConfigured

from lintel.addresses import is_from_proxy
from lintel.telemetry.measurements import measurements

try:
    from opentelemetry import metrics, propagate, trace
    from opentelemetry.context import Context, attach, detach, get_current
    from opentelemetry.metrics import CallbackOptions, Observation
    from opentelemetry.propagators.textmap import Getter
    from opentelemetry.trace import (
        INVALID_SPAN,
        Span,
        SpanKind,
        Status,
        StatusCode,
        set_span_in_context,
    )
except ImportError as error:
    raise ImproperlyConfigured(
        "lintel.telemetry needs OpenTelemetry: pip install 'django-lintel[telemetry]'"
    ) from error

__all__ = [
    "Context",
    "Span",
    "SpanKind",
    "Status",
    "StatusCode",
    "attach",
    "begin",
    "detach",
    "set_span_in_context",
    "tracer",
]

#: The name of what is instrumented, and the conventions that its attributes follow.
SCOPE = "lintel"
SCHEMA = "https://opentelemetry.io/schemas/1.40.0"

#: Values of metrics and spans by the names that the conventions give.
Attributes: TypeAlias = dict[str, str | int | bool]

tracer = trace.get_tracer(SCOPE, schema_url=SCHEMA)
meter = metrics.get_meter(SCOPE, schema_url=SCHEMA)


def _observe(options: CallbackOptions) -> Iterable[Observation]:
    for labels, number in measurements.active.numbers.copy().items():
        yield Observation(number, dict(labels))


meter.create_observable_up_down_counter(
    measurements.active.name,
    [_observe],
    unit=measurements.active.unit,
    description=measurements.active.description,
)


class _Headers(Getter[dict[str, str]]):
    """Reads headers from META."""

    def get(self, carrier: dict[str, str], key: str) -> list[str] | None:
        value = carrier.get(f"HTTP_{key.upper().replace('-', '_')}")
        return None if value is None else [value]

    def keys(self, carrier: dict[str, str]) -> list[str]:
        return [name[5:].lower().replace("_", "-") for name in carrier if name[:5] == "HTTP_"]


_headers = _Headers()

#: The headers that tell of a context.
_fields = [
    f"HTTP_{name.upper().replace('-', '_')}" for name in propagate.get_global_textmap().fields
]


def parent_of(meta: dict[str, str]) -> Context:
    """The context that a request continues: what a trusted proxy names, or that of the server."""
    for name in _fields:
        if name in meta and is_from_proxy(meta):
            return propagate.extract(meta, getter=_headers)
    return get_current()


def begin(name: str, meta: dict[str, str]) -> tuple[Span, Context | None]:
    """The span of a request, and the context to attach; None where nobody makes spans."""
    parent = parent_of(meta)
    span = tracer.start_span(name, parent, SpanKind.SERVER, {"http.request.method": name})
    return span, None if span is INVALID_SPAN else set_span_in_context(span, parent)
