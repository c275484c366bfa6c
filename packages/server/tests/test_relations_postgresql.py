"""Keys that PostgreSQL cannot store are input errors."""

from typing import Any

import pytest
from contract_project.models import Tag
from django.contrib.auth.models import User
from django.http import Http404
from servers import everything_in

from lintel import serializers
from lintel.exceptions import ValidationError
from lintel.generics import get_object_or_404
from lintel.relations import HyperlinkedRelatedField, SlugRelatedField

pytestmark = pytest.mark.urls("test_relations")


class Linked(serializers.Serializer):
    tag = SlugRelatedField(slug_field="name", queryset=Tag.objects.all(), required=False)
    tags = SlugRelatedField(
        slug_field="name", queryset=Tag.objects.all(), many=True, required=False
    )
    user = HyperlinkedRelatedField(
        view_name="user-detail",
        lookup_field="username",
        queryset=User.objects.all(),
        required=False,
    )


@pytest.fixture
def database(postgresql: str, django_db_blocker: Any) -> Any:
    with everything_in(postgresql, django_db_blocker):
        yield


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"tag": "a\x00b"}, "invalid"),
        ({"tags": ["a\x00b", "b"]}, "invalid"),
        ({"user": "/users/a%00b/"}, "does_not_exist"),
    ],
    ids=str,
)
def test_nul_is_an_error_of_the_input(data: Any, code: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Linked().run_validation(data)
    assert [errors[0] for errors in caught.value.get_codes().values()] == [code]


@pytest.mark.usefixtures("database")
def test_nul_in_an_address_is_not_found() -> None:
    with pytest.raises(Http404):
        get_object_or_404(User, username="a\x00b")
