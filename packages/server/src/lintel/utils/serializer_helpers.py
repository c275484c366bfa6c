"""What a serializer returns: data that refers to it, and fields with their values.

``serializer.data`` is a :class:`ReturnDict` or :class:`ReturnList`, ``serializer["name"]`` a
:class:`BoundField` for forms, ``serializer.fields`` a :class:`BindingDict`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, MutableMapping, ValuesView
from typing import Any

from django.utils.encoding import force_str


class ReturnDict(dict[str, Any]):
    """A dict that refers to its serializer, for renderers of forms; pickled as a plain dict."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.serializer: Any = kwargs.pop("serializer")
        super().__init__(*args, **kwargs)

    def copy(self) -> ReturnDict:
        return ReturnDict(self, serializer=self.serializer)

    def __repr__(self) -> str:
        return dict.__repr__(self)

    def __reduce__(self) -> tuple[object, ...]:
        return dict, (dict(self),)

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        return ReturnDict({**self, **other}, serializer=self.serializer)

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        return ReturnDict({**other, **self}, serializer=self.serializer)


class ReturnList(list[Any]):
    """A list that refers to its serializer; pickled as a plain list."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.serializer: Any = kwargs.pop("serializer")
        super().__init__(*args, **kwargs)

    def __repr__(self) -> str:
        return list.__repr__(self)

    def __reduce__(self) -> tuple[object, ...]:
        return list, (list(self),)


def _form_text(value: object) -> object:
    """Return what an ``<input>`` shows for a nested value: text, or the container itself."""
    if isinstance(value, list | dict):
        return value
    if value is None or value is False:
        return ""
    return force_str(value)


class BoundField:
    """A field with its value and errors; ``name`` has the ``prefix`` of the fields around it."""

    def __init__(self, field: Any, value: Any, errors: Any, prefix: str = "") -> None:
        self._field = field
        self._prefix = prefix
        self.value = value
        self.errors = errors
        self.name: str = prefix + field.field_name

    def __getattr__(self, attr_name: str) -> Any:
        # copy() looks up names such as __setstate__ on an instance without a __dict__.
        if attr_name == "_field":
            raise AttributeError(attr_name)
        return getattr(self._field, attr_name)

    @property
    def _proxy_class(self) -> type:
        return type(self._field)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} value={self.value} errors={self.errors}>"

    def as_form_field(self) -> BoundField:
        value = "" if self.value is None or self.value is False else self.value
        return type(self)(self._field, value, self.errors, self._prefix)


class JSONBoundField(BoundField):
    """A bound JSON field: a form shows its value as indented JSON."""

    def as_form_field(self) -> BoundField:
        """Return the same with JSON text as the value. Text from a form stays as typed."""
        value = self.value
        if not getattr(value, "is_json_string", False):
            value = _indented(value)
        return type(self)(self._field, value, self.errors, self._prefix)


def _indented(value: object) -> object:
    try:
        return json.dumps(value, sort_keys=True, indent=4, separators=(",", ": "), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return value


class NestedBoundField(BoundField):
    """A bound serializer inside a serializer: iterating yields its own bound fields."""

    def __init__(self, field: Any, value: Any, errors: Any, prefix: str = "") -> None:
        if not isinstance(value, Mapping):
            value = {}
        super().__init__(field, value, errors, prefix)

    def __iter__(self) -> Iterator[BoundField]:
        for field in self.fields.values():
            yield self[field.field_name]

    def __getitem__(self, key: str) -> BoundField:
        field = self.fields[key]
        value = self.value.get(key)
        errors = self.errors.get(key) if isinstance(self.errors, dict) else None
        bound: type[BoundField] = BoundField
        if hasattr(field, "fields"):
            bound = NestedBoundField
        elif getattr(field, "_is_jsonfield", False):
            bound = JSONBoundField
        return bound(field, value, errors, prefix=f"{self.name}.")

    def as_form_field(self) -> BoundField:
        values = {key: _form_text(value) for key, value in self.value.items()}
        return type(self)(self._field, values, self.errors, self._prefix)


class BindingDict(MutableMapping[str, Any]):
    """The fields of a serializer by name; adding a field binds it to that name."""

    def __init__(self, serializer: Any) -> None:
        self.serializer = serializer
        self.fields: dict[str, Any] = {}
        # The names under which fields were put in, taken out or handed out: these may be changed.
        self._lintel_taken: set[str] = set()

    def __setitem__(self, key: str, field: Any) -> None:
        self._lintel_taken.add(key)
        self.fields[key] = field
        field.bind(field_name=key, parent=self.serializer)

    def __getitem__(self, key: str) -> Any:
        self._lintel_taken.add(key)
        return self.fields[key]

    def __delitem__(self, key: str) -> None:
        self._lintel_taken.add(key)
        del self.fields[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def values(self) -> ValuesView[Any]:
        self._lintel_taken.update(self.fields)
        return self.fields.values()

    def __repr__(self) -> str:
        return dict.__repr__(self.fields)
