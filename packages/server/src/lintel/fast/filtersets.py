"""Filters of django-filter without the form that it makes for each request.

The form says what a parameter stands for, and whether it is valid. Where all parameters are
certainly valid, the filters are called with the same values at once, and no form is made.
Everything else is left to the backend of django-filter.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from types import FunctionType
from typing import Any

from django import forms
from django.core import validators
from django.db.models import QuerySet
from django.http import QueryDict

from lintel.fast.compiled import compiles
from lintel.inherited_scopes import scope_of_relations
from lintel.overrides import function_of, package_of, reached
from lintel.scoping import scope_choices
from lintel.trust.originals import Originals, Place

_PACKAGE = "django_filters"


def filter_backend(backend: Any) -> Any:
    """Return what filters as a backend does, maybe without a form; most often itself."""
    is_known = any(package_of(base) == _PACKAGE for base in type(backend).__mro__)
    return Formless(backend) if is_known else backend


class Formless:
    """A backend of django-filter that makes a form only if a value may not be valid."""

    __slots__ = ("_backend",)

    def __init__(self, backend: Any) -> None:
        self._backend = backend

    def filter_queryset(self, request: Any, queryset: Any, view: Any) -> Any:
        """Return what the backend does, or raise the same."""
        backend = self._backend
        if compiles() and _filters_itself(backend):
            filterset = backend.get_filterset(request, queryset, view)
            result = _filtered(filterset)
            if result is not None:
                return result
            # The project's hooks were called for it, so no other one is made.
            backend = _with_filterset(backend, lambda *args, **kwargs: filterset)
        if scope_of_relations(view) is not None:
            backend = _with_filterset(backend, _scoping(backend.get_filterset, view))
        return backend.filter_queryset(request, queryset, view)


def _with_filterset(backend: Any, make: Callable[..., Any]) -> Any:
    """Return another backend: a project may use the same one for many requests."""
    other = object.__new__(type(backend))
    vars(other).update(vars(backend), get_filterset=make)
    return other


def _scoping(make: Callable[..., Any], view: Any) -> Callable[..., Any]:
    """Return what makes sets whose choices of rows are those that the request may refer to."""

    def get_filterset(*args: Any, **kwargs: Any) -> Any:
        filterset = make(*args, **kwargs)
        if filterset is not None:
            scope_choices(filterset, view)
        return filterset

    return get_filterset


_OF_BACKEND = ("filter_queryset", "get_filterset", "__getattribute__")


def _filters_itself(backend: Any) -> bool:
    cls = type(backend)
    return (
        not vars(backend).keys() & set(_OF_BACKEND)
        and all(_is_theirs((cls, name)) for name in _OF_BACKEND)
        and _FILTERING.may_be_replaced()
    )


# ---- whose functions ----


def _modules() -> tuple[Any, Any, Any]:
    """Return the modules of filters, their sets, and of sets for REST framework."""
    names = ("filters", "filterset", "rest_framework")
    filters, sets, rest = [sys.modules[f"{_PACKAGE}.{name}"] for name in names]
    return filters, sets, rest


def _classes() -> Iterator[type]:
    filters, sets, rest = _modules()
    yield from (sets.BaseFilterSet, rest.FilterSet, rest.DjangoFilterBackend)
    yield from (filters.FilterMethod, forms.Form)
    kinds: set[Any] = {*_readers(), *_silent()}
    for kind in kinds:
        yield kind
        yield kind.field_class
        if hasattr(kind.field_class, "widget"):
            yield kind.field_class.widget
    yield sys.modules[f"{_PACKAGE}.widgets"].BooleanWidget
    yield from (validators.MaxValueValidator, validators.DecimalValidator)
    yield validators.ProhibitNullCharactersValidator


def _places() -> Iterator[Place]:
    for cls in dict.fromkeys(_classes()):
        names = dict.fromkeys(name for base in cls.__mro__[:-1] for name in vars(base))
        yield from ((cls, name) for name in names if name not in _NO_CODE)


#: What Python itself sets.
_NO_CODE = {"__module__", "__doc__", "__dict__", "__weakref__", "__qualname__", "creation_counter"}
_PACKAGES = ("django", _PACKAGE)


def _is_theirs(place: Place) -> bool:
    """Return whether a name leads to code of Django, django-filter or Python, or to a constant."""
    held = reached(*place)
    if isinstance(held, type):
        return package_of(held) in _PACKAGES and held is _classes_of_fields().get(place, held)
    function = function_of(held)
    if function is None:
        return not isinstance(getattr(type(held), "__get__", None), FunctionType)
    module = function.__globals__.get("__name__", "")
    return module.partition(".")[0] in (*_PACKAGES, "builtins", "functools")


def _classes_of_fields() -> dict[Place, type]:
    """Return the fields and widgets whose values the readers know."""
    filters, _, rest = _modules()
    fields = sys.modules[f"{_PACKAGE}.fields"]
    return {
        (filters.CharFilter, "field_class"): forms.CharField,
        (filters.NumberFilter, "field_class"): forms.DecimalField,
        (filters.ChoiceFilter, "field_class"): fields.ChoiceField,
        (rest.BooleanFilter, "field_class"): forms.NullBooleanField,
        (forms.CharField, "widget"): forms.TextInput,
        (forms.DecimalField, "widget"): forms.NumberInput,
        (fields.ChoiceField, "widget"): forms.Select,
    }


_FILTERING = Originals("of django-filter", _places, _is_theirs)

#: What decides about valid values, and what they do.
_OF_SET = (
    *("__init__", "is_valid", "errors", "filter_queryset", "qs", "get_form_class"),
    "__getattribute__",
)


def _is_plain(filterset: Any) -> bool:
    _, sets, rest = _modules()
    cls, held = type(filterset), vars(filterset)
    usual = sets.BaseFilterSet
    return (
        issubclass(cls, usual)
        and not hasattr(cls, "__getattr__")
        and all(reached(cls, name) is reached(usual, name) for name in _OF_SET)
        and reached(cls, "form") in (reached(usual, "form"), reached(rest.FilterSet, "form"))
        and not held.keys() & {"_form", "_qs", *_OF_SET}
        and filterset.is_bound
        and filterset.form_prefix is None
        and type(filterset.data) is QueryDict
        and filterset._meta.form is forms.Form
    )


# ---- values ----


def _filtered(filterset: Any) -> QuerySet[Any] | None:
    """Return the rows that a set of filters finds; None if a value may not be valid."""
    if filterset is None or not _is_plain(filterset):
        return None
    values: list[tuple[Any, object]] = []
    readers, silent, data = _readers(), _silent(), filterset.data
    for name, item in filterset.filters.items():
        if not vars(item).keys().isdisjoint(_FIELD):
            return None
        read = readers.get(type(item))
        try:
            values.append((item, read(item.extra, data.get(name))) if read else (item, None))
        except Uncertain:
            return None
        if read is None and not _is_unasked(item, name, data, silent):
            return None
    return _with_values(filterset, values)


#: What a project may have set of a single filter, or have made already.
_FIELD = {"_field", "field", "field_class", "get_max_validator"}


def _with_values(filterset: Any, values: list[tuple[Any, object]]) -> QuerySet[Any] | None:
    if any(_calls_project(filter_, value) for filter_, value in values):
        return None
    queryset = filterset.queryset.all()
    for filter_, value in values:
        queryset = filter_.filter(queryset, value)
    result: QuerySet[Any] = queryset
    return result


def _calls_project(filter_: Any, value: object) -> bool:
    """Return whether a method of the project filters: it may look at the validated form."""
    method, filters = vars(filter_).get("filter"), _modules()[0]
    is_of_set = type(method) is filters.FilterMethod
    return method is not None and not (is_of_set and value in filters.EMPTY_VALUES)


class Uncertain(Exception):
    """Only a form knows whether a text is valid."""


_REQUIRED = {"required": False}
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", re.ASCII)


def _usual(extra: dict[str, Any]) -> None:
    if extra != _REQUIRED:
        raise Uncertain


def _text(extra: dict[str, Any], text: str | None) -> str:
    _usual(extra)
    if text and "\0" in text:
        raise Uncertain
    return text.strip() if text else ""


def _number(extra: dict[str, Any], text: str | None) -> Decimal | None:
    _usual(extra)
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        raise Uncertain
    return Decimal(text)


def _choice(extra: dict[str, Any], text: str | None) -> str:
    choices = extra.get("choices")
    if extra.keys() != {"choices", "required"} or extra["required"] or type(choices) is not list:
        raise Uncertain
    if text and text not in [key for key, label in choices if not isinstance(label, list | tuple)]:
        raise Uncertain
    return text or ""


_TRUTHS = {None: None, "": None, "true": True, "false": False}


def _truth(extra: dict[str, Any], text: str | None) -> bool | None:
    widget = sys.modules[f"{_PACKAGE}.widgets"].BooleanWidget
    if extra != {**_REQUIRED, "widget": widget} or text not in _TRUTHS:
        raise Uncertain
    return _TRUTHS[text]


#: By the exact class of a filter.
Readers = dict[type, Callable[[dict[str, Any], str | None], object]]


def _readers() -> Readers:
    filters, _, rest = _modules()
    return {
        filters.CharFilter: _text,
        filters.NumberFilter: _number,
        filters.ChoiceFilter: _choice,
        rest.BooleanFilter: _truth,
    }


_SILENT = (
    *("DateFilter", "DateTimeFilter", "IsoDateTimeFilter", "TimeFilter", "DurationFilter"),
    *("UUIDFilter", "ModelChoiceFilter"),
)


def _silent() -> set[type]:
    filters = _modules()[0]
    return {getattr(filters, name) for name in _SILENT}


#: Arguments that change nothing where no value was sent.
_HARMLESS = {"required", "queryset", "to_field_name", "null_label", "help_text"}


def _is_unasked(filter_: Any, name: str, data: QueryDict, silent: set[type]) -> bool:
    """Return whether a filter gets no value, and asks nobody for one."""
    return (
        type(filter_) in silent
        and not data.get(name)
        and filter_.extra.keys() <= _HARMLESS
        and not filter_.extra["required"]
        and not callable(getattr(filter_, "queryset", None))
    )
