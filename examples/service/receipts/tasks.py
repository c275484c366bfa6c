"""Writing receipts outside of requests: the task, and what enqueues it."""

from importlib.util import find_spec
from typing import Any

from django.db import transaction
from rides.models import Booking

from lintel.requestlog import bound, current_request_id
from receipts.models import Receipt

if find_spec("django.tasks"):  # Django 6.0
    from django.tasks import task
else:
    from django_tasks import task


@task()
def write_receipt(booking_id: int, request_id: str) -> None:
    """Write the receipt of a booking that is still there; a second run changes nothing."""
    with bound(request_id), transaction.atomic():
        if Booking.objects.select_for_update().filter(pk=booking_id).exists():
            Receipt.objects.get_or_create(
                booking_id=booking_id, defaults={"request_id": request_id}
            )


def request_receipt(instance: Booking, created: bool, **kwargs: Any) -> None:
    """Enqueue the task in the transaction of the booking: both are kept, or neither is."""
    if created:
        write_receipt.enqueue(instance.pk, current_request_id())
