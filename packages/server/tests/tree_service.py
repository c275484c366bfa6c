"""Orders with lines and pieces, customers, invoices and labels: trees of rows, and their views."""

from typing import Any, ClassVar

from django.apps.registry import Apps
from django.db import models
from django.db.models import Q

from lintel import serializers
from lintel.bulk import BulkModelViewSet
from lintel.routers import SimpleRouter
from lintel.scoping import RowScope
from lintel.serializers import Nested
from lintel.viewsets import AsyncModelViewSet, ModelViewSet

APPS = Apps(["contract_project"])


class Customer(models.Model):
    name = models.CharField(max_length=20, unique=True)

    class Meta:
        apps = APPS
        app_label = "contract_project"


class Label(models.Model):
    name = models.CharField(max_length=20, unique=True)

    class Meta:
        apps = APPS
        app_label = "contract_project"


class Order(models.Model):
    note = models.CharField(max_length=20)
    customer = models.ForeignKey(Customer, models.CASCADE, null=True)
    labels = models.ManyToManyField(Label, related_name="orders")
    flags = models.ManyToManyField(Label, through="Flag", related_name="flagged")

    class Meta:
        apps = APPS
        app_label = "contract_project"


class Flag(models.Model):
    order = models.ForeignKey(Order, models.CASCADE)
    label = models.ForeignKey(Label, models.CASCADE)
    weight = models.IntegerField(default=7)

    class Meta:
        apps = APPS
        app_label = "contract_project"


class Invoice(models.Model):
    order = models.OneToOneField(Order, models.CASCADE, related_name="invoice")
    total = models.IntegerField()

    class Meta:
        apps = APPS
        app_label = "contract_project"


class Line(models.Model):
    order = models.ForeignKey(Order, models.CASCADE, related_name="lines")
    sku = models.CharField(max_length=10)
    count = models.IntegerField(default=1)

    class Meta:
        apps = APPS
        app_label = "contract_project"
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["order", "sku"], name="line_sku"),
            models.CheckConstraint(condition=Q(count__gt=0), name="line_count"),
        ]


class Piece(models.Model):
    line = models.ForeignKey(Line, models.CASCADE, related_name="pieces")
    serial = models.CharField(max_length=10, unique=True)

    class Meta:
        apps = APPS
        app_label = "contract_project"
        ordering: ClassVar[list[str]] = ["pk"]


MODELS: list[type[models.Model]] = [Customer, Label, Order, Flag, Invoice, Line, Piece]


class PieceSerializer(serializers.ModelSerializer):
    class Meta:
        model = Piece
        fields = ["id", "serial"]


class LineSerializer(serializers.ModelSerializer):
    pieces = PieceSerializer(many=True, required=False)

    class Meta:
        model = Line
        fields = ["id", "sku", "count", "pieces"]
        nested: ClassVar[Any] = {"pieces": Nested(match="id", missing="delete")}


class CustomerSerializer(serializers.ModelSerializer):
    class Meta:
        model = Customer
        fields = ["id", "name"]


class LabelSerializer(serializers.ModelSerializer):
    class Meta:
        model = Label
        fields = ["id", "name"]


class InvoiceSerializer(serializers.ModelSerializer):
    class Meta:
        model = Invoice
        fields = ["id", "total"]


class OrderSerializer(serializers.ModelSerializer):
    lines = LineSerializer(many=True, required=False)

    class Meta:
        model = Order
        fields = ["id", "note", "lines"]
        nested: ClassVar[Any] = {"lines": Nested(match="id", missing="delete")}


class KeepingSerializer(OrderSerializer):
    class Meta(OrderSerializer.Meta):
        nested: ClassVar[Any] = {"lines": Nested(match="id", missing="keep")}


class StrictSerializer(OrderSerializer):
    class Meta(OrderSerializer.Meta):
        nested: ClassVar[Any] = {"lines": Nested(match="id", missing="error")}


class BySkuSerializer(OrderSerializer):
    class Meta(OrderSerializer.Meta):
        nested: ClassVar[Any] = {"lines": Nested(match="sku", missing="delete")}


class NewSerializer(OrderSerializer):
    class Meta(OrderSerializer.Meta):
        nested: ClassVar[Any] = {"lines": Nested(match=None, missing="delete")}


class WideSerializer(serializers.ModelSerializer):
    customer = CustomerSerializer(required=False, allow_null=True)
    invoice = InvoiceSerializer(required=False, allow_null=True)
    labels = LabelSerializer(many=True, required=False)
    flags = LabelSerializer(many=True, required=False)

    class Meta:
        model = Order
        fields = ["id", "note", "customer", "invoice", "labels", "flags"]
        nested: ClassVar[Any] = {
            "customer": Nested(queryset=Customer.objects.exclude(name="secret")),
            "invoice": Nested(missing="delete"),
            "labels": Nested(missing="delete", queryset=Label.objects.all()),
            "flags": Nested(missing="keep"),
        }


class WholeLine(serializers.ModelSerializer):
    class Meta:
        model = Line
        fields = ["id", "sku", "count"]


class WholeSerializer(OrderSerializer):
    lines = WholeLine(many=True, partial=False, required=False)


class Orders(ModelViewSet):
    queryset = Order.objects.order_by("pk")
    serializer_class = OrderSerializer


class AsyncOrders(AsyncModelViewSet):
    queryset = Order.objects.order_by("pk")
    serializer_class = OrderSerializer


class BulkOrders(BulkModelViewSet):
    queryset = Order.objects.prefetch_related("lines__pieces").order_by("pk")
    serializer_class = OrderSerializer


class EachOrders(BulkOrders):
    atomic = False


class WideOrders(ModelViewSet):
    queryset = Order.objects.order_by("pk")
    serializer_class = WideSerializer


class Shown(RowScope):
    """Everything but rows that are called secret."""

    def scope_queryset(self, queryset: Any, request: Any) -> Any:
        names = {Line: "sku", Piece: "serial", Label: "name", Customer: "name"}
        name = names.get(queryset.model)
        return queryset if name is None else queryset.exclude(**{f"{name}__startswith": "secret"})


class ScopedOrders(Orders):
    scope_class = Shown


class ScopedWideOrders(WideOrders):
    scope_class = Shown


router = SimpleRouter()
router.register("orders", Orders, "order")
router.register("async-orders", AsyncOrders, "async-order")
router.register("bulk-orders", BulkOrders, "bulk-order")
router.register("each-orders", EachOrders, "each-order")
router.register("wide-orders", WideOrders, "wide-order")
router.register("scoped-orders", ScopedOrders, "scoped-order")
router.register("scoped-wide-orders", ScopedWideOrders, "scoped-wide-order")
urlpatterns = router.urls
