"""Streams of many threads on one connection of HTTP/2.

httpcore2 lets several threads use one state of h2 without a lock: two can get one number of a
stream, a higher number can be sent first, which ends the lower one (RFC 9113, section 5.1.1), and
two can use the same rest of a flow-control window. Here the state has a lock, which a thread keeps
from getting a number until its header is queued, and data takes what the window has at that moment.
"""

from collections.abc import Callable
from functools import lru_cache
from threading import RLock, get_ident
from typing import Any, Concatenate, ParamSpec, TypeVar

import httpcore2
from h2.connection import H2Connection

__all__ = ["lock_streams"]

P = ParamSpec("P")
R = TypeVar("R")


def lock_streams(pool: Any) -> None:
    """Give every connection of HTTP/2 that a pool makes from now on a state with a lock."""
    create = pool.create_connection

    def created(origin: httpcore2.Origin) -> Any:
        connection: Any = create(origin)
        kind: Any = type(connection)
        connection.__class__ = _locking(kind)
        return connection

    pool.create_connection = created


@lru_cache
def _locking(kind: type) -> type:
    return type(kind.__name__, (_Locking, kind), {})


class _Locking:
    """A connection, direct or through a proxy, which locks the one of HTTP/2 that it makes."""

    @property
    def _connection(self) -> Any:
        return self.__dict__["_connection"]

    @_connection.setter
    def _connection(self, made: Any) -> None:
        if isinstance(made, httpcore2.HTTP2Connection):
            made.__class__ = _Connection
            made._h2_state = _State(config=made.CONFIG)
        self.__dict__["_connection"] = made


def _locked(
    method: Callable[Concatenate[H2Connection, P], R],
) -> Callable[Concatenate["_State", P], R]:
    def call(self: "_State", /, *args: P.args, **options: P.kwargs) -> R:
        with self._lock:
            return method(self, *args, **options)

    return call


class _State(H2Connection):
    """The state of a connection, for one thread at a time."""

    def __init__(self, config: Any) -> None:
        self._lock = RLock()
        self._opener: int | None = None
        super().__init__(config)

    def get_next_available_stream_id(self) -> int:
        """Return the number of a stream; others wait until its header is queued."""
        self._lock.acquire()
        try:
            number = super().get_next_available_stream_id()
        except BaseException:
            self._lock.release()
            raise
        self._opener = get_ident()
        return number

    def send_headers(self, *args: Any, **options: Any) -> None:
        with self._lock:
            try:
                super().send_headers(*args, **options)
            finally:
                self.opened()

    def opened(self) -> None:
        """Let others open streams, if this thread keeps them from it."""
        if self._opener == get_ident():
            self._opener = None
            self._lock.release()

    def send_some(self, stream: int, data: memoryview) -> int:
        """Queue as much as may be sent now and return its size, 0 if others were faster."""
        with self._lock:
            room = min(self.local_flow_control_window(stream), self.max_outbound_frame_size)
            size = max(0, min(room, len(data)))
            if size:
                super().send_data(stream, bytes(data[:size]))
            return size

    acknowledge_received_data = _locked(H2Connection.acknowledge_received_data)
    close_connection = _locked(H2Connection.close_connection)
    data_to_send = _locked(H2Connection.data_to_send)
    end_stream = _locked(H2Connection.end_stream)
    increment_flow_control_window = _locked(H2Connection.increment_flow_control_window)
    local_flow_control_window = _locked(H2Connection.local_flow_control_window)
    receive_data = _locked(H2Connection.receive_data)
    reset_stream = _locked(H2Connection.reset_stream)


class _Connection(httpcore2.HTTP2Connection):
    _h2_state: _State

    def handle_request(self, request: httpcore2.Request) -> httpcore2.Response:
        try:
            return super().handle_request(request)
        finally:
            self._h2_state.opened()

    def _send_stream_data(self, request: httpcore2.Request, stream_id: int, data: bytes) -> None:
        left = memoryview(data)
        while left:
            self._wait_for_outgoing_flow(request, stream_id)
            left = left[self._h2_state.send_some(stream_id, left) :]
            self._write_outgoing_data(request)

    def _response_closed(self, stream_id: int) -> None:
        # Receiving takes the locks of httpcore2 before that of the state.
        self._h2_state.opened()
        super()._response_closed(stream_id)
