"""The tour: one resource for each thing that a service may need."""

import asyncio
import hashlib
import zlib
from datetime import date
from typing import Any

from django.db.models import ProtectedError, QuerySet
from django.http import FileResponse
from django.shortcuts import aget_object_or_404, get_object_or_404

from lintel.conditional import ConditionalMixin
from lintel.decorators import action
from lintel.exceptions import APIException, NotFound
from lintel.filters import FieldFilter, OrderingFilter, SearchFilter
from lintel.idempotency import IdempotentMixin
from lintel.mixins import CreateModelMixin, DestroyModelMixin, ListModelMixin, RetrieveModelMixin
from lintel.parsers import MultiPartParser
from lintel.permissions import IsAuthenticated, IsAuthenticatedOrReadOnly
from lintel.renderers import AdminRenderer, BrowsableAPIRenderer, JSONRenderer, NDJSONRenderer
from lintel.request import Request
from lintel.response import Response
from lintel.retirement import Deprecation
from lintel.routers import APIRootView
from lintel.schemas import OpenApiResponse, OpenApiTypes, extend_schema
from lintel.serializers import BaseSerializer
from lintel.streaming import StreamingListMixin
from lintel.throttling import UserRateThrottle
from lintel.versioning import URLPathVersioning
from lintel.views import APIView
from lintel.viewsets import GenericViewSet, ModelViewSet, ReadOnlyModelViewSet
from rides.models import Bike, Booking, Report, Station, Trip
from rides.pagination import BikeWindows, StationPages, TripCursors
from rides.permissions import IsStaffOrReadOnly
from rides.serializers import (
    BikeSerializer,
    BikeWithStationSerializer,
    BookingSerializer,
    FareSerializer,
    FareWithCurrencySerializer,
    NoInputSerializer,
    ReadingSerializer,
    ReportSerializer,
    StationSerializer,
    TripSerializer,
    UnlockSerializer,
)


class UnlockThrottle(UserRateThrottle):
    """Five locks per minute."""

    scope = "unlock"
    rate = "5/min"


class InUse(APIException):
    """A row that others need cannot be deleted."""

    status_code = 409
    default_code = "in_use"
    default_detail = "Bikes or trips belong to this station."


FARES = {"city": "1.50", "cargo": "4.00", "electric": "3.00"}


class Rides(APIRootView):
    """The bikes of a city, their stations and trips."""


class StationViewSet(ModelViewSet):
    """Stations, by page number. Search names, filter by district, order by any column.

    `?format=admin` shows them as an admin.
    """

    queryset = Station.objects.all()
    serializer_class = StationSerializer
    permission_classes = [IsStaffOrReadOnly]
    pagination_class = StationPages
    renderer_classes = [JSONRenderer, BrowsableAPIRenderer, AdminRenderer]
    filter_backends = [SearchFilter, OrderingFilter, FieldFilter]
    search_fields = ["name", "district"]
    ordering_fields = ["name", "docks", "opened"]
    filter_fields = ["district"]

    @extend_schema(responses={204: None, 409: OpenApiResponse(description="Bikes stand there.")})
    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        try:
            return super().destroy(request, *args, **kwargs)
        except ProtectedError as error:
            raise InUse from error


