"""lintel: a web API layer on Django.

The package itself holds only constants; every class is found in the module named after its subject.
"""

from lintel import installation

installation.refuse_other_distribution()

__title__ = "lintel"

#: The version of the API that lintel speaks, which packages of the ecosystem compare. The version
#: of lintel itself is that of its distribution, ``importlib.metadata.version("django-lintel")``.
VERSION = "3.18.3"
__version__ = VERSION

#: Header values are Latin-1 text (RFC 9110, section 5.5).
HTTP_HEADER_ENCODING = "iso-8859-1"

#: The name that settings and fields use for ISO 8601 dates and times.
ISO_8601 = "iso-8601"

#: The name that duration fields use for Django's own ``[DD] [HH:[MM:]]ss[.uuuuuu]`` format.
DJANGO_DURATION_FORMAT = "django"


class RemovedInDRF317Warning(PendingDeprecationWarning):
    """Kept for the warning filters of projects; never raised."""
