"""``python tools/messages.py``: bring the message catalogs of the server up to date.

Collects every message that users see from the sources and templates of ``lintel``, adds missing
ones to each catalog (``locale/<name>/LC_MESSAGES/django.po``), removes unused ones,
and compiles it to the ``django.mo`` beside it. Messages of responses without a translation are
listed, and the exit status is 1; words of pages may stay in English until translated.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from string import Formatter

from babel.messages import Catalog
from babel.messages import Message as Entry
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

SOURCES = Path(__file__).resolve().parents[1] / "packages" / "server" / "src" / "lintel"
LOCALE = SOURCES / "locale"

#: English comes from the sources; the others are written by people.
ENGLISH = "en"
LANGUAGES = (
    *("ar", "az", "be", "bg", "ca", "cs", "da", "de", "el", "es", "et", "fa", "fi", "fr", "gl"),
    *("he_IL", "hu", "hy", "id", "it", "ja", "kk", "ko_KR", "lt", "lv", "mk", "nb", "ne", "nl"),
    *("nn", "pl", "pt", "pt_BR", "ro", "ru", "sk", "sl", "sv", "th", "tr", "uk", "vi", "zh_Hans"),
    "zh_Hant",
)

#: Other names for a language, from the known API, or because gettext does not find them.
ALIASES = {
    **dict.fromkeys(("en_AU", "en_CA", "en_US"), "en"),
    "ca_ES": "ca",
    "el_GR": "el",
    "fa_IR": "fa",
    "fr_CA": "fr",
    "gl_ES": "gl",
    "he": "he_IL",
    "ko": "ko_KR",
    "ne_NP": "ne",
    "no": "nb",
    "pt_PT": "pt",
    "ru_RU": "ru",
    "tr_TR": "tr",
    "zh_CN": "zh_Hans",
    "zh_TW": "zh_Hant",
}

#: Not translated yet: their catalog is empty, so the project's language is used.
EMPTY = ("ach",)

#: The sources whose messages appear only on pages.
PAGES = frozenset(["catalogue.py", "documentation", "renderers", "templatetags"])

#: The call that explains error codes, by the names of its arguments.
MEANINGS = "_at"

#: A message, or its singular and plural.
Message = str | tuple[str, str]

ONE = frozenset(["_", "gettext", "gettext_lazy", "gettext_noop"])
TWO = frozenset(["ngettext", "ngettext_lazy"])
TRANSLATE = re.compile(r"{%\s*(?:translate|trans)\s+(\"[^\"]*\"|'[^']*')[^%]*%}")
UNREADABLE = re.compile(r"{%\s*(?:blocktranslate|blocktrans)\b")

#: The date of a catalog says nothing beyond its history.
NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)
HEADER = "# Messages of django-lintel in {name}. Made by tools/messages.py, translated by hand."


# ---- what there is to translate ----


def extracted() -> list[Message]:
    """Return every message of the sources and templates, sorted."""
    found: set[Message] = set()
    for path in SOURCES.rglob("*.py"):
        found.update(of_source(path.read_text()))
    for path in SOURCES.rglob("*.html"):
        found.update(of_template(path.read_text(), path))
    paired = {text for message in found if isinstance(message, tuple) for text in message}
    return sorted(found - paired, key=source_of)


def answered() -> set[str]:
    """Return the messages of responses, wherever else they occur."""
    found: set[Message] = set()
    for path in SOURCES.rglob("*.py"):
        if not any(part in PAGES for part in path.relative_to(SOURCES).parts):
            found.update(of_source(path.read_text()))
    return {source_of(message) for message in found}


def of_source(text: str) -> Iterator[Message]:
    """Return messages of Python source: calls of gettext, and attributes in singular and plural."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            yield from _of_call(node)
        elif isinstance(node, ast.ClassDef):
            yield from _of_class(node)


def _of_call(node: ast.Call) -> Iterator[Message]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
    if name == MEANINGS:
        yield from (
            each.value.value for each in node.keywords if isinstance(each.value, ast.Constant)
        )
    elif name in ONE and texts:
        yield texts[0]
    elif name in TWO and len(texts) > 1:
        yield texts[0], texts[1]


