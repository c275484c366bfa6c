"""One table: pieces of source code with their owner."""

from typing import Any

from django.conf import settings
from django.db import models
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name


class Snippet(models.Model):
    """A piece of source code and how to show it."""

    created = models.DateTimeField(auto_now_add=True)
    title = models.CharField(max_length=100, blank=True, default="")
    code = models.TextField()
    linenos = models.BooleanField(default=False)
    language = models.CharField(default="python", max_length=100)
    style = models.CharField(default="friendly", max_length=100)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, related_name="snippets", on_delete=models.CASCADE
    )

    class Meta:
        ordering = ["created", "id"]

    def __str__(self) -> str:
        return self.title or f"snippet {self.pk}"

    def highlighted(self) -> str:
        """Return the code as a separate HTML page, coloured by Pygments."""
        options: dict[str, Any] = {"title": self.title} if self.title else {}
        formatter = HtmlFormatter(
            style=self.style,
            linenos="table" if self.linenos else False,
            full=True,
            encoding="utf-8",
            **options,
        )
        page: bytes = highlight(self.code, get_lexer_by_name(self.language), formatter)
        return page.decode()
