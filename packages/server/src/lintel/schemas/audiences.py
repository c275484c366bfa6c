"""Audiences: the operations that the caller of a request may call."""

from __future__ import annotations

from lintel.request import Request
from lintel.schemas.generators import BaseSchemaGenerator


def audience_of(generator: BaseSchemaGenerator, request: Request) -> frozenset[tuple[str, str]]:
    _, endpoints = generator._get_paths_and_endpoints(request)
    return frozenset(each[:2] for each in endpoints if generator.has_view_permissions(*each))
