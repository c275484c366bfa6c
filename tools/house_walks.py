"""What a request touches: calls, stays and climbs, counted by a profiler in a small project.

A *call* enters a function of the server, a *stay* enters another module by a call, a *climb* is a
stay in a higher layer of ``.importlinter``. Everything is counted when it happens the second time.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import django
from django.conf import settings

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = "lintel"
#: Functions without a module are generated; their layer is that of what generates them.
GENERATED = "lintel.fast"
WARRANTS = "lintel.trust"
ROWS = 20


def layers() -> dict[str, int]:
    """The height of each module in the layers of the server; 0 is the lowest."""
    contract = (REPOSITORY / ".importlinter").read_text().split("[importlinter:contract:")[1]
    lines = re.findall(r"^ +(\(.*)$", contract, re.MULTILINE)
    return {
        f"{PACKAGE}.{name}": height
        for height, line in enumerate(reversed(lines))
        for name in re.findall(r"\(([\w.]+)\)", line)
    }


@dataclass
class Walk:
    """Counts calls while it is the profiler of the thread."""

    heights: dict[str, int]
    calls: int = 0
    stays: int = 0
    climbs: int = 0
    modules: set[str] = field(default_factory=set)
    #: The modules that control is in, the outermost first; of other packages none.
    _stack: list[str] = field(default_factory=list)
    _frames: list[FrameType] = field(default_factory=list)

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and (module := self._module_of(frame)):
            self._enter(frame, module)
        elif event == "return" and self._frames and self._frames[-1] is frame:
            self._frames.pop()
            self._stack.pop()

    def of(self, work: Callable[[], object]) -> Walk:
        """Count the calls of a function."""
        sys.setprofile(self)
        try:
            work()
        finally:
            sys.setprofile(None)
        return self

    def _module_of(self, frame: FrameType) -> str:
        name = frame.f_globals.get("__name__")
        if name is None:
            return frame.f_code.co_filename
        # Python 3.12 has no frames for comprehensions any more.
        is_comprehension = re.fullmatch("<(list|dict|set)comp>", frame.f_code.co_name)
        return name if name.partition(".")[0] == PACKAGE and not is_comprehension else ""

    def _enter(self, frame: FrameType, module: str) -> None:
        self.calls += 1
        self.modules.add(module)
        caller = self._stack[-1] if self._stack else None
        if caller is not None and caller != module:
            self.stays += 1
            self.climbs += self._height(caller) < self._height(module)
        self._stack.append(module)
        self._frames.append(frame)

    def _height(self, module: str) -> int:
        if module.startswith("<"):
            return self.heights[WARRANTS if module.startswith("<lintel warrant ") else GENERATED]
        while module not in self.heights and "." in module:
            module = module.rpartition(".")[0]
        return self.heights.get(module, -1)


def set_up() -> ModuleType:
    """Set up a project with one resource and its rows, in memory; returns its URL module."""
    settings.configure(
        ALLOWED_HOSTS=["*"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "lintel"],
        MIDDLEWARE=[],
        ROOT_URLCONF="house_urls",
        USE_TZ=True,
        REST_FRAMEWORK={
            "DEFAULT_PAGINATION_CLASS": "lintel.pagination.PageNumberPagination",
            "DEFAULT_RENDERER_CLASSES": ["lintel.renderers.JSONRenderer"],
            "OPENAPI_VERSION": "3.1",
            "PAGE_SIZE": ROWS,
        },
    )
    django.setup()
    urls = ModuleType("house_urls")
    urls.urlpatterns = _project()  # type: ignore[attr-defined]
    sys.modules[urls.__name__] = urls
    return urls


def _project() -> list[Any]:
    from django.db import connection, models

    from lintel.routers import DefaultRouter
    from lintel.serializers import ModelSerializer
    from lintel.viewsets import ModelViewSet

    class Article(models.Model):
        title = models.CharField(max_length=100)
        text = models.TextField()
        created = models.DateTimeField(auto_now_add=True)
        is_public = models.BooleanField(default=True)

        class Meta:
            app_label = "house"

    class ArticleSerializer(ModelSerializer):
        class Meta:
            model = Article
            fields = ("id", "title", "text", "created", "is_public")

    class ArticleViewSet(ModelViewSet):
        queryset = Article.objects.order_by("id")
        serializer_class = ArticleSerializer

    with connection.schema_editor() as editor:
        editor.create_model(Article)
    for number in range(2 * ROWS):
        Article.objects.create(title=f"Article {number}", text="text")
    router = DefaultRouter()
    router.register("articles", ArticleViewSet)
    return router.urls


def get_list() -> None:
    """Answer a GET of the first page."""
    from django.core.handlers.base import BaseHandler
    from django.test import RequestFactory

    handler = BaseHandler()
    handler.load_middleware()
    response = handler.get_response(RequestFactory().get("/articles/"))
    if response.status_code != 200:
        raise RuntimeError(f"The list of the project answers {response.status_code}.")


def describe(urls: ModuleType) -> None:
    """Make the OpenAPI 3.1 document of the resource."""
    from lintel.schemas.openapi import SchemaGenerator

    SchemaGenerator(title="House", patterns=urls.urlpatterns).get_schema(public=True)


def walks() -> tuple[Walk, Walk]:
    """Return what a list and what the document of one resource take."""
    urls, heights = set_up(), layers()
    works: tuple[Callable[[], None], ...] = (get_list, lambda: describe(urls))
    for work in works * 3:
        work()
    listing, document = (Walk(heights).of(work) for work in works)
    return listing, document


if __name__ == "__main__":
    for walk in walks():
        print(walk.calls, len(walk.modules), walk.stays, walk.climbs)
