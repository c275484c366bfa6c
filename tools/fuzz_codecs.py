"""Feed damaged descriptions to the codecs: ``python tools/fuzz_codecs.py [SECONDS] [FILE ...]``.

Descriptions (the recorded cases, or the given files) are changed at random places. The result
must be a document or a ParseError, within the time limit, and every document must be
written and read again. Prints each new kind of failure with its seed; ends with 1 if there was one.
"""

import json
import random
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from lintel_codecs.hal import HALCodec
from lintel_codecs.hyperschema import HyperSchemaCodec
from lintel_codecs.openapi import OpenAPICodec
from lintel_document import Codec, CoreJSONCodec, EncodeError, ParseError, json_schema
from lintel_document.links import Link

CASES = Path(__file__).parents[1] / "tests" / "data" / "client_cases.json"
LIMIT = 20.0
"""The most seconds of one description."""
ODD: list[Any] = [
    *(None, True, 0, -1, 1e308, 10**400, "", "x", "\ud800", "$ref", "#/", "{", "{+a*}", "//"),
    *([], {}, [None], {"": None}, {"$ref": "#"}, {"$ref": "#/paths"}, [[[[]]]], {"a": {"a": {}}}),
]


def main() -> int:
    arguments = sys.argv[1:]
    seconds = float(arguments.pop(0)) if arguments and arguments[0].isdigit() else 60.0
    sources = [json.loads(Path(name).read_bytes()) for name in arguments] or recorded()
    failures: set[str] = set()
    ends = time.monotonic() + seconds
    seed = 0
    while time.monotonic() < ends:
        seed += 1
        tried(random.Random(seed), sources, seed, failures)
    print(f"{seed} descriptions, {len(failures)} kinds of failures")
    return 1 if failures else 0


def recorded() -> list[Any]:
    """Return the recorded descriptions, also converted to other formats, with extensions."""
    plain = [case["doc"] for case in json.loads(CASES.read_bytes())["cases"]]
    documents = [OpenAPICodec().decode(json.dumps(each).encode()) for each in plain]
    old = [OpenAPICodec().encode(document, version="2.0") for document in documents]
    others = [codec.encode(each) for codec in (HALCodec(), CoreJSONCodec()) for each in documents]
    return [*plain, *map(json.loads, [*old, *others])]


def tried(chance: random.Random, sources: list[Any], seed: int, failures: set[str]) -> None:
    tree = json.loads(json.dumps(chance.choice(sources)))
    for _ in range(chance.randint(1, 6)):
        damage(chance, tree)
    content = json.dumps(tree).encode()
    if chance.random() < 0.2:
        cut = chance.randrange(len(content))
        content = content[:cut] + bytes([chance.randrange(256)]) + content[cut + 1 :]
    codec = chance.choice([OpenAPICodec(), HALCodec(), HyperSchemaCodec(), CoreJSONCodec()])
    try:
        check(codec, content, chance)
    except Exception:
        kind = " < ".join(traceback.format_exc().strip().splitlines()[-3:])
        if kind not in failures:
            failures.add(kind)
            print(f"seed {seed}, {type(codec).__name__}:\n{traceback.format_exc()}", flush=True)


def damage(chance: random.Random, tree: Any) -> None:
    """Put something odd, or a part of the tree itself, at a random place."""
    node = tree
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = chance.choice(keys)
        if not isinstance(node[key], dict | list) or chance.random() < 0.2:
            node[key] = json.loads(json.dumps(chance.choice([*ODD, node[key], keys])))
            return
        node = node[key]


def check(codec: Codec, content: bytes, chance: random.Random) -> None:
    started = time.process_time()
    try:
        document = codec.decode(content, base_url="https://h.example/d/openapi.json")
    except ParseError:
        return
    for link in links(document):
        for field in link.fields:
            json_schema(field.schema)
        repr(link.answers)
    writer = OpenAPICodec()
    try:
        written = writer.encode(document, version=chance.choice(["3.1", "3.0", "2.0"]))
    except EncodeError:
        return
    again = writer.decode(written)
    if len(links(again)) != len(links(document)):
        raise AssertionError("operations were lost")
    if time.process_time() - started > LIMIT:
        raise AssertionError("it took too long")


def links(node: Any) -> list[Link]:
    if isinstance(node, Link):
        return [node]
    inner = node.values() if hasattr(node, "values") else node if is_list(node) else ()
    return [link for value in inner for link in links(value)]


def is_list(node: Any) -> bool:
    return hasattr(node, "__iter__") and not isinstance(node, str | bytes)


if __name__ == "__main__":
    sys.exit(main())
