"""What is known of a relation."""

from collections.abc import Callable
from typing import Any

import pytest
from contract_project.models import Snippet
from django.contrib.auth.models import User
from django.db import models

from lintel.fast.relations import always_finds

OWNER: Any = Snippet._meta.get_field("owner")


def test_a_constraint_finds_its_row() -> None:
    assert always_finds(OWNER)


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setattr(OWNER, "db_constraint", False),
        lambda patch: patch.setattr(Snippet._meta, "managed", False),
        lambda patch: patch.setattr(User._meta, "managed", False),
        lambda patch: patch.setattr(
            models.ForeignKey, "get_extra_restriction", lambda *args: None, raising=False
        ),
    ],
    ids=["no constraint", "table of the key", "table of the row", "a join of the project"],
)
def test_rows_that_may_be_missing(
    change: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch)
    assert not always_finds(OWNER)


def test_relations_without_a_column_find_nothing() -> None:
    assert not always_finds(User._meta.get_field("snippets"))
    assert not always_finds(Snippet._meta.get_field("tags"))
