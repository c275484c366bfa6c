"""A system check: fields of model serializers whose ``source`` leads nowhere.

Such a field fails at the first response that shows it. Only what no object of the model can have
is reported: names that a queryset may add (``annotate()``), or code of the project may answer, are
not.
"""

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Tags, Warning, register
from django.db.models import Model

from lintel.annotations import AnyView
from lintel.checks import option_of, routed_views
from lintel.fields import Field, empty
from lintel.fields.columns import column_of
from lintel.serializers.model import ModelSerializer
from lintel.utils import model_meta


@register(Tags.compatibility)
def sources_check(app_configs: Sequence[AppConfig] | None, **kwargs: object) -> list[CheckMessage]:
    views: dict[type[ModelSerializer], list[AnyView]] = {}
    for view in routed_views():
        cls = option_of(view, "serializer_class", None)
        if isinstance(cls, type) and issubclass(cls, ModelSerializer):
            views.setdefault(cls, []).append(view)
    return [message for cls, shown in views.items() for message in _mistakes(cls, shown)]


def _mistakes(cls: type[ModelSerializer], views: Iterable[AnyView]) -> Iterator[CheckMessage]:
    try:
        fields = list(cls().fields.values())
        model = cls.Meta.model
    except Exception:  # code of the project that needs a request, or a mistake of another kind
        return
    if any(_may_add_names(view) for view in views):
        return
    for field in fields:
        lost = _lost_name(model, field)
        if lost is not None:
            yield _warning(cls, field, *lost)


def _warning(
    cls: type[ModelSerializer], field: Field, owner: type[Model], name: str
) -> CheckMessage:
    close = get_close_matches(name, _names_of(owner), n=1)
    meant = f"Did you mean '{close[0]}'? " if close else ""
    return Warning(
        f"The source '{field.source}' of {cls.__qualname__}.{field.field_name} leads nowhere: "
        f"{owner.__name__} has no attribute '{name}'.",
        hint=f"{meant}Correct the source; or give the field a default, if some objects have the "
        "attribute.",
        obj=cls,
        id="lintel.W030",
    )


def _home_of(function: object) -> str:
    """The package of a function."""
    return str(getattr(function, "__module__", "")).partition(".")[0]


def _may_add_names(view: AnyView) -> bool:
    """Whether the rows of a view may have more than the attributes of their model."""
    if _home_of(getattr(view.cls, "get_queryset", None)) != _home_of(sources_check):
        return True
    queryset = option_of(view, "queryset", None)
    return bool(getattr(getattr(queryset, "query", None), "annotations", True))


def _lost_name(model: type[Model], field: Field) -> tuple[type[Model], str] | None:
    """The first name of a source that its owner lacks; None if there may be none."""
    is_read = not field.write_only and field.default is empty and field.source != "*"
    if not is_read or _home_of(type(field).get_attribute) != _home_of(sources_check):
        return None
    owner: Any = model
    for name in field.source_attrs:
        if owner is None or hasattr(owner, "__getattr__"):
            return None
        if not _has_name(owner, name):
            is_open = owner.__init__ is not Model.__init__
            return None if is_open else (owner, name)
        owner = _behind(owner, name)
    return None


def _has_name(model: type[Model], name: str) -> bool:
    return hasattr(model, name) or column_of(model, name) is not None


def _behind(model: type[Model], name: str) -> type[Model] | None:
    """The model of the object at a name; None if only an object tells."""
    relation = model_meta.known_field_info(model).relations.get(name)
    is_of_one = relation is not None and not relation.to_many
    return relation.related_model if relation is not None and is_of_one else None


def _names_of(model: type[Model]) -> list[str]:
    info = model_meta.known_field_info(model)
    return [*info.fields_and_pk, *info.relations]
