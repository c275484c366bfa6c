"""Reads a link description of any draft from 04 to 2019-09 as one or more operations."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lintel_codecs.hyperschema.holders import Holder
from lintel_codecs.hyperschema.templates import Template, read_template
from lintel_codecs.issues import Issues, pointer
from lintel_codecs.references import References
from lintel_document.jsonschema import MAX_REFERENCES, JSONSchema
from lintel_document.links import Field, Link
from lintel_document.methods import is_safe
from lintel_document.operations import Answer
from lintel_document.uritemplates import Variable, problems, variables
from lintel_document.urls import resolve

__all__ = ["Operation", "Reader"]

JSON = "application/json"
_METHOD = re.compile(r"[A-Za-z][A-Za-z-]{0,30}")
_QUERY_METHODS = frozenset({"get", "head"})
_KNOWN_METHODS = ("get", "post", "put", "patch", "delete")
_OPTIONAL_BODIES = frozenset({"anything", "object", "null"})
# Verbs for writing to a relation that names only the thing.
_SELF_KEYS = {
    "post": "create",
    "put": "update",
    "patch": "partial_update",
    "delete": "destroy",
}


@dataclass(frozen=True, slots=True)
class Operation:
    """A link with its relation; ``method_in_key`` if one description allows several methods."""

    relation: str
    link: Link
    place: str
    method_in_key: bool = False

    @property
    def plain_key(self) -> str:
        """Return the relation as the key of the link; empty if there is none."""
        if self.relation == "self":
            action = self.link.action
            return "read" if is_safe(action) else _SELF_KEYS.get(action, action)
        return f"{self.relation}_{self.link.action}" if self.method_in_key else self.relation


@dataclass(frozen=True, slots=True)
class _Shape:
    """The properties of a schema, which is kept so that its id is not reused."""

    source: Mapping[str, Any]
    properties: dict[str, JSONSchema]
    required: frozenset[str]


MAX_FIELDS = 100_000
"""The most fields that a document may have: many links may share one schema of many properties."""


@dataclass(slots=True)
class Reader:
    """Reads the links of a holder; URLs resolve against ``base_url``."""

    references: References
    issues: Issues
    base_url: str
    _fields_left: int = MAX_FIELDS
    _read: dict[int, _Shape] = field(default_factory=dict)

    def operations(self, holder: Holder) -> Iterator[Operation]:
        """Yield the operations of a holder, and report links that cannot be one."""
        links = holder.schema["links"]
        place = pointer(holder.place, "links")
        if isinstance(links, Mapping):
            # The property `links` of a map of schemas, not the keyword.
            return
        if not isinstance(links, list):
            self.issues.add(place, "The links must be a list")
            return
        for at, raw in enumerate(links):
            yield from self._operations_of(self._target(raw)[0], holder, pointer(place, at))

    def _operations_of(self, raw: Any, holder: Holder, place: str) -> Iterator[Operation]:
        if not isinstance(raw, Mapping):
            self.issues.add(place, "The link must be an object")
            return
        if not isinstance(raw.get("href"), str):
            self.issues.add(pointer(place, "href"), "The link has no URL, so it cannot be called")
            return
        relation = self._relation(raw, place)
        methods = self._methods(raw, place)
        for method in methods:
            link = self._link(raw, method, holder, place)
            yield Operation(relation, link, place, method != methods[0])

    def _relation(self, raw: Mapping[str, Any], place: str) -> str:
        relation = raw.get("rel")
        if isinstance(relation, list):
            relation = next((each for each in relation if isinstance(each, str)), None)
        if isinstance(relation, str) and relation:
            return relation
        self.issues.add(pointer(place, "rel"), "The link has no relation, so its key is generated")
        return ""

    def _methods(self, raw: Mapping[str, Any], place: str) -> list[str]:
        """Return the methods of a link, the main one first."""
        method = raw.get("method")
        if isinstance(method, str) and _METHOD.fullmatch(method):
            return [method.lower()]
        if method is not None:
            self.issues.add(pointer(place, "method"), "This is not an HTTP method, so GET is used")
        submits = ["post"] if _is_schema(raw.get("submissionSchema")) else []
        hints = raw.get("targetHints")
        allowed = hints.get("allow") if isinstance(hints, Mapping) else None
        names = [str(name).lower() for name in allowed] if isinstance(allowed, list) else []
        known = [name for name in _KNOWN_METHODS if name in names]
        return list(dict.fromkeys([*known, *submits])) or ["get"]

    def _link(self, raw: Mapping[str, Any], method: str, holder: Holder, place: str) -> Link:
        template = read_template(raw["href"])
        for problem in problems(template.url):
            self.issues.add(pointer(place, "href"), problem)
        body = self._body(raw, method, place)
        problem = self._problem(raw, method, place)
        media_type = _text(raw.get("targetMediaType")) or _text(raw.get("mediaType"))
        answer = raw.get("targetSchema")
        return Link(
            url=resolve(self._base(holder), template.url),
            action=method,
            encoding=_encoding(raw, method) if body else "",
            title=_text(raw.get("title")),
            description=_text(raw.get("description")) or _text(raw.get("$comment")),
            fields=[
                *self._url_fields(raw, template, holder),
                *body,
                *self._named_fields(
                    raw.get("headerSchema"), "header", pointer(place, "headerSchema")
                ),
            ],
            deprecated=raw.get("deprecated") is True,
            accept=[media_type] if media_type else (),
            answers=self._answers(answer, media_type) if _is_schema(answer) else (),
            problem=problem,
        )

    def _base(self, holder: Holder) -> str:
        own = _text(holder.schema.get("base")) if holder.names else ""
        return resolve(self.base_url, own)

    def _answers(self, schema: Any, media_type: str) -> tuple[Answer, ...]:
        return (Answer("default", "", {media_type or JSON: self._schema(schema)}),)

    def _schema(self, raw: Any) -> JSONSchema:
        return JSONSchema(raw, self.references)

    def _shape(self, raw: Any) -> _Shape:
        schema = self._schema(raw).resolved
        found = self._read.get(id(schema.source))
        if found is None:
            shape = _Shape(schema.source, schema.properties, frozenset(schema.required))
            found = self._read[id(schema.source)] = shape
        return found

    # The fields of the URL

    def _url_fields(
        self, raw: Mapping[str, Any], template: Template, holder: Holder
    ) -> list[Field]:
        inputs = self._shape(raw.get("hrefSchema"))
        required = {*_texts(raw.get("templateRequired")), *inputs.required}
        found = {each.name: each for each in variables(template.url)}
        return [
            self._url_field(each, template, holder, inputs, required) for each in found.values()
        ]

    def _url_field(
        self,
        variable: Variable,
        template: Template,
        holder: Holder,
        inputs: _Shape,
        required: set[str],
    ) -> Field:
        origin = template.origins.get(variable.name, variable.name)
        schema = inputs.properties.get(origin) or self._variable_schema(origin, holder)
        return Field(
            name=variable.name,
            required=not variable.optional or origin in required,
            location="path",
            schema=schema,
            description=schema.description if schema else None,
        )

    def _variable_schema(self, origin: str, holder: Holder) -> JSONSchema | None:
        if "#" in origin or "/" in origin:
            found = self.references(origin)
            return None if found is None else self._schema({"$ref": origin})
        return self._shape(holder.schema).properties.get(origin)

    # The fields of the body, the query and the headers

    def _body(self, raw: Mapping[str, Any], method: str, place: str) -> list[Field]:
        keyword = _body_keyword(raw, method)
        schema = raw[keyword] if keyword else None
        place = pointer(place, keyword or "")
        location = "query" if method in _QUERY_METHODS else "form"
        fields = self._named_fields(schema, location, place, keyword == "targetSchema")
        if fields or location == "query" or (keyword is None and "encType" not in raw):
            return fields
        return self._whole_body(schema)

    def _whole_body(self, schema: Any) -> list[Field]:
        described = self._schema(schema)
        if not described.source and schema is not None and schema is not True:
            return []
        # Objects accept anything by default; another type means a single value.
        is_object = bool(self._shape(schema).properties) or described.type_name in _OPTIONAL_BODIES
        text = described.description or None
        return [Field("data", not is_object, "body", described, description=text)]

    def _problem(self, raw: Mapping[str, Any], method: str, place: str) -> str:
        """Return why the body cannot be described, which is an issue, too; empty if it can."""
        keyword = _body_keyword(raw, method) or ""
        _, message = self._target(raw.get(keyword))
        if message:
            self.issues.add(pointer(place, keyword), message)
        return message

    def _target(self, node: Any) -> tuple[Any, str]:
        """Return what references lead to, or None and why it cannot be found."""
        for _ in range(MAX_REFERENCES):
            reference = node.get("$ref") if isinstance(node, Mapping) else None
            if not isinstance(reference, str):
                return node, ""
            node = self.references(reference)
            if node is None:
                return (
                    None,
                    f"The reference {reference[:200]!r} leads to no schema in this document",
                )
        return None, f"More than {MAX_REFERENCES} references lead to one another"

    def _named_fields(
        self, schema: Any, location: str, place: str, writing: bool = False
    ) -> list[Field]:
        shape = self._shape(schema)
        if len(shape.properties) > self._fields_left:
            self.issues.add(place, f"The document has more than {MAX_FIELDS} fields")
            return []
        self._fields_left -= len(shape.properties)
        return [
            Field(name, name in shape.required, location, inner, inner.description or None)
            for name, inner in shape.properties.items()
            if not (writing and inner.get("readOnly") is True)
        ]


def _body_keyword(raw: Mapping[str, Any], method: str) -> str | None:
    """Return the keyword with the schema of the request, which depends on draft and method."""
    keywords = ["schema"]
    if method not in _QUERY_METHODS:
        keywords += ["submissionSchema"] if method != "put" else ["targetSchema"]
    if method == "patch":
        keywords.append("targetSchema")
    return next((keyword for keyword in keywords if _is_schema(raw.get(keyword))), None)


def _encoding(raw: Mapping[str, Any], method: str) -> str:
    if method in _QUERY_METHODS:
        return ""
    return _text(raw.get("submissionMediaType")) or _text(raw.get("encType")) or JSON


def _is_schema(value: Any) -> bool:
    return isinstance(value, Mapping) or value is True


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
