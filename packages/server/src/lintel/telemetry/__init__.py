"""Traces and metrics of a service, by OpenTelemetry.

MIDDLEWARE = ["lintel.requestlog.RequestLogMiddleware", "lintel.telemetry.TelemetryMiddleware", ...]

Nothing of lintel knows this package: what it observes is replaced when the middleware is made.
"""

from lintel.patches import carry_on_patches
from lintel.telemetry.middleware import TelemetryMiddleware as TelemetryMiddleware

carry_on_patches(__name__)
