"""Write-only input never appears on a page."""

import re
from typing import Any

import pytest
from django.urls import path

from lintel import generics, parsers, renderers, serializers
from lintel.exceptions import ErrorDetail
from lintel.renderers.forms import disclosure
from lintel.test import APIClient

SECRET = "sesame-open"
PAGES = [renderers.BrowsableAPIRenderer, renderers.AdminRenderer]


class Inner(serializers.Serializer):
    pin = serializers.CharField(write_only=True, max_length=4)
    seen = serializers.CharField(max_length=4)


class Keys(serializers.Serializer):
    level = serializers.ChoiceField(choices=["low"], write_only=True)
    levels = serializers.ListField(
        child=serializers.ChoiceField(choices=["low"]), write_only=True, required=False
    )
    password = serializers.CharField(style={"input_type": "password"}, required=False)
    shown = serializers.ChoiceField(choices=["yes"])
    inner = Inner(required=False)


class KeyView(generics.CreateAPIView):
    serializer_class = Keys
    permission_classes: list[Any] = []
    authentication_classes: list[Any] = []


class ManyKeys(KeyView):
    parser_classes = [parsers.JSONParser]

    def get_serializer(self, *args, **kwargs):
        return super().get_serializer(*args, many=True, **kwargs)


urlpatterns = [path("keys/", KeyView.as_view()), path("many-keys/", ManyKeys.as_view())]
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


def send(address: str, accept: str, body: str) -> Any:
    return APIClient(HTTP_ACCEPT=accept).post(address, body, content_type="application/json")


@pytest.mark.parametrize("renderer", PAGES)
def test_secrets_that_were_sent_do_not_come_back(renderer, monkeypatch):
    monkeypatch.setattr(KeyView, "renderer_classes", [renderers.JSONRenderer, renderer])
    sent = (
        f'{{"level": "{SECRET}", "levels": ["{SECRET}"], "password": "{SECRET}", '
        f'"inner": {{"pin": "{SECRET}", "seen": "looked-at"}}, "shown": "maybe"}}'
    )
    page = send("/keys/", "text/html", sent)
    text = page.content.decode()
    assert page.status_code == 400
    assert SECRET not in text
    assert "maybe" in text
    assert "…&quot; is not a valid choice." in text
    answer = send("/keys/", "application/json", sent)
    assert answer.json()["level"] == ['"…" is not a valid choice.']
    assert SECRET not in answer.content.decode()


def test_secrets_in_lists_do_not_come_back():
    text = send("/many-keys/", "text/html", f'[{{"level": "{SECRET}"}}]').content.decode()
    assert "is not a valid choice." in text
    assert SECRET not in text


def test_hidden_words_keep_the_code_of_their_error():
    errors = disclosure.hide([ErrorDetail('"abc" is abcd.', code="invalid")], ["abc", None])
    assert (errors, errors[0].code) == (['"…" is abcd.'], "invalid")
    assert disclosure.hide({"a": [1]}, {"b": "x"}) == {"a": [1]}
    assert disclosure.hide(["a"], "") == ["a"]


def test_a_form_is_refilled_without_secrets():
    serializer = Keys(data={"level": SECRET, "shown": "no", "inner": {"pin": SECRET}})
    assert not serializer.is_valid()
    form = renderers.HTMLFormRenderer().render(serializer.data)
    assert SECRET not in form
    assert "&quot;no&quot; is not a valid choice." in form


def test_the_time_of_hiding_grows_with_what_is_shown_alone():
    """A pattern of a hundred thousand alternatives would take seconds, for each page."""
    with pytest.MonkeyPatch.context() as patch:
        sizes: list[int] = []
        compiled = re.compile
        patch.setattr(
            disclosure.re, "compile", lambda text: sizes.append(len(text)) or compiled(text)
        )
        many = [f"x{number}y" for number in range(100_000)]
        assert disclosure.hide(["Not x7y, a x7yz."], many) == ["Not …, a x7yz."]
        assert disclosure.hide(["Not a b.", "c"], ["b", "b" * 10**6]) == ["Not a ….", "c"]
        echoed = [f'"{each}" is wrong.' for each in many]
        assert set(disclosure.hide(echoed, many)) == {"…"}
    assert max(sizes) < 100
