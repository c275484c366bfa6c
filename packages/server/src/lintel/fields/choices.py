"""Fields whose value is one or several out of a given set, and booleans."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from lintel.compiler.plan import inlinable
from lintel.fields.base import Field, copyable


class BooleanField(Field):
    """True or False, also written as words: yes, no, on, off, t, f, 1, 0 and so on."""

    default_error_messages = {"invalid": _("Must be a valid boolean.")}
    default_empty_html = False
    initial = False
    #: Texts are compared in lower case.
    TRUE_VALUES: set[Any] = {"t", "y", "yes", "true", "on", "1", 1}
    FALSE_VALUES: set[Any] = {"f", "n", "no", "false", "off", "0", 0}
    NULL_VALUES: set[Any] = {"null", "", None}

    @copyable
    def __init__(self, **kwargs: Any) -> None:
        if kwargs.get("allow_null", False):
            self.default_empty_html = None
            self.initial = None
        super().__init__(**kwargs)

    @inlinable("boolean", "TRUE_VALUES", "FALSE_VALUES", "NULL_VALUES", "allow_null")
    def to_internal_value(self, data: Any) -> bool | None:
        """True or False; None for "null" and "" where that is allowed."""
        if data is True or data is False:
            return data
        word = data.lower() if isinstance(data, str) else data
        try:
            if word in self.TRUE_VALUES:
                return True
            if word in self.FALSE_VALUES:
                return False
            if self.allow_null and word in self.NULL_VALUES:
                return None
        except TypeError:  # not hashable
            pass
        return self.fail("invalid", input=data)

    @inlinable("boolean", "TRUE_VALUES", "FALSE_VALUES", "NULL_VALUES", "allow_null")
    def to_representation(self, value: Any) -> bool | None:
        """True, False, or None where that is allowed; any other value by its truth."""
        word = value.lower() if isinstance(value, str) else value
        try:
            if word in self.TRUE_VALUES:
                return True
            if word in self.FALSE_VALUES:
                return False
            if self.allow_null and word in self.NULL_VALUES:
                return None
        except TypeError:  # not hashable
            pass
        return bool(value)
