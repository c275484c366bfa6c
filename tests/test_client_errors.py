"""The client reads errors of the server in both of its formats, by the caller's names."""

from typing import Any

import pytest
from django.test import override_settings
from django.urls import path

from lintel import serializers
from lintel.request import Request
from lintel.response import Response
from lintel.views import APIView
from lintel_client import Client, InvalidInput
from lintel_document import Document, Field, Link

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls(__name__)]


class Address(serializers.Serializer):
    city = serializers.CharField(max_length=5)


class Person(serializers.Serializer):
    name = serializers.CharField()
    address = Address()


class People(APIView):
    def post(self, request: Request) -> Response:
        many = isinstance(request.data, list)
        serializer = Person(data=request.data, many=many)
        serializer.is_valid(raise_exception=True)
        return Response(serializer.data)


urlpatterns = [path("people/", People.as_view())]

WRONG = {"name": "", "address": {"city": "too long"}}
BLANK = "This field may not be blank."
LONG = "Ensure this field has no more than 5 characters."


def refused(url: str, **params: Any) -> InvalidInput:
    fields = ["name", "address", Field("data", location="body")]
    link = Link("/people/", "post", fields=fields)
    with Client() as client, pytest.raises(InvalidInput) as caught:
        client.action(Document(url, content={"add": link}), "add", params)
    return caught.value


@pytest.mark.parametrize("error_format", ["drf", "problem"])
def test_messages_are_the_same_in_both_formats(live_server: Any, error_format: str) -> None:
    with override_settings(REST_FRAMEWORK={"ERROR_FORMAT": error_format}):
        by_members = refused(live_server.url, **WRONG)
        by_whole = refused(live_server.url, data=WRONG)
        of_many = refused(live_server.url, data=[WRONG])
    assert by_members.messages == {"name": [BLANK], "address": [f"city: {LONG}"]}
    assert by_whole.messages == {"data": [f"name: {BLANK}", f"address: city: {LONG}"]}
    assert of_many.messages == {"data": [f"0: name: {BLANK}", f"0: address: city: {LONG}"]}
    is_problem = by_whole.headers["Content-Type"].startswith("application/problem+json")
    assert is_problem == (error_format == "problem")
