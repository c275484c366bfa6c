"""Receipts: what a task writes for each booking, so this app needs a worker."""

from django.apps import AppConfig


class Receipts(AppConfig):
    name = "receipts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.db.models.signals import post_save
        from rides.models import Booking

        from receipts.tasks import request_receipt

        post_save.connect(request_receipt, sender=Booking, dispatch_uid="receipts")
