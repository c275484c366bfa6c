"""What views of drf-yasg in a URL configuration say of the whole API: its title above all."""

import sys
from collections.abc import Mapping
from typing import Any

from lintel.fields.describing import Schema
from lintel.overrides import function_of
from lintel.schemas.generators import BaseSchemaGenerator, EndpointEnumerator, url_patterns

#: The package, and what stands for it.
MODULES = ("drf_yasg.views", "lintel.yasg.views")

#: What the views of the latter keep it in.
ATTRIBUTE = "_lintel_info"


def yasg_info(generator: BaseSchemaGenerator) -> Schema:
    """Return the info section that the first ``get_schema_view()`` was given; empty without one."""
    if sys.modules.keys().isdisjoint(MODULES):
        return {}
    patterns = url_patterns(EndpointEnumerator(generator.patterns, generator.urlconf).patterns)
    given = filter(None, (_info_of(pattern.callback) for pattern in patterns))
    info: Mapping[str, Any] = next(given, {})
    version = getattr(info, "_default_version", None)
    return {**({"version": version} if version else {}), **info}


def _info_of(callback: Any) -> Mapping[str, Any] | None:
    said: Mapping[str, Any] | None = getattr(callback, ATTRIBUTE, None)
    if said is not None:
        return said
    handler = function_of(getattr(getattr(callback, "cls", None), "get", None))
    if handler is None or handler.__globals__.get("__name__") != MODULES[0]:
        return None
    cells = [cell.cell_contents for cell in handler.__closure__ or ()]
    return next((value for value in cells if isinstance(value, Mapping) and "title" in value), None)
