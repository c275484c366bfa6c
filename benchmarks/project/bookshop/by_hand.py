"""The service by hand on Django: plain views, ``values()`` and the JSON library.

Bodies are converted and not checked; keys, pages, parameters and tokens are.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from benchmarks.project.bookshop.accounts import ACCOUNTS, WINDOW
from benchmarks.project.bookshop.paging import envelope, is_beyond
from benchmarks.project.models import Article, Book, Label, Review
from benchmarks.project.plain import NAMES, create, empty, parse_order, write

BOOK = ["id", "title", "summary", "price", "published", "author", "author__name"]
REVIEW = ["id", "stars", "text", "created", "book_id"]
ORDERINGS = ["published", "-published", "words", "-words"]


def guarded(request: HttpRequest) -> HttpResponse:
    account = ACCOUNTS.get(request.headers.get("Authorization", ""))
    if account is None:
        return write({"detail": "Unknown token."}, status=401)
    if not account.is_active:
        return write({"detail": "Forbidden."}, status=403)
    if not WINDOW.admits(account.pk):
        return write({"detail": "Too many requests."}, status=429)
    return empty(request)


@csrf_exempt
def articles(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        return create(request)
    return page_of(request, Article.objects.order_by("pk").values(*NAMES), 100)


def page_of(request: HttpRequest, queryset: QuerySet[Any, Any], size: int) -> HttpResponse:
    try:
        page = int(request.GET.get("page", 1))
    except ValueError:
        return not_found()
    count = queryset.count()
    if is_beyond(page, size, count):
        return not_found()
    results = list(queryset[(page - 1) * size : page * size])
    if queryset.model is Book:
        results = reviewed(results)
    address = request.build_absolute_uri(request.path)
    return write(envelope(address, request.GET.dict(), page, size, count, results))


def not_found() -> HttpResponse:
    return write({"detail": "Not found."}, status=404)


def article(request: HttpRequest, pk: int) -> HttpResponse:
    try:
        return write(Article.objects.values(*NAMES).get(pk=pk))
    except Article.DoesNotExist:
        return not_found()


def book(request: HttpRequest, pk: int) -> HttpResponse:
    try:
        found = Book.objects.values(*BOOK).get(pk=pk)
    except Book.DoesNotExist:
        return not_found()
    labels = Label.objects.filter(book=pk).order_by("id").values("id", "name")
    return write({**with_author(found), "labels": list(labels)})


def with_author(book: dict[str, Any]) -> dict[str, Any]:
    book["author"] = {"id": book["author"], "name": book.pop("author__name")}
    return book


def books(request: HttpRequest) -> HttpResponse:
    return page_of(request, Book.objects.order_by("pk").values(*BOOK), 50)


def reviewed(books: list[dict[str, Any]]) -> list[dict[str, Any]]:
    by_book: dict[int, list[dict[str, Any]]] = {book["id"]: [] for book in books}
    for review in Review.objects.filter(book__in=by_book).order_by("id").values(*REVIEW):
        by_book[review.pop("book_id")].append(review)
    return [{**with_author(book), "reviews": by_book[book["id"]]} for book in books]


def search(request: HttpRequest) -> HttpResponse:
    queryset = Article.objects.values(*NAMES)
    status, words = request.GET.get("status"), request.GET.get("words__gte")
    if (status and status not in ("draft", "live")) or (words and not words.isdecimal()):
        return write({"detail": "A parameter is wrong."}, status=400)
    if status:
        queryset = queryset.filter(status=status)
    if words:
        queryset = queryset.filter(words__gte=int(words))
    for term in request.GET.get("search", "").split():
        queryset = queryset.filter(Q(title__icontains=term) | Q(body__icontains=term))
    if request.GET.get("ordering") in ORDERINGS:
        queryset = queryset.order_by(request.GET["ordering"])
    return page_of(request, queryset, 20)


urlpatterns = [
    path("empty/", empty),
    path("guarded/", guarded),
    path("articles/", articles),
    path("articles/<int:pk>/", article),
    path("books/", books),
    path("books/<int:pk>/", book),
    path("search/", search),
    path("orders/", parse_order),
]
