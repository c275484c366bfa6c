"""Filters that clients control with query parameters: by fields, search and ordering."""

from django.template import loader as loader
from django.utils.encoding import force_str as force_str

from lintel.fields import CharField as CharField
from lintel.filters.base import BaseFilterBackend as BaseFilterBackend
from lintel.filters.by_fields import FieldFilter as FieldFilter
from lintel.filters.ordering import OrderingFilter as OrderingFilter
from lintel.filters.searching import SearchFilter as SearchFilter
from lintel.filters.searching import UnaccentedSearchFilter as UnaccentedSearchFilter
from lintel.filters.searching import check_regex as check_regex
from lintel.filters.searching import search_smart_split as search_smart_split
from lintel.patches import carry_on_patches
from lintel.settings import api_settings as api_settings

carry_on_patches(__name__)
