"""One receipt for each booking, however often its task runs."""

from django.db import models
from rides.models import Booking


class Receipt(models.Model):
    booking = models.OneToOneField(Booking, related_name="receipt", on_delete=models.CASCADE)
    request_id = models.CharField(max_length=128, blank=True)
    written = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"receipt of booking {self.booking_id}"
