"""Core JSON cases: native schema documents, their encoding, and the endpoints that serve them."""

import base64
import decimal
import importlib
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from contract_replay import http, isolation, openapi, support, target
from contract_replay.cases import Case, Suite, any_error, read

Facts = dict[str, Any]
DESCRIPTION = {"id", "kind", "patterns", "arguments", "public", "user", "request_path", "given"}
DESCRIPTION |= {"api_settings", "field", "class", "method", "path", "headers", "input", "base_url"}


def load(facts: Path) -> list[Case]:
    boot = json.dumps(
        {"DEFAULT_SCHEMA_CLASS": f"{target.current.package}.schemas.coreapi.AutoSchema"}
    )
    recorded = read(facts / "corejson_cases.json")["cases"]
    return [Case(each["id"], f"native-{each['kind']}", each, boot) for each in recorded]


def expected(case: Case) -> Any:
    return {key: item for key, item in case.facts.items() if key not in DESCRIPTION}


def play(case: Case) -> Any:
    settings = {"settings": {"ROOT_URLCONF": "contract_project.corejson_views"}}
    with isolation.fresh({**case.facts, **settings}), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return openapi.attempted(lambda: KINDS[case.facts["kind"]](case.facts))


def kit() -> SimpleNamespace:
    """The document model: document classes, value schemas, the codec."""
    if target.current.package == "rest_framework":
        model = importlib.import_module("coreapi")
        schemas = importlib.import_module("coreschema")
        return SimpleNamespace(model=model, schemas=schemas, codec=model.codecs.CoreJSONCodec)
    model = importlib.import_module("lintel_document")
    return SimpleNamespace(model=model, schemas=model.schemas, codec=model.CoreJSONCodec)


# ---- documents ----


def document(facts: Facts) -> Facts:
    views = importlib.import_module("contract_project.corejson_views")
    arguments = facts.get("arguments", {"title": "Pastebin API"})
    generator = views.SchemaGenerator(patterns=views.PATTERNS[facts["patterns"]], **arguments)
    request = None
    if "request_path" in facts:
        request = openapi.request_of(facts["user"], facts["request_path"])
    made = generator.get_schema(request, facts["public"])
    if made is None:
        return {"document": None}
    return {"document": encoded(made), "definition": definition(made)}


def encoded(tree: Any) -> Any:
    """JSON that the package's renderer writes for a document."""
    return json.loads(target.current.module("renderers").CoreJSONRenderer().render(tree, None, {}))


def definition(made: Any) -> Facts:
    links = [{"keys": keys, **described_link(link)} for keys, link in links_of(made, [])]
    return {**texts(made, "url", "title", "description", "media_type"), "links": links}


def links_of(node: Any, keys: list[str]) -> Iterator[tuple[list[str], Any]]:
    """Links below a node, with the keys that lead to each."""
    for key, item in node.items():
        if type(item).__name__ == "Link":
            yield [*keys, key], item
        elif hasattr(item, "items"):
            yield from links_of(item, [*keys, key])


def texts(node: Any, *names: str) -> Facts:
    return {name: getattr(node, name) for name in names}


def described_link(link: Any) -> Facts:
    names = ("url", "action", "encoding", "transform", "title", "description")
    return {**texts(link, *names), "fields": [described_field(field) for field in link.fields]}


def described_field(field: Any) -> Facts:
    names = ("name", "required", "location", "type", "description", "example")
    return {**texts(field, *names), "schema": described_schema(field.schema)}


def described_schema(schema: Any) -> Any:
    """Class, texts and the constraints that are set, of a value schema."""
    if schema is None:
        return None
    out = {"type": type(schema).__name__, **texts(schema, "title", "description")}
    for name in ("enum", "format", "minimum", "maximum", "unique_items"):
        value = getattr(schema, name, None)
        if value is not None:
            out[name] = list(value) if name == "enum" else value
    if getattr(schema, "items", None) is not None and type(schema).__name__ == "Array":
        out["items"] = described_schema(schema.items)
    if getattr(schema, "properties", None):
        out["properties"] = {
            name: described_schema(item) for name, item in schema.properties.items()
        }
    return out


# ---- parts ----


def one_field(facts: Facts) -> Facts:
    inspectors = target.current.module("schemas.coreapi")
    schema = inspectors.field_to_schema(support.evaluate(f"bound({facts['field']})"))
    text = json.dumps(described_schema(schema), default=as_number_or_text)
    return {"output": json.loads(text.replace(str(target.current.project), "{PROJECT}"))}


def as_number_or_text(value: Any) -> Any:
    """What the facts write for a choice that JSON cannot carry."""
    return float(value) if isinstance(value, decimal.Decimal) else str(value)


