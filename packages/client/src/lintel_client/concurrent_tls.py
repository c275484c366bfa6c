"""Connections over TLS that one thread reads while another writes.

HTTP/2 needs both at once. A connection of OpenSSL is for one thread at a time, and not every Python
keeps a lock around it: two threads in it break what they send, and the server ends the connection.
Here each waits for the socket without the lock, and takes it for what the socket can do at once.
"""

import selectors
import ssl
import time
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

import httpcore2

__all__ = ["SharedTLS", "shared"]

T = TypeVar("T")

_Selector = getattr(selectors, "PollSelector", selectors.SelectSelector)


def shared(stream: httpcore2.NetworkStream) -> httpcore2.NetworkStream:
    """Return a stream that threads may share; TLS inside of TLS stays as it is."""
    socket = stream.get_extra_info("socket")
    return SharedTLS(stream, socket) if isinstance(socket, ssl.SSLSocket) else stream


class SharedTLS(httpcore2.NetworkStream):
    """One thread may read while another writes."""

    def __init__(self, inner: httpcore2.NetworkStream, socket: ssl.SSLSocket) -> None:
        self._inner = inner
        self._socket = socket
        self._lock = Lock()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what has arrived. Raises ReadTimeout, and ReadError for a broken connection."""
        try:
            return self._done(lambda: self._socket.recv(max_bytes), timeout)
        except TimeoutError as error:
            raise httpcore2.ReadTimeout(str(error)) from error
        except (OSError, ValueError) as error:
            raise httpcore2.ReadError(str(error)) from error

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all. Raises WriteTimeout, and WriteError for a broken connection."""
        left = memoryview(buffer)
        try:
            while left:
                left = left[self._sent(left, timeout) :]
        except TimeoutError as error:
            raise httpcore2.WriteTimeout(str(error)) from error
        except (OSError, ValueError) as error:
            raise httpcore2.WriteError(str(error)) from error

    def _sent(self, data: memoryview, timeout: float | None) -> int:
        return self._done(lambda: self._socket.send(data), timeout)

    def _done(self, act: Callable[[], T], timeout: float | None) -> T:
        """Return what the socket does without waiting, as soon as it can. Raises TimeoutError."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            with self._lock:
                self._socket.setblocking(False)
                try:
                    return act()
                except ssl.SSLWantReadError:
                    event = selectors.EVENT_READ
                except ssl.SSLWantWriteError:
                    event = selectors.EVENT_WRITE
            self._wait(event, end)

    def _wait(self, event: int, end: float | None) -> None:
        left = None if end is None else max(0, end - time.monotonic())
        with _Selector() as selector:
            # Raises ValueError if another thread has closed the socket.
            selector.register(self._socket, event)
            if not selector.select(left):
                raise TimeoutError("timed out")

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        return self._inner.start_tls(ssl_context, server_hostname, timeout)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
