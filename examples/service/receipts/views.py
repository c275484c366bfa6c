"""``/receipts/``: the receipts of the current user."""

from django.db.models import QuerySet

from lintel.pagination import PageNumberPagination
from lintel.permissions import IsAuthenticated
from lintel.serializers import ModelSerializer
from lintel.viewsets import ReadOnlyModelViewSet
from receipts.models import Receipt


class ReceiptSerializer(ModelSerializer):
    class Meta:
        model = Receipt
        fields = ["id", "booking", "request_id", "written"]


class ReceiptPages(PageNumberPagination):
    """Counts are kept for a minute, in the cache that all hosts share."""

    page_size = 10
    counting = "cached"


class ReceiptViewSet(ReadOnlyModelViewSet):
    """Your receipts, which a worker writes soon after the booking."""

    queryset = Receipt.objects.all()
    serializer_class = ReceiptSerializer
    permission_classes = [IsAuthenticated]
    pagination_class = ReceiptPages

    def get_queryset(self) -> QuerySet[Receipt]:
        return super().get_queryset().filter(booking__user=self.request.user.pk)
