"""Names of classes and texts of docstrings in readable form."""

import re
from typing import Any

from django.utils.encoding import force_str
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from lintel.compat import apply_markdown

_WORD_STARTS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=.)(?=[A-Z][^A-Z])")


def remove_trailing_string(content: str, trailing: str) -> str:
    """Return ``content`` without ``trailing`` at its end, unless nothing would be left."""
    if content != trailing and trailing and content.endswith(trailing):
        return content[: -len(trailing)]
    return content


def name_of_class(view_class: type) -> str:
    """Write the name of a view's class in words: ``StationViewSet`` is "Station"."""
    name = remove_trailing_string(view_class.__name__, "View")
    return camelcase_to_spaces(remove_trailing_string(name, "ViewSet"))


def dedent(content: object) -> str:
    """Return a docstring without the indentation of all lines but the first."""
    text = force_str(content)
    if not text:
        return ""
    lines = [line for line in text.splitlines()[1:] if line.strip()]
    for blank in " \t":
        depth = min((len(line) - len(line.lstrip(blank)) for line in lines), default=0)
        if depth:
            text = re.sub(f"^{blank}{{{depth}}}", "", text, flags=re.MULTILINE)
            break
    return text.strip()


def camelcase_to_spaces(content: str) -> str:
    """Return ``UserGroup`` as ``User Group``; acronyms are one word: ``Html Page``."""
    return _WORD_STARTS.sub(" ", content).strip().replace("_", " ").title()


def markup_description(description: str) -> SafeString:
    """Return a description as HTML: Markdown if that library is installed, else escaped lines."""
    if apply_markdown:
        html = apply_markdown(description)
    else:
        html = escape(description).replace("\n", "<br />")
        html = f"<p>{html}</p>"
    # Markdown texts are docstrings of the project, never input; the other branch is escaped.
    return mark_safe(html)  # noqa: S308


class lazy_format:
    """``format_string.format(...)`` as lazy text, in the language of each use."""

    __slots__ = ("args", "format_string", "kwargs")

    def __init__(self, format_string: Any, *args: Any, **kwargs: Any) -> None:
        self.format_string: object = format_string
        self.args: tuple[object, ...] = args
        self.kwargs: dict[str, Any] = kwargs

    def __str__(self) -> str:
        return str(self.format_string).format(*self.args, **self.kwargs)

    def __mod__(self, value: object) -> str:
        return str(self) % value
