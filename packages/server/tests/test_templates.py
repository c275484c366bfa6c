"""Project templates that change our pages: blocks, variables, and static files they use."""

import re
from pathlib import Path
from typing import Any

import pytest
from contract_project.models import Tag
from django.conf import settings as configured
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.template import engines
from django.template.loader import get_template
from django.urls import include, path

import lintel
from lintel import filters, renderers, serializers, viewsets
from lintel.routers import SimpleRouter
from lintel.test import APIClient

HERE = Path(lintel.__file__).parent
STATIC = HERE / "static"
DOCS = HERE.parents[3] / "docs" / "server" / "browsable-pages.md"

#: What projects name in templates of their own. Some have new contents, some say what to use now.
NAMED = """
css/bootstrap.min.css css/bootstrap-theme.min.css css/bootstrap-tweaks.css css/default.css
css/design.css
css/bootstrap.min.css.map css/bootstrap-theme.min.css.map css/prettify.css
css/font-awesome-4.0.3.css
js/ajax-form.js js/bootstrap.min.js js/coreapi-0.1.0.js js/coreapi-0.1.1.js js/csrf.js js/default.js
js/theme.js js/choices.js js/lists.js
js/lintel-client.min.js
js/jquery-3.7.1.min.js js/load-ajax-form.js js/prettify-min.js
img/glyphicons-halflings.png img/glyphicons-halflings-white.png img/grid.png
fonts/fontawesome-webfont.eot fonts/fontawesome-webfont.svg fonts/fontawesome-webfont.ttf
fonts/fontawesome-webfont.woff fonts/glyphicons-halflings-regular.eot
fonts/glyphicons-halflings-regular.svg fonts/glyphicons-halflings-regular.ttf
fonts/glyphicons-halflings-regular.woff fonts/glyphicons-halflings-regular.woff2
docs/css/base.css docs/css/docs.css docs/css/highlight.css docs/css/jquery.json-view.min.css
docs/img/favicon.ico docs/img/grid.png
docs/js/api.js docs/js/docs.js docs/js/highlight.pack.js docs/js/jquery.json-view.min.js
"""

BLOCKS = """
head meta title style bootstrap_theme body bodyclass navbar bootstrap_navbar_variant branding
userlinks breadcrumbs content request_forms description script
"""


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class Tags(viewsets.ModelViewSet):
    """What is *here*."""

    queryset = Tag.objects.order_by("id")
    serializer_class = TagSerializer
    permission_classes: list[Any] = []
    renderer_classes = [
        renderers.JSONRenderer,
        renderers.BrowsableAPIRenderer,
        renderers.AdminRenderer,
    ]


router = SimpleRouter()
router.register("tags", Tags)
urlpatterns = [path("", include(router.urls)), path("account/", include("lintel.urls"))]
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]

PAGES = ["/tags/?format=api", "/tags/?format=admin", "/account/login/"]


def page(address: str = "/tags/?format=api") -> str:
    response = APIClient().get(address)
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def collected(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    settings.STATIC_URL = "/static/"
    storage = "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": storage}}
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["admin"])
    return tmp_path


@pytest.fixture
def own_template(settings, tmp_path):
    folder = tmp_path / "templates"
    (folder / "rest_framework").mkdir(parents=True)
    engine = configured.TEMPLATES[0]
    loaders = [
        f"django.template.loaders.{name}.Loader" for name in ("filesystem", "app_directories")
    ]
    options = {**engine.get("OPTIONS", {}), "loaders": loaders}
    settings.TEMPLATES = [{**engine, "DIRS": [folder], "APP_DIRS": False, "OPTIONS": options}]

    def write(text: str, name: str = "api") -> None:
        (folder / "rest_framework" / name).parent.mkdir(exist_ok=True)
        (folder / "rest_framework" / f"{name}.html").write_text(text)

    return write


def test_static_files_that_projects_name_are_there(collected):
    template = engines["django"].from_string(
        "{% load static %}{% for name in names %}{% static name %} {% endfor %}"
    )
    names = [f"rest_framework/{name}" for name in NAMED.split()]
    for address in template.render({"names": names}).split():
        assert (collected / address.removeprefix("/static/")).is_file()


