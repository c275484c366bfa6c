"""Names of the parts of forms that lead into nested data, read and written."""

import io
import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile
from django.http import QueryDict
from django.test import override_settings
from django.urls import path

from lintel import serializers
from lintel.parsers import JSONParser, NestedMultiPartParser
from lintel.renderers import JSONRenderer, NestedMultiPartRenderer
from lintel.request import Request
from lintel.response import Response
from lintel.test import APIClient, APIRequestFactory, AsyncAPIClient
from lintel.utils.form_names import flattened, nested_form, steps_of
from lintel.views import APIView

pytestmark = pytest.mark.urls(__name__)


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("a", ["a"]),
        ("a.b", ["a", "b"]),
        ("a[0].b", ["a", 0, "b"]),
        ("a[0][12]", ["a", 0, 12]),
        ("a.b[3].c.d", ["a", "b", 3, "c", "d"]),
        *((odd, [odd]) for odd in ("", "a[x]", "a[-1]", "a..b", ".a", "a.", "[0]", "a[0", "a]")),
        ("a[1234567]", ["a[1234567]"]),
        ("a[٣]", ["a[٣]"]),
    ],
)
def test_steps(name: str, steps: Any) -> None:
    assert steps_of(name) == steps


class Part(serializers.Serializer):
    name = serializers.CharField()
    photo = serializers.FileField(required=False)
    tags = serializers.ListField(child=serializers.CharField(), required=False)
    kinds = serializers.MultipleChoiceField(choices=["x", "y", "z"], required=False)
    sizes = serializers.DictField(child=serializers.IntegerField(), required=False)


class Line(Part):
    parts = Part(many=True, required=False)


class Order(serializers.Serializer):
    title = serializers.CharField()
    is_open = serializers.BooleanField(required=False, default=None, allow_null=True)
    address = Part(required=False)
    lines = Line(many=True, required=False)
    photos = serializers.ListField(child=serializers.FileField(), required=False)
    grid = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()), required=False
    )
    note = serializers.JSONField(required=False)


def shown(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: shown(each) for name, each in value.items()}
    if isinstance(value, list | set):
        items = [shown(each) for each in value]
        return sorted(items) if isinstance(value, set) else items
    return value.read().decode() if hasattr(value, "read") else value


