"""Sample data: the same stations, bikes and trips on every machine."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from random import Random

from rides.models import Bike, Station, Trip

DISTRICTS = ("Harbour", "Old Town", "Hillside", "University")
PLACES = (
    *("Bridge", "Market", "Library", "Station Square", "Town Hall", "Park Gate"),
    *("Museum", "Ferry", "Swimming Pool", "Theatre"),
)
#: The newest trip begins here; earlier ones every ten minutes or so.
NEWEST = datetime(2026, 6, 30, 22, 0, tzinfo=UTC)


def stations() -> Iterator[Station]:
    """Yield each place of each district."""
    random = Random(1)  # noqa: S311 (sample data)
    for district in DISTRICTS:
        for place in PLACES:
            opened = date(2019, 1, 1) + timedelta(days=random.randrange(2000))
            docks = random.choice((8, 12, 16, 24))
            name = f"{district} {place}"
            yield Station(name=name, district=district, docks=docks, opened=opened)


def bikes(places: list[Station], count: int) -> Iterator[Bike]:
    random = Random(2)  # noqa: S311
    for number in range(count):
        (kind,) = random.choices(Bike.Kind.values, [7, 1, 2])
        yield Bike(
            number=f"B{number:04}",
            kind=kind,
            station=random.choice(places),
            in_service=random.random() < 0.95,
        )


def trips(all_bikes: list[Bike], places: list[Station], count: int) -> Iterator[Trip]:
    """Yield trips from the oldest to the newest."""
    random = Random(3)  # noqa: S311
    for number in range(count):
        minutes = random.randrange(3, 90)
        yield Trip(
            bike=random.choice(all_bikes),
            origin=random.choice(places),
            destination=random.choice(places),
            started=NEWEST - timedelta(minutes=(count - number) * 10 + random.randrange(10)),
            minutes=minutes,
            metres=minutes * random.randrange(150, 300),
        )
