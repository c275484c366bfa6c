"""Rows and bodies as structs of msgspec, for the frameworks that take these."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

Status = Literal["draft", "live"]
Ordering = Literal["published", "-published", "words", "-words"]
Title = Annotated[str, Meta(min_length=1, max_length=200)]
Slug = Annotated[str, Meta(max_length=200, pattern=r"^[-a-zA-Z0-9_]+$")]
Email = Annotated[str, Meta(pattern=r"^[^@\s]+@[^@\s.]+(\.[^@\s.]+)+$")]
Sku = Annotated[str, Meta(min_length=1, max_length=20)]
Positive = Annotated[int, Meta(ge=1)]
#: msgspec bounds no decimals: the structs that are read look at them themselves.
FINEST, HIGHEST = -2, Decimal(10) ** 6


def check_price(price: Decimal) -> None:
    """Raise ValueError, which msgspec turns into an error of validation."""
    exponent = price.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < FINEST or abs(price) >= HIGHEST:
        raise ValueError("This is no price with at most 8 digits, 2 of them decimal places.")


class Article(Struct):
    title: Title
    slug: Slug
    body: str
    status: Status
    words: int
    price: Decimal
    ratio: float
    published: datetime
    day: date
    token: uuid.UUID
    author: int
    active: bool = True


class NewArticle(Article):
    def __post_init__(self) -> None:
        check_price(self.price)


class Named(Struct):
    id: int
    name: str


class Review(Struct):
    id: int
    stars: int
    text: str
    created: datetime


class Book(Struct):
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


class ArticlePage(Struct):
    count: int
    next: str | None
    previous: str | None
    results: list[Article]


class BookPage(Struct):
    count: int
    next: str | None
    previous: str | None
    results: list[BookWithReviews]


class Ok(Struct):
    ok: bool = True


class Item(Struct):
    sku: Sku
    quantity: Positive
    price: Decimal

    def __post_init__(self) -> None:
        check_price(self.price)


class Order(Struct):
    id: uuid.UUID
    email: Email
    placed: datetime
    status: Literal["new", "paid", "sent"]
    items: list[Item]
    note: str = ""
    gift: bool = False


class PageQuery(Struct):
    page: Positive = 1


class SearchQuery(Struct):
    search: str = ""
    status: Status | None = None
    words__gte: int | None = None
    ordering: Ordering | None = None
    page: Positive = 1


ARTICLE = [field.name for field in msgspec.structs.fields(Article)]
BOOK = ["id", "title", "summary", "price", "published", "author_id", "author__name"]
REVIEW = ["id", "stars", "text", "created", "book_id"]


def articles_of(rows: Iterable[Mapping[str, Any]]) -> list[Article]:
    return [Article(**row) for row in rows]


def author_of(row: dict[str, Any]) -> Named:
    return Named(row.pop("author_id"), row.pop("author__name"))


def books_of(
    rows: Iterable[dict[str, Any]], reviews: Iterable[dict[str, Any]]
) -> list[BookWithReviews]:
    """Return the books of these rows, each with those of the reviews that are its own."""
    by_book: dict[int, list[Review]] = {}
    for review in reviews:
        by_book.setdefault(review.pop("book_id"), []).append(Review(**review))
    return [
        BookWithReviews(author=author_of(row), reviews=by_book.get(row["id"], []), **row)
        for row in rows
    ]
