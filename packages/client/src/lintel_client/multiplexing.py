"""Many streams at once over HTTP/2, whatever the server says of their number.

httpcore2 sends one request at a time until the server names a number of concurrent streams. A
server that has no limit names none (RFC 9113, section 6.5.2), as Node's does, so all requests to
it would wait for each other. Here the first settings of such a server get the number that
httpcore2 allows itself, between the connection and httpcore2.
"""

import ssl
from typing import Any, Protocol

import httpcore2

from lintel_client.concurrent_streams import lock_streams
from lintel_client.concurrent_tls import shared

__all__ = ["FirstSettings", "multiplex"]

STREAMS = 100
_HEAD = 9
_SETTINGS = 4
_MAX_CONCURRENT_STREAMS = 3
_LARGEST = 16384


class FirstSettings:
    """Passes on what a server sends, its first frame with a number of streams if it names none."""

    def __init__(self) -> None:
        self._held: bytes | None = b""

    def passed(self, received: bytes) -> bytes:
        """Return what to pass on; the first frame is held until it is complete."""
        if self._held is None:
            return received
        held = self._held + received
        size = int.from_bytes(held[:3], "big")
        if received and len(held) < (_HEAD + size if _is_settings(held, size) else _HEAD):
            self._held = held
            return b""
        self._held = None
        return _limited(held, size) if received and _is_settings(held, size) else held


def _is_settings(content: bytes, size: int) -> bool:
    return content[3:4] == bytes([_SETTINGS]) and size <= _LARGEST


def _limited(content: bytes, size: int) -> bytes:
    """Return content that begins with a frame of settings, with a number of streams in it."""
    head, pairs, rest = content[:_HEAD], content[_HEAD : _HEAD + size], content[_HEAD + size :]
    named = [int.from_bytes(pairs[at : at + 2], "big") for at in range(0, size, 6)]
    if _MAX_CONCURRENT_STREAMS in named or size % 6:
        return content
    added = _MAX_CONCURRENT_STREAMS.to_bytes(2, "big") + STREAMS.to_bytes(4, "big")
    return (size + len(added)).to_bytes(3, "big") + head[3:] + pairs + added + rest


def multiplex(client: Any) -> None:
    """Let a client of httpx2 send requests over HTTP/2 at the same time."""
    for transport in (client._transport, *client._mounts.values()):
        pool: Any = getattr(transport, "_pool", None)
        backend = getattr(pool, "_network_backend", None)
        if isinstance(backend, httpcore2.NetworkBackend):
            pool._network_backend = _Backend(backend)
            lock_streams(pool)
        elif isinstance(backend, httpcore2.AsyncNetworkBackend):
            pool._network_backend = _AsyncBackend(backend)


class _Stream(httpcore2.NetworkStream):
    """A connection, which becomes one with settings if TLS agrees on HTTP/2."""

    def __init__(self, inner: httpcore2.NetworkStream, settings: FirstSettings | None) -> None:
        self._inner = inner
        self._settings = settings

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        received = self._inner.read(max_bytes, timeout)
        if self._settings is None:
            return received
        while not (passed := self._settings.passed(received)) and received:
            received = self._inner.read(max_bytes, timeout)
        return passed

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        secured = self._inner.start_tls(ssl_context, server_hostname, timeout)
        settings = _settings_of(secured)
        return _Stream(secured if settings is None else shared(secured), settings)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _AsyncStream(httpcore2.AsyncNetworkStream):
    def __init__(self, inner: httpcore2.AsyncNetworkStream, settings: FirstSettings | None) -> None:
        self._inner = inner
        self._settings = settings

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        received = await self._inner.read(max_bytes, timeout)
        if self._settings is None:
            return received
        while not (passed := self._settings.passed(received)) and received:
            received = await self._inner.read(max_bytes, timeout)
        return passed

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        secured = await self._inner.start_tls(ssl_context, server_hostname, timeout)
        return _AsyncStream(secured, _settings_of(secured))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend:
    """Connects as ``inner`` does."""

    def __init__(self, inner: httpcore2.NetworkBackend) -> None:
        self._inner = inner

    def connect_tcp(self, host: str, port: int, **options: Any) -> httpcore2.NetworkStream:
        return _Stream(self._inner.connect_tcp(host, port, **options), None)

    def connect_unix_socket(self, path: str, **options: Any) -> httpcore2.NetworkStream:
        return _Stream(self._inner.connect_unix_socket(path, **options), None)

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _AsyncBackend:
    def __init__(self, inner: httpcore2.AsyncNetworkBackend) -> None:
        self._inner = inner

    async def connect_tcp(
        self, host: str, port: int, **options: Any
    ) -> httpcore2.AsyncNetworkStream:
        return _AsyncStream(await self._inner.connect_tcp(host, port, **options), None)

    async def connect_unix_socket(self, path: str, **options: Any) -> httpcore2.AsyncNetworkStream:
        return _AsyncStream(await self._inner.connect_unix_socket(path, **options), None)

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class _Connected(Protocol):
    def get_extra_info(self, info: str) -> Any: ...


def _settings_of(stream: _Connected) -> FirstSettings | None:
    secured = stream.get_extra_info("ssl_object")
    agreed = secured.selected_alpn_protocol() if secured is not None else None
    return FirstSettings() if agreed == "h2" else None
