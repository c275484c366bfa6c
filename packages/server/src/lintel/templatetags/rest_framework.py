"""Template tags and filters of the browsable interface.

Use ``{% load rest_framework %}`` in project templates that change its pages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from django import template
from django.template import Context, loader
from django.template.base import Node, NodeList, Parser, Token
from django.utils.encoding import force_str, iri_to_uri
from django.utils.html import escape, format_html, smart_urlquote
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from lintel import serializers
from lintel.compat import apply_markdown, pygments_highlight
from lintel.fields.base import HIDDEN
from lintel.pagination import BasePagination
from lintel.renderers import HTMLFormRenderer
from lintel.renderers.documentation_page import address_of
from lintel.renderers.forms.inputs import error_lines
from lintel.renderers.titles import api_title
from lintel.request import Request
from lintel.serializers import BaseSerializer
from lintel.utils.serializer_helpers import BoundField
from lintel.utils.urls import replace_query_param
from lintel_document import Field, Link

register: template.Library = template.Library()

#: The contents of ``class="..."``.
class_re: re.Pattern[str] = re.compile(r"""(?<=class=["\'])(.*)(?=["\'])""")

# How prose is split into words, links and surrounding characters.
TRAILING_PUNCTUATION = [".", ",", ":", ";", ".)", '"', "']", "'}", "'"]
WRAPPING_PUNCTUATION = [
    ("(", ")"),
    ("<", ">"),
    ("[", "]"),
    ("&lt;", "&gt;"),
    ('"', '"'),
    ("'", "'"),
]
word_split_re: re.Pattern[str] = re.compile(r"(\s+)")
simple_url_re: re.Pattern[str] = re.compile(r"^https?://\[?\w", re.IGNORECASE)
simple_url_2_re: re.Pattern[str] = re.compile(
    r"^www\.|^(?!http)\w[^@]+\.(com|edu|gov|int|mil|net|org)$", re.IGNORECASE
)
simple_email_re: re.Pattern[str] = re.compile(r"^\S+@\S+\.\S+$")

#: The start of a navigation, up to its name.
_NAVIGATION = re.compile(r'(<nav\b[^>]*\saria-label=")[^"]*')

#: Deeper nesting is shown as JSON.
MOST_LEVELS = 12

#: A URL that is a whole string value of a JSON document, not a key.
_JSON_ADDRESS = re.compile(r'"(https?://[^"\\\s]++)"(?!\s*+:)')


@register.tag(name="code")
def highlight_code(parser: Parser, token: Token) -> CodeNode:
    """``{% code json %}…{% endcode %}``: coloured source text."""
    language = token.split_contents()[-1]
    content = parser.parse(("endcode",))
    parser.delete_first_token()
    return CodeNode(language, content)


class CodeNode(Node):
    style = "emacs"

    def __init__(self, lang: str, code: NodeList) -> None:
        self.lang = lang
        self.nodelist = code

    def render(self, context: Context) -> SafeString:
        """Return the coloured text; escaped text if Pygments is missing."""
        text = self.nodelist.render(context)
        html = pygments_highlight(text, self.lang, self.style)
        return mark_safe(escape(text) if html is text else html)  # noqa: S308 -- escaped by Pygments


@register.simple_tag
def render_markdown(markdown_text: str) -> str:
    """Return Markdown as HTML; the unchanged text if the library is missing."""
    if apply_markdown is None:
        return markdown_text
    return mark_safe(apply_markdown(markdown_text))  # noqa: S308 -- written by the project


@register.simple_tag(name="api_title")
def title_of_api() -> str:
    """The title of the API, from the setting ``API_TITLE``; empty if none is set."""
    return api_title()


@register.simple_tag
def get_pagination_html(pager: BasePagination, label: str = "") -> str:
    """Draw the page controls; a ``label`` tells a second set of them from the first."""
    html = pager.to_html()
    if not label or not isinstance(html, SafeString):  # other texts are escaped
        return html
    return mark_safe(_NAVIGATION.sub(lambda match: match[1] + escape(label), html, count=1))  # noqa: S308 -- its own markup


@register.simple_tag
def render_form(serializer: BaseSerializer, template_pack: str | None = None) -> SafeString:
    style = {"template_pack": template_pack} if template_pack else {}
    html = HTMLFormRenderer().render(serializer.data, None, {"style": style})
    return mark_safe(html)  # noqa: S308 -- made by templates, which escape


@register.simple_tag
def render_field(field: BoundField, style: Mapping[str, Any]) -> SafeString:
    renderer = style.get("renderer") or HTMLFormRenderer()
    return mark_safe(renderer.render_field(field, style))  # noqa: S308 -- made by templates


@register.simple_tag
def optional_login(request: Request) -> str:
    url = _account_url("login", request)
    if not url:
        return ""
    return format_html('<li><a href="{}">{}</a></li>', url, _("Log in"))


@register.simple_tag
def optional_docs_login(request: Request) -> str:
    """Return the words "log in", as a link if the project has a login page."""
    url = _account_url("login", request)
    return "log in" if not url else format_html('<a href="{}">log in</a>', url)


@register.simple_tag
def optional_logout(request: Request, user: object, csrf_token: object) -> str:
    url = _account_url("logout", request)
    name = format_html('<li class="user-name">{}</li>', user)
    if not url:
        return name
    button = format_html(
        '<li><form method="post" action="{}"><input type="hidden" name="csrfmiddlewaretoken" '
        'value="{}"><button type="submit" class="link">{}</button></form></li>',
        url,
        csrf_token,
        _("Log out"),
    )
    return name + button


def _account_url(name: str, request: Request) -> str:
    url = address_of(f"rest_framework:{name}")
    return url and f"{url}?{urlencode({'next': request.path}, doseq=True)}".replace("%2F", "/")


@register.simple_tag
def add_query_param(request: Request, key: str, val: object) -> str:
    return escape(replace_query_param(iri_to_uri(request.get_full_path()), key, val))


@register.simple_tag
def linked_content(content: str, headers: Mapping[str, object]) -> SafeString:
    """Return a body, escaped, with links in JSON; in one piece, as the browser adds colours."""
    if not headers or "json" not in str(headers.get("Content-Type", "")):
        return escape(content)
    pieces: list[str] = []
    end = 0
    for match in _JSON_ADDRESS.finditer(content):
        pieces += (escape(content[end : match.start(1)]), _link(match[1]))
        end = match.end(1)
    pieces.append(escape(content[end:]))
    return mark_safe("".join(pieces))  # noqa: S308 -- every piece is escaped


def _link(address: str) -> str:
    try:
        urlsplit(address)
    except ValueError:
        return escape(address)
    return format_html('<a href="{}" rel="nofollow">{}</a>', address, address)


@register.filter
def as_string(value: object) -> str:
    return "" if value is None else force_str(value)


@register.filter
def as_list_of_strings(value: Iterable[object] | None) -> list[str]:
    """Return texts, empty for None; a value that is not a list becomes the only item."""
    if value is None:
        return []
    return [as_string(item) for item in value] if isinstance(value, Iterable) else [str(value)]


@register.filter
def add_class(value: object, css_class: str) -> object:
    """Return HTML with a class added to its first element with classes, or else its first tag."""
    html = str(value)
    match = class_re.search(html)
    if match:
        classes = match.group()
        if re.search(rf"(^|\s){re.escape(css_class)}(\s|$|[\"'])", classes):
            return value
        return mark_safe(class_re.sub(lambda match: f"{match.group()} {css_class}", html))  # noqa: S308
    return mark_safe(html.replace(">", f' class="{css_class}">', 1))  # noqa: S308 -- trusted markup


@register.filter
def format_value(value: Any) -> str:
    """Return a value of a response for people: links, tables for nested data, escaped text."""
    if getattr(value, "is_hyperlink", False):
        return format_html('<a href="{}">{}</a>', value, str(value.obj))
    if value is None or isinstance(value, bool):
        return format_html("<code>{}</code>", {None: "null", True: "true", False: "false"}[value])
    if isinstance(value, list | dict) and _is_deep(value, MOST_LEVELS):
        return format_html("<pre>{}</pre>", _as_json(value))
    if isinstance(value, list):
        is_nested = any(isinstance(item, list | dict) for item in value)
        return _nested("list_value" if is_nested else "simple_list_value", value)
    if isinstance(value, dict):
        return _nested("dict_value", value)
    if isinstance(value, str):
        return _format_text(value)
    return str(value)


def _is_deep(value: object, levels: int) -> bool:
    if not isinstance(value, list | dict):
        return False
    items = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deep(item, levels - 1) for item in items)


def _as_json(value: object) -> str:
    try:
        return json.dumps(value, indent=4, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return HIDDEN


def _nested(name: str, value: object) -> str:
    return loader.get_template(f"rest_framework/admin/{name}.html").render({"value": value})


def _format_text(value: str) -> str:
    is_address = value.startswith(("http:", "https:", "/")) and not re.search(r"\s", value)
    if is_address:
        return format_html('<a href="{0}">{0}</a>', value)
    if "@" in value and not re.search(r"\s", value):
        return format_html('<a href="mailto:{0}">{0}</a>', value)
    if "\n" in value:
        return format_html("<pre>{}</pre>", value)
    return value


@register.filter
def items(value: object) -> Iterable[object]:
    """Return keys and values; ``value.items`` in a template would find a key of that name first."""
    return value.items() if isinstance(value, Mapping) else []


@register.filter
def error_texts(field: BoundField) -> list[str]:
    return error_lines(field)


@register.filter
def add_nested_class(value: object) -> str:
    if isinstance(value, dict):
        return "class=nested"
    is_nested = isinstance(value, list) and any(isinstance(item, list | dict) for item in value)
    return "class=nested" if is_nested else ""


def smart_urlquote_wrapper(matched_url: str) -> str | None:
    try:
        return smart_urlquote(matched_url)
    except ValueError:
        return None


# For the documentation pages of a native schema.


@register.filter
def with_location(fields: Iterable[Field], location: str) -> list[Field]:
    """Return the fields of a link in one location: ``path``, ``query``, ``form``, ``body``."""
    return [field for field in fields if field.location == location]


@register.simple_tag
def form_for_link(link: Link) -> object:
    fields = {
        field.name: serializers.CharField(
            required=field.required, help_text=getattr(field.schema, "description", "")
        )
        for field in link.fields
    }
    form_class = type("LinkSerializer", (serializers.Serializer,), fields)
    return render_form(form_class())


@register.filter
def data(value: Any) -> object:
    return value.data


@register.filter
def schema_links(section: Any, sec_key: str | None = None) -> dict[str, object]:
    """Return the links of a section and its subsections, by names joined with " > "."""
    above = f"{sec_key} > " if sec_key else ""
    result: dict[str, object] = {}
    for key, value in sorted(section.data.items()):
        result |= schema_links(value, f"{above}{key}")
    return {**result, **{f"{above}{key}": link for key, link in sorted(section.links.items())}}
