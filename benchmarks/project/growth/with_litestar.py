"""The growing lists in Litestar, with msgspec and SQLAlchemy."""

from typing import Any

import msgspec
from litestar import Litestar, get
from litestar.di import Provide
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from benchmarks.project.bookshop.structs import Ok
from benchmarks.project.bookshop.tables import opened
from benchmarks.project.growth.shape import FIELDS, first, routes
from benchmarks.project.growth.tables import Wide


def make_rows(fields: int) -> Any:
    columns = first(fields)
    row = msgspec.defstruct(f"Wide{fields}", columns.items())
    query = select(*(getattr(Wide, name) for name in columns)).order_by(Wide.id)

    @get(f"/wide/{fields}")
    async def rows(limit: int, session: AsyncSession) -> list[row]:
        found = await session.execute(query.limit(limit))
        return [row(*each) for each in found]

    return rows


@get(["/empty", *(f"/{route}" for route in routes())])
async def empty() -> Ok:
    return Ok()


application = Litestar(
    [empty, *map(make_rows, FIELDS)],
    dependencies={"session": Provide(opened)},
    openapi_config=None,
)
