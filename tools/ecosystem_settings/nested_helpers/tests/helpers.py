"""The one helper that the source distribution of drf-nested-routers leaves out."""

from django.urls import URLPattern, URLResolver


def get_regex_pattern(pattern: URLPattern | URLResolver) -> str:
    """The regular expression of a URL pattern, as text."""
    return str(pattern.pattern)