def test_every_static_file_is_listed():
    found = {str(each.relative_to(STATIC / "rest_framework")) for each in STATIC.rglob("*.*")}
    assert found == set(NAMED.split())


@pytest.mark.parametrize("address", PAGES)
def test_pages_stand_under_manifest_storage(address, collected):
    files = re.findall(r'(?:href|src)="/static/([^"]*)"', page(address))
    assert len(files) == 7
    assert all((collected / name).is_file() for name in files)


def test_static_files_of_our_templates_exist():
    texts = [each.read_text() for each in (HERE / "templates").rglob("*.html")]
    names = {name for text in texts for name in re.findall(r"{% static [\"'](.*?)[\"']", text)}
    assert names
    assert all(finders.find(name) for name in names)


@pytest.mark.parametrize("block", BLOCKS.split())
def test_each_block_can_be_replaced_and_extended(block, own_template):
    before = page()
    start = '{% extends "rest_framework/base.html" %}'
    own_template(f"{start}{{% block {block} %}}own words{{% endblock %}}")
    assert "own words" in page()
    own_template(f"{start}{{% block {block} %}}own words{{{{ block.super }}}}{{% endblock %}}")
    text = page()
    assert "own words" in text
    assert len(text) >= len(before)


def test_a_theme_comes_before_our_style_sheet(own_template):
    own_template(
        '{% extends "rest_framework/base.html" %}{% load static %}'
        '{% block bootstrap_theme %}<link rel="stylesheet" href="{% static '
        '"rest_framework/css/bootstrap.min.css" %}">{% endblock %}'
    )
    text = page()
    assert 0 < text.index("css/bootstrap.min.css") < text.index("css/default.css")


def test_a_page_that_loads_the_scripts_itself(own_template):
    names = ["jquery-3.7.1.min", "ajax-form", "csrf", "bootstrap.min", "prettify-min", "default"]
    tags = "".join(
        f"<script src=\"{{% static 'rest_framework/js/{n}.js' %}}\"></script>" for n in names
    )
    own_template(
        '{% extends "rest_framework/base.html" %}{% load static %}'
        f"{{% block script %}}{tags}<script>window.drf.csrfToken</script>{{% endblock %}}"
    )
    text = page()
    assert text.count("<script") == len(names) + 2
    assert 'data-csrf-header="X-CSRFTOKEN"' in text
    assert 'data-csrf-cookie="csrftoken"' in text


VARIABLES = """
content code_style view request response user description name version paginator breadcrumblist
allowed_methods available_formats response_headers put_form post_form delete_form options_form
extra_actions filter_form raw_data_put_form raw_data_post_form raw_data_patch_form
patch_form raw_data_put_or_patch_form display_edit_forms notice request_as_curl api_settings
csrf_cookie_name csrf_header_name
"""


ADMIN_VARIABLES = "style columns details results rows table facts error_form error_title"


FILTERED = {
    "filter_backends": [filters.FieldFilter, filters.SearchFilter, filters.OrderingFilter],
    **{name: ["name"] for name in ("filter_fields", "search_fields", "ordering_fields")},
}


def test_templates_of_parts_keep_their_variables(own_template, monkeypatch):
    for name, value in FILTERED.items():
        monkeypatch.setattr(Tags, name, value, raising=False)
    tag = Tag.objects.create(name="red")
    own_template("{{ elements|length }} own {{ clear_address }}", "filters/base")
    assert "3 own /tags/?format=api" in page("/tags/?format=api&search=r")
    own_template(
        "{{ param }} {{ current }} {% for o in options %}{{ o.0 }}|{% endfor %}", "filters/ordering"
    )
    own_template("{% for each in elements %}{{ each|safe }}{% endfor %}", "filters/base")
    assert "ordering -name name|-name|" in page("/tags/?format=api&ordering=-name")
    own_template(
        "{% for address, row in rows %}{{ address }} {{ row.name }} {{ columns.1 }}{% endfor %}",
        "admin/list",
    )
    assert f"/tags/{tag.pk}/?format=admin red name" in page("/tags/?format=admin")


