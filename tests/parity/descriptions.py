"""Every description of an API among the data of the tests, to be read by each client."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from service_description import description

from lintel_codecs.openapi import OpenAPICodec
from lintel_codecs.trees import read_tree

REPOSITORY = Path(__file__).resolve().parents[2]
#: Descriptions that `make clients` calls, beside those of the example service.
CHOSEN = (
    *("github-16.0.0.json", "github-19.1.0.json", "client_types.json", "ecosystem_document.json"),
)
FORMATS = ("openapi", "corejson", "hal", "jsonhyperschema")

_ORIGIN = re.compile(r"^[A-Za-z{][A-Za-z0-9_+.{}-]*://[^/?#]*")
_URLS = ("url", "href", "target", "base", "default")


@dataclass(frozen=True)
class Description:
    """A description in one of the formats, as JSON; ``name`` says where it is from."""

    name: str
    format: str
    tree: Mapping[str, Any]

    def at(self, url: str) -> str:
        """Return its text with the servers at another URL, such as ``http://127.0.0.1:8000``."""
        return json.dumps(_moved(self.tree, url), ensure_ascii=False)


def format_of(tree: Mapping[str, Any]) -> str:
    """Return the format that an object is a description in, empty if in none."""
    if isinstance(tree.get("paths"), Mapping) and ("openapi" in tree or "swagger" in tree):
        return "openapi"
    if tree.get("_type") == "document":
        return "corejson"
    named = tree.get("format")
    return named if named in FORMATS and isinstance(tree.get("description"), Mapping) else ""


@cache
def all_descriptions() -> tuple[Description, ...]:
    """Return the descriptions in JSON files below the folders of tests, each once."""
    files = sorted(
        path
        for folder in ("tests", *(f"packages/{each.name}/tests" for each in _packages()))
        for path in (REPOSITORY / folder).rglob("*.json")
        if "node_modules" not in path.parts
    )
    found: dict[str, Description] = {}
    for path in files:
        place = str(path.relative_to(REPOSITORY))
        for each in _inside(place, json.loads(path.read_text())):
            found.setdefault(json.dumps([each.format, each.tree]), each)
    return tuple(found.values())


def _packages() -> Iterator[Path]:
    return (each for each in (REPOSITORY / "packages").iterdir() if (each / "tests").is_dir())


def _inside(place: str, node: Any) -> Iterator[Description]:
    if isinstance(node, Mapping):
        kind = format_of(node)
        if kind:
            own = node["description"] if "format" in node and kind == node["format"] else node
            yield Description(place, kind, own)
            return
        for key, value in node.items():
            name = node.get("id") if key in ("doc", "description", "document") else key
            yield from _inside(f"{place}:{name}", value)
    elif isinstance(node, list):
        for at, item in enumerate(node):
            name = item.get("id", at) if isinstance(item, Mapping) else at
            yield from _inside(f"{place}:{name}", item)


def _moved(node: Any, url: str) -> Any:
    if isinstance(node, list):
        return [_moved(item, url) for item in node]
    if not isinstance(node, Mapping):
        return node
    moved = {key: _moved_member(key, value, url) for key, value in node.items()}
    if "swagger" in node and "paths" in node:
        scheme, _, host = url.partition("://")
        moved |= {"host": host, "schemes": [scheme]}
    return moved


def _moved_member(key: str, value: Any, url: str) -> Any:
    if key in _URLS and isinstance(value, str):
        return _ORIGIN.sub(url, value)
    return ["http"] if key == "schemes" and isinstance(value, list) else _moved(value, url)


def named_descriptions(paths: Sequence[Path]) -> Iterator[Description]:
    """Return the descriptions in files of JSON or YAML; without any, six of those of the tests."""
    for path in paths:
        root = read_tree(path.read_bytes()).root
        yield Description(path.name, format_of(root), root)
    if not paths:
        yield from _chosen()


def _chosen() -> Iterator[Description]:
    own = {each.name: each for each in all_descriptions() if each.format == "openapi"}
    yield from (own[name] for name in own if name.rpartition("/")[2] in CHOSEN)
    document = OpenAPICodec().decode(description("3.1").encode())
    for version in ("3.1", "2.0"):
        tree = json.loads(OpenAPICodec().encode(document, version=version))
        yield Description(f"the example service in {version}", "openapi", tree)
