"""Tokens in several databases: which one a deletion goes to."""

from typing import Any

import pytest
from django.apps.registry import Apps
from django.contrib.auth.models import User
from django.test import override_settings

from lintel.authtoken.models import Token, TokenProxy

# The second database is made by a fixture, so that its name is not known yet.
pytestmark = pytest.mark.django_db(databases="__all__")

KEYS = ["a" * 40, "b" * 40, "c" * 40]


class PlainProxy(Token):
    """What TokenProxy would be without a ``pk`` of its own."""

    class Meta:
        app_label = "plain"
        proxy = True
        # A registry of its own, so that no migration is missing.
        apps = Apps()


def make_tokens(using: str) -> None:
    for key in KEYS:
        user = User.objects.using(using).create(username=key)
        Token.objects.using(using).create(key=key, user=user)


class Writing:
    """Reads from one database and writes to another."""

    def __init__(self, alias: str) -> None:
        self.alias = alias
        self.asked: list[Any] = []

    def db_for_read(self, model: Any, **hints: Any) -> str:
        return "default"

    def db_for_write(self, model: Any, **hints: Any) -> str:
        self.asked.append((model, list(hints)))
        return self.alias

    def allow_relation(self, *objects: Any, **hints: Any) -> bool:
        return True


@pytest.fixture
def other(sqlite_file: str, db: None) -> str:
    """A second database with the same tokens as the first."""
    for alias in ("default", sqlite_file):
        make_tokens(alias)
    return sqlite_file


def counts(other: str) -> tuple[int, int]:
    return Token.objects.using("default").count(), Token.objects.using(other).count()


def test_deletes_go_to_the_database_that_was_named(other: str) -> None:
    TokenProxy.objects.using(other).filter(key=KEYS[0]).delete()
    assert counts(other) == (3, 2)
    TokenProxy.objects.using(other).get(key=KEYS[1]).delete()
    assert counts(other) == (3, 1)
    TokenProxy.objects.get(key=KEYS[2]).delete(using=other)
    assert counts(other) == (3, 0)
    TokenProxy.objects.db_manager(other).all().delete()
    TokenProxy.objects.get(key=KEYS[2]).delete(using="default")
    assert counts(other) == (2, 0)


@pytest.mark.parametrize("model", [TokenProxy, PlainProxy])
def test_deletes_follow_the_router(other: str, model: Any) -> None:
    router = Writing(other)
    with override_settings(DATABASE_ROUTERS=[router]):
        model.objects.filter(key=KEYS[0]).delete()
        model.objects.get(key=KEYS[1]).delete()
    assert counts(other) == (3, 1)
    assert router.asked == [(model, []), (model, ["instance"])]
