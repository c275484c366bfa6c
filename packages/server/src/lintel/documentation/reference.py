"""What the page shows of each operation beyond the native schema: values, errors, deprecation.

generator ──service_for_pages──▶ tree ──reference_of──▶ parts by the keys of the operation
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from http.client import responses
from typing import Any

from django.utils.translation import gettext as _

from lintel.documentation.believable import called
from lintel.documentation.examples import Examples, kind_of
from lintel.documentation.values import Table, as_json, choices_of, facts_of, schema_name
from lintel.problems.catalogue import CODES, COMPONENTS, RESPONSE_CODES
from lintel.renderers.documentation import walk
from lintel.request import Request
from lintel.retirement import Deprecation
from lintel.schemas.assembling import joined
from lintel.schemas.documenting import service_for_pages
from lintel.schemas.generators import BaseSchemaGenerator
from lintel.schemas.tree import MediaContent, Operation, ResponseDescription, Schema, Service
from lintel_document import Document

MEANINGS: Mapping[str, str] = {entry.code: entry.meaning for entry in CODES}

#: The addresses of pages in the examples of paginators, which know no view.
HOST = "http://api.example.org"
SOME_PAGES = f"{HOST}/accounts/"

#: The end of a cursor in the known interface's example, which has a quotation mark too many.
QUOTED = '%3D\\"'

#: Parts by the keys of an operation in the native document; None for one that the description
#: leaves out, because of @extend_schema(exclude=True) or its version.
Reference = dict[tuple[str, ...], "Parts | None"]


class Parts(dict[str, Any]):
    """The details of one operation for templates. Expensive ones are properties."""

    def __init__(self, operation: Operation, service: Service, examples: Examples) -> None:
        super().__init__(
            summary=operation.summary or "",
            deprecated=operation.deprecated,
            deprecation=operation.deprecation or Deprecation(),
            security=security_of(operation, service),
            is_open=not operation.security or {} in operation.security,
        )
        self.operation, self.examples = operation, examples

    @cached_property
    def fields(self) -> dict[str, dict[str, object]]:
        result: dict[str, dict[str, object]] = {}
        body = self.operation.body
        for content in body.content[:1] if body else ():
            schema = self.examples.resolve(content.schema)
            properties = schema.get("properties", {})
            for name, value in properties.items():
                result[name] = field_of(value, self.examples, called(name, properties))
        for parameter in self.operation.parameters or ():
            value = {**parameter.value.get("schema", {}), **_examples_of(parameter.value)}
            result[parameter.name] = field_of(value, self.examples, parameter.name)
        return result

    @cached_property
    def whole(self) -> dict[str, object]:
        """What a parameter that is the whole body is shown with; the schema stands elsewhere."""
        contents = self.operation.body.content if self.operation.body else ()
        samples = [plain(self.examples.of(content.schema)) for content in contents[:1]]
        return {"example": samples[0]} if samples and samples[0] is not None else {}

    @cached_property
    def body(self) -> dict[str, object] | None:
        body = self.operation.body
        if body is None or not body.content:
            return None
        return {
            "description": body.extra.get("description") or "",
            "media_types": [content.media_type for content in body.content],
            "values": contents_of(body.content, self.examples, is_sent=True),
        }

    @cached_property
    def responses(self) -> list[dict[str, object]]:
        responses = self.operation.responses or ()
        return [response_of(item, self.examples) for item in responses if not is_error(item)]

    @cached_property
    def answers(self) -> list[dict[str, str]]:
        """Samples of responses without errors, the first one first."""
        path = re.sub(r"{\w+}", "1", self.operation.path)
        samples = [answer for response in self.responses for answer in answers_of(response)]
        texts = [item["text"].replace(SOME_PAGES, HOST + path) for item in samples]
        return [
            {**item, "text": text.replace(QUOTED, QUOTED[:-2])}
            for item, text in zip(samples, texts, strict=True)
        ]

    @cached_property
    def errors(self) -> list[dict[str, object]]:
        responses = filter(is_error, self.operation.responses or ())
        return [response_of(item, codes=self.codes_of(item.status)) for item in responses]

    def codes_of(self, status: str) -> tuple[str, ...]:
        """Leave out what this operation cannot give."""
        impossible = {"not_authenticated"} if self["is_open"] else set()
        if not self.operation.body:
            impossible.add("parse_error")
        if self.operation.method not in ("POST", "PATCH"):
            impossible |= {code for code in codes_of(status) if code.startswith("idempotency_")}
        return tuple(code for code in codes_of(status) if code not in impossible)

    @cached_property
    def error_bodies(self) -> list[dict[str, object]]:
        statuses: dict[str, list[str]] = {}
        contents = []
        for response in filter(is_error, self.operation.responses or ()):
            for content in response.content or ():
                statuses.setdefault(as_json(content.schema), []).append(response.status)
                contents.append(content)
        return [
            {
                **body,
                "examples": real_error(body["schema"], self.examples) or body["examples"],
                "statuses": list(dict.fromkeys(statuses[as_json(body["schema"])])),
            }
            for body in contents_of(contents, self.examples)
        ]


def reference_of(
    generator: BaseSchemaGenerator,
    request: Request,
    public: bool,
    document: Document,
    shows_values: bool = True,
) -> Reference:
    service = service_for_pages(generator, request, public, shows_values)
    examples = Examples({component.name: component.schema for component in service.components})
    by_place: dict[tuple[str, str], list[Parts]] = {}
    for operation in service.operations:
        parts = Parts(operation, service, examples)
        by_place.setdefault((operation.path, operation.method), []).append(parts)
    _, endpoints = generator._get_paths_and_endpoints(None)
    asked = {(joined(generator.url, path), method) for path, method, _view in endpoints}
    result: Reference = {}
    for keys, link in walk(document):
        place = link.url, str(link.action).upper()
        if by_place.get(place):
            result[keys] = by_place[place].pop(0)
        elif place in asked:
            result[keys] = None
    return result


#: What lintel's own error bodies look like.
ERRORS: Mapping[str, object] = {
    "Error": {"detail": "Not found."},
    "ValidationErrors": {"name": ["This field is required."]},
    "Problem": {
        "type": "about:blank",
        "title": "Bad Request",
        "status": 400,
        "detail": "Invalid input.",
        "code": "invalid",
        "errors": [{"pointer": "/name", "code": "required", "detail": "This field is required."}],
    },
}


def real_error(schema: object, examples: Examples) -> list[dict[str, str]]:
    """Empty for a body that the project describes."""
    name = schema_name(schema)
    is_ours = name in ERRORS and examples.components.get(name) == COMPONENTS[name]
    return [{"name": "", "text": written(ERRORS[name])}] if is_ours else []


def security_of(operation: Operation, service: Service) -> list[dict[str, object]]:
    schemes = {scheme.name: scheme.value for scheme in service.security_schemes}
    named = {name: scopes for choice in operation.security or () for name, scopes in choice.items()}
    return [
        {**schemes.get(name, {}), "id": name, "scopes": scopes} for name, scopes in named.items()
    ]


def field_of(schema: object, examples: Examples, name: str) -> dict[str, object]:
    resolved = examples.resolve(schema)
    kind = kind_of(resolved)
    return {
        "type_text": Table(examples).type_text(schema),
        "facts": list(facts_of(resolved)),
        "example": plain(examples.of(schema, name=name)),
        "has_default": "default" in resolved,
        "default": plain(resolved.get("default")),
        "choices": plain(choices_of(resolved, examples)),
        "is_list": kind == "array",
        "kind": kind,
        "value_format": resolved.get("format") or "",
        "deprecated": bool(resolved.get("deprecated")),
        "note": resolved.get("description") or "",
    }


def plain(value: object) -> object:
    return json.loads(as_json(value), parse_constant=str)


def _examples_of(value: Schema) -> dict[str, object]:
    named = [example.get("value") for example in value.get("examples", {}).values()]
    return {"examples": named} if named else {k: value[k] for k in ("example",) if k in value}


def contents_of(
    contents: Iterable[MediaContent], examples: Examples, is_sent: bool = False
) -> list[dict[str, object]]:
    """Merged if they share a schema; ``is_sent``: whether clients send them."""
    groups: dict[str, list[MediaContent]] = {}
    for content in contents:
        groups.setdefault(as_json(content.schema), []).append(content)
    return [
        {
            "media_types": list(dict.fromkeys(content.media_type for content in group)),
            "schema": group[0].schema,
            "table": Table(examples, is_sent).write(group[0].schema) if group[0].schema else "",
            "examples": list(examples_of(group[0], examples)),
        }
        for group in groups.values()
    ]


def examples_of(content: MediaContent, examples: Examples) -> Iterator[dict[str, str]]:
    named = content.extra.get("examples", {})
    for name, example in named.items() if isinstance(named, Mapping) else ():
        if isinstance(example, Mapping) and "value" in example:
            yield {"name": example.get("summary") or name, "text": written(example["value"])}
    if "example" in content.extra:
        yield {"name": "", "text": written(content.extra["example"])}
    elif not named and content.schema and "json" in content.media_type:
        yield {"name": "", "text": written(examples.of(content.schema))}


def written(value: object) -> str:
    return value if isinstance(value, str) else as_json(value, indent=2)


def is_error(response: ResponseDescription) -> bool:
    return response.status[:1] in ("4", "5")


def response_of(
    response: ResponseDescription, examples: Examples | None = None, codes: Iterable[str] = ()
) -> dict[str, object]:
    status = response.status
    phrase = responses.get(int(status), "") if status.isdecimal() else ""
    return {
        "status": status,
        "phrase": phrase,
        "description": "" if response.description == phrase else response.description or "",
        "codes": [
            {"code": code, "meaning": _(MEANINGS[code]) if code in MEANINGS else ""}
            for code in codes
        ],
        "headers": [
            {"name": header.name, "description": header.value.get("description", "")}
            for header in response.headers
        ],
        "contents": contents_of(response.content or (), examples) if examples else [],
    }


def answers_of(response: Mapping[str, Any]) -> list[dict[str, str]]:
    contents = response["contents"]
    samples = [sample for content in contents for sample in content["examples"]]
    media_types = [media_type for content in contents for media_type in content["media_types"]]
    return [
        {
            "status": response["status"],
            "title": sample["name"] or response["phrase"],
            "media_type": "" if sample["text"] else ", ".join(media_types),
            "text": sample["text"],
        }
        for sample in samples or [{"name": "", "text": ""}]
    ]


def codes_of(status: str) -> tuple[str, ...]:
    """``invalid`` stands for all errors of single values."""
    codes = tuple(entry.code for entry in RESPONSE_CODES if str(entry.status) == status)
    return (*codes, "invalid") if status == "400" else codes
