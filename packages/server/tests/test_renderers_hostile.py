"""No input makes a page fail: where JSON returns 400, a page returns 400."""

import json
import re
from typing import Any

import pytest
from contract_project.models import Tag
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import path

from lintel import filters, generics, pagination, renderers, serializers
from lintel.response import Response
from lintel.test import APIClient
from lintel.views import APIView

SURROGATE = "\ud800"


def nested(depth: int, leaf: Any = 1) -> Any:
    for _ in range(depth):
        leaf = {"a": [leaf]}
    return leaf


class Inner(serializers.Serializer):
    x = serializers.IntegerField()
    secret = serializers.CharField(write_only=True, required=False)


class Every(serializers.Serializer):
    text = serializers.CharField(max_length=20)
    number = serializers.IntegerField()
    ratio = serializers.FloatField()
    price = serializers.DecimalField(max_digits=4, decimal_places=2)
    when = serializers.DateTimeField()
    day = serializers.DateField()
    clock = serializers.TimeField()
    length = serializers.DurationField()
    yes = serializers.BooleanField()
    one = serializers.ChoiceField(choices=["x"])
    hidden = serializers.ChoiceField(choices=["x"], write_only=True)
    many = serializers.MultipleChoiceField(choices=["x"])
    radio = serializers.ChoiceField(choices=["x"], style={"base_template": "radio.html"})
    boxes = serializers.MultipleChoiceField(
        choices=["x"], style={"base_template": "checkbox_multiple.html"}
    )
    data = serializers.JSONField()
    upload = serializers.FileField()
    tag = serializers.PrimaryKeyRelatedField(queryset=Tag.objects.all())
    tags = serializers.PrimaryKeyRelatedField(queryset=Tag.objects.all(), many=True)
    inner = Inner()
    rows = Inner(many=True)
    numbers = serializers.ListField(child=serializers.IntegerField())
    named = serializers.DictField(child=serializers.IntegerField())


class Anything(generics.GenericAPIView):
    serializer_class = Every
    permission_classes: list[Any] = []
    renderer_classes = [
        renderers.JSONRenderer,
        renderers.BrowsableAPIRenderer,
        renderers.AdminRenderer,
    ]

    def post(self, request):
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response(serializer.data)

    put = patch = post


class Shown(APIView):
    permission_classes: list[Any] = []
    renderer_classes = Anything.renderer_classes
    data: Any = None

    def get(self, request):
        return Response(self.data)


class Tags(generics.ListCreateAPIView):
    queryset = Tag.objects.order_by("id")
    permission_classes: list[Any] = []
    renderer_classes = Anything.renderer_classes
    filter_backends = [filters.SearchFilter, filters.OrderingFilter]
    search_fields = ["name"]
    pagination_class = type("Pages", (pagination.PageNumberPagination,), {"page_size": 1})

    class serializer_class(serializers.ModelSerializer):
        class Meta:
            model = Tag
            fields = ["id", "name"]


urlpatterns = [
    path("any/", Anything.as_view()),
    path("shown/", Shown.as_view()),
    path("tags/", Tags.as_view()),
]
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]

VALUES = [
    SURROGATE,
    "\x00",
    "<script>alert(1)</script>",
    "9" * 5000,
    10**400,
    1.5,
    True,
    None,
    "",
    [],
    {},
    [[]],
    [None],
    {"x": {"x": []}},
    [{"x": SURROGATE, "secret": SURROGATE}],
    {"": "", "x": "a", "0": 1},
    {SURROGATE: SURROGATE},
    nested(90),
    "2024-02-30",
    "10000-01-01T00:00",
    "0001-01-01T00:00:00+14:00",
]
FORMATS = ["api", "admin"]


def is_page(response: Any) -> bool:
    text = response.content.decode()
    return "<script>alert" not in text and not re.search(r"<script(?![^>]*\bsrc=)", text)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("method", ["post", "put"])
@pytest.mark.parametrize("value", VALUES, ids=[str(number) for number in range(len(VALUES))])
def test_any_value_in_any_field(value, method, format):
    body = json.dumps(dict.fromkeys(Every().fields, value))
    send = getattr(APIClient(), method)
    response = send(f"/any/?format={format}", body, content_type="application/json")
    assert response.status_code == 400
    assert is_page(response)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "body", ["", "{", "[]", "1", "null", '"x"', "[1]", "[" * 5000, '{"a":' * 200 + "1" + "}" * 200]
)
def test_any_body(body, format):
    response = APIClient().post(f"/any/?format={format}", body, content_type="application/json")
    assert response.status_code == 400
    assert is_page(response)


@pytest.mark.parametrize("format", FORMATS)
def test_files_and_odd_names_in_forms(format):
    names = [*Every().fields, "inner.x", "inner.secret", "rows[0]x", "rows[0]secret", "numbers[0]"]
    files = {name: SimpleUploadedFile(f"{name}.txt", b"\xff") for name in names}
    for body in (files, dict.fromkeys(names, "x"), {"rows[99999999]x": "1"}):
        response = APIClient().post(f"/any/?format={format}", body, format="multipart")
        assert response.status_code == 400
        assert is_page(response)
    text = "text=%FF%00&inner.x=%FF&rows[0]x=%ED%A0%80&when=%FF"
    form = "application/x-www-form-urlencoded"
    assert is_page(APIClient().post(f"/any/?format={format}", text, content_type=form))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "data",
    [
        nested(100),
        [nested(100)],
        [{"a": nested(100)}],
        [],
        {},
        None,
        "text",
        0,
        [[1], "a", {"b": 1}],
        [{"a": 1}, {"b": 2}, 3],
        {"a": {"<b>": ["<i>", {"c": "<script>alert(1)</script>"}]}},
        {"a": "javascript:alert(1)", "b": "//evil", "c": "x@y", "d": "http://[", "e": "@\x00"},
        {1: 2, None: 3},
    ],
)
def test_any_data(data, format, monkeypatch):
    monkeypatch.setattr(Shown, "data", data)
    response = APIClient().get(f"/shown/?format={format}")
    assert response.status_code == 200
    assert is_page(response)
    assert 'href="javascript:' not in response.content.decode()


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "query",
    [
        *(
            "%FF",
            "search=%00",
            "search=%ED%A0%80",
            "page=%FF",
            "ordering=%00",
            "x=" + "%22%3E" * 50,
        ),
        *("page=" + "9" * 5000, "page=0", "format=api", "%00=%00", "search=" + "a," * 500),
    ],
)
def test_any_query(query, format):
    response = APIClient().get(f"/tags/?{query}&format={format}")
    assert response.status_code in (200, 400, 404)
    assert is_page(response)
