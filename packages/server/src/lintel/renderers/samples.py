"""Calls of one operation as code that runs as printed.

Values are examples; a file is called ``file.bin``, and secrets come from the environment:
``API_TOKEN``, or ``API_USER`` and ``API_PASSWORD``, or ``API_KEY``.
"""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pprint import pformat
from typing import Any
from urllib.parse import quote, urlencode, urljoin

Item = Mapping[str, Any]

FILE = "file.bin"

#: The line length at which lists and mappings are broken.
WIDTH = 60


def samples_of(item: Item, base: str) -> dict[str, str]:
    fields = chosen_fields(item)
    if not any(field["is_file"] for field in fields):
        item = {**item, "form_encoding": ""}
    return {
        "shell": shell(item, fields),
        "curl": curl(item, fields, base),
        "python": python(item, fields),
        "javascript": javascript(item, fields),
    }


def chosen_fields(item: Item) -> list[Item]:
    fields = item["fields"]
    chosen = [field for field in fields if field["required"]]
    body = [field for field in fields if field["location"] in ("form", "body")]
    if body and not any(field in chosen for field in body):
        chosen.append(next((field for field in body if not field["is_file"]), body[0]))
    return chosen


def form_of(item: Item) -> str:
    """Return the media type to choose because the first choice of the operation holds no file."""
    return str(item.get("form_encoding", ""))


def name_of(field: Item, item: Item) -> str:
    """Return the clients' name of a parameter: with its location if several share the name."""
    place = field["location"]
    # What a write takes in both the query and the body is the value in the body.
    hides = place in ("form", "body") and item["method"] not in ("GET", "HEAD", "OPTIONS", "QUERY")
    shared = [
        other
        for other in item["fields"]
        if other["name"] == field["name"] and not (hides and other["location"] == "query")
    ]
    return f"{place}.{field['name']}" if len(shared) > 1 and place else field["name"]


# ---- the command line ----


#: Commands of the executable: keys of the same name need the word ``action`` before them.
COMMANDS = frozenset(
    [
        *("get", "show", "describe", "action", "reload", "load", "issues", "dump", "clear"),
        *("credentials", "headers", "bookmarks", "history", "codecs", "stubs", "login", "edit"),
        *("logout", "doctor", "completion", "mcp"),
        *("request", "post", "put", "patch", "delete", "head", "options"),
    ]
)

#: Options of every call, which a parameter of the same name must not be mistaken for.
OPTIONS = frozenset(
    [
        *("action", "all", "api_version", "as", "body", "ca", "cert", "content_type", "csv"),
        *("data", "debug", "dry_run", "encoding", "file", "header", "help", "include"),
        *("insecure", "json", "ndjson", "no_auth", "no_reconnect", "output", "param", "raw"),
        *("filter", "help_all", "jmespath", "netrc", "reconnect", "resume", "retry", "reveal"),
        *("stream",),
        *("select", "server", "server_variable", "string", "table", "transform", "verbose"),
    ]
)


def shell(item: Item, fields: list[Item]) -> str:
    keys = item["keys"]
    parts = [shlex.join(["lintel", *(["action"] if needs_action(keys) else []), *keys])]
    parts += [_option(name_of(field, item), field) for field in fields]
    if form_of(item):
        parts.append(f"--encoding {form_of(item)}")
    one_line = " ".join(parts)
    return one_line if len(one_line) <= WIDTH else " \\\n    ".join(parts)


def needs_action(keys: list[str]) -> bool:
    return keys[0] in COMMANDS or not all(re.fullmatch(r"\w[\w-]*", key) for key in keys)


def _option(name: str, field: Item) -> str:
    value = field["example"]
    if reads_back(name, field):
        return f"--{name.replace('_', '-')} {shlex.quote(_plain(value))}"
    if field["is_file"]:
        return f"--file {shlex.quote(f'{name}={FILE}')}"
    if isinstance(value, str):
        # A text that starts with this sign would name a file.
        text = f"@{value}" if value.startswith("@") else value
        return f"--string {shlex.quote(f'{name}={text}')}"
    return f"--data {shlex.quote(f'{name}={_json(value)}')}"


def reads_back(name: str, field: Item) -> bool:
    """Return whether ``--name value`` is read as this value."""
    value = field["example"]
    kinds: dict[str, type] = {"string": str, "integer": int, "number": float}
    is_value = isinstance(value, kinds.get(field["type"], ())) and not isinstance(value, bool)
    is_text = str(value)[:1] not in ("", "@", "-")
    is_name = (
        re.fullmatch(r"[^\W_][\w-]*", name) is not None and name.replace("-", "_") not in OPTIONS
    )
    return is_value and is_text and is_name and not field["is_file"]


