"""The service by hand on Starlette and asyncpg: the floor. Bodies are converted, not checked."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import asyncpg
import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from benchmarks.project.bookshop.accounts import ACCOUNTS, WINDOW
from benchmarks.project.bookshop.connection import FOLDER, NAME, POOL, USER
from benchmarks.project.bookshop.paging import envelope, is_beyond

#: Texts of what JSON has no number for; moments are written by the JSON library.
ARTICLE = (
    "title, slug, body, status, words, price::text AS price, ratio, active, published, day, "
    "token::text AS token, author_id AS author"
)
BOOK = (
    "b.id, b.title, b.summary, b.price::text AS price, b.published, b.author_id, a.name AS author "
    "FROM project_book b JOIN project_author a ON a.id = b.author_id"
)
LABELS = (
    "SELECT l.id, l.name FROM project_label l JOIN project_book_labels bl ON bl.label_id = l.id "
    "WHERE bl.book_id = $1 ORDER BY l.id"
)
REVIEWS = (
    "SELECT book_id, id, stars, text, created FROM project_review "
    "WHERE book_id = ANY($1) ORDER BY id"
)
CREATE = (
    "INSERT INTO project_article (title, slug, body, status, words, price, ratio, active, "
    "published, day, token, author_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) "
    f"RETURNING {ARTICLE}"
)
ORDERINGS = {
    "published": "published",
    "-published": "published DESC",
    "words": "words",
    "-words": "words DESC",
}


@asynccontextmanager
async def connected(application: Starlette) -> AsyncIterator[None]:
    options = {"host": FOLDER, "user": USER, "database": NAME}
    async with asyncpg.create_pool(**options, min_size=POOL, max_size=POOL) as pool:
        application.state.pool = pool
        yield


def write(content: object, status: int = 200) -> Response:
    body = orjson.dumps(content, option=orjson.OPT_UTC_Z)
    return Response(body, status, media_type="application/json")


def not_found() -> Response:
    return write({"detail": "Not found."}, 404)


async def empty(request: Request) -> Response:
    return write({"ok": True})


async def guarded(request: Request) -> Response:
    account = ACCOUNTS.get(request.headers.get("Authorization", ""))
    if account is None:
        return write({"detail": "Unknown token."}, 401)
    if not account.is_active:
        return write({"detail": "Forbidden."}, 403)
    if not WINDOW.admits(account.pk):
        return write({"detail": "Too many requests."}, 429)
    return write({"ok": True})


def page_number(request: Request) -> int:
    text = request.query_params.get("page", "1")
    return int(text) if text.isdecimal() else 0


def page_of(request: Request, page: int, size: int, count: int, results: object) -> Response:
    address = str(request.url.replace(query=None))
    return write(envelope(address, request.query_params, page, size, count, results))


async def articles(request: Request) -> Response:
    if request.method == "POST":
        return await create(request)
    query = f"SELECT {ARTICLE} FROM project_article ORDER BY id"
    return await listed(request, "SELECT count(*) FROM project_article", query, 100)


async def listed(
    request: Request, counting: str, query: str, size: int, *values: object
) -> Response:
    page = page_number(request)
    async with request.app.state.pool.acquire() as connection:
        count = await connection.fetchval(counting, *values)
        if is_beyond(page, size, count):
            return not_found()
        limits = f"{query} LIMIT {size} OFFSET {(page - 1) * size}"
        rows = await connection.fetch(limits, *values)
    return page_of(request, page, size, count, [dict(row) for row in rows])


async def create(request: Request) -> Response:
    data = orjson.loads(await request.body())
    values = (
        *(data[name] for name in ("title", "slug", "body", "status", "words")),
        Decimal(data["price"]),
        data["ratio"],
        data["active"],
        datetime.fromisoformat(data["published"]),
        date.fromisoformat(data["day"]),
        uuid.UUID(data["token"]),
        data["author"],
    )
    async with request.app.state.pool.acquire() as connection:
        row = await connection.fetchrow(CREATE, *values)
    return write(dict(row), 201)


async def article(request: Request) -> Response:
    query = f"SELECT {ARTICLE} FROM project_article WHERE id = $1"
    async with request.app.state.pool.acquire() as connection:
        row = await connection.fetchrow(query, request.path_params["pk"])
    return write(dict(row)) if row else not_found()


def with_author(row: Any) -> dict[str, Any]:
    found = dict(row)
    found["author"] = {"id": found.pop("author_id"), "name": found["author"]}
    return found


async def book(request: Request) -> Response:
    pk = request.path_params["pk"]
    async with request.app.state.pool.acquire() as connection:
        row = await connection.fetchrow(f"SELECT {BOOK} WHERE b.id = $1", pk)
        if not row:
            return not_found()
        labels = await connection.fetch(LABELS, pk)
    return write({**with_author(row), "labels": [dict(label) for label in labels]})


async def books(request: Request) -> Response:
    page = page_number(request)
    async with request.app.state.pool.acquire() as connection:
        count = await connection.fetchval("SELECT count(*) FROM project_book")
        if is_beyond(page, 50, count):
            return not_found()
        query = f"SELECT {BOOK} ORDER BY b.id LIMIT 50 OFFSET {(page - 1) * 50}"
        rows = await connection.fetch(query)
        reviews = await connection.fetch(REVIEWS, [row["id"] for row in rows])
    by_book: dict[int, list[dict[str, Any]]] = {row["id"]: [] for row in rows}
    for each in map(dict, reviews):
        by_book[each.pop("book_id")].append(each)
    results = [{**with_author(row), "reviews": by_book[row["id"]]} for row in rows]
    return page_of(request, page, 50, count, results)


async def search(request: Request) -> Response:
    found = conditions(request)
    if found is None:
        return write({"detail": "A parameter is wrong."}, 400)
    where, values = found
    order = ORDERINGS.get(request.query_params.get("ordering", ""), "id")
    counting = f"SELECT count(*) FROM project_article WHERE {where}"
    query = f"SELECT {ARTICLE} FROM project_article WHERE {where} ORDER BY {order}"
    return await listed(request, counting, query, 20, *values)


def conditions(request: Request) -> tuple[str, list[object]] | None:
    """Return SQL and its values; None if a parameter is wrong."""
    status = request.query_params.get("status")
    words = request.query_params.get("words__gte")
    if (status and status not in ("draft", "live")) or (words and not words.isdecimal()):
        return None
    parts, values = ["true"], []
    if status:
        values.append(status)
        parts.append(f"status = ${len(values)}")
    if words:
        values.append(int(words))
        parts.append(f"words >= ${len(values)}")
    for term in request.query_params.get("search", "").split():
        values.append(f"%{term}%")
        parts.append(f"(title ILIKE ${len(values)} OR body ILIKE ${len(values)})")
    return " AND ".join(parts), values


async def orders(request: Request) -> Response:
    orjson.loads(await request.body())
    return write({"ok": True})


application = Starlette(
    routes=[
        Route("/empty/", empty),
        Route("/guarded/", guarded),
        Route("/articles/", articles, methods=["GET", "POST"]),
        Route("/articles/{pk:int}/", article),
        Route("/books/", books),
        Route("/books/{pk:int}/", book),
        Route("/search/", search),
        Route("/orders/", orders, methods=["POST"]),
    ],
    lifespan=connected,
)
