"""The public module of the inspectors; they are defined below the views, which use them."""

from lintel.inspectors import DefaultSchema as DefaultSchema
from lintel.inspectors import ViewInspector as ViewInspector
from lintel.settings import api_settings as api_settings
from lintel.utils import formatting as formatting
