"""What decorators say of serializers and fields: ours, and those of drf-spectacular.

That package marks classes and methods with one dictionary. It is read as it is, so nothing here
imports the package.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from lintel.fields import empty
from lintel.schemas.extending import (
    FIELD,
    MISSING,
    SERIALIZER,
    NamedOverride,
    OpenApiCallback,
    OpenApiExample,
    OpenApiParameter,
    OpenApiRequest,
    OpenApiResponse,
    OpenApiWebhook,
)
from lintel.schemas.openapi_types import OpenApiTypes

#: The package whose vocabulary this is.
SPECTACULAR = "drf_spectacular"

#: Modules of that package, and of ours that stands for it.
STAND_IN = "lintel.spectacular"
STAND_INS = (f"{SPECTACULAR}.", f"{STAND_IN}.")

#: The attribute in which its decorators store what they were told.
ANNOTATION = "_spectacular_annotation"

#: The attribute that ``@swagger_serializer_method`` of drf-yasg leaves on a method.
YASG_SERIALIZER = "_swagger_serializer"

#: The classes of ours by the names of the package's, each with the names of its fields.
OWN: dict[str, tuple[Any, tuple[str, ...]]] = {
    cls.__name__: (cls, tuple(field.name for field in fields(cls)))
    for cls in (
        *(OpenApiCallback, OpenApiExample, OpenApiParameter),
        *(OpenApiRequest, OpenApiResponse, OpenApiWebhook),
    )
}


def is_foreign(cls: type) -> bool:
    """Whether a class is one of drf-spectacular's own, or stands for one."""
    return _stands_in(cls.__module__)


@cache
def _stands_in(module: str) -> bool:
    return f"{module}.".startswith(STAND_INS)


def converted(value: Any) -> Any:
    """An object of drf-spectacular as ours, also inside lists and mappings."""
    if value is None or type(value) is str:
        return value
    if value is empty:
        return MISSING
    if isinstance(value, (list, tuple)):
        return [converted(inner) for inner in value]
    if isinstance(value, dict):
        return {key: converted(inner) for key, inner in value.items()}
    if not is_foreign(type(value)):
        return value
    name = type(value).__name__
    if name == OpenApiTypes.__name__:
        return getattr(OpenApiTypes, value.name, OpenApiTypes.ANY)
    return _as_ours(*OWN[name], value) if name in OWN else value


def _as_ours(cls: Any, names: Iterable[str], value: object) -> object:
    said = {name: getattr(value, name, MISSING) for name in names}
    return cls(**{name: converted(part) for name, part in said.items() if part is not MISSING})


def field_override(place: object) -> object:
    """What ``@extend_schema_field`` says of a field class or a method; else None."""
    owner = place if isinstance(place, type) or callable(place) else type(place)
    said = getattr(owner, FIELD, None)
    return said if said is not None else _foreign_override(owner)


def _foreign_override(owner: object) -> object:
    said = getattr(owner, ANNOTATION, None)
    if said is None or not isinstance(said, Mapping) or said.get("field") is None:
        return getattr(owner, YASG_SERIALIZER, None)
    described, name = converted(said["field"]), said.get("field_component_name")
    return NamedOverride(described, str(name)) if name else described


def serializer_options(serializer: object) -> dict[str, Any]:
    """What ``@extend_schema_serializer`` says of a serializer, by argument."""
    result = getattr(serializer, SERIALIZER, None)
    if isinstance(result, dict):
        return result
    said = getattr(serializer, ANNOTATION, None)
    if said is None or not isinstance(said, Mapping):
        return {}
    return _foreign_options(serializer, said)


def _foreign_options(serializer: object, said: Mapping[str, object]) -> dict[str, Any]:
    cls = serializer if isinstance(serializer, type) else type(serializer)
    options = vars(cls).get(ANNOTATION, {})
    return {
        name: converted(value)
        for name, value in said.items()
        if value is not None and (name in options or name not in ("component_name", "description"))
    }