class Orders(APIView):
    parser_classes = [NestedMultiPartParser, JSONParser]
    authentication_classes: list[Any] = []
    permission_classes: list[Any] = []
    schema = None

    def post(self, request: Request) -> Response:
        serializer = Order(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response({"files": sorted(request.FILES), **shown(serializer.validated_data)})

    put = post


class Strict(Orders):
    def post(self, request: Request) -> Response:
        class Known(Order):
            class Meta:
                extra = "forbid"

        serializer = Known(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response(shown(serializer.validated_data))


class AsyncOrders(Orders):
    async def post(self, request: Request) -> Response:  # type: ignore[override]
        return super().post(request)


urlpatterns = [
    path("orders/", Orders.as_view()),
    path("strict/", Strict.as_view()),
    path("async/", AsyncOrders.as_view()),
]


class Client(APIClient):
    renderer_classes_list = [NestedMultiPartRenderer, JSONRenderer]


class AsyncClient(AsyncAPIClient):
    renderer_classes_list = [NestedMultiPartRenderer, JSONRenderer]


def photo(text: str, name: str = "a.txt") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode())


def sent() -> dict[str, Any]:
    part = {"name": "p", "photo": photo("deep"), "kinds": ["x", "z"], "tags": ["1", "2"]}
    return {
        "title": "t",
        "address": {"name": "home", "sizes": {"w": 1, "h": 2}},
        "lines": [
            {"name": "one", "photo": photo("first"), "sizes": {"w": 3}},
            {"name": "two", "parts": [{"name": "q"}, part]},
        ],
        "photos": [photo("x"), photo("y")],
        "grid": [[1, 2], [3]],
    }


RESULT = {
    "title": "t",
    "is_open": None,
    "address": {"name": "home", "sizes": {"w": 1, "h": 2}},
    "lines": [
        {"name": "one", "photo": "first", "sizes": {"w": 3}},
        {
            "name": "two",
            "parts": [
                {"name": "q"},
                {"name": "p", "photo": "deep", "tags": ["1", "2"], "kinds": ["x", "z"]},
            ],
        },
    ],
    "photos": ["x", "y"],
    "grid": [[1, 2], [3]],
}


def without_empty(value: Any) -> Any:
    """Drop the empty choices that forms, which cannot leave them out, have."""
    if isinstance(value, dict):
        left = {name: without_empty(each) for name, each in value.items()}
        return {name: each for name, each in left.items() if name != "files" and each != []}
    return [without_empty(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("method", ["post", "put"])
def test_nested_data_with_files_is_read_as_it_was_sent(method: str) -> None:
    answer = getattr(Client(), method)("/orders/", sent(), format="multipart")
    assert answer.status_code == 200
    assert without_empty(answer.json()) == without_empty(RESULT)


def test_nested_data_on_the_event_loop() -> None:
    answer = async_to_sync(AsyncClient().post)("/async/", sent(), format="multipart")
    assert without_empty(answer.json()) == without_empty(RESULT)


def document(**parts: Any) -> dict[str, Any]:
    lines = [{"name": "one"}, {"name": "two", "parts": [{"name": "q"}, {"name": "p"}]}]
    body = {"title": "t", "is_open": True, "lines": lines, "note": {"a": [None, 1.5]}}
    return {"json": json.dumps(body), **parts}


@pytest.mark.parametrize("is_blob", [False, True])
def test_one_part_of_json_has_the_files_of_the_others(is_blob: bool) -> None:
    form = document(
        **{
            "lines[1].parts[1].photo": photo("deep"),
            "lines[0].photo": photo("first"),
            "photos": [photo("x"), photo("y")],
            "lines[0].tags[1]": "later",
            "lines[0].tags[0]": "sooner",
        }
    )
    if is_blob:
        form["json"] = SimpleUploadedFile("blob", form["json"].encode(), "application/json")
    for address in ("/orders/", "/strict/"):
        for each in form.values():
            for file in each if isinstance(each, list) else [each]:
                if hasattr(file, "seek"):
                    file.seek(0)
        answer = APIClient().post(address, form, format="multipart")
        assert answer.status_code == 200, answer.json()
        data = answer.json()
        assert data["is_open"] is True
        assert data["note"] == {"a": [None, 1.5]}
        assert data["photos"] == ["x", "y"]
        assert data["lines"][0] == {"name": "one", "photo": "first", "tags": ["sooner", "later"]}
        assert data["lines"][1]["parts"] == [{"name": "q"}, {"name": "p", "photo": "deep"}]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ({"json": "{"}, "JSON parse error"),
        ({"json": "[]"}, 'The part "json" is no object'),
        ({"json": "NaN"}, "JSON parse error"),
        ({"json": '{"a": 1}', "a.b": "x"}, 'The part "a.b" has no place'),
        ({"json": '{"a": {}}', "a[0]": "x"}, 'The part "a[0]" has no place'),
        ({"json": '{"a": []}', "a[1]": "x"}, 'The part "a[1]" has no place'),
        ({"json": '{"a": null}', "a.b": "x"}, 'The part "a.b" has no place'),
        ({"json": "{}", "b" * 500 + "[7]": "x"}, '"' + "b" * 100 + '" has no place'),
        ({".".join("a" * 22): "x"}, "A name is nested too deeply"),
        ({"a" + "[0]" * 21: photo("x")}, "A name is nested too deeply"),
    ],
)
def test_forms_without_sense_are_refused(form: Any, text: str) -> None:
    for method in ("post", "put"):
        answer = getattr(APIClient(), method)("/orders/", form, format="multipart")
        assert answer.status_code == 400
        assert text in answer.json()["detail"]


def test_limits_of_django_hold() -> None:
    many = {f"lines[{number}].name": "x" for number in range(60)}
    with override_settings(DATA_UPLOAD_MAX_NUMBER_FIELDS=50):
        assert APIClient().post("/orders/", many, format="multipart").status_code == 400
    blob = SimpleUploadedFile("blob", b'{"title": "' + b"x" * 5000 + b'"}')
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=2000):
        answer = APIClient().post("/orders/", {"json": blob}, format="multipart")
    assert answer.status_code == 400


