"""OpenAPI cases: documents, and the descriptions of fields, serializers, paginators, filters."""

import importlib
import io
import json
import warnings
from pathlib import Path
from typing import Any

from contract_replay import isolation, support, target
from contract_replay.cases import Case, Suite, any_error, raised, read

Facts = dict[str, Any]
OUTCOME_KEYS = (
    "output",
    "raises",
    "warnings",
    "map_field",
    "map_serializer",
    "component_name",
    "parameters",
    "response",
)


def load(facts: Path) -> list[Case]:
    recorded = read(facts / "openapi_cases.json")["cases"]
    return [Case(each["id"], f"openapi-{each['kind']}", each) for each in recorded]


def expected(case: Case) -> Any:
    return {key: case.facts[key] for key in OUTCOME_KEYS if key in case.facts}


def play(case: Case) -> Any:
    """What the package describes, with the categories of the warnings it gives."""
    with isolation.fresh(case.facts), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        outcome = attempted(lambda: KINDS[case.facts["kind"]](case.facts))
    shown = [each.category.__name__ for each in seen if each.category.__name__ not in IGNORED]
    return outcome | ({"warnings": shown} if shown else {})


IGNORED = ("ResourceWarning", "PendingDeprecationWarning", "DeprecationWarning")


def attempted(describe: Any) -> Facts:
    try:
        return describe()
    except Exception as error:
        return raised(error, target.current.package)


def as_json(value: Any) -> Any:
    """Value as it looks in a JSON document, names of the project's directory replaced."""
    encoder = target.current.module("utils.encoders").JSONEncoder
    text = json.dumps(value, cls=encoder)
    return json.loads(text.replace(str(target.current.project), "{PROJECT}"))


# ---- documents ----


def generator(title: str | None, patterns: str, **arguments: Any) -> Any:
    views = importlib.import_module("contract_project.openapi_views")
    kind = target.current.module("schemas.openapi").SchemaGenerator
    return kind(title=title, patterns=views.PATTERNS[patterns], **arguments)


def whole_document(facts: Facts) -> Facts:
    document = generator("Sample", facts["patterns"]).get_schema(public=True)
    return {"output": as_json(document)}


def with_arguments(facts: Facts) -> Facts:
    if "user" in facts:
        return paths_seen_by(facts)
    arguments = {"title": None, **facts["arguments"]}
    return {
        "output": as_json(
            generator(patterns=facts["patterns"], **arguments).get_schema(public=True)
        )
    }


def paths_seen_by(facts: Facts) -> Facts:
    request = request_of(facts["user"], "/")
    document = generator("Sample", facts["patterns"]).get_schema(request, facts["public"])
    return {"output": sorted(document["paths"])}


def request_of(username: str | None, path: str) -> Any:
    """A request of the package, made by a user of the fixtures or by nobody."""
    from django.contrib.auth.models import AnonymousUser, User
    from django.test import RequestFactory

    request = target.current.module("request").Request(RequestFactory().get(path))
    request.user = User.objects.get(username=username) if username else AnonymousUser()
    return request


def command(facts: Facts) -> Facts:
    from django.core.management import call_command

    out = io.StringIO()
    arguments = target.current.own_names(facts["arguments"])
    call_command("generateschema", *arguments, stdout=out)
    text = out.getvalue().replace(str(target.current.project), "{PROJECT}")
    try:
        return {"output": json.loads(text)}
    except ValueError:
        import yaml

        return {"output": {"yaml": yaml.safe_load(text)}}


# ---- parts ----


def inspector() -> Any:
    return target.current.module("schemas.openapi").AutoSchema()


def one_field(facts: Facts) -> Facts:
    """A field on its own, and as the only field of a serializer."""
    holder = type(
        "Holder", (support.namespace()["Serializer"],), {"f": support.evaluate(facts["field"])}
    )
    alone = support.evaluate(facts["field"])
    return {
        "map_field": attempted(lambda: {"output": as_json(inspector().map_field(alone))}),
        "map_serializer": attempted(
            lambda: {"output": as_json(inspector().map_serializer(holder()))}
        ),
    }


def one_serializer(facts: Facts) -> Facts:
    serializer = support.evaluate(facts["serializer"])()
    return {
        "component_name": inspector().get_component_name(serializer),
        "output": as_json(inspector().map_serializer(serializer)),
    }


def one_paginator(facts: Facts) -> Facts:
    name = facts["class"].rpartition(".")[2]
    paginator = getattr(importlib.import_module("contract_project.openapi_views"), name)()
    schema = {"type": "array", "items": {}}
    return {
        "parameters": as_json(paginator.get_schema_operation_parameters(None)),
        "response": as_json(paginator.get_paginated_response_schema(schema)),
    }


def one_filter(facts: Facts) -> Facts:
    module, _, name = facts["class"].rpartition(".")
    backend = getattr(target.current.module(module), name)()
    return {"parameters": as_json(backend.get_schema_operation_parameters(None))}


KINDS = {
    "patterns": whole_document,
    "generator": with_arguments,
    "field": one_field,
    "serializer": one_serializer,
    "paginator": one_paginator,
    "filter": one_filter,
    "command": command,
}

SUITE = Suite("openapi_cases", load, expected, play, any_error)
