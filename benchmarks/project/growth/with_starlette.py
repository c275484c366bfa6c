"""The growing lists by hand on Starlette and asyncpg."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.project.bookshop.with_starlette import connected, empty, write
from benchmarks.project.growth.shape import FIELDS, first, routes


def make_rows(fields: int) -> Callable[[Request], Any]:
    columns = [
        f"{name}::text AS {name}" if kind in (Decimal, uuid.UUID) else name
        for name, kind in first(fields).items()
    ]
    query = f"SELECT {', '.join(columns)} FROM project_wide ORDER BY id LIMIT $1"

    async def rows(request: Request) -> Response:
        limit = int(request.query_params["limit"])
        async with request.app.state.pool.acquire() as connection:
            found = await connection.fetch(query, limit)
        return write([dict(row) for row in found])

    return rows


application = Starlette(
    routes=[
        Route("/empty/", empty),
        *(Route(f"/wide/{fields}/", make_rows(fields)) for fields in FIELDS),
        *(Route(f"/{route}/", empty) for route in routes()),
    ],
    lifespan=connected,
)
