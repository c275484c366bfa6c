"""Who changed what: one row for each object that a request has written, in the same transaction.

    class Bookings(AuditedMixin, ModelViewSet): ...

This package is also the Django application with the table of these rows.
"""

from lintel.audit.mixin import AuditedMixin as AuditedMixin
from lintel.audit.recording import record as record
from lintel.patches import carry_on_patches

carry_on_patches(__name__)
