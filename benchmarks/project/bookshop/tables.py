"""The tables of the bookshop in SQLAlchemy, and its sessions."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from datetime import date, datetime
from decimal import Decimal

from sqlalchemy import URL, Column, DateTime, ForeignKey, Numeric, Table
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from benchmarks.project.bookshop.connection import FOLDER, NAME, POOL, USER

ADDRESS = URL.create("postgresql+asyncpg", USER, database=NAME, query={"host": FOLDER})
engine = create_async_engine(ADDRESS, pool_size=POOL, max_overflow=0)
sessions = async_sessionmaker(engine, expire_on_commit=False)


async def opened() -> AsyncIterator[AsyncSession]:
    """The session of one request."""
    async with sessions() as session:
        yield session


class Base(DeclarativeBase):
    type_annotation_map = {datetime: DateTime(timezone=True), Decimal: Numeric(8, 2)}


class Author(Base):
    __tablename__ = "project_author"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]


class Article(Base):
    __tablename__ = "project_article"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    slug: Mapped[str]
    body: Mapped[str]
    status: Mapped[str]
    words: Mapped[int]
    price: Mapped[Decimal]
    ratio: Mapped[float]
    active: Mapped[bool]
    published: Mapped[datetime]
    day: Mapped[date]
    token: Mapped[uuid.UUID]
    author: Mapped[int] = mapped_column("author_id", ForeignKey("project_author.id"))


class Label(Base):
    __tablename__ = "project_label"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]


book_labels = Table(
    "project_book_labels",
    Base.metadata,
    Column("book_id", ForeignKey("project_book.id")),
    Column("label_id", ForeignKey("project_label.id")),
)


class Review(Base):
    __tablename__ = "project_review"
    id: Mapped[int] = mapped_column(primary_key=True)
    book_id: Mapped[int] = mapped_column(ForeignKey("project_book.id"))
    stars: Mapped[int]
    text: Mapped[str]
    created: Mapped[datetime]


class Book(Base):
    __tablename__ = "project_book"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    summary: Mapped[str]
    price: Mapped[Decimal]
    published: Mapped[datetime]
    author_id: Mapped[int] = mapped_column(ForeignKey("project_author.id"))
    author: Mapped[Author] = relationship()
    labels: Mapped[list[Label]] = relationship(secondary=book_labels, order_by=Label.id)
    reviews: Mapped[list[Review]] = relationship(order_by=Review.id)
