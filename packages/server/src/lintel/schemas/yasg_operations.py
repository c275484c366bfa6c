"""What decorators of drf-yasg say of operations, as far as OpenAPI 3 has it.

They leave one dictionary on the handler, or on the function of a view: arguments by name, or by
method. Parameters, responses and schemas are mappings in terms of Swagger 2.
"""

from collections.abc import Mapping
from typing import Any

from django.views.generic import View

from lintel.fields.describing import Schema
from lintel.schemas.extending import MISSING, Extension, OpenApiExample, OpenApiResponse
from lintel.views import APIView

ATTRIBUTE = "_swagger_auto_schema"

#: Arguments of ``swagger_auto_schema`` that ``extend_schema`` has under another name.
NAMES = {
    "operation_id": "operation_id",
    "operation_summary": "summary",
    "operation_description": "description",
    "tags": "tags",
    "deprecated": "deprecated",
    "security": "auth",
}

#: Keywords of a parameter of Swagger 2 that are not about its values.
OF_PARAMETER = frozenset(["name", "in", "description", "required", "allowEmptyValue"])


def yasg_extensions(view: APIView, method: str) -> list[Extension]:
    """What ``@swagger_auto_schema`` says of an operation."""
    name = getattr(view, "action", None) or method.lower()
    for place in (getattr(view, name, None), getattr(view, "_lintel_callback", None)):
        said = getattr(place, ATTRIBUTE, None)
        if isinstance(said, Mapping):
            by_method = said.keys() <= set(View.http_method_names)
            given = said.get(method.lower(), {}) if by_method else said
            return [_extension(dict(given))] if given else []
    return []


def _extension(given: Schema) -> Extension:
    said: dict[str, Any] = {
        ours: given[theirs] for theirs, ours in NAMES.items() if given.get(theirs) is not None
    }
    parameters = list(given.get("manual_parameters") or ())
    sent = [parameter for parameter in parameters if parameter.get("in") in ("body", "formData")]
    said["parameters"] = [_parameter(item) for item in parameters if item not in sent]
    if given.get("query_serializer") is not None:
        said["parameters"].append(given["query_serializer"])
    if sent or given.get("request_body") is not None:
        said["request"] = _body(given.get("request_body"), sent)
    if given.get("responses"):
        said["responses"] = {
            str(status): _response(response) for status, response in given["responses"].items()
        }
    if given.get("auto_schema", MISSING) is None:
        said["exclude"] = True
    extra = {key: value for key, value in given.items() if key.startswith(("x-", "x_"))}
    said["extensions"] = {key.replace("_", "-"): value for key, value in extra.items()}
    return Extension(**said)


def _parameter(given: Schema) -> Schema:
    value = given.get("schema") or {
        key: said
        for key, said in given.items()
        if key not in OF_PARAMETER and key != "collectionFormat"
    }
    lists = {"explode": given["collectionFormat"] == "multi"} if "collectionFormat" in given else {}
    return {
        "name": given["name"],
        "in": given["in"],
        "description": given.get("description") or "",
        "required": bool(given.get("required")) or given["in"] == "path",
        "schema": in_words(value),
        **lists,
    }


def _body(given: object, sent: list[Schema]) -> object:
    """The body; the parameters that stand for its parts, if there are any."""
    if getattr(given, "__name__", "") == "no_body":
        return None
    if given is not None:
        return in_words(given)
    whole = [parameter for parameter in sent if parameter["in"] == "body"]
    if whole:
        return in_words(whole[0].get("schema") or {})
    parts = {parameter["name"]: _parameter(parameter)["schema"] for parameter in sent}
    required = [parameter["name"] for parameter in sent if parameter.get("required")]
    form = {"type": "object", "properties": parts, **({"required": required} if required else {})}
    return {"multipart/form-data": form}


def _response(given: object) -> object:
    if given is None or isinstance(given, str):
        return OpenApiResponse(None, given or "")
    if not isinstance(given, Mapping) or "description" not in given or "type" in given:
        return in_words(given)
    examples = [
        OpenApiExample(name, value=value, media_type=name)
        for name, value in (given.get("examples") or {}).items()
    ]
    return OpenApiResponse(in_words(given.get("schema")), given["description"], examples)


def in_words(value: object) -> Any:
    """A schema in the words of OpenAPI 3; a serializer as it is."""
    if isinstance(value, Mapping):
        plain = {key: in_words(inner) for key, inner in value.items()}
        if plain.get("type") == "file":
            plain.update(type="string", format="binary")
        if plain.pop("x-nullable", False):
            plain["nullable"] = True
        return plain
    return [in_words(inner) for inner in value] if isinstance(value, list | tuple) else value
