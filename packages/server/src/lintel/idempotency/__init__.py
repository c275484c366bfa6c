"""Writes that are carried out once, however often they are sent: ``Idempotency-Key``.

After the IETF draft "The Idempotency-Key HTTP Header Field". The first response to a key is kept
and sent again: in the database, by the transaction of the write itself, or in Django's cache. Keys
belong to the user, the method and the URL that they were sent with, so that nobody gets another
user's response. This package is also the Django application with the table of the keys.
"""

from lintel.idempotency.answers import REPLAYED as REPLAYED
from lintel.idempotency.errors import IdempotencyKeyError as IdempotencyKeyError
from lintel.idempotency.errors import IdempotencyKeyInUse as IdempotencyKeyInUse
from lintel.idempotency.errors import IdempotencyKeyReused as IdempotencyKeyReused
from lintel.idempotency.mixin import IdempotentMixin as IdempotentMixin
from lintel.idempotency.mixin import counts_keys as counts_keys
from lintel.patches import carry_on_patches

carry_on_patches(__name__)