def test_hostile_names_take_little_time() -> None:
    names = ["a" + "[0]" * 20, "a" + ".a" * 20, "[" * 19, "a]." * 19, "a[" + "1" * 500 + "]"]
    form = dict.fromkeys(names, "x")
    form |= {f"lines[{number}].parts[{number}].name": "x" for number in range(400)}
    answer = APIClient().post("/orders/", {"title": "t", **form}, format="multipart")
    assert answer.status_code == 400
    assert set(answer.json()) == {"lines"}


def test_a_form_that_middleware_has_read() -> None:
    request = APIRequestFactory().post(
        "/", {"title": "t", "lines[0].name": "x"}, format="multipart"
    )
    assert request.POST["title"] == "t"
    read = Request(request, parsers=[NestedMultiPartParser()])
    serializer = Order(data=read.data)
    assert serializer.is_valid()
    assert serializer.validated_data["lines"][0]["name"] == "x"
    assert read.POST.getlist("title") == ["t"]


def test_the_form_of_a_document_stays_readable() -> None:
    form = {"json": '{"title": "t"}', "csrfmiddlewaretoken": "abc", "photos": photo("x")}
    request = APIRequestFactory().post("/", form, format="multipart")
    read = Request(request, parsers=[NestedMultiPartParser()])
    assert read.data["title"] == "t"
    assert read.POST["csrfmiddlewaretoken"] == "abc"
    assert list(read.FILES) == ["photos"]
    again = Request(request, parsers=[NestedMultiPartParser()])
    assert again.data["title"] == "t"


@override_settings(
    FILE_UPLOAD_HANDLERS=["django.core.files.uploadhandler.TemporaryFileUploadHandler"]
)
def test_files_in_a_document_are_closed_with_the_request() -> None:
    request = APIRequestFactory().post(
        "/", {"json": "{}", "photos[0]": photo("x")}, format="multipart"
    )
    read = Request(request, parsers=[NestedMultiPartParser()])
    (file,) = read.data["photos"]
    assert isinstance(file, TemporaryUploadedFile)
    request.close()
    assert file.closed


def test_another_name_for_the_document_or_none() -> None:
    class Named(NestedMultiPartParser):
        json_part = "payload"

    class Unnamed(NestedMultiPartParser):
        json_part = None

    for parser, title in ((Named, "t"), (Unnamed, "form")):
        form = {"payload": '{"title": "t"}', "title": "form", "json": "{"}
        if parser is Named:
            del form["title"]
        request = APIRequestFactory().post("/", form, format="multipart")
        assert Request(request, parsers=[parser()]).data["title"] == title


def test_names_are_written_as_they_are_read() -> None:
    data = {"a": {"b": [1, 2], "c": None}, "d": [{"e": [[1]]}, {}], "f": [], "g": True}
    assert list(flattened(data)) == [
        ("a.b", [1, 2]),
        ("a.c", ""),
        ("d[0].e[0][0]", 1),
        ("f[]", ""),
        ("g", True),
    ]
    file = io.BytesIO(b"x")
    assert list(flattened({"a": [{"b": file}]})) == [("a[0].b", file)]


def test_other_forms_are_read_as_before() -> None:
    form = QueryDict("a[0].b=1&a[0].b=2")
    assert list(nested_form(form)) == ["a[0]b"]
    assert nested_form(form).getlist("a[0]b") == ["1", "2"]
    copy = nested_form(form).copy()
    assert type(copy) is type(nested_form(form))
    with pytest.raises(AttributeError):
        nested_form(form)["x"] = "1"
