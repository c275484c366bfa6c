"""Optional libraries, and differences between versions.

Every optional library is imported here and nowhere else, when its name is first used:
``compat.yaml`` is the module, or None if it is not installed.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import django as django
from django.db.models import Model, Q
from django.views.generic import View as View

# Type parameters of serializers and views. They have defaults from Python 3.13 on.
if TYPE_CHECKING:
    from typing_extensions import TypeVar

    InstanceT = TypeVar("InstanceT", default=Any)
    ModelT = TypeVar("ModelT", bound=Model, default=Any)
else:
    from typing import TypeVar

    InstanceT = TypeVar("InstanceT")
    ModelT = TypeVar("ModelT")

# Separators of JSON: (between entries, between key and value).
SHORT_SEPARATORS = (",", ":")
LONG_SEPARATORS = (", ", ": ")
INDENT_SEPARATORS = (",", ": ")

# The Markdown extension that numbers headings from a level, and its argument.
HEADERID_EXT_PATH = "markdown.extensions.toc"
LEVEL_PARAM = "baselevel"

_CODE_BLOCK = re.compile(r"^\s*``` *([^\n]+)\n(.+?)^\s*```", re.MULTILINE | re.DOTALL)

# name in this module: (module, attribute of it or None for the module itself)
_OPTIONAL: dict[str, tuple[str, str | None]] = {
    "postgres_fields": ("django.contrib.postgres.fields", None),
    "uritemplate": ("uritemplate", None),
    "yaml": ("yaml", None),
    "inflection": ("inflection", None),
    "requests": ("requests", None),
    "guardian": ("guardian", None),
    "HALCodec": ("lintel_codecs.hal", "HALCodec"),
    # The native schema has its own document model; packages find it under the old names.
    "coreapi": ("lintel_document", None),
    "coreschema": ("lintel_document.schemas", None),
    "markdown": ("markdown", None),
    "Preprocessor": ("markdown.preprocessors", "Preprocessor"),
    "pygments": ("pygments", None),
    "HtmlFormatter": ("pygments.formatters", "HtmlFormatter"),
    "TextLexer": ("pygments.lexers", "TextLexer"),
    "get_lexer_by_name": ("pygments.lexers", "get_lexer_by_name"),
}


@cache
def is_installed(name: str) -> bool:
    """Return whether a top-level module can be imported, without importing it."""
    return find_spec(name) is not None


def __getattr__(name: str) -> Any:
    if name in _OPTIONAL:
        value = _imported(*_OPTIONAL[name])
    elif name == "apply_markdown":
        value = _apply_markdown if is_installed("markdown") else None
    elif name == "CodeBlockPreprocessor" and is_installed("markdown"):
        value = _code_block_preprocessor()
    else:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    globals()[name] = value
    return value


def _imported(module: str, attribute: str | None) -> Any:
    try:
        result = import_module(module)
    except ImportError:
        return None
    return result if attribute is None else getattr(result, attribute)


def unicode_http_header(value: Any) -> Any:
    """Return the value of a header as text; headers are Latin-1 (RFC 9110, section 5.5)."""
    return value.decode("iso-8859-1") if isinstance(value, bytes) else value


def split_header_value(value: str, sep: str = ",") -> Iterator[str]:
    return (part.strip() for part in value.split(sep) if part.strip())


def get_referenced_base_fields_from_q(q: Q) -> set[str]:
    return set(q.referenced_base_fields)


def _optional(name: str) -> Any:
    """Return ``compat.name``, because functions of the module do not use ``__getattr__``."""
    return globals()[name] if name in globals() else __getattr__(name)


def _markdown(level: str, *extensions: str) -> Any:
    return _optional("markdown").Markdown(
        extensions=[HEADERID_EXT_PATH, *extensions],
        extension_configs={HEADERID_EXT_PATH: {LEVEL_PARAM: level}},
    )


def _apply_markdown(text: str) -> str:
    # The page has its own title.
    engine = _markdown("2")
    md_filter_add_syntax_highlight(engine)
    return str(engine.convert(text))


def markdown_without_html(text: str) -> str:
    """Return Markdown as HTML, with tags in it escaped; headings start at level four."""
    engine = _markdown("4", "markdown.extensions.fenced_code")
    engine.preprocessors.deregister("html_block")
    engine.inlinePatterns.deregister("html")
    return str(engine.convert(text))


def md_filter_add_syntax_highlight(md: Any) -> bool:
    """Make a Markdown engine colour fenced code; return False if Pygments is missing."""
    if _optional("pygments") is None:
        return False
    md.preprocessors.register(_optional("CodeBlockPreprocessor")(), "highlight", 40)
    return True


def _code_block_preprocessor() -> type[Any]:
    """Return the class, defined here because its base is part of an optional library."""

    base: Any = _optional("Preprocessor")

    class CodeBlockPreprocessor(base):
        """Replaces fenced code by coloured HTML before Markdown sees it."""

        pattern = _CODE_BLOCK
        formatter = _optional("HtmlFormatter")() if _optional("pygments") else None

        def run(self, lines: list[str]) -> list[str]:
            return self.pattern.sub(self._block, "\n".join(lines)).split("\n")

        def _block(self, match: re.Match[str]) -> str:
            language, code = match[1].strip(), match[2]
            html = _optional("pygments").highlight(code, _lexer(language), self.formatter)
            return "\n\n{}\n\n".format(html.strip().replace("\n", "<br />"))

    return CodeBlockPreprocessor


def _lexer(language: str) -> Any:
    try:
        return _optional("get_lexer_by_name")(language, stripall=False)
    except ValueError:  # pygments.util.ClassNotFound is one
        return _optional("TextLexer")(stripall=False)


def pygments_highlight(text: str, lang: str, style: str) -> Any:
    """Return ``text`` as coloured HTML without a frame; unchanged if Pygments is missing."""
    if _optional("pygments") is None:
        return text
    formatter = _optional("HtmlFormatter")(nowrap=True, style=style)
    return _optional("pygments").highlight(text, _lexer(lang), formatter)


def pygments_css(style: str) -> str | None:
    if _optional("pygments") is None:
        return None
    return str(_optional("HtmlFormatter")(style=style).get_style_defs(".highlight"))


#: Names that are defined on first access, for readers and type checkers.
apply_markdown: Callable[[str], str] | None