def schema_fields(facts: Facts) -> Facts:
    name, _, extra = facts["class"].partition("+")
    module = "pagination" if "Pagination" in name else "filters"
    subject = getattr(target.current.module(module), name)()
    if extra:
        setattr(subject, extra, "size")
    return {"fields": [described_field(field) for field in subject.get_schema_fields(None)]}


def codec(facts: Facts) -> Facts:
    renderers = target.current.module("renderers")
    kinds = {
        "renderer": renderers.CoreJSONRenderer,
        "script_renderer": renderers.SchemaJSRenderer,
    }
    own = kit().codec
    shown = {key: texts(kind, "media_type", "format", "charset") for key, kind in kinds.items()}
    read_types = own().get_media_types()
    return {**texts(own, "media_type", "format"), "accepted_media_types": read_types, **shown}


def encode(facts: Facts) -> Facts:
    return {"output": json.loads(kit().codec().encode(built(facts["given"])))}


def decode(facts: Facts) -> Facts:
    content = facts["input"].encode()
    return {"output": described_tree(kit().codec().decode(content, base_url=facts["base_url"]))}


def built(given: Any) -> Any:
    """Tree of documents and links that a description stands for."""
    if isinstance(given, list):
        return [built(item) for item in given]
    if not isinstance(given, dict):
        return given
    if "class" not in given:
        return {key: built(item) for key, item in given.items()}
    arguments = {key: item for key, item in given.items() if key != "class"}
    if "content" in arguments:
        arguments["content"] = built(arguments["content"])
    if "fields" in arguments:
        arguments["fields"] = [built_field(field) for field in arguments["fields"]]
    return getattr(kit().model, given["class"])(**arguments)


def built_field(given: Facts) -> Any:
    return kit().model.Field(**{**given, "schema": built_schema(given["schema"])})


def built_schema(given: Any) -> Any:
    if given is None:
        return None
    arguments = {key: item for key, item in given.items() if key != "type"}
    if "items" in arguments:
        arguments["items"] = built_schema(arguments["items"])
    if "properties" in arguments:
        arguments["properties"] = {
            key: built_schema(item) for key, item in arguments["properties"].items()
        }
    return getattr(kit().schemas, given["type"])(**arguments)


def described_tree(node: Any) -> Any:
    """Description of a decoded tree, in the notation of the facts."""
    kind = type(node).__name__
    if kind == "Link":
        return {"class": kind, **described_link(node)}
    if hasattr(node, "items"):
        content = {key: described_tree(item) for key, item in node.items()}
        if kind == "Document":
            parts = texts(node, "url", "title", "description")
            return {"class": kind, **parts, "content": content}
        return (
            {"class": kind, "title": node.title, "content": content} if kind == "Error" else content
        )
    if isinstance(node, (list, tuple)) or kind == "Array":
        return [described_tree(item) for item in node]
    return node


# ---- endpoints ----


def exchange(facts: Facts) -> Facts:
    from django.test import Client

    client = Client(raise_request_exception=False)
    response = http.send(client, facts, facts["path"])
    shape = {"json": None} if "json" in facts["response"] else facts["response"]
    out = http.described(response, shape)
    out.pop("text", None) if "json" in out else None
    text = out.get("text", "")
    if "yaml" in facts["response"]:
        import yaml

        out["yaml"] = yaml.safe_load(out.pop("text"))
    if "script" in facts["response"]:
        del out["text"]
        out |= {"script": True, **described_script(text)}
    return {"response": out}


def described_script(text: str) -> Facts:
    """Names that a script sets and reads on `window`, and the document it carries."""
    assigned = set(re.findall(r"window\.(\w+)\s*=(?!=)", text))
    used = set(re.findall(r"window\.(\w+)", text)) - assigned
    carried = re.findall(r"""['"]([A-Za-z0-9+/=]{40,})['"]""", text)
    embedded = json.loads(base64.b64decode(carried[0])) if carried else None
    return {"assigns": sorted(assigned), "uses": sorted(used), "embedded_document": embedded}


KINDS = {
    "document": document,
    "field": one_field,
    "get_schema_fields": schema_fields,
    "codec": codec,
    "encode": encode,
    "decode": decode,
    "http": exchange,
}


def relax(outcome: Any) -> Any:
    """Outcome in which links and methods are sorted: their order is not compared."""
    outcome = any_error(outcome)
    if "definition" in outcome:
        links = sorted(outcome["definition"]["links"], key=lambda link: link["keys"])
        return {**outcome, "definition": {**outcome["definition"], "links": links}}
    if "response" in outcome:
        return {"response": http.relax([outcome["response"]])[0]}
    return outcome


SUITE = Suite("corejson_cases", load, expected, play, relax)
