"""The schema that the plugin holds the exchanges of this suite against: OpenAPI 3.1 in full."""

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
    """The schema of the URL configuration that is in force."""
    return FullGenerator(title="Tests").get_schema(request=None, public=True)


@contextmanager
def without_short_cuts() -> Iterator[None]:
    """Describe operations as where code of a project may have a word in each of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(operations, "is_plain_schema", lambda known, schema: False)
        yield
