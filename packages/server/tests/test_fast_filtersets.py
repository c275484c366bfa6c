"""Filters of django-filter; `django_filter_forms_program.py` compares them in its own process."""

import pytest

from lintel.fast import filtersets, without_compiling
from lintel.views import APIView


class Backend:
    def filter_queryset(self, request, queryset, view):
        return [row for row in queryset if row]


def test_nothing_is_examined_where_nothing_is_compiled(monkeypatch):
    def examine(backend):
        raise LookupError

    monkeypatch.setattr(filtersets, "_filters_itself", examine)
    formless = filtersets.Formless(Backend())
    with without_compiling():
        assert formless.filter_queryset(None, [0, 1], APIView()) == [1]
    with pytest.raises(LookupError):
        formless.filter_queryset(None, [0, 1], APIView())
