"""The service in Litestar, with msgspec and SQLAlchemy on the event loop."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import Litestar, Request, get, post
from litestar.connection import ASGIConnection
from litestar.di import Provide
from litestar.exceptions import (
    HTTPException,
    NotAuthorizedException,
    NotFoundException,
    PermissionDeniedException,
    TooManyRequestsException,
)
from litestar.handlers import BaseRouteHandler
from litestar.middleware import (
    AbstractAuthenticationMiddleware,
    AuthenticationResult,
    DefineMiddleware,
)
from litestar.params import Parameter
from sqlalchemy import Select, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from benchmarks.project.bookshop import tables
from benchmarks.project.bookshop.accounts import ACCOUNTS, WINDOW
from benchmarks.project.bookshop.paging import is_beyond, links
from benchmarks.project.bookshop.structs import (
    ARTICLE,
    REVIEW,
    Article,
    ArticlePage,
    BookPage,
    BookWithLabels,
    Named,
    NewArticle,
    Ok,
    Order,
    Ordering,
    Status,
    articles_of,
    author_of,
    books_of,
)

PageNumber = Annotated[int, Parameter(ge=1)]
ARTICLE_COLUMNS = [getattr(tables.Article, name) for name in ARTICLE]
REVIEW_COLUMNS = [getattr(tables.Review, name) for name in REVIEW]
BOOK_COLUMNS = [
    tables.Book.id,
    tables.Book.title,
    tables.Book.summary,
    tables.Book.price,
    tables.Book.published,
    tables.Book.author_id,
    tables.Author.name.label("author__name"),
]


@get("/empty")
async def empty() -> Ok:
    return Ok()


class ByToken(AbstractAuthenticationMiddleware):
    async def authenticate_request(
        self, connection: ASGIConnection[Any, Any, Any, Any]
    ) -> AuthenticationResult:
        account = ACCOUNTS.get(connection.headers.get("Authorization", ""))
        if account is None:
            raise NotAuthorizedException
        return AuthenticationResult(user=account, auth=None)


def is_active(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    if not connection.user.is_active:
        raise PermissionDeniedException


def is_within_limit(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    if not WINDOW.admits(connection.user.pk):
        raise TooManyRequestsException


@get("/guarded", middleware=[DefineMiddleware(ByToken)], guards=[is_active, is_within_limit])
async def guarded() -> Ok:
    return Ok()


async def rows_of(
    session: AsyncSession, query: Select[Any], page: int, size: int
) -> tuple[int, list[dict[str, Any]]]:
    """Return the count of all rows and those of a page."""
    counted = select(func.count()).select_from(query.order_by(None).subquery())
    count = await session.scalar(counted) or 0
    if is_beyond(page, size, count):
        raise NotFoundException
    rows = await session.execute(query.limit(size).offset((page - 1) * size))
    return count, [dict(row) for row in rows.mappings()]


def neighbours(request: Request[Any, Any, Any], page: int, size: int, count: int) -> Any:
    # Litestar drops the slash at the end of a path, which the others have.
    address = f"{str(request.base_url).rstrip('/')}{request.url.path}/"
    return links(address, dict(request.query_params), page, size, count)


def article_page(
    request: Request[Any, Any, Any], page: int, size: int, found: tuple[int, list[dict[str, Any]]]
) -> ArticlePage:
    count, rows = found
    around = neighbours(request, page, size, count)
    return ArticlePage(count=count, results=articles_of(rows), **around)


@get("/articles")
async def articles(
    request: Request[Any, Any, Any], session: AsyncSession, page: PageNumber = 1
) -> ArticlePage:
    query = select(*ARTICLE_COLUMNS).order_by(tables.Article.id)
    return article_page(request, page, 100, await rows_of(session, query, page, 100))


@post("/articles")
async def create(data: NewArticle, session: AsyncSession) -> Article:
    if await session.get(tables.Author, data.author) is None:
        raise HTTPException("There is no such author.", status_code=422)
    session.add(tables.Article(**msgspec.structs.asdict(data)))
    await session.commit()
    return data


@get("/articles/{pk:int}")
async def article(pk: int, session: AsyncSession) -> Article:
    query = select(*ARTICLE_COLUMNS).where(tables.Article.id == pk)
    return Article(**await one(session, query))


async def one(session: AsyncSession, query: Select[Any]) -> dict[str, Any]:
    row = (await session.execute(query)).mappings().one_or_none()
    if row is None:
        raise NotFoundException
    return dict(row)


@get("/books")
async def books(
    request: Request[Any, Any, Any], session: AsyncSession, page: PageNumber = 1
) -> BookPage:
    query = select(*BOOK_COLUMNS).join(tables.Book.author).order_by(tables.Book.id)
    count, rows = await rows_of(session, query, page, 50)
    row = tables.Review
    shown = row.book_id.in_([book["id"] for book in rows])
    reviews = await session.execute(select(*REVIEW_COLUMNS).where(shown).order_by(row.id))
    around = neighbours(request, page, 50, count)
    results = books_of(rows, (dict(each) for each in reviews.mappings()))
    return BookPage(count=count, results=results, **around)


@get("/books/{pk:int}")
async def book(pk: int, session: AsyncSession) -> BookWithLabels:
    query = select(*BOOK_COLUMNS).join(tables.Book.author).where(tables.Book.id == pk)
    found = await one(session, query)
    columns = select(tables.Label.id, tables.Label.name)
    joined = columns.join(tables.book_labels).where(tables.book_labels.c.book_id == pk)
    labels = await session.execute(joined.order_by(tables.Label.id))
    named = [Named(*each) for each in labels]
    return BookWithLabels(author=author_of(found), labels=named, **found)


@get("/search")
async def find(
    request: Request[Any, Any, Any],
    session: AsyncSession,
    search: str = "",
    status: Status | None = None,
    words__gte: int | None = None,
    ordering: Ordering | None = None,
    page: PageNumber = 1,
) -> ArticlePage:
    row = tables.Article
    query = select(*ARTICLE_COLUMNS)
    if status:
        query = query.where(row.status == status)
    if words__gte is not None:
        query = query.where(row.words >= words__gte)
    for term in search.split():
        query = query.where(or_(row.title.icontains(term), row.body.icontains(term)))
    if ordering:
        column = getattr(row, ordering.lstrip("-"))
        query = query.order_by(column.desc() if ordering[0] == "-" else column)
    return article_page(request, page, 20, await rows_of(session, query, page, 20))


@post("/orders", status_code=200)
async def orders(data: Order) -> Ok:
    return Ok()


application = Litestar(
    [empty, guarded, articles, create, article, books, book, find, orders],
    dependencies={"session": Provide(tables.opened)},
    openapi_config=None,
)
