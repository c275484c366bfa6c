"""The public module of the inspectors; they are defined below the views, which use them."""

from lintel.inspectors import DefaultSchema, ViewInspector
from lintel.settings import api_settings
from lintel.utils import formatting

__all__ = ["DefaultSchema", "ViewInspector", "api_settings", "formatting"]
