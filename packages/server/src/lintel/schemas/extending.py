"""Decorators that extend the description of operations, serializers and fields.

Names and arguments are those of drf-spectacular::

    @extend_schema(responses={200: ReportSerializer, 404: None}, tags=["reports"])
    def retrieve(self, request, pk): ...
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from lintel import serializers
from lintel.schemas.openapi_types import named_type

# Marks that the decorators leave on classes and functions.
FIELD = "_lintel_schema_field"
SERIALIZER = "_lintel_schema_serializer"
OPERATION = "_lintel_schema_operation"
METHODS = "_lintel_schema_methods"

DecoratedT = TypeVar("DecoratedT")

#: Stands for an argument that was not given, because None has a meaning.
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "<not given>"})()


@dataclass(frozen=True)
class NamedOverride:
    """The argument of ``@extend_schema_field``, and the name of its component."""

    described: object
    component_name: str


@dataclass(frozen=True)
class OpenApiExample:
    """An example of a body or a parameter.

    ``status_codes`` say which responses it is for, ``parameter_only`` which parameter, by name
    and location.
    """

    name: str
    value: object = MISSING
    external_value: str = ""
    summary: str = ""
    description: str = ""
    request_only: bool = False
    response_only: bool = False
    parameter_only: object = None
    media_type: str | None = None
    status_codes: Sequence[object] | None = None

    def fits(self, receives: bool) -> bool:
        other = self.request_only if receives else self.response_only
        return self.value is not MISSING and not other and not self.parameter_only


@dataclass(frozen=True)
class OpenApiParameter:
    """A parameter. ``exclude``: remove the parameter with this name and location.

    ``response`` makes it a header of responses: of all (True), or of those with these statuses.
    """

    QUERY = "query"
    PATH = "path"
    HEADER = "header"
    COOKIE = "cookie"

    name: str
    type: object = str
    location: str = "query"
    required: bool = False
    description: str = ""
    enum: Sequence[object] | None = None
    pattern: str | None = None
    deprecated: bool = False
    style: str | None = None
    explode: bool | None = None
    default: object = None
    allow_blank: bool = True
    many: bool | None = None
    examples: Sequence[OpenApiExample] | None = None
    extensions: Mapping[str, object] | None = None
    exclude: bool = False
    response: bool | Iterable[object] = False


@dataclass(frozen=True)
class OpenApiResponse:
    """A response: its content, its description and its examples."""

    response: object = None
    description: str = ""
    examples: Sequence[OpenApiExample] | None = None


@dataclass(frozen=True)
class OpenApiRequest:
    """The body of a request: its content, the encoding of its parts, and its examples."""

    request: object = None
    encoding: Mapping[str, object] | None = None
    examples: Sequence[OpenApiExample] | None = None


@dataclass(frozen=True)
class OpenApiCallback:
    """A request that an operation causes, to a URL that its client has named.

    ``path`` is a runtime expression of OpenAPI, such as ``{$request.body#/url}``, ``decorator`` an
    ``extend_schema(...)`` of a POST, or a mapping from methods to decorators or path items.
    """

    name: object
    path: str
    decorator: object


@dataclass(frozen=True)
class OpenApiWebhook:
    """A request that the service sends by itself; listed in ``SPECTACULAR_SETTINGS["WEBHOOKS"]``.

    ``decorator`` as that of OpenApiCallback. Documents of OpenAPI 3.1 and later contain it.
    """

    name: object
    decorator: object


@dataclass(frozen=True)
class extend_schema:
    """Extend the description of a view class, a handler, an action or a function view.

    ``request`` and ``responses`` take serializers (classes or instances, also ``many=True``),
    types, OpenApiTypes, mappings as schemas, and mappings from a media type, a status or both to
    one of these; None means no body. ``auth`` lists security requirements (``[]``: open to
    everybody), ``operation`` replaces the whole description, ``exclude`` leaves the operation out.
    ``filters`` says whether the parameters of filters and pages are listed, ``callbacks`` names the
    requests that the operation causes. ``methods`` and ``versions`` restrict the operations
    affected.
    """

    operation_id: str | None = None
    parameters: Sequence[object] | None = None
    request: object = MISSING
    responses: object = MISSING
    auth: Sequence[str | Mapping[str, object]] | None = MISSING
    description: object = None
    summary: object = None
    deprecated: bool | None = None
    tags: Sequence[str] | None = None
    filters: bool | None = None
    exclude: bool | None = None
    operation: object = None
    methods: Sequence[str] | None = None
    versions: Sequence[str] | None = None
    examples: Sequence[OpenApiExample] | None = None
    extensions: Mapping[str, object] | None = None
    callbacks: Sequence[OpenApiCallback] | None = None
    external_docs: object = None

    def __call__(self, decorated: DecoratedT) -> DecoratedT:
        place: Any = getattr(decorated, "cls", decorated)  # the class behind a function view
        setattr(place, OPERATION, (*vars(place).get(OPERATION, ()), self))
        return decorated

    def concerns(self, method: str, version: object) -> bool:
        if self.methods is not None and method not in {name.upper() for name in self.methods}:
            return False
        return self.versions is None or version is None or version in self.versions


#: What the decorator leaves on what it extends.
Extension = extend_schema


@dataclass(frozen=True)
class Amendment(extend_schema):
    """What code makes of an operation; it takes one of the tree and the schema behind it."""

    amend: Callable[[Any, Any], Any] = lambda operation, schema: operation


def extend_schema_view(**kwargs: Any) -> Callable[[DecoratedT], DecoratedT]:
    """Extend the description of single methods of a view class, also inherited ones, by name.

    ``@extend_schema_view(list=extend_schema(summary="All of them"))``
    """

    def decorate(view: DecoratedT) -> DecoratedT:
        unknown = [name for name in kwargs if not hasattr(view, name)]
        if unknown:
            names = ", ".join(unknown)
            name = getattr(view, "__name__", view)
            raise TypeError(f"@extend_schema_view: {name} has no method {names}.")
        methods = dict(vars(view).get(METHODS, {}))
        for name, decorators in kwargs.items():
            holder = type("Holder", (), {})
            for decorator in decorators if isinstance(decorators, list | tuple) else [decorators]:
                decorator(holder)
            methods[name] = (*methods.get(name, ()), *vars(holder).get(OPERATION, ()))
        setattr(view, METHODS, methods)
        return view

    return decorate


def extend_schema_field(
    field: object, component_name: str | None = None
) -> Callable[[DecoratedT], DecoratedT]:
    """Describe a field class, or the method of a SerializerMethodField, by a type or a schema.

    ``component_name``: make the description a component of this name.
    """
    described = named_type(field)
    if component_name is not None:
        described = NamedOverride(described, component_name)

    def decorate(decorated: DecoratedT) -> DecoratedT:
        setattr(decorated, FIELD, described)
        return decorated

    return decorate


def extend_schema_serializer(
    many: bool | None = None,
    exclude_fields: Sequence[str] | None = None,
    deprecate_fields: Sequence[str] | None = None,
    examples: Sequence[OpenApiExample] | None = None,
    extensions: Mapping[str, object] | None = None,
    component_name: str | None = None,
    description: object = None,
) -> Callable[[DecoratedT], DecoratedT]:
    """Extend the description of a serializer class: name, text, excluded and deprecated fields."""
    given = {
        "many": many,
        "exclude_fields": exclude_fields,
        "deprecate_fields": deprecate_fields,
        "examples": examples,
        "extensions": extensions,
        "component_name": component_name,
        "description": description,
    }

    def decorate(serializer: DecoratedT) -> DecoratedT:
        said = {name: value for name, value in given.items() if value is not None}
        inherited = {
            name: value
            for name, value in getattr(serializer, SERIALIZER, {}).items()
            if name not in ("component_name", "description")  # a subclass has its own
        }
        options = vars(serializer).get(SERIALIZER, {})
        setattr(serializer, SERIALIZER, inherited | options | said)
        return serializer

    return decorate


def inline_serializer(name: str, fields: Mapping[str, object], **kwargs: object) -> Any:
    """Return an ad-hoc serializer, for a request or response without a class."""
    return type(name, (serializers.Serializer,), dict(fields))(**kwargs)
