"""The page of routes: for staff, from the lines of the request log."""

import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

from lintel import toppage
from lintel.top import LOGGER, Picture

pytestmark = [pytest.mark.urls(__name__), pytest.mark.django_db]

STAFF_PAGE = "/top/"


def many(request: HttpRequest, number: int) -> HttpResponse:
    for _ in range(number):
        User.objects.filter(pk=0).exists()
    return HttpResponse()


def shown_to_anybody(request: HttpRequest) -> HttpResponse:
    request.user = User(is_staff=True, is_active=True)  # type: ignore[assignment]
    return toppage.top(request)  # type: ignore[return-value]


urlpatterns = [
    path("top/", toppage.top),
    path("open/", shown_to_anybody),
    path("many/<int:number>/", many),
]


@pytest.fixture(autouse=True)
def counted(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    settings.MIDDLEWARE = ["lintel.requestlog.RequestLogMiddleware", *settings.MIDDLEWARE]
    monkeypatch.setattr(toppage.counting, "picture", Picture())
    logger = logging.getLogger(LOGGER)
    level = logger.level
    logger.setLevel(logging.INFO)
    yield
    logger.setLevel(level)


def staff() -> Client:
    client = Client()
    client.force_login(User.objects.create_user("grace", is_staff=True))
    return client


def rows(page: str) -> list[list[str]]:
    body = page[page.index("<tbody>") :]
    return [re.findall(r"<t[hd][^>]*>([^<]*)", row) for row in body.split("<tr")[1:]]


def test_only_staff_see_it() -> None:
    response = Client().get(STAFF_PAGE)
    assert response.status_code == 302
    assert response["Location"].endswith("?next=/top/")
    client = Client()
    client.force_login(User.objects.create_user("ada"))
    assert client.get(STAFF_PAGE).status_code == 403
    response = staff().get(STAFF_PAGE)
    assert (response.status_code, "no-store" in response["Cache-Control"]) == (200, True)
    assert Client().post(STAFF_PAGE).status_code == 405


def test_routes_are_counted_and_those_over_a_budget_reported() -> None:
    client = staff()
    for number in (0, 12):
        client.get(f"/many/{number}/")
    client.get(STAFF_PAGE)
    listed = rows(client.get(STAFF_PAGE, {"by": "queries"}).content.decode())
    assert listed[0][:3] == ["GET many/&lt;int:number&gt;/", "2", "0"]
    assert listed[0][-3:] == ["6.0", "12", "N+1?"]
    over = rows(client.get(STAFF_PAGE, {"budget": "5"}).content.decode())
    assert [row[0] for row in over] == ["GET many/&lt;int:number&gt;/"]
    assert over[0][-1] == "over 5 N+1?"


@pytest.mark.parametrize("query", ["by=%00", "budget=-1", "budget=9" + "9" * 5_000, "budget=٣"])
def test_what_is_no_choice_is_ignored(query: str) -> None:
    client = staff()
    client.get("/many/1/")
    assert "GET many" in client.get(f"{STAFF_PAGE}?{query}").content.decode()


def test_it_says_why_it_is_empty() -> None:
    logging.getLogger(LOGGER).setLevel(logging.ERROR)
    assert "must let INFO through" in staff().get(STAFF_PAGE).content.decode()
