"""Types of an API, made from its document, so that editors and type checkers know its calls."""

from lintel_client.stubs.python import RUNTIME, python_stubs
from lintel_client.stubs.typescript import typescript_types

__all__ = ["RUNTIME", "python_stubs", "typescript_types"]
