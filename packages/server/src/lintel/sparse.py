"""``?fields=`` and ``?expand=``: clients choose what a response shows, from what a view allows.

A choice is a serializer class of its own, so a list reads no other columns and relations.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias

from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from lintel import fast
from lintel.annotations import AnyView, Instance
from lintel.cycle.steps import complete
from lintel.exceptions import ErrorDetail, ValidationError
from lintel.fields import Field
from lintel.fields.describing import Schema, ViewSchema
from lintel.serializers import (
    ALL_FIELDS,
    ListSerializer,
    ManyRelatedField,
    ModelSerializer,
    Serializer,
)
from lintel.serializers.unknown import MESSAGE

NEAR_MISS = _("This field is not known. Did you mean {names}?")

#: The most names in one parameter, and the longest one that an error repeats.
_MOST_NAMES = 200
_LONGEST_NAME = 100

#: A subclass of Serializer, and what ``expandable_fields`` has for a name.
SerializerClass: TypeAlias = Any
Expanded: TypeAlias = Mapping[str, Any]

#: Names with those inside of each: ``{"id": {}, "owner": {"email": {}}}``.
Tree = dict[str, "Tree"]

#: The same, to be compared: the names in order.
Frozen = tuple[tuple[str, "Frozen"], ...]


class SparseFieldsMixin:
    """Lets clients choose the fields of GET with ``?fields=`` and ``?expand=``.

    Put it before the base class of a generic view or viewset.
    """

    #: The names that ``?fields=`` may list, dotted for those inside: "__all__", or only these.
    sparse_fields: Any = ALL_FIELDS

    #: What ``?expand=`` may show whole, by dotted name: a serializer class, its dotted path, or a
    #: pair of one and its arguments.
    expandable_fields: Mapping[str, Any] = {}

    #: The names of the two parameters; None leaves one out.
    fields_param: str | None = "fields"
    expand_param: str | None = "expand"

    #: The most names in one dotted name.
    sparse_max_depth: int = 5

    def get_serializer_class(self) -> Any:
        result = super().get_serializer_class()  # type: ignore[misc]
        request = getattr(self, "request", None)
        if getattr(request, "method", None) not in ("GET", "HEAD"):
            return result
        if getattr(self, "swagger_fake_view", False):
            return _kept(result, "described", (), _expandable(self), self)
        wanted, expanded = _choices(self, request)
        if wanted is None and not expanded:
            return result
        return _kept(result, "chosen", None if wanted is None else _frozen(wanted), expanded, self)


# ---- what a client asks for ----


def sparse_parameters(view: AnyView) -> Iterator[tuple[str, list[str]]]:
    """Yield the parameters of a view, each with the names that it may list; none: any."""
    if not isinstance(view, SparseFieldsMixin):
        return
    if view.fields_param:
        yield view.fields_param, [] if view.sparse_fields == ALL_FIELDS else [*view.sparse_fields]
    if view.expand_param and view.expandable_fields:
        yield view.expand_param, list(view.expandable_fields)


def _choices(view: AnyView, request: Any) -> tuple[Tree | None, tuple[str, ...]]:
    asked = _names(request, view.expand_param) or []
    unknown = [name for name in asked if name not in view.expandable_fields]
    _refuse(view.expand_param, unknown, view.expandable_fields)
    # What is inside of another is shown with it.
    expanded = {way for name in asked for way in _ways_to(name) if way in view.expandable_fields}
    wanted = _names(request, view.fields_param)
    allowed = view.sparse_fields
    if wanted is not None and allowed != ALL_FIELDS:
        _refuse(view.fields_param, [name for name in wanted if name not in allowed], allowed)
    deep = [name for name in wanted or () if name.count(".") >= view.sparse_max_depth]
    _refuse(view.fields_param, deep, ())
    return None if wanted is None else _tree(wanted), tuple(sorted(expanded))


def _ways_to(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:number]) for number in range(1, len(parts) + 1)]


def _names(request: Any, param: str | None) -> list[str] | None:
    """The names of a parameter, which may be repeated; None without one."""
    texts = request.query_params.getlist(param) if param else []
    if not texts:
        return None
    names = [name.strip() for text in texts for name in text.split(",", _MOST_NAMES)]
    _refuse(param, names[_MOST_NAMES:], ())
    return [name for name in names if name]


def _refuse(param: str | None, unknown: Iterable[str], allowed: Collection[str]) -> None:
    errors = {name[:_LONGEST_NAME]: [_error(name, allowed)] for name in unknown}
    if errors:
        raise ValidationError({str(param): errors})


def _error(name: str, allowed: Collection[str]) -> ErrorDetail:
    close = [] if len(name) > _LONGEST_NAME else get_close_matches(name, allowed, n=3)
    text = NEAR_MISS.format(names=", ".join(close)) if close else str(MESSAGE)
    return ErrorDetail(text, code="unknown_field")


def _tree(names: Iterable[str]) -> Tree:
    tree: Tree = {}
    for name in names:
        inner = tree
        for part in name.split("."):
            inner = inner.setdefault(part, {})
    return tree


def _frozen(tree: Tree) -> Frozen:
    return tuple((name, _frozen(inner)) for name, inner in sorted(tree.items()))


# ---- the serializer of a choice ----

_CLASSES: fast.Store[object, Any] = fast.Store()

#: Clients choose them, and each holds generated functions.
_MOST_CLASSES = 256


def _keep(key: object, cls: Any) -> None:
    for oldest in list(_CLASSES)[: max(0, len(_CLASSES) + 1 - _MOST_CLASSES)]:
        _CLASSES.pop(oldest, None)
    _CLASSES.keep(key, cls)


def _expandable(view: AnyView) -> tuple[str, ...]:
    return tuple(sorted(view.expandable_fields)) if view.expand_param else ()


def _kept(
    cls: Any, purpose: str, wanted: Frozen | None, expanded: tuple[str, ...], view: AnyView
) -> Any:
    """The class of a choice, which is made once."""
    # The mapping, because ``as_view()`` may replace that of the class.
    key = cls, type(view), id(view.expandable_fields), purpose, wanted, expanded
    result = _CLASSES.get(key)
    if result is None:
        serializers = {name: view.expandable_fields[name] for name in expanded}
        choice = _Choice(str(view.fields_param))
        whole = _whole(cls, view)
        if purpose == "described":
            result = _described(whole, serializers, choice)
        else:
            result = _chosen(whole, wanted, serializers, choice)
        if choice.is_for_all:
            whole._context = {}  # what is kept holds no request
            _keep(key, result)
    return result


def _whole(cls: SerializerClass, view: AnyView) -> Instance:
    """A serializer with all its fields, which may be others for each user."""
    if not issubclass(cls, Serializer):
        raise ImproperlyConfigured(f"The fields of {cls.__name__} cannot be chosen.")
    return cls(context=complete(view.get_serializer_context()))


@dataclass
class _Choice:
    """The parameter that names fields; whether requests that name the same get the same class."""

    param: str
    is_for_all: bool = True

    def look_at(self, cls: SerializerClass) -> None:
        if _takes_fields_away(cls) or _makes_fields(cls):
            self.is_for_all = False


def _makes_fields(cls: SerializerClass) -> bool:
    return cls.get_fields not in (ModelSerializer.get_fields, Serializer.get_fields)


def _takes_fields_away(cls: SerializerClass) -> bool:
    """Whether code of the project may change the fields of a serializer that is there."""
    return cls.__init__ is not Serializer.__init__ or cls.fields is not Serializer.fields


def _chosen(
    whole: Instance, wanted: Frozen | None, expanded: Expanded, choice: _Choice, way: str = ""
) -> Any:
    """A class with the wanted fields, and with nested serializers in place of keys."""
    cls, param = type(whole), choice.param
    choice.look_at(cls)
    fields = {name: item for name, item in whole.fields.items() if not item.write_only}
    shown = list(fields) if wanted is None else [name for name, _inner in wanted]
    _refuse(param, [way + name for name in shown if name not in fields], _ways(fields, way))
    inner = dict(wanted or ())
    made: dict[str, Any] = {}
    for name in shown:
        field = fields[name]
        inside = {key.partition(".")[2]: it for key, it in expanded.items() if _is_in(key, name)}
        if name in expanded:
            field = _expanded(field, expanded[name])
            field.parent = whole  # for its context
        part = inner.get(name) or None
        if name in expanded or inside or part is not None:
            made[name] = _narrowed(field, part, inside, choice, f"{way}{name}.")
    return _with_fields(cls, [name for name in fields if name in shown], made)


def _ways(fields: Iterable[str], way: str) -> list[str]:
    return [way + name for name in fields]


def _is_in(key: str, name: str) -> bool:
    return key.startswith(f"{name}.")


def _narrowed(
    field: Instance, wanted: Frozen | None, expanded: Expanded, choice: _Choice, way: str
) -> Field:
    """A nested serializer with fewer fields. Raises ValidationError for anything else."""
    inside = _inside(field)
    if not isinstance(inside, Serializer):
        _refuse(choice.param, [way + name for name, _inner in wanted or ()], ())
        return field.__deepcopy__({})
    cls = _chosen(inside, wanted, expanded, choice, way)
    options = {**field._kwargs, "read_only": True}
    for name in ("required", "default", "write_only", "queryset"):
        options.pop(name, None)
    if isinstance(field, ListSerializer):
        return type(field)(**{**options, "child": cls(*inside._args, **inside._kwargs)})
    return cls(*field._args, **options)


def _expanded(field: Any, given: Any) -> Any:
    """The serializer that shows a related object whole."""
    serializer, options = given if isinstance(given, tuple | list) else (given, {})
    serializer = import_string(serializer) if isinstance(serializer, str) else serializer
    many = isinstance(field, ManyRelatedField | ListSerializer)
    source = None if field.source == field.field_name else field.source
    return serializer(**{"many": many, "read_only": True, "source": source, **options})


def _with_fields(cls: Any, names: list[str], made: Mapping[str, Any]) -> Any:
    members: dict[str, Any] = {**made, "__module__": cls.__module__}
    if _takes_fields_away(cls):
        members["__init__"] = _taking_away_others(cls, names)
    elif _makes_fields(cls):
        members["get_fields"] = _only(cls, names)
    elif issubclass(cls, ModelSerializer):
        members["Meta"] = type("Meta", (cls.Meta,), {"fields": names, "exclude": None})
    else:
        members |= {name: None for name in cls._declared_fields if name not in names}
    return type(cls)(cls.__name__, (cls,), _without_writes(cls, members))


def _without_writes(cls: Any, members: dict[str, Any]) -> dict[str, Any]:
    """Take out what only writes need: nested serializers are read-only in a choice."""
    if not getattr(getattr(cls, "Meta", None), "nested", None):
        return members
    return {**members, "Meta": type("Meta", (members.get("Meta", cls.Meta),), {"nested": {}})}


def _only(cls: Any, names: Collection[str]) -> Any:
    def get_fields(self: Any) -> dict[str, Field]:
        fields = cls.get_fields(self)
        return {name: fields[name] for name in fields if name in names}

    return get_fields


def _taking_away_others(cls: SerializerClass, names: Collection[str]) -> Callable[..., None]:
    """An ``__init__`` after that of the project, which may expect to find all fields."""

    def __init__(self: Instance, *args: object, **kwargs: object) -> None:
        cls.__init__(self, *args, **kwargs)
        for name in [name for name in self.fields if name not in names]:
            del self.fields[name]

    return __init__


# ---- descriptions ----


def _described(whole: Instance, expanded: Expanded, choice: _Choice) -> SerializerClass:
    """A class whose description requires no field, and says what may be expanded."""
    # One class for all views that allow the same, because it is one component.
    cls: SerializerClass = type(whole)
    choice.look_at(cls)
    key = cls, "described", tuple((name, str(given)) for name, given in sorted(expanded.items()))
    described = _CLASSES.get(key)
    if described is not None:
        return described
    made: dict[str, Any] = {}
    for name, field in whole.fields.items():
        inside = {key.partition(".")[2]: it for key, it in expanded.items() if _is_in(key, name)}
        if name in expanded:
            shown = _expanded(field, expanded[name])
            shown.parent = whole  # for its context
            made[name] = ExpandableField(field, _part(shown, inside, choice))
        elif not field.write_only and isinstance(_inside(field), Serializer):
            made[name] = _part(field, inside, choice)

    def to_representation(self: Any, instance: Any) -> Any:
        return cls.to_representation(self, instance)

    members = {**made, "to_representation": to_representation, "__module__": cls.__module__}
    result = type(cls)(_title(cls, expanded), (cls,), _without_writes(cls, members))
    if choice.is_for_all:
        _keep(key, result)
    return result


def _title(cls: Any, expanded: Mapping[str, Any]) -> str:
    """The name of the component: ``SparseSnippetWithOwner``."""
    base = cls.__name__.removesuffix("Serializer")
    words = [
        name.replace("_", " ").title().replace(" ", "") for name in expanded if "." not in name
    ]
    return f"Sparse{base}{'With' if words else ''}{''.join(words)}Serializer"


def _inside(field: Any) -> Any:
    return field.child if isinstance(field, ListSerializer) else field


def _part(field: Instance, expanded: Expanded, choice: _Choice) -> Instance:
    inside = _inside(field)
    made = _described(inside, expanded, choice)(*inside._args, **inside._kwargs)
    if inside is not field:
        made = type(field)(child=made)
    made.read_only, made.required, made.allow_null = True, False, field.allow_null
    return made


class ExpandableField(Field):
    """What a field shows, or the whole object if a client asks for it; for descriptions."""

    def __init__(self, field: Any, whole: Any) -> None:
        super().__init__(read_only=True, label=field.label, allow_null=field.allow_null)
        self.field = field
        self.whole = whole

    def __deepcopy__(self, memo: dict[int, Any]) -> "ExpandableField":
        return type(self)(self.field, self.whole)

    def describe_values(self, schema: ViewSchema) -> Schema:
        whole = self.whole.__deepcopy__({})
        whole.parent = self.parent  # for its context, which this class does not keep
        for name in ("read_only", "required", "allow_null"):
            setattr(whole, name, getattr(self.whole, name))
        return {"oneOf": [dict(schema.map_field(field)) for field in (self.field, whole)]}
