"""How bikes, stations, trips, reports and bookings look on the wire."""

from django.core.files.uploadedfile import UploadedFile

from lintel import serializers
from lintel.reverse import reverse
from rides.models import Bike, Booking, Report, Station, Trip

#: First bytes of the accepted image types, by file extension.
SIGNATURES = {"png": b"\x89PNG\r\n\x1a\n", "jpg": b"\xff\xd8\xff"}
MOST_BYTES = 2_000_000


class StationSerializer(serializers.ModelSerializer):
    class Meta:
        model = Station
        fields = ["id", "name", "district", "docks", "opened"]


class StationLabelSerializer(serializers.ModelSerializer):
    class Meta:
        model = Station
        fields = ["id", "name"]


class BikeSerializer(serializers.ModelSerializer):
    class Meta:
        model = Bike
        fields = ["id", "number", "kind", "station", "in_service"]


class BikeWithStationSerializer(BikeSerializer):
    """For reading: the station as an object."""

    station = StationLabelSerializer()


class TripSerializer(serializers.ModelSerializer):
    bike = serializers.CharField(source="bike.number")
    origin = serializers.CharField(source="origin.name")
    destination = serializers.CharField(source="destination.name")

    class Meta:
        model = Trip
        fields = ["id", "bike", "origin", "destination", "started", "minutes", "metres"]


class ReportSerializer(serializers.ModelSerializer):
    reporter = serializers.ReadOnlyField(source="reporter.username")
    photo = serializers.FileField(write_only=True, required=False, help_text="PNG or JPEG, 2 MB")
    photo_url = serializers.SerializerMethodField()

    class Meta:
        model = Report
        fields = ["id", "reporter", "created", "text", "photo", "photo_url"]

    def get_photo_url(self, report: Report) -> str | None:
        if not report.photo:
            return None
        arguments = [report.bike_id, report.pk]
        return reverse("rides:report-photo", args=arguments, request=self.context.get("request"))

    def validate_photo(self, photo: UploadedFile) -> UploadedFile:
        ending = (photo.name or "").rpartition(".")[2].lower()
        signature = SIGNATURES.get(ending)
        if photo.size is None or photo.size > MOST_BYTES:
            raise serializers.ValidationError("A photo may have 2 MB.", code="max_length")
        if signature is None or photo.read(len(signature)) != signature:
            raise serializers.ValidationError("Send a .png or .jpg picture.", code="invalid_image")
        photo.seek(0)
        return photo


class BookingSerializer(serializers.ModelSerializer):
    class Meta:
        model = Booking
        fields = ["id", "bike", "note", "changed"]


class FareSerializer(serializers.Serializer):
    """Version 1: one price. Version 2: money has a currency."""

    kind = serializers.ChoiceField(choices=Bike.Kind.choices)
    price = serializers.DecimalField(max_digits=6, decimal_places=2)


class MoneySerializer(serializers.Serializer):
    amount = serializers.DecimalField(max_digits=6, decimal_places=2)
    currency = serializers.CharField()


class FareWithCurrencySerializer(serializers.Serializer):
    kind = serializers.ChoiceField(choices=Bike.Kind.choices)
    price = MoneySerializer()


class ReadingSerializer(serializers.Serializer):
    """What the sensors of a station measure."""

    station = serializers.CharField()
    celsius = serializers.FloatField()
    wind = serializers.FloatField(help_text="metres per second")
    rain = serializers.FloatField(help_text="millimetres per hour")


class NoInputSerializer(serializers.Serializer):
    """For actions without input except the URL."""


class UnlockSerializer(serializers.Serializer):
    bike = serializers.CharField()
    code = serializers.CharField()
