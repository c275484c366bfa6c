"""The catalogs of messages: complete, sound, compiled, and in use."""

import functools
import gettext
import io
import json
from pathlib import Path
from typing import Any

import messages
import pytest
from babel.messages import Catalog
from babel.messages.mofile import read_mo
from django.conf import settings
from django.test import Client, override_settings
from django.urls import path
from django.utils import translation

from lintel import serializers
from lintel.exceptions import NotAuthenticated, Throttled
from lintel.response import Response
from lintel.views import APIView

NAMES = (messages.ENGLISH, *messages.LANGUAGES)
MIDDLEWARE = [*settings.MIDDLEWARE, "django.middleware.locale.LocaleMiddleware"]
MO = Path("LC_MESSAGES", "django.mo")
DENIED = "Authentication credentials were not provided."


class TitleSerializer(serializers.Serializer):
    title = serializers.CharField()


class TitleView(APIView):
    def post(self, request: Any) -> Response:
        TitleSerializer(data=request.data).is_valid(raise_exception=True)
        return Response(status=204)


urlpatterns = [path("", TitleView.as_view())]


def entries(catalog: Catalog) -> dict[tuple[str, ...], tuple[str, ...]]:
    return {forms(entry.id): forms(entry.string) for entry in catalog if entry.id}


def forms(string: Any) -> tuple[str, ...]:
    return (string,) if isinstance(string, str) else tuple(string)


@functools.cache
def extracted() -> list[messages.Message]:
    return messages.extracted()


@functools.cache
def needed() -> set[str]:
    return messages.answered()


def compiled(name: str) -> gettext.GNUTranslations:
    with (messages.folder(name) / "django.mo").open("rb") as file:
        return gettext.GNUTranslations(file)


# ---- what there is to translate ----


def test_messages_are_collected_from_calls_and_attributes() -> None:
    source = """
class Late:
    detail = _("one")
    hint_singular: str = "in {n} second"
    hint_plural = "in {n} seconds"
    other_singular = "alone"
    text = ngettext_lazy("cow", "cows", n) + translation.gettext("two") + _(name) + call("three")
"""
    found = set(messages.of_source(source))
    assert found == {"one", "two", ("cow", "cows"), ("in {n} second", "in {n} seconds")}


def test_the_meanings_of_codes_are_collected() -> None:
    source = 'CODES = (*_at(400, blank="Empty.", null="None."), *other(a="no"))'
    assert list(messages.of_source(source)) == ["Empty.", "None."]


def test_messages_are_collected_from_templates() -> None:
    text = """{% translate "Save" %}{% trans 'A b' as label %}{{ _("no") }}"""
    assert list(messages.of_template(text, Path("page.html"))) == ["Save", "A b"]
    with pytest.raises(ValueError, match=r"page\.html: use"):
        list(
            messages.of_template("{% blocktranslate %}x{% endblocktranslate %}", Path("page.html"))
        )


def test_words_of_pages_may_wait_and_those_of_answers_may_not() -> None:
    assert {"This field is required.", DENIED} <= needed()
    assert not {"Try it", "Raw data"} & needed()
    made = Catalog(locale="de")
    made.add("Try it")
    made.add(DENIED)
    assert messages.untranslated(made, needed()) == [DENIED]


# ---- catalogs ----


def test_every_folder_is_a_catalog_of_the_tool() -> None:
    folders = {place.name for place in messages.LOCALE.iterdir()}
    assert folders == {*NAMES, *messages.ALIASES, *messages.EMPTY}


def test_every_language_of_the_known_api_has_a_catalog() -> None:
    facts = Path(__file__).parent / "contract" / "api.json"
    known = set(json.loads(facts.read_text())["locales"])
    assert len(known) == 60
    assert known <= {place.name for place in messages.LOCALE.iterdir() if (place / MO).exists()}


def test_every_language_is_documented() -> None:
    page = Path(__file__).parents[3] / "docs" / "server" / "exceptions.md"
    assert [name for name in messages.LANGUAGES if f"`{name}`" not in page.read_text()] == []


@pytest.mark.parametrize("name", messages.EMPTY)
def test_what_nobody_wrote_is_empty(name: str) -> None:
    assert not entries(messages.catalog(name))
    with (messages.folder(name) / "django.mo").open("rb") as file:
        assert not entries(read_mo(file))


@pytest.mark.parametrize("name", NAMES)
def test_catalogs_are_up_to_date_and_complete(name: str) -> None:
    """If this fails: run ``python tools/messages.py`` and translate what it lists."""
    fresh = messages.updated(name, extracted())
    assert entries(fresh) == entries(messages.catalog(name))
    assert not messages.untranslated(fresh, needed())


@pytest.mark.parametrize("name", NAMES)
def test_placeholders_are_those_of_the_source(name: str) -> None:
    for source, strings in entries(messages.catalog(name)).items():
        wanted = messages.placeholders(source[0])
        said = [string for string in strings if string]
        assert [messages.placeholders(string) for string in said] == [wanted] * len(said)


