"""Types of an API, generated from its document, for editors and type checkers."""

from lintel_client.stubs.checking import typescript_schemas
from lintel_client.stubs.models import python_models
from lintel_client.stubs.python import RUNTIME, python_stubs
from lintel_client.stubs.typescript import typescript_types

__all__ = ["RUNTIME", "python_models", "python_stubs", "typescript_schemas", "typescript_types"]
