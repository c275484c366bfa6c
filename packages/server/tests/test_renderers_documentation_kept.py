"""HTML of operations is kept beside its facts: two worlds never see each other's."""

import datetime
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest
from django.test import override_settings
from django.urls import path
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _

from lintel import serializers
from lintel.documentation import get_docs_view
from lintel.generics import CreateAPIView
from lintel.renderers import DocumentationRenderer, documentation_kept, documentation_page
from lintel.renderers.documentation_kept import KEPT, KeptTexts, as_text
from lintel.schemas import extend_schema
from lintel.test import APIRequestFactory

WORLD: ContextVar[str] = ContextVar("world", default="first")


class Thing:
    def __str__(self):
        return f"the {WORLD.get()} thing"


class WorldSerializer(serializers.Serializer):
    label = serializers.CharField(help_text=_("None"))
    thing = serializers.CharField(default=Thing())

    def get_fields(self):
        kind = serializers.ChoiceField([WORLD.get()])
        return {**super().get_fields(), f"of_{WORLD.get()}": kind}


class Worlds(CreateAPIView):
    serializer_class = WorldSerializer
    deprecated = datetime.datetime(2026, 1, 1, 23, tzinfo=datetime.UTC)


PATTERNS = [path("worlds/", Worlds.as_view())]
VIEW = get_docs_view(title="Worlds", patterns=PATTERNS)


@pytest.fixture(autouse=True)
def nothing_kept():
    KEPT.clear()


def page(view=VIEW, host="testserver"):
    request = APIRequestFactory().get("/docs/", headers={"accept": "text/html", "host": host})
    return view(request).render().content.decode()


def worlds():
    """The page in several worlds, each beside the one before."""
    found = [page(), page(host="127.0.0.1")]
    token = WORLD.set("second")
    found.append(page())
    WORLD.reset(token)
    with translation.override("de"):
        found.append(page())
    with timezone.override("Asia/Tokyo"):
        found.append(page())
    return found


def test_operations_without_texts_are_kept_by_language():
    class Silent(CreateAPIView):
        serializer_class = serializers.Serializer

    view = get_docs_view(title="Silent", patterns=[path("silent/", Silent.as_view())])
    page(view)
    with translation.override("de"):
        page(view)
    assert len(set(KEPT.texts.values())) == len(KEPT.texts) == 2


def test_values_inside_of_components_belong_to_the_world():
    class Inner(serializers.Serializer):
        def get_fields(self):
            return {f"of_{WORLD.get()}": serializers.CharField()}

    class Outer(serializers.Serializer):
        inner = Inner()

    class Outers(CreateAPIView):
        serializer_class = Outer

    view = get_docs_view(title="Outers", patterns=[path("outers/", Outers.as_view())])
    first = page(view)
    token = WORLD.set("second")
    second = page(view)
    WORLD.reset(token)
    assert ("of_first" in first, "of_second" in first) == (True, False)
    assert ("of_first" in second, "of_second" in second) == (False, True)


@override_settings(ALLOWED_HOSTS=["*"])
def test_each_world_has_pages_of_its_own(monkeypatch):
    kept = worlds()
    assert worlds() == kept
    assert len(set(kept)) == len(kept) == len(KEPT.texts)
    monkeypatch.setattr(documentation_page, "are_ours", lambda *templates: False)
    assert worlds() == kept
    assert "the second thing" in kept[2]
    assert "of_second" in kept[2]


def test_an_operation_is_written_once(monkeypatch):
    first = page()
    monkeypatch.setattr(documentation_page, "fill", None)
    assert page() == first


def test_a_change_of_the_description_is_seen(monkeypatch):
    page()
    monkeypatch.setattr(Worlds, "__doc__", "Other words.")
    assert "Other words." in page()
    changed = extend_schema(summary="A summary.")(type("Changed", (Worlds,), {}))
    view = get_docs_view(title="Worlds", patterns=[path("worlds/", changed.as_view())])
    assert "A summary." in page(view)


def own_templates(**templates):
    loaders = [
        ("django.template.loaders.locmem.Loader", templates),
        "django.template.loaders.app_directories.Loader",
    ]
    engine = "django.template.backends.django.DjangoTemplates"
    return override_settings(TEMPLATES=[{"BACKEND": engine, "OPTIONS": {"loaders": loaders}}])


@pytest.mark.parametrize("name", ["told", "link", "langs/shell", "sidebar"])
def test_templates_of_a_project_are_rendered_each_time(name):
    page()
    own = {f"rest_framework/docs/{name}.html": "{{ request.META.HTTP_HOST }} is the host."}
    with own_templates(**own), override_settings(ALLOWED_HOSTS=["*"]):
        assert "testserver is the host." in page()
        assert "localhost is the host." in page(host="localhost")
        assert not KEPT.texts
    assert "is the host." not in page()


def test_templates_of_a_renderer_are_rendered_each_time():
    class Own(DocumentationRenderer):
        languages = ["python", "own"]

    view = get_docs_view(patterns=PATTERNS, renderer_classes=[Own])
    own = {"rest_framework/docs/langs/own-intro.html": "", "rest_framework/docs/langs/own.html": ""}
    with own_templates(**own):
        assert "Python" in page(view)
        assert not KEPT.texts


def test_facts_that_cannot_be_written_as_text_are_not_kept():
    class Odd(CreateAPIView):
        """Odd."""

        serializer_class = serializers.Serializer

    described = {"responses": {"200": {"description": "", "x-odd": {(1, 2): "pair"}}}}
    view = extend_schema(operation={"operationId": "odd", **described})(Odd)
    content = page(get_docs_view(patterns=[path("odd/", view.as_view())]))
    assert "Odd." in content
    assert not KEPT.texts
    with pytest.raises(TypeError):
        as_text({(1, 2): "pair"})


def test_the_least_used_are_dropped(monkeypatch):
    monkeypatch.setattr(documentation_kept, "MAX_KEPT", 10)
    kept = KeptTexts()
    for key in (b"a", b"b"):
        kept.put(key, key.decode() * 4)
    assert kept.get(b"a") == "aaaa"
    kept.put(b"c", "cccc")
    kept.put(b"c", "ccc")
    assert (list(kept.texts), kept.length) == ([b"a", b"c"], 7)
    kept.put(b"d", "d" * 11)
    assert (list(kept.texts), kept.length) == ([], 0)


def test_threads_get_the_pages_of_their_own_world():
    def shown(name):
        WORLD.set(name)
        return page()

    names = ["first", "second"] * 8
    with ThreadPoolExecutor(4) as pool:
        pages = list(pool.map(shown, names))
    assert all(f"of_{name}" in content for name, content in zip(names, pages, strict=True))
    assert len(set(pages)) == 2
