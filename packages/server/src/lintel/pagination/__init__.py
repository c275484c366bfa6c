"""Pagination styles: pages by number, by limit and offset, by cursor."""

import contextlib
from base64 import b64decode, b64encode
from collections import namedtuple
from urllib import parse

from django.core.paginator import InvalidPage
from django.core.paginator import Paginator as DjangoPaginator
from django.template import loader
from django.utils.encoding import force_str
from django.utils.translation import gettext_lazy

from lintel.exceptions import NotFound
from lintel.pagination.base import PAGE_BREAK, BasePagination, PageLink
from lintel.pagination.cursor_tokens import Cursor
from lintel.pagination.cursors import CursorPagination
from lintel.pagination.helpers import (
    _divide_with_ceil,
    _get_displayed_page_numbers,
    _get_page_links,
    _positive_int,
    _reverse_ordering,
)
from lintel.pagination.offsets import LimitOffsetPagination
from lintel.pagination.pages import PageNumberPagination
from lintel.patches import carry_on_patches
from lintel.response import Response
from lintel.settings import api_settings
from lintel.utils.urls import remove_query_param, replace_query_param

_ = gettext_lazy

__all__ = [
    "Cursor",
    "PageLink",
    "PAGE_BREAK",
    "BasePagination",
    "PageNumberPagination",
    "LimitOffsetPagination",
    "CursorPagination",
    # names that other packages import from here
    "DjangoPaginator",
    "InvalidPage",
    "NotFound",
    "Response",
    "_divide_with_ceil",
    "_get_displayed_page_numbers",
    "_get_page_links",
    "_positive_int",
    "_reverse_ordering",
    "api_settings",
    "b64decode",
    "b64encode",
    "contextlib",
    "force_str",
    "loader",
    "namedtuple",
    "parse",
    "remove_query_param",
    "replace_query_param",
]

carry_on_patches(__name__)
