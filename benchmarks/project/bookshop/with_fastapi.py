"""The service in FastAPI, with Pydantic and SQLAlchemy on the event loop."""

from __future__ import annotations

import uuid
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, TypeVar

from fastapi import Depends, FastAPI, Header, HTTPException, Query, Request
from pydantic import BaseModel, ConfigDict, EmailStr, Field
from sqlalchemy import Select, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload, selectinload

from benchmarks.project.bookshop import tables
from benchmarks.project.bookshop.accounts import ACCOUNTS, WINDOW, Account
from benchmarks.project.bookshop.paging import envelope, is_beyond

application = FastAPI(openapi_url=None)
Session = Annotated[AsyncSession, Depends(tables.opened)]
PageNumber = Annotated[int, Query(ge=1)]
Price = Annotated[Decimal, Field(max_digits=8, decimal_places=2)]
Status = Literal["draft", "live"]
T = TypeVar("T")


class Row(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class Article(Row):
    title: str = Field(min_length=1, max_length=200)
    slug: str = Field(pattern=r"^[-a-zA-Z0-9_]+$", max_length=200)
    body: str
    status: Status
    words: int
    price: Price
    ratio: float
    active: bool = True
    published: datetime
    day: date
    token: uuid.UUID
    author: int


class Named(Row):
    id: int
    name: str


class Review(Row):
    id: int
    stars: int
    text: str
    created: datetime


class Book(Row):
    id: int
    title: str
    summary: str
    price: Decimal
    published: datetime
    author: Named


class BookWithLabels(Book):
    labels: list[Named]


class BookWithReviews(Book):
    reviews: list[Review]


class Page(BaseModel, Generic[T]):
    count: int
    next: str | None
    previous: str | None
    results: list[T]


class Ok(BaseModel):
    ok: bool = True


class Item(BaseModel):
    sku: str = Field(min_length=1, max_length=20)
    quantity: int = Field(ge=1)
    price: Price


class Order(BaseModel):
    id: uuid.UUID
    email: EmailStr
    placed: datetime
    status: Literal["new", "paid", "sent"]
    note: str = ""
    gift: bool = False
    items: list[Item]


class Wanted(BaseModel):
    """The parameters of a search."""

    search: str = ""
    status: Status | None = None
    words__gte: int | None = None
    ordering: Literal["published", "-published", "words", "-words"] | None = None
    page: int = Field(1, ge=1)


@application.get("/empty/")
async def empty() -> Ok:
    return Ok()


async def current(authorization: Annotated[str, Header()] = "") -> Account:
    account = ACCOUNTS.get(authorization)
    if account is None:
        raise HTTPException(401, headers={"WWW-Authenticate": "Token"})
    return account


async def active(account: Annotated[Account, Depends(current)]) -> Account:
    if not account.is_active:
        raise HTTPException(403)
    return account


async def limited(account: Annotated[Account, Depends(active)]) -> None:
    if not WINDOW.admits(account.pk):
        raise HTTPException(429)


@application.get("/guarded/", dependencies=[Depends(limited)])
async def guarded() -> Ok:
    return Ok()


async def page_of(
    request: Request, session: AsyncSession, query: Select[Any], page: int, size: int
) -> Any:
    counted = select(func.count()).select_from(query.order_by(None).subquery())
    count = await session.scalar(counted) or 0
    if is_beyond(page, size, count):
        raise HTTPException(404)
    rows = await session.scalars(query.limit(size).offset((page - 1) * size))
    address = str(request.url.replace(query=None))
    return envelope(address, request.query_params, page, size, count, rows.all())


@application.get("/articles/")
async def articles(request: Request, session: Session, page: PageNumber = 1) -> Page[Article]:
    query = select(tables.Article).order_by(tables.Article.id)
    return await page_of(request, session, query, page, 100)


@application.post("/articles/", status_code=201)
async def create(new: Article, session: Session) -> Article:
    if await session.get(tables.Author, new.author) is None:
        raise HTTPException(422, "There is no such author.")
    article = tables.Article(**new.model_dump())
    session.add(article)
    await session.commit()
    return Article.model_validate(article)


@application.get("/articles/{pk}/", response_model=Article)
async def article(pk: int, session: Session) -> Any:
    return found(await session.get(tables.Article, pk))


def found(row: Any) -> Any:
    if row is None:
        raise HTTPException(404)
    return row


@application.get("/books/")
async def books(request: Request, session: Session, page: PageNumber = 1) -> Page[BookWithReviews]:
    loaded = joinedload(tables.Book.author), selectinload(tables.Book.reviews)
    query = select(tables.Book).order_by(tables.Book.id)
    return await page_of(request, session, query.options(*loaded), page, 50)


@application.get("/books/{pk}/", response_model=BookWithLabels)
async def book(pk: int, session: Session) -> Any:
    loaded = joinedload(tables.Book.author), selectinload(tables.Book.labels)
    return found(await session.get(tables.Book, pk, options=loaded))


@application.get("/search/")
async def search(
    request: Request, session: Session, wanted: Annotated[Wanted, Query()]
) -> Page[Article]:
    return await page_of(request, session, matching(wanted), wanted.page, 20)


def matching(wanted: Wanted) -> Select[Any]:
    row = tables.Article
    query = select(row)
    if wanted.status:
        query = query.where(row.status == wanted.status)
    if wanted.words__gte is not None:
        query = query.where(row.words >= wanted.words__gte)
    for term in wanted.search.split():
        query = query.where(or_(row.title.icontains(term), row.body.icontains(term)))
    if wanted.ordering:
        column = getattr(row, wanted.ordering.lstrip("-"))
        query = query.order_by(column.desc() if wanted.ordering[0] == "-" else column)
    return query


@application.post("/orders/")
async def orders(order: Order) -> Ok:
    return Ok()
