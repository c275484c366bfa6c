"""Errors for developers start with the text that people know and search for, then add ours.

The texts and types were observed from outside, by making each mistake with the known package.
"""

import mistakes_in_serializers
import mistakes_in_views
import pytest
from django.test import override_settings
from mistakes import Mistake

from lintel import checks

MISTAKES = [*mistakes_in_serializers.MISTAKES, *mistakes_in_views.MISTAKES]


def names() -> list[str]:
    return [mistake.make.__name__ for mistake in MISTAKES]


def test_each_mistake_stands_once() -> None:
    assert len(set(names())) == len(MISTAKES)


@pytest.mark.django_db
@pytest.mark.parametrize("mistake", MISTAKES, ids=names())
def test_the_known_text_comes_first(mistake: Mistake) -> None:
    with pytest.raises(mistake.type) as caught:
        mistake.make()
    assert isinstance(caught.value.args[0], str)
    assert caught.value.args[0].startswith(mistake.text)


def test_system_checks_say_the_known_text() -> None:
    with override_settings(REST_FRAMEWORK={"PAGE_SIZE": 10}):
        found = [warning.msg for warning in checks.pagination_system_check(None)]
    assert found == [
        "You have specified a default PAGE_SIZE pagination rest_framework setting, without "
        "specifying also a DEFAULT_PAGINATION_CLASS."
    ]
