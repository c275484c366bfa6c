"""Metrics as a page that Prometheus reads, with exemplars that lead to traces.

A page of this process alone: behind several processes, send metrics to a collector instead.
"""

from collections.abc import Iterator
from itertools import accumulate

from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.views.decorators.http import require_safe

from lintel.health.operators import is_operator
from lintel.telemetry.measurements import (
    Distribution,
    Exemplar,
    Instrument,
    Labels,
    measurements,
)

#: Formats: the one with exemplars, for those who ask for it, and the older one.
OPEN_METRICS = "application/openmetrics-text"
OPEN_METRICS_TYPE = f"{OPEN_METRICS}; version=1.0.0; charset=utf-8"
TEXT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """The metrics of this process, for addresses in HEALTH_OPERATORS; 403 for others."""
    if not is_operator(request):
        return HttpResponseForbidden(
            "Only addresses in HEALTH_OPERATORS may read metrics.\n", content_type="text/plain"
        )
    is_open = OPEN_METRICS in request.headers.get("Accept", "")
    lines = [line for it in measurements.snapshot() for line in written(it, is_open)]
    text = "\n".join([*lines, "# EOF"] if is_open else lines)
    response = HttpResponse(text + "\n", content_type=OPEN_METRICS_TYPE if is_open else TEXT_TYPE)
    response["Cache-Control"] = "no-store"
    return response


def written(instrument: Instrument, is_open: bool) -> Iterator[str]:
    """The lines of an instrument; with exemplars if ``is_open``."""
    name = instrument.name.replace(".", "_") + ("_seconds" if instrument.unit == "s" else "")
    total = f"{name}_total" if instrument.kind == "counter" else name
    family = name if is_open else total
    yield f"# TYPE {family} {instrument.kind}"
    yield f"# HELP {family} {instrument.description}"
    for labels, number in instrument.numbers.items():
        yield f"{total}{_labels(labels)} {number}"
    for labels, point in instrument.points.items():
        yield from _buckets(name, labels, point, is_open)


def _buckets(name: str, labels: Labels, point: Distribution, is_open: bool) -> Iterator[str]:
    bounds = [*(str(float(bound)) for bound in point.bounds), "+Inf"]
    for place, number in enumerate(accumulate(point.buckets)):
        exemplar = point.exemplars.get(place) if is_open else None
        line = f"{name}_bucket{_labels((*labels, ('le', bounds[place])))} {number}"
        yield line if exemplar is None else f"{line} # {_exemplar(exemplar)}"
    yield f"{name}_count{_labels(labels)} {point.count}"
    yield f"{name}_sum{_labels(labels)} {point.sum}"


def _exemplar(it: Exemplar) -> str:
    labels = ("trace_id", f"{it.trace_id:032x}"), ("span_id", f"{it.span_id:016x}")
    return f"{_labels(labels)} {it.value} {it.time:.3f}"


def _labels(labels: Labels) -> str:
    return "{" + ",".join(f'{key.replace(".", "_")}="{_escaped(it)}"' for key, it in labels) + "}"


def _escaped(value: object) -> str:
    return str(value).replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
