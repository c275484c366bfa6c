"""Load descriptions: files, URLs, files of git revisions."""

from __future__ import annotations

import json
import subprocess
import time
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from lintel_contract.places import Document, DocumentError
from lintel_contract.yaml_text import read

#: Maximum bytes of one description; the largest public ones have some 15 million.
MOST_BYTES = 64 * 2**20

#: Maximum values of one description, counting those of YAML aliases repeatedly.
MOST_VALUES = 5_000_000

#: Maximum nesting of objects and arrays.
MOST_DEPTH = 300

#: Seconds to wait for a server and for git.
MOST_SECONDS = 30

_CHUNK = 2**16
_ACCEPT = "application/vnd.oai.openapi+json, application/json, application/yaml, */*;q=0.1"


def load(source: str, *, folder: str | Path = ".") -> Document:
    """Return the description at a source: a file, an http(s) address, or ``REVISION:PATH`` of git.

    Files and revisions are looked up in ``folder``. Raises DocumentError if there is none, or
    if it is too large.
    """
    name = _without_secrets(source)
    if source.startswith(("http://", "https://")):
        content = _from_web(source, name)
    elif (path := Path(folder, source)).is_file():
        content = _from_file(path, name)
    elif ":" in source:
        content = _from_git(source, Path(folder))
    else:
        raise DocumentError(
            f"There is no file {name}. A description is a file, an http(s) address, or a file of "
            "a git revision, such as HEAD~3:schema.yml."
        )
    return Document(parse(content, name), name)


def parse(content: bytes, name: str) -> Any:
    """Return the value of JSON or YAML text. Raises DocumentError with ``name`` in its message."""
    try:
        text = content.decode("utf-8-sig")
        value = json.loads(text) if text.lstrip()[:1] == "{" else _from_yaml(text)
        # YAML has braces as well.
    except json.JSONDecodeError as error:
        value = _from_yaml_or_fail(text, name, error)
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise DocumentError(f"{name} is neither JSON nor YAML: {error}") from error
    _check_size(value, name)
    return value


def _from_yaml_or_fail(text: str, name: str, error: json.JSONDecodeError) -> Any:
    try:
        return _from_yaml(text)
    except (RecursionError, ValueError):
        raise DocumentError(f"{name} is neither JSON ({error}) nor YAML.") from error


def _from_yaml(text: str) -> Any:
    return _with_text_keys(read(text), {})


def _with_text_keys(value: Any, copies: dict[int, Any]) -> Any:
    """Return the value with text as keys: YAML reads ``200`` as a number."""
    if id(value) in copies:
        return copies[id(value)]
    if isinstance(value, dict):
        copy: Any = {}
        copies[id(value)] = copy
        for key, member in value.items():
            copy[_key(key)] = _with_text_keys(member, copies)
        return copy
    if isinstance(value, list):
        copy = []
        copies[id(value)] = copy
        copy.extend(_with_text_keys(member, copies) for member in value)
        return copy
    return value


def _key(key: Any) -> str:
    if isinstance(key, bool) or key is None:
        return json.dumps(key)
    return str(key)


def _check_size(root: Any, name: str) -> None:
    """Reject values that YAML aliases or deep brackets make larger than any description."""
    waiting = [(root, 0)]
    count = 0
    while waiting:
        value, depth = waiting.pop()
        members = value.values() if isinstance(value, dict) else value
        if not isinstance(value, dict | list):
            continue
        count += len(value)
        if depth > MOST_DEPTH or count > MOST_VALUES:
            raise DocumentError(
                f"{name} is too large: more than {MOST_VALUES} values, or {MOST_DEPTH} levels."
            )
        inner = (member for member in members if isinstance(member, dict | list))
        waiting.extend((member, depth + 1) for member in inner)


def _from_file(path: Path, name: str) -> bytes:
    try:
        with path.open("rb") as file:
            return _bounded(file.read(MOST_BYTES + 1), name)
    except OSError as error:
        raise DocumentError(f"{name} cannot be read: {error.strerror}.") from error


def _bounded(content: bytes, name: str) -> bytes:
    if len(content) > MOST_BYTES:
        raise DocumentError(f"{name} is larger than {MOST_BYTES // 2**20} MiB.")
    return content


class _Redirects(HTTPRedirectHandler):
    """Follows redirects only to http(s)."""

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Any:
        """Return the request to follow with. Raises URLError for another scheme."""
        if not newurl.startswith(("http://", "https://")):
            fp.close()
            raise URLError("a redirect leads away from http(s)")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _request(source: str) -> Request:
    """Return a request that sends user and password of the URL, if any, only to its host."""
    parts = urlsplit(source)
    user, has_user, host = parts.netloc.rpartition("@")
    address = urlunsplit(parts._replace(netloc=host))
    request = Request(address, headers={"Accept": _ACCEPT})  # noqa: S310  http(s), by the caller
    if has_user:
        token = b64encode(unquote(user).encode()).decode()
        request.add_unredirected_header("Authorization", f"Basic {token}")
    return request


def _from_web(source: str, name: str) -> bytes:
    request = _request(source)
    deadline = time.monotonic() + MOST_SECONDS
    parts: list[bytes] = []
    size = 0
    try:
        with build_opener(_Redirects).open(request, timeout=MOST_SECONDS) as answer:
            while chunk := answer.read1(_CHUNK):
                parts.append(chunk)
                size += len(chunk)
                if size > MOST_BYTES or time.monotonic() > deadline:
                    raise DocumentError(f"{name} is too large, or comes too slowly.")
    except HTTPError as error:
        error.close()
        raise DocumentError(f"{name} answers with the status {error.code}.") from error
    except (OSError, ValueError) as error:
        if isinstance(error, DocumentError):
            raise
        raise DocumentError(f"{name} cannot be fetched: {error}") from error
    return b"".join(parts)


def _without_secrets(source: str) -> str:
    """Return a source as shown in messages: without a password or a query."""
    if not source.startswith(("http://", "https://")):
        return source
    parts = urlsplit(source)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _from_git(source: str, folder: Path) -> bytes:
    if source.startswith("-"):
        raise DocumentError(f"{source} is not a git revision.")
    size = _git(folder, "cat-file", "-s", source)
    if int(size) > MOST_BYTES:
        raise DocumentError(f"{source} is larger than {MOST_BYTES // 2**20} MiB.")
    return _git(folder, "cat-file", "blob", source)


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        run = subprocess.run(  # noqa: S603  git, without a shell; the revision is no option
            ["git", *arguments],  # noqa: S607  the git of the PATH is the one people use
            cwd=folder,
            capture_output=True,
            timeout=MOST_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DocumentError(f"git cannot be run for {arguments[-1]}: {error}") from error
    if run.returncode:
        reason = " ".join(run.stderr.decode(errors="replace").split())
        raise DocumentError(f"git does not know {arguments[-1]}: {reason}")
    return run.stdout
