"""The same views on lintel and on Django REST framework, as ``FUZZED`` says."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any

from django.conf import settings

from hostile.models import Label, Note

MODULES = (
    *("authentication", "decorators", "fields", "filters", "generics", "pagination", "parsers"),
    *("permissions", "renderers", "response", "serializers", "versioning", "views", "viewsets"),
)
api: Any = SimpleNamespace(
    **{name: import_module(f"{settings.PACKAGE}.{name}") for name in MODULES}
)


class NoteSerializer(api.serializers.ModelSerializer):
    class Meta:
        model = Note
        fields = "__all__"


class LabelSerializer(api.serializers.ModelSerializer):
    class Meta:
        model = Label
        fields = ["id", "name"]


class Pages(api.pagination.PageNumberPagination):
    page_size = 5
    page_size_query_param = "page_size"
    max_page_size = 50


class Cursors(api.pagination.CursorPagination):
    page_size = 3
    ordering = ("-number", "id")


class Notes(api.viewsets.ModelViewSet):
    queryset = Note.objects.order_by("id")
    serializer_class = NoteSerializer
    pagination_class: Any = Pages
    filter_backends = [api.filters.SearchFilter, api.filters.OrderingFilter]
    search_fields = ["title", "^slug", "owner__username"]
    ordering_fields = ["id", "title", "number", "owner__username"]
    authentication_classes: Any = []


class LimitedNotes(Notes):
    pagination_class = api.pagination.LimitOffsetPagination


class CursorNotes(Notes):
    pagination_class = Cursors
    filter_backends = []


class Labels(api.viewsets.ModelViewSet):
    queryset = Label.objects.order_by("id")
    serializer_class = LabelSerializer
    authentication_classes: Any = []


class Plain(api.serializers.Serializer):
    """A field of each kind, and what nests."""

    text = api.serializers.CharField(max_length=50, required=False)
    pattern = api.serializers.RegexField(r"^[a-z]+(-[a-z]+)*$", required=False)
    integer = api.serializers.IntegerField(required=False, max_value=10**6)
    number = api.serializers.FloatField(required=False)
    decimal = api.serializers.DecimalField(max_digits=6, decimal_places=2, required=False)
    boolean = api.serializers.BooleanField(required=False, allow_null=True)
    day = api.serializers.DateField(required=False)
    moment = api.serializers.DateTimeField(required=False)
    clock = api.serializers.TimeField(required=False)
    span = api.serializers.DurationField(required=False)
    key = api.serializers.UUIDField(required=False)
    address = api.serializers.IPAddressField(required=False)
    choice = api.serializers.ChoiceField(["a", "b"], required=False)
    choices = api.serializers.MultipleChoiceField(choices=["a", "b"], required=False)
    numbers = api.serializers.ListField(child=api.serializers.IntegerField(), required=False)
    words = api.serializers.DictField(child=api.serializers.CharField(), required=False)
    anything = api.serializers.JSONField(required=False)
    label = api.serializers.PrimaryKeyRelatedField(queryset=Label.objects.all(), required=False)
    named = api.serializers.SlugRelatedField(
        slug_field="name", queryset=Label.objects.all(), many=True, required=False
    )
    inner = LabelSerializer(required=False)
    inners = LabelSerializer(many=True, required=False)


class Fields(api.views.APIView):
    """Validates each kind of field, and answers what came of it."""

    authentication_classes: Any = []

    def post(self, request: Any) -> Any:
        serializer = Plain(data=request.data)
        serializer.is_valid(raise_exception=True)
        return api.response.Response({"valid": sorted(serializer.validated_data)})


class Echo(api.views.APIView):
    """Parses whatever comes, and says what it was."""

    authentication_classes: Any = []
    parser_classes = [
        api.parsers.JSONParser,
        api.parsers.FormParser,
        api.parsers.MultiPartParser,
        api.parsers.FileUploadParser,
    ]

    def post(self, request: Any, **keywords: Any) -> Any:
        told = {"type": type(request.data).__name__, "files": sorted(request.FILES)[:5]}
        return api.response.Response({**told, "query": sorted(request.query_params)[:5]})

    put = patch = post

    def get(self, request: Any, **keywords: Any) -> Any:
        return api.response.Response({"query": request.query_params, **keywords})


class Private(api.views.APIView):
    authentication_classes = [
        api.authentication.TokenAuthentication,
        api.authentication.BasicAuthentication,
        api.authentication.SessionAuthentication,
    ]
    permission_classes = [api.permissions.IsAuthenticated]

    def get(self, request: Any) -> Any:
        return api.response.Response({"user": request.user.username})

    post = get


def versioned(scheme: str) -> Any:
    class Versioned(api.views.APIView):
        authentication_classes: Any = []
        versioning_class = getattr(api.versioning, scheme)

        def get(self, request: Any, **keywords: Any) -> Any:
            return api.response.Response({"version": request.version})

    return Versioned.as_view()
