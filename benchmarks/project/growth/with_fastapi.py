"""The growing lists in FastAPI, with Pydantic and SQLAlchemy."""

from typing import Any

from fastapi import FastAPI
from pydantic import create_model
from sqlalchemy import select
from sqlalchemy.orm import load_only

from benchmarks.project.bookshop.with_fastapi import Row, Session, empty
from benchmarks.project.growth.shape import FIELDS, first, routes
from benchmarks.project.growth.tables import Wide

application = FastAPI(openapi_url=None)


def add_rows(fields: int) -> None:
    columns = first(fields)
    row = create_model(f"Wide{fields}", __base__=Row, **columns)
    loaded = load_only(*(getattr(Wide, name) for name in columns))

    @application.get(f"/wide/{fields}/", response_model=list[row])
    async def rows(limit: int, session: Session) -> Any:
        query = select(Wide).options(loaded).order_by(Wide.id).limit(limit)
        return (await session.scalars(query)).all()


application.get("/empty/")(empty)
for fields in FIELDS:
    add_rows(fields)
for route in routes():
    application.get(f"/{route}/")(empty)
