"""The public address of the inspectors; they live below the views, which carry them."""

from lintel.inspectors import DefaultSchema, ViewInspector
from lintel.settings import api_settings
from lintel.utils import formatting

__all__ = ["DefaultSchema", "ViewInspector", "api_settings", "formatting"]
