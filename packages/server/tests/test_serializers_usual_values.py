import datetime
import decimal
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.utils.functional import SimpleLazyObject
from django.utils.safestring import SafeString
from hypothesis import given
from hypothesis import strategies as st

from lintel.serializers.usual_values import unusual

USUAL: list[Any] = [
    *("", "x", 0, True, 1.5, None, decimal.Decimal("1.0"), uuid.UUID(int=1)),
    *(datetime.date.min, datetime.datetime.min, datetime.time.min, datetime.timedelta()),
]
OTHERS: list[Any] = [[], {}, (), set(), b"", User(), ContentFile(b""), SafeString("x")]


@given(st.lists(st.sampled_from([*USUAL, *OTHERS])))
def test_others_are_left_in_their_order(values: list[Any]) -> None:
    expected = [value for value in values if any(value is other for other in OTHERS)]
    assert list(map(id, unusual(iter(values)))) == list(map(id, expected))


@pytest.mark.parametrize("kind", [list, dict, ContentFile])
def test_what_only_says_that_it_is_a_container_or_file_is_looked_at(kind: Any) -> None:
    lazy = SimpleLazyObject(lambda: kind(b"") if kind is ContentFile else kind())
    (found,) = unusual(["x", lazy])
    assert isinstance(found, kind)
