"""The schema against which the plugin checks the exchanges of this suite: full OpenAPI 3.1."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from lintel.schemas import operations
from lintel.schemas.openapi import SchemaGenerator


class FullGenerator(SchemaGenerator):
    """Describes errors, security and directions, which 3.0.2 in its known form leaves out."""

    openapi_version = "3.1.0"


def full_schema() -> Any:
    """Return the schema of the current URL configuration."""
    return FullGenerator(title="Tests").get_schema(request=None, public=True)


@contextmanager
def without_short_cuts() -> Iterator[None]:
    """Describe operations as if project code could be involved in each of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(operations, "is_plain_schema", lambda known, schema: False)
        yield
