"""lintel: a web API layer on Django.

The package itself holds only constants; every class has one address, in the module named after it.
"""

from lintel import installation

installation.refuse_other_distribution()

__title__ = "lintel"

#: The version of the API that lintel speaks: what packages of the ecosystem compare. The version
#: of lintel itself is that of its distribution, ``importlib.metadata.version("django-lintel")``.
VERSION = "3.18.3"
__version__ = VERSION

#: Header values travel as Latin-1 text (RFC 9110, section 5.5).
HTTP_HEADER_ENCODING = "iso-8859-1"

#: The name by which settings and fields ask for ISO 8601 dates and times.
ISO_8601 = "iso-8601"

#: The name by which a duration field asks for Django's own ``[DD] [HH:[MM:]]ss[.uuuuuu]`` form.
DJANGO_DURATION_FORMAT = "django"


class RemovedInDRF317Warning(PendingDeprecationWarning):
    """Kept because projects name it in their warning filters; never raised."""
