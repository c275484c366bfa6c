"""One way to call operations with each of the three clients.

A client reads a description with ``load``, which returns the keys of its operations, and calls one
with ``call``, which returns "sent", the status of an error response, or why nothing was sent.
"""

import json
import subprocess
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from click.testing import CliRunner

from lintel_client import Client, File
from lintel_client.cli.actions import YIELDED, action
from lintel_client.cli.flags import ParameterOption, flags_of
from lintel_client.cli.index import Operation, current_index
from lintel_client.cli.program import program
from lintel_client.cli.state import State
from lintel_client.errors import ErrorMessage, LintelError
from lintel_document.document import Document
from lintel_document.registry import codec_for_format
from parity.calls import Call, operations

PACKAGE = Path(__file__).resolve().parents[2] / "packages" / "javascript"
SENT = "sent"

_TYPES: Mapping[str, Sequence[type]] = {
    "boolean": [bool],
    "integer": [int],
    "number": [int, float],
    "object": [dict],
    "array": [list],
}

Keys = list[list[str | int]]


class Caller(Protocol):
    """A client that calls the operations of the description that it has loaded."""

    def load(self, format_name: str, text: str, url: str) -> Keys:
        """Read a description that was found at a URL."""

    def call(self, call: Call) -> str:
        """Call an operation."""


class PythonCaller:
    """The Python client."""

    document: Document

    def __init__(self) -> None:
        self._client = Client()

    def load(self, format_name: str, text: str, url: str) -> Keys:
        codec = codec_for_format(format_name)
        self.document = codec.decode(text.encode(), base_url=url)
        return [list(keys) for keys, _ in operations(self.document)]

    def call(self, call: Call) -> str:
        try:
            with warnings.catch_warnings():
                # Missing credentials do not matter here.
                warnings.simplefilter("ignore")
                keys, params = list(call.keys), _python_value(call.params)
                chosen = {"encoding": call.encoding} if call.encoding else None
                self._client.action(self.document, keys, params, overrides=chosen)
        except ErrorMessage as error:
            return str(error.status)
        except LintelError as error:
            return f"refused: {error}"
        return SENT

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _python_value(raw: Any) -> Any:
    if isinstance(raw, Mapping) and "$file" in raw:
        return File(raw["$file"], bytes.fromhex(raw["bytes"]))
    if isinstance(raw, Mapping):
        return {key: _python_value(inner) for key, inner in raw.items()}
    return [_python_value(item) for item in raw] if isinstance(raw, list) else raw


class ShellCaller:
    """The command line in this process; ``flags`` writes parameters as options of their own.

    ``folder`` is an empty one, which LINTEL_CONFIG_DIR names.
    """

    def __init__(self, folder: Path, flags: bool = False) -> None:
        self._folder = folder
        self._flags = flags

    def load(self, format_name: str, text: str, url: str) -> Keys:
        document = codec_for_format(format_name).decode(text.encode(), base_url=url)
        State().visit(document)
        return [list(keys) for keys, _ in operations(document)]

    def call(self, call: Call) -> str:
        words = [*map(str, call.keys), "--no-auth", *self._options(call)]
        words += ["--encoding", call.encoding] if call.encoding else []
        result = CliRunner().invoke(program, ["action", "--json", *words])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        if result.exit_code == 0:
            return SENT
        status = result.stderr.partition(" ")[0].removeprefix("Error:")
        return status if status.isdigit() else f"refused: {words} {result.stderr}"

    def _options(self, call: Call) -> Iterator[str]:
        flags = _flags(call) if self._flags else {}
        for name, value in call.params.items():
            if isinstance(value, Mapping) and "$file" in value:
                path = self._folder / value["$file"]
                path.write_bytes(bytes.fromhex(value["bytes"]))
                yield from ("--file", f"{name}={path}")
            elif name in flags and _can_be_typed(flags[name], value):
                yield from _typed(flags[name], value)
            else:
                yield from ("--data", f"{name}={json.dumps(value)}")


def _flags(call: Call) -> dict[str, ParameterOption]:
    found = current_index().find([str(key) for key in call.keys])
    if not isinstance(found, Operation):
        return {}
    names = [name for option in action.params for name in option.opts]
    taken = [name for name in names if name not in YIELDED]
    return {flag.parameter.name: flag for flag in flags_of(found.parameters(), taken)}


def _can_be_typed(flag: ParameterOption, value: Any) -> bool:
    """Return whether somebody at a shell writes this value with the option."""
    kind = flag.parameter.kind
    if kind == "array":
        item = flag.parameter.item
        return isinstance(value, list) and bool(value) and all(_fits(item, each) for each in value)
    return _fits(kind, value)


def _fits(kind: str, value: Any) -> bool:
    if kind in ("string", "enum"):
        return isinstance(value, str) and not value.startswith("@")
    return type(value) in _TYPES.get(kind, ())


def _typed(flag: ParameterOption, value: Any) -> list[str]:
    name = flag.opts[0]
    if isinstance(value, bool):
        return [name if value else flag.secondary_opts[0]]
    values = value if flag.parameter.kind == "array" else [value]
    texts = [each if isinstance(each, str) else json.dumps(each) for each in values]
    return [word for text in texts for word in (name, text)]


class NodeCaller:
    """The JavaScript client, built from its sources, in a process of Node.js."""

    def __init__(self, folder: Path) -> None:
        module = folder / "lintel-client.mjs"
        build_module(module)
        script = Path(__file__).with_name("caller.mjs")
        self._process = subprocess.Popen(
            ["node", str(script), str(module)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def load(self, format_name: str, text: str, url: str) -> Keys:
        found: Keys = self._asked({"format": format_name, "text": text, "url": url})
        return found

    def call(self, call: Call) -> str:
        outcome: str = self._asked(
            {"keys": call.keys, "params": call.params, "encoding": call.encoding}
        )
        return outcome

    def written(self, format_name: str) -> str:
        """Return the loaded description in another format."""
        text: str = self._asked({"written": format_name})
        return text

    def _asked(self, question: Mapping[str, Any]) -> Any:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("Node.js was started without pipes")
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"Node.js ended at {json.dumps(question)[:500]}")
        answer = json.loads(line)
        if "failed" in answer:
            raise RuntimeError(answer["failed"])
        return answer["result"]

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def build_module(target: Path) -> None:
    """Write the JavaScript client with all its codecs as one module."""
    entry = "export * from './src/index.ts'; export * from './src/codecs/hal.ts'; "
    entry += "export * from './src/codecs/hyperschema.ts';"
    command = [str(PACKAGE / "node_modules" / ".bin" / "esbuild"), "--bundle", "--format=esm"]
    options = ["--platform=node", "--log-level=warning", f"--outfile={target}"]
    subprocess.run(
        [*command, *options, f"--sourcefile={PACKAGE}/entry.ts", "--loader=ts"],
        input=entry,
        text=True,
        check=True,
        cwd=PACKAGE,
    )


def differing(keys: Mapping[str, Sequence[Any]]) -> str:
    """Return where lists of keys differ first, empty if they are equal."""
    (first, ours), *others = keys.items()
    for name, theirs in others:
        if ours != theirs:
            pairs = zip([*ours, None], [*theirs, None], strict=False)
            at = next((pair for pair in pairs if pair[0] != pair[1]), (len(ours), len(theirs)))
            return f"{first}: {at[0]}, {name}: {at[1]}"
    return ""
