"""How long a request may take in all, however slowly its response comes."""

import threading

import lintel_client
from lintel_client.messages import Response

__all__ = ["Deadline"]


class Deadline:
    """Interrupts the response that it watches once ``seconds`` have passed."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._is_over = False
        self._response: Response | None = None
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> "Deadline":
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *details: object) -> None:
        self._timer.cancel()
        if self._is_over and kind is not None and issubclass(kind, lintel_client.NetworkError):
            raise lintel_client.RequestTimeout(f"it did not come within {self._seconds:g} seconds")

    def watch(self, response: Response) -> None:
        self._response = response
        if self._is_over:
            self._end()

    def _end(self) -> None:
        self._is_over = True
        if self._response is not None:
            self._response.interrupt()