class BikeViewSet(ModelViewSet):
    """Bikes with their stations, by limit and offset."""

    queryset = Bike.objects.select_related("station")
    serializer_class = BikeSerializer
    permission_classes = [IsStaffOrReadOnly]
    pagination_class = BikeWindows
    filter_backends = [SearchFilter, OrderingFilter, FieldFilter]
    search_fields = ["=number", "station__name"]
    ordering_fields = ["number", "kind"]
    filter_fields = ["kind", "station", "in_service"]

    def get_serializer_class(self) -> type[BaseSerializer]:
        reads = self.action in {"list", "retrieve"}
        return BikeWithStationSerializer if reads else super().get_serializer_class()

    @extend_schema(request=None, responses=UnlockSerializer)
    @action(
        detail=True,
        methods=["post"],
        permission_classes=[IsAuthenticated],
        throttle_classes=[UnlockThrottle],
        serializer_class=NoInputSerializer,
    )
    def unlock(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Unlock a bike.

        Returns a code for the lock, five times per minute; then 429 with Retry-After.
        """
        bike = self.get_object()
        digest = hashlib.sha256(f"{bike.number}:{request.user.pk}".encode()).hexdigest()
        return Response({"bike": bike.number, "code": digest[:6]})


class ReportViewSet(
    ListModelMixin, CreateModelMixin, RetrieveModelMixin, DestroyModelMixin, GenericViewSet
):
    """Reports about one bike, with photos: a resource below another, and uploads."""

    serializer_class = ReportSerializer
    permission_classes = [IsAuthenticatedOrReadOnly]
    parser_classes = [MultiPartParser]
    pagination_class = StationPages
    queryset = Report.objects.select_related("reporter")

    def get_queryset(self) -> QuerySet[Report]:
        return super().get_queryset().filter(bike=self.kwargs["bike_id"])

    def perform_create(self, serializer: BaseSerializer) -> None:
        bike = get_object_or_404(Bike, pk=self.kwargs["bike_id"])
        serializer.save(bike=bike, reporter=self.request.user)

    def perform_destroy(self, instance: Report) -> None:
        if instance.reporter_id != self.request.user.pk:
            self.permission_denied(self.request, "Only the reporter may delete a report.")
        instance.photo.delete(save=False)
        instance.delete()

    @extend_schema(responses={(200, "image/*"): OpenApiTypes.BINARY})
    @action(detail=True)
    def photo(self, request: Request, *args: Any, **kwargs: Any) -> FileResponse:
        """Download the photo.

        What others uploaded is never shown as a page of this site.
        """
        report = self.get_object()
        if not report.photo:
            raise NotFound("This report has no photo.")
        return FileResponse(report.photo.open("rb"), as_attachment=True)


class TripViewSet(StreamingListMixin, ReadOnlyModelViewSet):
    """Twenty thousand trips, by signed cursors. `?format=ndjson` streams all, one on each line."""

    renderer_classes = [JSONRenderer, BrowsableAPIRenderer, NDJSONRenderer]
    queryset = Trip.objects.select_related("bike", "origin", "destination")
    serializer_class = TripSerializer
    pagination_class = TripCursors
    filter_backends = [FieldFilter]
    filter_fields = ["origin", "destination"]


class BookingViewSet(IdempotentMixin, ConditionalMixin, ModelViewSet):
    """Your bookings.

    A POST with an `Idempotency-Key` that is sent again makes no second booking. A change needs the
    `ETag` of what it changes in `If-Match`, so that nobody overwrites what they have not seen.
    """

    require_preconditions = True
    queryset = Booking.objects.all()
    serializer_class = BookingSerializer
    permission_classes = [IsAuthenticated]
    pagination_class = StationPages

    def get_queryset(self) -> QuerySet[Booking]:
        return super().get_queryset().filter(user=self.request.user.pk)

    def perform_create(self, serializer: BaseSerializer) -> None:
        serializer.save(user=self.request.user)


class FareVersions(URLPathVersioning):
    """Version 1 goes away: its answers say so in `Deprecation` and `Sunset`."""

    allowed_versions = ["v1", "v2"]
    deprecated_versions = {"v1": Deprecation(date(2026, 1, 1), sunset=date(2027, 1, 1))}


class Fares(APIView):
    """What a ride costs, in the first version: deprecated, and its answers say so."""

    versioning_class = FareVersions

    @extend_schema(operation_id="listFares", responses=FareSerializer(many=True))
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        rows = [{"kind": kind, "price": amount} for kind, amount in FARES.items()]
        return Response(FareSerializer(rows, many=True).data)


class FaresWithCurrency(APIView):
    """What a ride costs, in the second version: money has a currency."""

    versioning_class = FareVersions

    @extend_schema(
        operation_id="listFaresWithCurrency", responses=FareWithCurrencySerializer(many=True)
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        prices = {kind: {"amount": amount, "currency": "EUR"} for kind, amount in FARES.items()}
        rows = [{"kind": kind, "price": price} for kind, price in prices.items()]
        return Response(FareWithCurrencySerializer(rows, many=True).data)


async def measure(quantity: str, station: Station) -> float:
    """Read a sensor, which takes a fifth of a second."""
    await asyncio.sleep(0.2)
    return zlib.crc32(f"{quantity} {station.pk}".encode()) % 300 / 10


class Weather(APIView):
    """Three sensors of a station, asked at the same time on the event loop.

    They take 0.2 seconds each, and 0.2 seconds together.
    """

    @extend_schema(operation_id="readWeather", responses=ReadingSerializer)
    async def get(self, request: Request, pk: int) -> Response:
        station = await aget_object_or_404(Station, pk=pk)
        quantities = ("celsius", "wind", "rain")
        values = await asyncio.gather(*(measure(name, station) for name in quantities))
        return Response({"station": station.name, **dict(zip(quantities, values, strict=True))})
