"""The service in django-bolt: async handlers over Django's ORM, with msgspec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, get_args

import msgspec
from django.db.models import Q, QuerySet
from django_bolt import APIKeyAuthentication, BoltAPI, IsAuthenticated, rate_limit
from django_bolt.exceptions import HTTPException, NotFound
from django_bolt.param_functions import Header

from benchmarks.project.bookshop.accounts import ACCOUNTS
from benchmarks.project.bookshop.paging import is_beyond, links
from benchmarks.project.bookshop.structs import (
    ARTICLE,
    BOOK,
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
from benchmarks.project.models import Article as ArticleRow
from benchmarks.project.models import Author, Book, Label, Review

Host = Annotated[str, Header(alias="host")]
api = BoltAPI(enable_logging=False)
by_token = APIKeyAuthentication(api_keys=set(ACCOUNTS), header="authorization")


@api.get("/empty")
async def empty() -> Ok:
    return Ok()


@api.get("/guarded", auth=[by_token], guards=[IsAuthenticated()])
@rate_limit(rps=1_000_000, burst=1_000_000)
async def guarded() -> Ok:
    return Ok()


async def page_of(
    address: str, query: Mapping[str, object], queryset: QuerySet[Any, Any], page: int, size: int
) -> tuple[list[Any], dict[str, Any]]:
    """Return the rows of a page, and its count and links."""
    count = await queryset.acount()
    if is_beyond(page, size, count):
        raise NotFound
    around = links(address, query, page, size, count)
    rows = [row async for row in queryset[(page - 1) * size : page * size]]
    return rows, {"count": count, **around}


@api.get("/articles")
async def articles(host: Host, page: int = 1) -> ArticlePage:
    queryset = ArticleRow.objects.order_by("pk").values(*ARTICLE)
    rows, envelope = await page_of(f"http://{host}/articles/", {}, queryset, page, 100)
    return ArticlePage(results=articles_of(rows), **envelope)


@api.post("/articles", status_code=201)
async def create(new: NewArticle) -> Article:
    values = msgspec.structs.asdict(new)
    try:
        author = await Author.objects.aget(pk=values.pop("author"))
    except Author.DoesNotExist:
        raise HTTPException(422, "There is no such author.") from None
    await ArticleRow.objects.acreate(author=author, **values)
    return new


async def one(rows: QuerySet[Any, Any], pk: int) -> dict[str, Any]:
    try:
        return await rows.aget(pk=pk)
    except rows.model.DoesNotExist:
        raise NotFound from None


@api.get("/articles/{pk}")
async def article(pk: int) -> Article:
    return Article(**await one(ArticleRow.objects.values(*ARTICLE), pk))


@api.get("/books")
async def books(host: Host, page: int = 1) -> BookPage:
    queryset = Book.objects.order_by("pk").values(*BOOK)
    rows, envelope = await page_of(f"http://{host}/books/", {}, queryset, page, 50)
    shown = Review.objects.filter(book__in=[row["id"] for row in rows])
    reviews = [review async for review in shown.order_by("id").values(*REVIEW)]
    return BookPage(results=books_of(rows, reviews), **envelope)


@api.get("/books/{pk}")
async def book(pk: int) -> BookWithLabels:
    row = await one(Book.objects.values(*BOOK), pk)
    labels = Label.objects.filter(book=pk).order_by("id").values_list("id", "name")
    named = [Named(*each) async for each in labels]
    return BookWithLabels(author=author_of(row), labels=named, **row)


@api.get("/search")
async def search(
    host: Host,
    search: str = "",
    status: str = "",
    words__gte: int = 0,
    ordering: str = "",
    page: int = 1,
) -> ArticlePage:
    queryset = ArticleRow.objects.values(*ARTICLE)
    # This version converts parameters and does not check them.
    if status not in ("", *get_args(Status)) or ordering not in ("", *get_args(Ordering)):
        raise HTTPException(422, "A parameter is wrong.")
    if status:
        queryset = queryset.filter(status=status)
    if words__gte:
        queryset = queryset.filter(words__gte=words__gte)
    for term in search.split():
        queryset = queryset.filter(Q(title__icontains=term) | Q(body__icontains=term))
    if ordering:
        queryset = queryset.order_by(ordering)
    query = {
        "search": search,
        "status": status,
        "words__gte": words__gte,
        "ordering": ordering,
    }
    sent = {name: value for name, value in query.items() if value}
    rows, envelope = await page_of(f"http://{host}/search/", sent, queryset, page, 20)
    return ArticlePage(results=articles_of(rows), **envelope)


@api.post("/orders")
async def orders(order: Order) -> Ok:
    return Ok()
