"""The settings in ``SPECTACULAR_SETTINGS``, as attributes."""

from lintel.schemas.document_settings import SpectacularSettings as SpectacularSettings
from lintel.schemas.document_settings import spectacular_settings as spectacular_settings
