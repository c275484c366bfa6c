"""One view for each kind of page."""

from typing import Any

from django.contrib.auth.models import User
from django_filters.rest_framework import DjangoFilterBackend

from lintel import filters, generics, pagination, renderers, serializers, viewsets
from lintel.decorators import action
from lintel.exceptions import APIException, Throttled
from lintel.permissions import AllowAny, IsAdminUser, IsAuthenticatedOrReadOnly
from lintel.request import Request
from lintel.response import Response
from lintel.views import APIView
from shelf.models import Author, Book


class AuthorSerializer(serializers.ModelSerializer[Author]):
    class Meta:
        model = Author
        fields = ["id", "url", "name", "born"]


class BookSerializer(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = Book
        fields = [
            *("id", "url", "title", "author", "genre", "pages", "in_print"),
            *("published", "notes", "extra"),
        ]


class Pages(pagination.PageNumberPagination):
    page_size = 20


class ByName(pagination.CursorPagination):
    page_size = 5
    ordering = "name"


class AuthorViewSet(viewsets.ModelViewSet[Author]):
    """The people who wrote the books."""

    queryset = Author.objects.order_by("name")
    serializer_class = AuthorSerializer
    pagination_class = ByName
    permission_classes = [IsAuthenticatedOrReadOnly]


class BookViewSet(viewsets.ModelViewSet[Book]):
    """
    The books on the shelf, oldest first.

    Filter by `genre`, search in titles and authors, order by any column:

        GET /books/?genre=novel&ordering=-pages
    """

    queryset = Book.objects.select_related("author")
    serializer_class = BookSerializer
    pagination_class = Pages
    permission_classes = [IsAuthenticatedOrReadOnly]
    filter_backends = [DjangoFilterBackend, filters.SearchFilter, filters.OrderingFilter]
    filterset_fields = ["genre", "author", "in_print"]
    search_fields = ["title", "author__name"]
    ordering_fields = ["title", "pages", "published"]
    renderer_classes = [
        renderers.JSONRenderer,
        renderers.BrowsableAPIRenderer,
        renderers.AdminRenderer,
    ]

    @action(detail=True)
    def readers(self, request: Request, pk: str | None = None) -> Response:
        """Who has read this book."""
        return Response([{"reader": "ada", "stars": 5}, {"reader": "émile", "stars": None}])

    @action(detail=True, methods=["post"])
    def lend(self, request: Request, pk: str | None = None) -> Response:
        """Lend the book."""
        return Response({"lent": True})

    @action(detail=False)
    def newest(self, request: Request) -> Response:
        """The last five."""
        rows = self.get_queryset().order_by("-id")[:5]
        return Response(self.get_serializer(rows, many=True).data)


class CatalogueSerializer(serializers.ModelSerializer[Book]):
    author_name = serializers.CharField(source="author.name", read_only=True)

    class Meta:
        model = Book
        fields = ["id", "title", "author_name", "genre", "pages", "in_print", "published"]


class CatalogueViewSet(viewsets.ReadOnlyModelViewSet[Book]):
    """The same books, with a filter for each question."""

    queryset = Book.objects.select_related("author")
    serializer_class = CatalogueSerializer
    pagination_class = Pages
    permission_classes = [AllowAny]
    filter_backends = [filters.SearchFilter, filters.OrderingFilter, filters.FieldFilter]
    search_fields = ["title", "author__name"]
    ordering_fields = ["id", ("title", "title"), ("author__name", "author"), "pages"]
    filter_fields = [
        *("title__icontains", "author", "author__name__icontains", "genre", "in_print"),
        *("pages__gte", "pages__lte", "published__gte", "published__lte", "published__isnull"),
        *("id__in", "notes__icontains"),
    ]
    renderer_classes = [
        renderers.BrowsableAPIRenderer,
        renderers.AdminRenderer,
        renderers.JSONRenderer,
    ]


class OwnPages(renderers.BrowsableAPIRenderer):
    """Pages as a project changes them that was written for the known API."""

    template = "shelf/own.html"


class OwnBookViewSet(BookViewSet):
    """Books on pages of the project's own."""

    renderer_classes = [renderers.JSONRenderer, OwnPages]


class LargeTablesSerializer(serializers.ModelSerializer[Author]):
    """An author among more rows than selects list."""

    first = serializers.PrimaryKeyRelatedField(
        queryset=Book.objects.all(), html_cutoff=10, source="*", allow_null=True
    )
    books = serializers.PrimaryKeyRelatedField(
        queryset=Book.objects.all(), html_cutoff=10, many=True
    )

    class Meta:
        model = Author
        fields = ["name", "first", "books"]


class LargeTables(generics.ListCreateAPIView[Author]):
    """Says what was chosen."""

    queryset = Author.objects.none()
    serializer_class = LargeTablesSerializer
    permission_classes = [IsAuthenticatedOrReadOnly]

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response({name: request.data.getlist(name) for name in ("first", "books")})


class AddressSerializer(serializers.Serializer[dict[str, Any]]):
    street = serializers.CharField()
    postcode = serializers.RegexField(r"^\d{5}$", help_text="Five digits.")


class ReaderSerializer(serializers.Serializer[dict[str, Any]]):
    """A form with an input of every kind."""

    name = serializers.CharField(max_length=40)
    email = serializers.EmailField(style={"placeholder": "ada@example.com"})
    password = serializers.CharField(write_only=True, style={"input_type": "password"})
    homepage = serializers.URLField(required=False)
    age = serializers.IntegerField(min_value=6)
    joined = serializers.DateTimeField(required=False)
    opens = serializers.TimeField(required=False)
    newsletter = serializers.BooleanField(default=True)
    size = serializers.ChoiceField(["S", "M", "L"], style={"base_template": "radio.html"})
    days = serializers.MultipleChoiceField(
        choices=["Monday", "Wednesday", "Saturday"],
        style={"base_template": "checkbox_multiple.html"},
    )
    genres = serializers.MultipleChoiceField(choices=Book.Genre.choices, required=False)
    favourite = serializers.PrimaryKeyRelatedField(
        queryset=Author.objects.order_by("name"), allow_null=True
    )
    picture = serializers.FileField(required=False)
    about = serializers.CharField(required=False, style={"base_template": "textarea.html"})
    address = AddressSerializer()
    tags = serializers.ListField(child=serializers.CharField(), required=False)
    settings = serializers.JSONField(required=False)


class Register(generics.GenericAPIView):
    """Everything that a form can ask for."""

    serializer_class = ReaderSerializer
    permission_classes = [AllowAny]

    def get(self, request: Request) -> Response:
        return Response({"readers": 57})

    def post(self, request: Request) -> Response:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response({"name": serializer.validated_data["name"]}, status=201)


class LineSerializer(serializers.Serializer[Any]):
    """One line of an order."""

    title = serializers.CharField()
    marks = serializers.ListField(child=serializers.CharField(), required=False)


class OrderSerializer(serializers.Serializer[Any]):
    """What a form says by groups of inputs."""

    words = serializers.ListField(child=serializers.CharField())
    sizes = serializers.DictField(child=serializers.IntegerField(), required=False)
    lines = LineSerializer(many=True)
    file = serializers.FileField(required=False)


class Orders(generics.GenericAPIView[Any]):
    """Says what it has read."""

    serializer_class = OrderSerializer
    permission_classes = [IsAuthenticatedOrReadOnly]

    def get(self, request: Request) -> Response:
        return Response({})

    def post(self, request: Request) -> Response:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        values = serializer.validated_data
        return Response({**values, "file": values["file"].name if "file" in values else None})


class Failing(APIView):
    """An address that answers with one error, whatever is asked."""

    permission_classes = [AllowAny]
    error: Exception = APIException()

    def get(self, request: Request, **names: Any) -> Response:
        raise self.error


class Staff(viewsets.ReadOnlyModelViewSet[User]):
    """What only staff may see."""

    queryset = User.objects.none()
    serializer_class = AuthorSerializer
    permission_classes = [IsAdminUser]


class Broken(Failing):
    """An address that answers with 500."""

    error = APIException("The shelf fell off the wall.")


class Busy(Failing):
    """An address that answers with 429."""

    error = Throttled(wait=42)
