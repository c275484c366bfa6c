"""Pagination styles: pages by number, by limit and offset, by cursor."""

from lintel.exceptions import NotFound
from lintel.pagination.base import PAGE_BREAK, BasePagination, PageLink
from lintel.pagination.cursors import Cursor, CursorPagination
from lintel.pagination.offsets import LimitOffsetPagination
from lintel.pagination.pages import PageNumberPagination
from lintel.response import Response
from lintel.settings import api_settings
from lintel.utils.urls import remove_query_param, replace_query_param

__all__ = [
    "Cursor",
    "PageLink",
    "PAGE_BREAK",
    "BasePagination",
    "PageNumberPagination",
    "LimitOffsetPagination",
    "CursorPagination",
    "NotFound",
    "Response",
    "api_settings",
    "remove_query_param",
    "replace_query_param",
]
