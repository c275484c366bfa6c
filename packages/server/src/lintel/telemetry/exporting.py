"""Metrics of requests for the exporters of OpenTelemetry's SDK, such as that of OTLP.

PeriodicExportingMetricReader(WithRequests(OTLPMetricExporter()))
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from lintel.telemetry.measurements import Distribution, Instrument, Labels, measurements
from lintel.telemetry.otel import SCHEMA, SCOPE

try:
    from opentelemetry.sdk.metrics import Exemplar
    from opentelemetry.sdk.metrics.export import (
        AggregationTemporality,
        Histogram,
        HistogramDataPoint,
        Metric,
        MetricExporter,
        MetricExportResult,
        MetricsData,
        NumberDataPoint,
        ScopeMetrics,
        Sum,
    )
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
except ImportError as error:
    raise ImproperlyConfigured(
        "lintel.telemetry.exporting needs the SDK: pip install 'django-lintel[telemetry]'"
    ) from error

CUMULATIVE = AggregationTemporality.CUMULATIVE


class WithRequests(MetricExporter):
    """Exports what the SDK has measured together with what lintel has, by another exporter."""

    def __init__(self, exporter: MetricExporter) -> None:
        super().__init__()
        self.exporter = exporter

    def export(
        self, metrics_data: MetricsData, timeout_millis: float = 10_000, **kwargs: Any
    ) -> MetricExportResult:
        first, *others = metrics_data.resource_metrics
        scopes = [*first.scope_metrics, ScopeMetrics(_SCOPE, list(_metrics()), SCHEMA)]
        data = MetricsData([replace(first, scope_metrics=scopes), *others])
        return self.exporter.export(data, timeout_millis, **kwargs)

    def force_flush(self, timeout_millis: float = 10_000) -> bool:
        return self.exporter.force_flush(timeout_millis)

    def shutdown(self, timeout_millis: float = 30_000, **kwargs: Any) -> None:
        self.exporter.shutdown(timeout_millis, **kwargs)


_SCOPE = InstrumentationScope(SCOPE, schema_url=SCHEMA)


def _metrics() -> Iterator[Metric]:
    now, start = time.time_ns(), int(measurements.start * 1e9)
    for it in measurements.snapshot():
        # The SDK itself asks for gauges.
        if it.kind == "histogram":
            points = [_histogram(*pair, start, now) for pair in it.points.items()]
            yield Metric(it.name, it.description, it.unit, Histogram(points, CUMULATIVE))
        elif it.kind == "counter":
            yield Metric(it.name, it.description, it.unit, _sum(it, start, now))


def _sum(it: Instrument, start: int, now: int) -> Sum:
    numbers = it.numbers.items()
    points = [NumberDataPoint(dict(labels), start, now, number) for labels, number in numbers]
    return Sum(points, CUMULATIVE, is_monotonic=True)


def _histogram(labels: Labels, point: Distribution, start: int, now: int) -> HistogramDataPoint:
    exemplars = [
        Exemplar({}, it.value, int(it.time * 1e9), it.span_id, it.trace_id)
        for it in point.exemplars.values()
    ]
    return HistogramDataPoint(
        *(dict(labels), start, now, point.count, point.sum, point.buckets, point.bounds),
        *(point.min, point.max, exemplars),
    )
