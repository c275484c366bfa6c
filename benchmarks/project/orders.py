"""An order with 50 items, and the serializers that validate it."""

from __future__ import annotations

from typing import Any

ITEMS = [
    {"sku": f"SKU-{number}", "quantity": number + 1, "price": f"{number}.50"}
    for number in range(200)
]
ORDER = {
    "id": "0b7a3f0e-6c1e-4c6e-9d5a-111111111111",
    "email": "someone@example.com",
    "placed": "2026-05-17T08:30:15.123456Z",
    "status": "paid",
    "note": "Ring the bell.",
    "items": ITEMS[:50],
}


def make_serializers(serializers: Any) -> tuple[Any, Any]:
    """Return the serializers of an order and of an item, in one framework."""

    class ItemSerializer(serializers.Serializer):
        sku = serializers.CharField(max_length=20)
        quantity = serializers.IntegerField(min_value=1)
        price = serializers.DecimalField(max_digits=8, decimal_places=2)

    class OrderSerializer(serializers.Serializer):
        id = serializers.UUIDField()
        email = serializers.EmailField()
        placed = serializers.DateTimeField()
        status = serializers.ChoiceField(choices=["new", "paid", "sent"])
        note = serializers.CharField(required=False, allow_blank=True)
        gift = serializers.BooleanField(default=False)
        items = ItemSerializer(many=True)

    return OrderSerializer, ItemSerializer
