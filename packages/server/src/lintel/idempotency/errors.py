"""What is wrong with a key."""

from lintel import status
from lintel.exceptions import APIException


class IdempotencyKeyError(APIException):
    status_code = status.HTTP_400_BAD_REQUEST
    default_detail = "The Idempotency-Key must be 1 to 255 visible ASCII characters."
    default_code = "idempotency_key_invalid"


class IdempotencyKeyInUse(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_detail = "A request with this Idempotency-Key is being carried out."
    default_code = "idempotency_key_in_use"
    #: Seconds until a retry is worthwhile.
    wait = 1


class IdempotencyKeyReused(APIException):
    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_detail = "This Idempotency-Key was sent with another body before."
    default_code = "idempotency_key_reused"
