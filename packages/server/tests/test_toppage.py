"""The page of routes: for staff, from the lines of the request log."""

import logging
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import BaseCache, caches
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from servers import Redis

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
    # Tests tell themselves.
    monkeypatch.setattr(toppage.counting, "teller", threading.current_thread())
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


# ---- several processes ----


@pytest.fixture
def shared(settings: Any, redis_server: Redis) -> Iterator[BaseCache]:
    settings.CACHES = {"default": redis_server.settings}
    cache = caches["default"]
    cache.clear()
    yield cache
    cache.clear()


def test_processes_that_share_a_cache_are_added_up(
    shared: BaseCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = staff()
    client.get("/many/12/")
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(toppage, "process", lambda: "elsewhere, 7")
        place = toppage.tell(shared, None)
        assert toppage.tell(shared, place) == place
        assert toppage.tell(shared, None) != place  # it is held
    shared.delete(toppage.places()[1])
    monkeypatch.setattr(toppage.counting, "picture", Picture())
    client.get("/many/0/")
    page = client.get(STAFF_PAGE).content.decode()
    counted = next(row for row in rows(page) if row[0].startswith("GET many"))
    assert (counted[1], counted[-3:]) == ("2", ["6.0", "12", "N+1?"])
    assert f"elsewhere, 7; {toppage.process()}" in page or (
        f"{toppage.process()}; elsewhere, 7" in page
    )


def test_a_place_that_somebody_else_has_taken_is_left(shared: BaseCache) -> None:
    place = toppage.tell(shared, None)
    assert place is not None
    shared.set(place, ("elsewhere, 7", toppage.counting.start, {}), 60)
    assert toppage.tell(shared, place) not in (None, place)
    for each in toppage.places():
        shared.add(each, ("elsewhere, 7", toppage.counting.start, {}), 60)
    assert toppage.tell(shared, None) is None


def test_services_of_one_cache_have_places_of_their_own(shared: BaseCache, settings: Any) -> None:
    assert toppage.tell(shared, None) == toppage.places()[0]
    settings.SECRET_KEY = "of another service"
    assert [name for name, *_ in toppage.told_by_all()] == [toppage.process()]
    assert toppage.tell(shared, None) == toppage.places()[0]


def test_a_thread_tells_what_was_counted(
    shared: BaseCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as alone:
        alone.setattr(toppage, "SHARED", ())
        toppage.tell_on()  # ends: there is nobody to tell
    told = threading.Event()

    def tell_once(cache: BaseCache, place: str | None) -> str | None:
        told.set()
        monkeypatch.setattr(toppage, "SHARED", ())
        raise ConnectionError("the cache is away")

    monkeypatch.setattr(toppage, "tell", tell_once)
    monkeypatch.setattr(toppage, "EVERY", 0)
    monkeypatch.setattr(toppage.counting, "teller", None)
    staff().get("/many/1/")
    assert told.wait(30)
    teller = toppage.counting.teller
    assert teller is not None
    teller.join(30)
    assert not teller.is_alive()


def test_a_cache_that_is_away_leaves_the_own_picture(settings: Any) -> None:
    backend = "django.core.cache.backends.redis.RedisCache"
    client = staff()
    client.get("/many/1/")
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": "redis://127.0.0.1:1"}}
    assert "GET many" in client.get(STAFF_PAGE).content.decode()


def test_a_forked_process_counts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    client = staff()
    client.get("/many/1/")
    monkeypatch.setattr(toppage.counting, "pid", 1)
    client.get("/many/2/")
    assert [route.requests for _, route in toppage.counting.picture.by("time")] == [1]


def test_it_says_why_it_is_empty() -> None:
    logging.getLogger(LOGGER).setLevel(logging.ERROR)
    assert "must let INFO through" in staff().get(STAFF_PAGE).content.decode()