@pytest.mark.parametrize("name", NAMES)
def test_compiled_catalogs_are_up_to_date(name: str) -> None:
    content = (messages.folder(name) / "django.mo").read_bytes()
    said = {key: value for key, value in entries(messages.catalog(name)).items() if any(value)}
    assert entries(read_mo(io.BytesIO(content))) == said
    for alias in (alias for alias, of in messages.ALIASES.items() if of == name):
        assert (messages.folder(alias) / "django.mo").read_bytes() == content


@pytest.mark.parametrize("name", NAMES)
def test_every_number_has_a_plural_form(name: str) -> None:
    catalog, translations = messages.catalog(name), compiled(name)
    for source, strings in entries(catalog).items():
        if len(source) == 2:
            assert len(strings) == catalog.num_plurals
            assert {translations.ngettext(*source, number) for number in range(200)} == set(strings)


# ---- in use ----

ACCEPTED = {
    "de": "de",
    "de-at": "de",
    "es-ar": "es",
    "fr-ca": "fr",
    "he": "he_IL",
    "ja": "ja",
    "ko": "ko_KR",
    "nb": "nb",
    "pt": "pt",
    "pt-br": "pt_BR",
    "zh-cn": "zh_Hans",
    "zh-hans": "zh_Hans",
    "zh-hant": "zh_Hant",
    "zh-tw": "zh_Hant",
}


def detail_for(language: str) -> Any:
    """The answer to a request without credentials; the language of this thread stays."""
    with override_settings(MIDDLEWARE=MIDDLEWARE), translation.override("en"):
        address = "/auth/basic/IsAuthenticated/"
        return Client().get(address, headers={"Accept-Language": language}).json()["detail"]


@pytest.mark.django_db
@pytest.mark.parametrize("language", ACCEPTED)
def test_the_client_chooses_the_language(language: str) -> None:
    translated = messages.catalog(ACCEPTED[language])[DENIED].string
    assert detail_for(language) == translated != DENIED


@pytest.mark.django_db
def test_other_languages_are_answered_in_english() -> None:
    assert detail_for("eo") == DENIED


def code(name: str) -> str:
    return name.lower().replace("_", "-")


@pytest.mark.parametrize("name", [*messages.LANGUAGES, *messages.ALIASES])
def test_refused_input_is_answered_in_each_language(name: str) -> None:
    source = messages.catalog(messages.ALIASES.get(name, name))
    with override_settings(
        MIDDLEWARE=MIDDLEWARE, LANGUAGES=[(code(name), name)], ROOT_URLCONF=__name__
    ):
        client = Client(headers={"Accept-Language": code(name)})
        empty = client.post("/", {}, content_type="application/json")
        listed = client.post("/", [], content_type="application/json")
    assert (empty.status_code, listed.status_code) == (400, 400)
    assert empty.json() == {"title": [source.get("This field is required.").string]}
    shape = source.get("Invalid data. Expected a dictionary, but got {datatype}.").string
    assert listed.json() == {"non_field_errors": [shape.format(datatype="list")]}


def test_catalogs_of_the_project_win(tmp_path: Path) -> None:
    own = Catalog(locale="de", domain="django")
    own.add(DENIED, string="Wer da?")
    (tmp_path / "de" / MO).parent.mkdir(parents=True)
    (tmp_path / "de" / MO).write_bytes(messages.compiled(own))
    with override_settings(LOCALE_PATHS=[str(tmp_path)]), translation.override("de"):
        assert str(NotAuthenticated().detail) == "Wer da?"


@pytest.mark.parametrize("name", messages.EMPTY)
def test_the_language_of_the_project_answers_for_an_empty_catalog(name: str) -> None:
    with override_settings(LANGUAGE_CODE="de"), translation.override(name):
        german = messages.catalog("de")[DENIED].string
        assert str(NotAuthenticated().detail) == german


@pytest.mark.parametrize(
    ("language", "wait", "text"),
    [
        ("en", 1, "Request was throttled. Expected available in 1 second."),
        ("en", 2, "Request was throttled. Expected available in 2 seconds."),
        ("de", 1, "Die Anfrage wurde gedrosselt. In 1 Sekunde wieder verfügbar."),
        ("ru", 21, "Слишком много запросов, этот отклонён. Снова доступно через 21 секунду."),
        ("ru", 3, "Слишком много запросов, этот отклонён. Снова доступно через 3 секунды."),
        ("ru", 5, "Слишком много запросов, этот отклонён. Снова доступно через 5 секунд."),
        ("ja", 5, "リクエストが多すぎるため制限されました。 5 秒後にまた利用できます。"),
    ],
)
def test_numbers_choose_the_form(language: str, wait: int, text: str) -> None:
    with translation.override(language):
        assert str(Throttled(wait=wait).detail) == text
