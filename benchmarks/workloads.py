"""What the contenders of the PostgreSQL benchmark are asked, and what they must refuse."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.project.bookshop.accounts import TOKEN
from benchmarks.project.orders import ORDER
from benchmarks.requests import NEW_ARTICLE

ARTICLES = 1000
CONNECTIONS = 16
BOOKS = 500
SEARCH = "/search/?search=number&status=live&words__gte=700&ordering=-published"


@dataclass(frozen=True, slots=True)
class Workload:
    """A request that is sent again and again, or once to compare what comes back."""

    name: str
    path: str
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Whether a contender by hand, which checks no bodies, is left out.
    about_bodies: bool = False
    connections: int = CONNECTIONS

    @property
    def method(self) -> str:
        return "POST" if self.body else "GET"


KNOWN = {"Authorization": f"Token {TOKEN}"}

#: In the order of the table. Create comes last: its rows must not make the pages longer.
WORKLOADS = (
    Workload("empty view", "/empty/"),
    Workload("guarded", "/guarded/", headers=KNOWN),
    Workload("one row", "/articles/50/"),
    Workload("detail", "/books/50/"),
    Workload("page of 100", "/articles/"),
    Workload("nested 50", "/books/"),
    Workload("filtered page of 20", SEARCH),
    Workload("validate 50 items", "/orders/", json.dumps(ORDER)),
    Workload("create", "/articles/", json.dumps(NEW_ARTICLE)),
)

#: Compared as well, and not measured.
NEIGHBOURS = (
    Workload("second page", "/articles/?page=2"),
    Workload("second nested page", "/books/?page=2"),
    Workload("second filtered page", f"{SEARCH}&page=2"),
    Workload("nothing found", "/search/?search=nowhere&ordering=published"),
)


def wrong(name: str, path: str, right: Mapping[str, Any], **changed: object) -> Workload:
    """Return a request whose body is right but for these values."""
    return Workload(f"{name}: {changed}", path, json.dumps({**right, **changed}), {}, True)


def wrong_order(**changed: object) -> Workload:
    return wrong("order", "/orders/", ORDER, **changed)


def wrong_item(**changed: object) -> Workload:
    items = [*ORDER["items"][:-1], {**ORDER["items"][-1], **changed}]
    return wrong_order(items=items)


def wrong_article(**changed: object) -> Workload:
    return wrong("article", "/articles/", NEW_ARTICLE, **changed)


REFUSED = (
    Workload("no token", "/guarded/"),
    Workload("unknown token", "/guarded/", headers={"Authorization": "Token unknown"}),
    Workload("unknown article", "/articles/999999/"),
    Workload("unknown book", "/books/999999/"),
    Workload("page beyond the last", "/articles/?page=99"),
    Workload("page zero", "/books/?page=0"),
    Workload("page that is no number", "/articles/?page=x"),
    Workload("unknown choice", "/search/?status=lost"),
    Workload("words that are no number", "/search/?words__gte=many"),
    wrong_article(title="x" * 201),
    wrong_article(slug="no slug"),
    wrong_article(status="lost"),
    wrong_article(words="many"),
    wrong_article(price="1.234"),
    wrong_article(ratio=None),
    wrong_article(published="yesterday"),
    wrong_article(day="2026-02-30"),
    wrong_article(token="x"),
    wrong_article(author=999999),
    wrong_order(id="x"),
    wrong_order(email="nobody"),
    wrong_order(placed="2026-05-17T25:00:00Z"),
    wrong_order(status="lost"),
    wrong_order(gift="perhaps"),
    wrong_order(items={}),
    wrong_item(sku="x" * 21),
    wrong_item(quantity=0),
    wrong_item(price="1.234"),
    wrong_item(price=None),
)
