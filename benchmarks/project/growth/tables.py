"""The wide table in SQLAlchemy."""

from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from benchmarks.project.bookshop.tables import Base
from benchmarks.project.growth.shape import COLUMNS

Wide = type(
    "Wide",
    (Base,),
    {
        "__tablename__": "project_wide",
        "__annotations__": {
            "id": Mapped[int],
            **{name: Mapped[kind] for name, kind in COLUMNS.items()},
        },
        "id": mapped_column(primary_key=True),
    },
)
