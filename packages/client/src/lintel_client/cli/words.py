"""What words of a command line mean: the URL of an API, and keys of a document."""

from ipaddress import ip_address
from typing import Any

from lintel_client.cli.failures import Failure
from lintel_client.errors import NetworkError
from lintel_client.lookup import Key
from lintel_client.origins import origin_of
from lintel_document.document import Array, Document

__all__ = ["absolute_url", "path_keys"]


def absolute_url(text: str) -> str:
    """Return a URL with a scheme: http is guessed for this machine, https for all others.

    Raises Failure for anything but a URL.
    """
    try:
        if "://" in text:
            origin_of(text)
            return text
        secure = f"https://{text}"
        return f"http://{text}" if _is_this_machine(origin_of(secure).host) else secure
    except NetworkError as error:
        raise Failure(str(error)) from error


def path_keys(document: Document, keys: tuple[str, ...]) -> list[Key]:
    """Return keys of the command line as keys of a document: digits address arrays."""
    path: list[Key] = []
    node: Any = document
    for key in keys:
        is_index = isinstance(node, Array) and key.isascii() and key.isdigit() and len(key) < 10
        path.append(int(key) if is_index else key)
        node = node.get_in(path[-1:]) if hasattr(node, "get_in") else None
    return path


def _is_this_machine(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