def test_every_variable_is_there(own_template):
    for name in VARIABLES.split():
        own_template(
            f"{{% if {name} is None or {name} is not None %}}{{{{ {name} }}}}{{% endif %}}"
        )
        page()
    for status_code in (200, 403, 429):
        assert set(context_of(status_code)) >= set(VARIABLES.split())


def context_of(status_code: int) -> dict[str, Any]:
    view = Tags.as_view({"get": "list"})
    request = APIClient().get("/tags/?format=api").wsgi_request
    response = view(request)
    response.status_code = status_code
    context: dict[str, Any] = response.accepted_renderer.get_context(
        response.data, "text/html", {**response.renderer_context, "response": response}
    )
    return context


def test_what_renderers_name_later_takes_effect(own_template, monkeypatch):
    own_template("first words", "own")
    monkeypatch.setattr(renderers.BrowsableAPIRenderer, "template", "rest_framework/own.html")
    assert page() == "first words"
    monkeypatch.undo()
    assert "<h1>" in page()

    class Plain(renderers.HTMLFormRenderer):
        def render(self, data, accepted_media_type=None, renderer_context=None):
            return "plain form"

    monkeypatch.setattr(renderers.BrowsableAPIRenderer, "form_renderer_class", Plain)
    assert "plain form" in page()
    monkeypatch.undo()
    styles = renderers.HTMLFormRenderer.default_style.mapping
    monkeypatch.setitem(styles, serializers.CharField, {"base_template": "textarea.html"})
    assert '<textarea name="name"' in page()


def test_docs_name_blocks_and_variables():
    text = DOCS.read_text()
    names = [*BLOCKS.split(), *VARIABLES.split(), *ADMIN_VARIABLES.split(), "breadcrumbs_empty"]
    assert [name for name in names if f"`{name}`" not in text] == []


def test_docs_name_the_static_files_that_do_something():
    text = DOCS.read_text()
    files = [*STATIC.rglob("css/de*.css"), *STATIC.glob("rest_framework/js/*.js")]
    names = [f"{each.parent.name}/{each.name}" for each in files if each.stat().st_size > 300]
    names.remove("js/lintel-client.min.js")
    assert len(names) > 5
    assert [name for name in names if f"`{name}`" not in text] == []


def test_docs_name_the_tokens():
    tokens = re.findall(
        r"^ *(--[\w-]+):", (STATIC / "rest_framework" / "css" / "design.css").read_text(), re.M
    )
    text = DOCS.read_text()
    ranges = re.findall(r"`(--[a-z]+-)(\d)` to `--[a-z]+-(\d)`", text)
    named = {f"{name}{n}" for name, low, high in ranges for n in range(int(low), int(high) + 1)}
    assert [each for each in tokens if f"`{each}`" not in text and each not in named] == []


def test_the_template_of_the_docs_changes_the_page(own_template):
    template = re.search(
        r"^```html\n{# templates/rest_framework/api.html #}\n(.*?)^```",
        DOCS.read_text(),
        re.S | re.M,
    )
    own_template(template[1])
    text = page()
    assert "<title>Tags List – Snippets</title>" in text
    assert '<a href="/">Snippets</a>' in text
    assert 0 < text.index("css/default.css") < text.index("/snippets/pages.css")
    assert 0 < text.index('<p class="message">Questions?') < text.index("What is <em>here</em>")
    assert 'id="post"' in text


def test_a_page_that_stands_nowhere(own_template):
    block = "{% block breadcrumbs_empty %}<li>nowhere</li>{% endblock %}"
    own_template(f'{{% extends "rest_framework/base.html" %}}{block}')
    assert "nowhere" not in page()
    request = APIClient().get("/tags/").wsgi_request
    html = get_template("rest_framework/api.html").render({"breadcrumblist": []}, request)
    assert "<li>nowhere</li>" in html


def test_every_template_compiles():
    folder = HERE / "templates"
    for each in folder.rglob("*.html"):
        get_template(str(each.relative_to(folder)))
