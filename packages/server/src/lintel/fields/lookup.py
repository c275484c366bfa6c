"""Lookups by the class of a field, in which the classes say the values themselves."""

from collections.abc import Iterator
from typing import Any

from lintel.fields.base import Field
from lintel.utils.field_mapping import ClassLookupDict


class FieldLookup(ClassLookupDict):
    """The values of an attribute that classes of fields define, unless another one is set here."""

    def __init__(self, attribute: str) -> None:
        self.attribute = attribute
        super().__init__({cls: vars(cls)[attribute] for cls in _defining(attribute, Field)})

    def __getitem__(self, key: Any) -> Any:
        classes: tuple[Any, ...] = (getattr(key, "_proxy_class", None) or type(key)).__mro__
        for cls in classes:
            if cls in self.mapping:
                return self.mapping[cls]
            if self.attribute in vars(cls):
                return vars(cls)[self.attribute]
        return super().__getitem__(key)


def _defining(attribute: str, base: type[Field]) -> Iterator[type[Field]]:
    if attribute in vars(base):
        yield base
    for cls in base.__subclasses__():
        yield from _defining(attribute, cls)
