"""Field, one parameter of a link."""

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Example", "Field"]


@dataclass(frozen=True, slots=True)
class Example:
    """An example value. ``url`` is the address of one that is stored elsewhere."""

    name: str
    value: Any = field(default=None, hash=False)
    summary: str = ""
    description: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter of a link.

    ``location`` says where the value is sent: path, query, form, body, header, cookie, or
    querystring (the whole query); empty leaves the choice to the client. ``schema`` describes the
    value (``lintel_document.schemas``). ``description``, ``type`` and ``example`` are for callers;
    Core JSON contains neither them nor the following.

    ``style``, ``explode`` and ``allow_reserved`` say how lists and objects become text (OpenAPI
    3.1.1, 4.8.12): an empty style leaves it to the client, an ``explode`` of None to the style.
    ``content_type`` is the media type of the value by itself: of a parameter that is sent as JSON
    text, or of a part of a form, where several are separated by commas. ``headers`` are those of
    such a part. ``wire_name`` is the name that is sent, if callers use another one. ``examples``
    are the named ones; the value of the first is the ``example``.
    """

    name: str
    required: bool = False
    location: str = ""
    schema: Any = None
    description: str | None = None
    type: str | None = None
    example: Any = None
    style: str = ""
    explode: bool | None = None
    allow_reserved: bool = False
    content_type: str = ""
    headers: tuple["Field", ...] = ()
    deprecated: bool = False
    wire_name: str = ""
    examples: tuple[Example, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"Field: 'name' must be a string, not {type(self.name).__name__}")
        if not isinstance(self.required, bool):
            raise TypeError(f"Field {self.name!r}: 'required' must be True or False")
        if not isinstance(self.location, str):
            raise TypeError(f"Field {self.name!r}: 'location' must be a string")

    @property
    def sent_name(self) -> str:
        """Return the name on the wire."""
        return self.wire_name or self.name
