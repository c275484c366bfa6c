"""A city's bicycles: stations, bikes, trips, reports of damage, bookings."""

from django.conf import settings
from django.core.validators import FileExtensionValidator, MaxValueValidator
from django.db import models


class Station(models.Model):
    """A place where bikes are picked up and returned."""

    name = models.CharField(max_length=80, unique=True)
    district = models.CharField(max_length=40, db_index=True)
    docks = models.PositiveSmallIntegerField(validators=[MaxValueValidator(100)])
    opened = models.DateField()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Bike(models.Model):
    """A bicycle with the number on its frame."""

    class Kind(models.TextChoices):
        CITY = "city", "City bike"
        CARGO = "cargo", "Cargo bike"
        ELECTRIC = "electric", "Electric bike"

    number = models.CharField(max_length=8, unique=True)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.CITY)
    station = models.ForeignKey(Station, related_name="bikes", on_delete=models.PROTECT)
    in_service = models.BooleanField(default=True)

    class Meta:
        ordering = ["number"]

    def __str__(self) -> str:
        return self.number


class Trip(models.Model):
    """A ride from one station to another; distances are in metres."""

    bike = models.ForeignKey(Bike, related_name="trips", on_delete=models.CASCADE)
    origin = models.ForeignKey(Station, related_name="departures", on_delete=models.PROTECT)
    destination = models.ForeignKey(Station, related_name="arrivals", on_delete=models.PROTECT)
    started = models.DateTimeField()
    minutes = models.PositiveSmallIntegerField()
    metres = models.PositiveIntegerField()

    class Meta:
        ordering = ["-started", "-id"]
        indexes = [models.Index(fields=["started", "id"])]

    def __str__(self) -> str:
        return f"{self.bike_id} at {self.started:%Y-%m-%d %H:%M}"


def photo_path(report: "Report", name: str) -> str:
    """Return the path of an upload, by bike; only the extension of the client's name is used."""
    ending = name.rpartition(".")[2].lower()
    return f"reports/{report.bike_id}/photo.{ending}"


class Report(models.Model):
    """A defect that somebody found on a bike, with a photo."""

    bike = models.ForeignKey(Bike, related_name="reports", on_delete=models.CASCADE)
    reporter = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    text = models.TextField(max_length=2000)
    photo = models.FileField(
        upload_to=photo_path, blank=True, validators=[FileExtensionValidator(["jpg", "png"])]
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created", "-id"]

    def __str__(self) -> str:
        return f"{self.bike_id}: {self.text[:40]}"


class Booking(models.Model):
    """A bike that somebody has reserved."""

    bike = models.ForeignKey(Bike, related_name="bookings", on_delete=models.CASCADE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    note = models.CharField(max_length=200, blank=True)
    changed = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.bike_id} for {self.user_id}"
