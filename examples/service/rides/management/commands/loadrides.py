"""``manage.py loadrides``: stations, bikes and trips for the tour."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from rides import sample
from rides.models import Bike, Station, Trip


class Command(BaseCommand):
    """Fills empty tables; tables with stations are left unchanged."""

    help = "Load sample stations, bikes and trips into an empty database."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--trips", type=int, default=20_000, help="how many trips")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        if Station.objects.exists():
            self.stdout.write(f"{Trip.objects.count()} trips are there already")
            return
        places = Station.objects.bulk_create(sample.stations())
        bikes = Bike.objects.bulk_create(sample.bikes(places, 300))
        rows = sample.trips(bikes, places, options["trips"])
        made = Trip.objects.bulk_create(rows, batch_size=2000)
        self.stdout.write(f"{len(places)} stations, {len(bikes)} bikes, {len(made)} trips")
