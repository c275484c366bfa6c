"""Pagination styles: pages by number, by limit and offset, by cursor."""

from base64 import b64decode as b64decode
from base64 import b64encode as b64encode

import django.core.paginator
from django.core.paginator import InvalidPage as InvalidPage
from django.utils.encoding import force_str as force_str
from django.utils.translation import gettext_lazy

from lintel.exceptions import NotFound as NotFound
from lintel.pagination.base import PAGE_BREAK as PAGE_BREAK
from lintel.pagination.base import BasePagination as BasePagination
from lintel.pagination.base import PageLink as PageLink
from lintel.pagination.base import displayed_numbers, page_links, positive_number
from lintel.pagination.cursor_tokens import Cursor as Cursor
from lintel.pagination.cursors import CursorPagination as CursorPagination
from lintel.pagination.offsets import LimitOffsetPagination as LimitOffsetPagination
from lintel.pagination.offsets import divided_up
from lintel.pagination.order_checks import orders_check as _orders_check  # noqa: F401  registers it
from lintel.pagination.pages import PageNumberPagination as PageNumberPagination
from lintel.pagination.positions import reverse_ordering
from lintel.patches import carry_on_patches
from lintel.response import Response as Response
from lintel.settings import api_settings as api_settings
from lintel.utils.urls import remove_query_param as remove_query_param
from lintel.utils.urls import replace_query_param as replace_query_param

_ = gettext_lazy
DjangoPaginator = django.core.paginator.Paginator

# Pagination classes of other packages import these.
_divide_with_ceil = divided_up
_get_displayed_page_numbers = displayed_numbers
_get_page_links = page_links
_positive_int = positive_number
_reverse_ordering = reverse_ordering

carry_on_patches(__name__)