def _of_class(node: ast.ClassDef) -> Iterator[Message]:
    """``x_singular`` and ``x_plural`` of a class, whose words reach ngettext by those names."""
    texts = {}
    for statement in node.body:
        target = getattr(statement, "target", None) or next(
            iter(getattr(statement, "targets", [])), None
        )
        if isinstance(target, ast.Name) and isinstance(statement.value, ast.Constant):
            texts[target.id] = statement.value.value
    for name, text in texts.items():
        plural = texts.get(name.removesuffix("_singular") + "_plural")
        if name.endswith("_singular") and plural:
            yield text, plural


def of_template(text: str, path: Path) -> Iterator[Message]:
    """Return messages of a template. Raises ValueError for blocks, which are not supported."""
    if UNREADABLE.search(text):
        raise ValueError(f'{path}: use {{% translate "..." %}}, blocks are not collected')
    for match in TRANSLATE.finditer(text):
        yield match[1][1:-1]


def source_of(message: Message) -> str:
    """Return the text by which a message is looked up."""
    return message if isinstance(message, str) else message[0]


def placeholders(text: str) -> list[str]:
    """The places to fill in, such as ``{wait}``, with their format."""
    return sorted(f"{name}:{spec}" for _, name, spec, _ in Formatter().parse(text) if name)


# ---- catalogs ----


def folder(name: str) -> Path:
    return LOCALE / name / "LC_MESSAGES"


def catalog(name: str) -> Catalog:
    """Return the catalog of a language on disk; an empty one if there is none."""
    path = folder(name) / "django.po"
    content = path.read_bytes() if path.exists() else b""
    return read_po(io.BytesIO(content), locale=name, domain="django")


def updated(name: str, messages: list[Message]) -> Catalog:
    """Return the catalog with exactly these messages, and their existing translations."""
    before = catalog(name)
    made = Catalog(
        locale=name,
        domain="django",
        project="django-lintel",
        version="1",
        header_comment=HEADER.format(name=name),
        creation_date=NO_DATE,
        revision_date=NO_DATE,
        msgid_bugs_address="the issues of the project",
        last_translator="lintel",
        language_team=name,
        fuzzy=False,
    )
    for message in () if name in EMPTY else messages:
        old = before.get(source_of(message))
        made.add(message, string=_translation(name, message, old))
    return made


def _translation(name: str, message: Message, old: Entry | None) -> Message | None:
    if name == ENGLISH:
        return message
    same_kind = old is not None and isinstance(old.id, str) == isinstance(message, str)
    return old.string if old is not None and same_kind else None


def untranslated(made: Catalog, needed: set[str]) -> list[str]:
    """Return required messages without a translation, or without one of its plural forms."""
    return [
        source_of(entry.id)
        for entry in made
        if entry.id
        and source_of(entry.id) in needed
        and not all([entry.string] if isinstance(entry.string, str) else entry.string or [""])
    ]


def compiled(made: Catalog) -> bytes:
    """The content of ``django.mo``."""
    buffer = io.BytesIO()
    write_mo(buffer, made)
    return buffer.getvalue()


def write(name: str, made: Catalog) -> None:
    """Write a catalog in both forms, the compiled one under its other names too."""
    folder(name).mkdir(parents=True, exist_ok=True)
    with (folder(name) / "django.po").open("wb") as file:
        write_po(file, made, width=100, no_location=True, include_lineno=False)
    for other in [name, *(alias for alias, of in ALIASES.items() if of == name)]:
        folder(other).mkdir(parents=True, exist_ok=True)
        (folder(other) / "django.mo").write_bytes(compiled(made))


def main() -> int:
    messages, needed = extracted(), answered()
    missing = 0
    for name in (ENGLISH, *LANGUAGES, *EMPTY):
        made = updated(name, messages)
        write(name, made)
        for text in untranslated(made, needed):
            missing += 1
            print(f"{name}: not translated: {text}")
    print(f"{len(messages)} messages, {len(LANGUAGES)} languages, {missing} not translated")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
