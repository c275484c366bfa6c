"""Parameters, bodies and responses of an operation, in one form for all versions of OpenAPI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lintel_contract.places import Document, Place

#: The default style of values in each location.
_STYLES = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter; ``style`` is everything that decides how its value is written."""

    name: str
    location: str
    place: Place
    schema: Place
    is_required: bool
    style: str
    allows_empty: bool

    @property
    def title(self) -> str:
        """Return its name for messages."""
        return f"{self.location} parameter {self.name}"

    @property
    def is_deprecated(self) -> bool:
        return self.place.get("deprecated") is True


@dataclass(frozen=True, slots=True)
class Content:
    """A body in one media type: its schema, that of its elements, how its parts are encoded."""

    place: Place
    schemas: tuple[Place, ...]
    encoding: Any = None


@dataclass(frozen=True, slots=True)
class Body:
    """A request body: its forms by media type."""

    place: Place
    is_required: bool
    content: dict[str, Content]


@dataclass(frozen=True, slots=True)
class Response:
    """A response: its forms by media type, its headers, its links."""

    place: Place
    content: dict[str, Content]
    headers: dict[str, Parameter]
    links: dict[str, Place]


def media_type(text: str) -> str:
    """Return a media type in lower case, with only the parameters that change the type."""
    name, _, rest = text.partition(";")
    parameters = [parameter.strip() for parameter in rest.lower().split(";")]
    others = [text for text in parameters if text and not text.startswith("charset=")]
    return "; ".join([name.strip().lower(), *others])


def read_parameter(place: Place, name: str = "", location: str = "") -> Parameter:
    location = location or place.get("in", str, "")
    contents = place.members("content")
    schema = next(iter(contents.values())).at("schema") if contents else place.at("schema")
    return Parameter(
        name=name or place.get("name", str, ""),
        location=location,
        place=place,
        schema=schema,
        is_required=place.get("required") is True,
        style=next(iter(contents)) if contents else _style(place, location),
        allows_empty=place.get("allowEmptyValue") is True,
    )


def _style(place: Place, location: str) -> str:
    style = place.get("style", str, _STYLES.get(location, ""))
    # A list or an object can be written in two ways, other values in one.
    if place.at("schema").get("type") not in ("array", "object"):
        return style
    explode = place.get("explode", bool, style == "form")
    return f"{style}, {'exploded' if explode else 'in one'}"


def read_body(document: Document, operation: Place) -> Body | None:
    if not operation.has("requestBody"):
        return None
    place = document.follow(operation.at("requestBody"))
    return Body(place, place.get("required") is True, _contents(document, place))


def _contents(document: Document, place: Place) -> dict[str, Content]:
    contents = {}
    for name, content in place.members("content").items():
        content = document.follow(content)
        schemas = (content.at("schema"), content.at("itemSchema"))
        contents[media_type(name)] = Content(content, schemas, content.get("encoding"))
    return contents


def read_response(document: Document, place: Place) -> Response:
    place = document.follow(place)
    headers = {
        name.lower(): read_parameter(document.follow(header), name, "header")
        for name, header in place.members("headers").items()
        if name.lower() != "content-type"
    }
    links = {name: document.follow(link) for name, link in place.members("links").items()}
    return Response(place, _contents(document, place), headers, links)