# ---- curl ----


def curl(item: Item, fields: list[Item], base: str) -> str:
    method = item["method"]
    parts = ["curl" if method == "GET" else f"curl -X {method}"]
    parts[0] += f" {shlex.quote(address(item, fields, base))}"
    parts += _credentials(item)
    parts += [
        f"-H {shlex.quote('{}: {}'.format(field['name'], _plain(field['example'])))}"
        for field in fields
        if field["location"] == "header"
    ]
    parts += _body(item, [field for field in fields if field["location"] in ("form", "body")])
    return " \\\n    ".join(parts)


def address(item: Item, fields: list[Item], base: str) -> str:
    values = {field["name"]: _plain(field["example"]) for field in fields}
    url = re.sub(
        r"{(\w+)}", lambda match: quote(values.get(match[1], "1"), safe=""), item["link"].url
    )
    asked = [field for field in fields if field["location"] in ("query", "")]
    query = urlencode([(field["name"], _plain(field["example"])) for field in asked])
    return urljoin(base, url) + (f"?{query}" if query else "")


def _credentials(item: Item) -> Iterator[str]:
    if item.get("is_open", True):
        return
    if item.get("token_scheme"):
        yield f'-H "Authorization: {item["token_scheme"]} $API_TOKEN"'
    elif item.get("takes_basic"):
        yield '-u "$API_USER:$API_PASSWORD"'
    elif item.get("key_header"):
        yield f'-H "{item["key_header"]}: $API_KEY"'


def _body(item: Item, fields: list[Item]) -> Iterator[str]:
    if not fields:
        return
    encoding = form_of(item) or item["link"].encoding or "application/json"
    whole = next((field for field in fields if field["location"] == "body"), None)
    if encoding == "multipart/form-data":
        yield from (f"-F {shlex.quote(_part(field))}" for field in fields)
    elif encoding == "application/x-www-form-urlencoded":
        pairs = ("{}={}".format(field["name"], _plain(field["example"])) for field in fields)
        yield from (f"--data-urlencode {shlex.quote(pair)}" for pair in pairs)
    elif encoding == "application/json":
        values = {field["name"]: field["example"] for field in fields}
        yield "-H 'Content-Type: application/json'"
        yield f"-d {shlex.quote(_json(values if whole is None else whole['example']))}"
    else:
        yield f"-H {shlex.quote(f'Content-Type: {encoding}')}"
        yield f"--data-binary @{FILE}"


def _part(field: Item) -> str:
    return f"{field['name']}={f'@{FILE}' if field['is_file'] else _plain(field['example'])}"


# ---- Python and JavaScript ----


def python(item: Item, fields: list[Item]) -> str:
    keys = _json(item["keys"])
    if not fields:
        return f"result = client.action(schema, {keys})"
    write = partial(pformat, width=WIDTH, sort_dicts=False)
    lines = _parameters(item, fields, " " * 4, f'open("{FILE}", "rb")', write)
    form = form_of(item)
    chosen = [f'overrides = {{"encoding": "{form}"}}'] if form else []
    more = ", overrides=overrides" if form else ""
    call = f"result = client.action(schema, {keys}, params{more})"
    return "\n".join(["params = {", *lines, "}", *chosen, call])


def javascript(item: Item, fields: list[Item]) -> str:
    keys = _json(item["keys"])
    if not fields:
        return f"const result = await client.action(schema, {keys});"
    write = partial(json.dumps, ensure_ascii=False, indent=2)
    lines = _parameters(item, fields, " " * 2, f'new File(["content"], "{FILE}")', write)
    form = form_of(item)
    chosen = [f'const overrides = {{ encoding: "{form}" }};'] if form else []
    more = ", { overrides }" if form else ""
    call = f"const result = await client.action(schema, {keys}, params{more});"
    return "\n".join(["const params = {", *lines, "};", *chosen, call])


def _parameters(
    item: Item, fields: list[Item], indent: str, file: str, write: Callable[[object], str]
) -> Iterator[str]:
    for field in fields:
        value = field["example"]
        text = _json(value) if isinstance(value, str) else write(value)
        if field["is_file"]:
            text = f"[{file}]" if field["type"] == "array" else file
        inner = text.replace("\n", f"\n{indent}")
        yield f"{indent}{_json(name_of(field, item))}: {inner},"


# ---- values ----


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain(value: object) -> str:
    return value if isinstance(value, str) else _json(value)
