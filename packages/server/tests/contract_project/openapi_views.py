# Views whose OpenAPI operations are recorded in openapi_cases.json.
from django.contrib.auth.models import User
from django.urls import path, re_path

from lintel import (
    filters, generics, pagination, parsers, renderers, routers, serializers, views, viewsets
)
from lintel.decorators import action, api_view, schema
from lintel.response import Response
from lintel.schemas.openapi import AutoSchema

from contract_project import support
from contract_project.models import Everything, Snippet, Tag


class Pages(pagination.PageNumberPagination):
    page_size = 10


class SizedPages(Pages):
    page_size_query_param = 'size'


class Offsets(pagination.LimitOffsetPagination):
    default_limit = 10


class Cursors(pagination.CursorPagination):
    page_size = 10
    page_size_query_param = 'size'


class PlainView(views.APIView):
    def get(self, request):
        return Response({})

    def post(self, request):
        return Response({})


class DocumentedView(views.APIView):
    """
    Reads and writes a thing.

    get: Reading is described here.

    post:
    Writing is described
    on two lines.
    """
    def get(self, request):
        return Response({})

    def post(self, request):
        return Response({})


class MethodDocumentedView(views.APIView):
    def get(self, request):
        """Method text wins."""
        return Response({})


class NoSchemaView(PlainView):
    schema = None


class TagList(generics.ListCreateAPIView):
    queryset = Tag.objects.all()
    serializer_class = support.TagSerializer


class TagDetail(generics.RetrieveUpdateDestroyAPIView):
    queryset = Tag.objects.all()
    serializer_class = support.TagSerializer


class TagByName(generics.RetrieveAPIView):
    queryset = Tag.objects.all()
    serializer_class = support.TagSerializer
    lookup_field = 'name'
    lookup_url_kwarg = 'tag'


class PagedTags(TagList):
    pagination_class = Pages


class SizedTags(TagList):
    pagination_class = SizedPages


class OffsetTags(TagList):
    pagination_class = Offsets


class CursorTags(TagList):
    pagination_class = Cursors


class FilteredTags(TagList):
    filter_backends = [filters.SearchFilter, filters.OrderingFilter]
    search_fields = ['name']


class JSONTags(TagList):
    renderer_classes = [renderers.JSONRenderer]
    parser_classes = [parsers.JSONParser]


class FileTags(TagList):
    parser_classes = [parsers.MultiPartParser, parsers.FileUploadParser]


class TextRenderer(renderers.BaseRenderer):
    media_type = 'text/csv'
    format = 'csv'


class MixedTags(TagList):
    renderer_classes = [TextRenderer, renderers.BrowsableAPIRenderer, renderers.JSONRenderer]


class SnippetViewSet(viewsets.ModelViewSet):
    queryset = Snippet.objects.all()
    serializer_class = support.SnippetSerializer

    @action(detail=True, methods=['post'])
    def star(self, request, pk=None):
        return Response({})

    @action(detail=False, url_path='top-ten', serializer_class=support.TagSerializer)
    def top(self, request):
        """The best ones."""
        return Response([])

    @action(detail=True, methods=['get', 'put'], schema=None)
    def hidden(self, request, pk=None):
        return Response({})


class UserViewSet(viewsets.ReadOnlyModelViewSet):
    """
    People.

    list:
    All people.

    retrieve:
    One person.
    """
    queryset = User.objects.all()
    serializer_class = support.UserProfileSerializer


class EverythingView(generics.ListCreateAPIView):
    queryset = Everything.objects.all()
    serializer_class = support.EverythingSerializer


class NestedView(generics.ListCreateAPIView):
    queryset = Snippet.objects.all()
    serializer_class = support.SnippetNestedSerializer


class FlagsView(generics.CreateAPIView):
    serializer_class = support.FlagsSerializer


class LineView(generics.UpdateAPIView):
    queryset = Snippet.objects.all()
    serializer_class = support.LineSerializer


class PathView(generics.CreateAPIView):
    serializer_class = support.PathSerializer


class ReadWrite(serializers.Serializer):
    both = serializers.CharField()
    read = serializers.CharField(read_only=True)
    write = serializers.CharField(write_only=True)


class ReadWriteView(generics.CreateAPIView):
    serializer_class = ReadWrite


class SplitSchema(AutoSchema):
    def get_request_serializer(self, path, method):
        return support.PointSerializer()

    def get_response_serializer(self, path, method):
        return support.TagSerializer()


class SplitView(generics.CreateAPIView):
    serializer_class = ReadWrite
    schema = SplitSchema()


class TaggedView(TagList):
    schema = AutoSchema(tags=['labels', 'second'])


class ComponentView(TagList):
    schema = AutoSchema(component_name='Label')


class OperationView(TagList):
    schema = AutoSchema(operation_id_base='Sticker')


class ActionOperationView(generics.ListAPIView):
    action = 'archive_all'
    queryset = Tag.objects.all()
    serializer_class = support.TagSerializer


class NoSerializerView(generics.GenericAPIView):
    queryset = Tag.objects.all()

    def get(self, request):
        return Response({})


class OddSerializer(serializers.Serializer):
    pass


class OddNameView(generics.CreateAPIView):
    """The component name drops only the word Serializer."""
    serializer_class = OddSerializer


class AnonymousSchemaView(views.APIView):
    schema = AutoSchema()

    def get_serializer(self):
        return support.PointSerializer()

    def put(self, request):
        return Response({})

    def patch(self, request):
        return Response({})

    def delete(self, request):
        return Response({})


class UUIDModelView(generics.RetrieveAPIView):
    queryset = Everything.objects.all()
    serializer_class = support.EverythingSerializer
    lookup_field = 'key'


@api_view(['GET', 'POST'])
def function_view(request):
    return Response({})


@api_view(['GET'])
@schema(None)
def function_without_schema(request):
    return Response({})


router = routers.SimpleRouter()
router.register('snippets', SnippetViewSet)
router.register('users', UserViewSet)

PATTERNS = {
    'plain': [path('plain/', PlainView.as_view())],
    'plain-root': [path('', PlainView.as_view())],
    'documented': [path('documented/', DocumentedView.as_view())],
    'method-documented': [path('documented/', MethodDocumentedView.as_view())],
    'no-schema': [path('none/', NoSchemaView.as_view()), path('plain/', PlainView.as_view())],
    'list': [path('tags/', TagList.as_view())],
    'detail': [path('tags/<int:pk>/', TagDetail.as_view())],
    'detail-str': [path('tags/<str:pk>', TagDetail.as_view())],
    'detail-regex': [re_path(r'^tags/(?P<pk>[0-9]+)/$', TagDetail.as_view())],
    'detail-lookup': [path('tags/<slug:tag>/', TagByName.as_view())],
    'detail-uuid': [path('things/<uuid:key>/', UUIDModelView.as_view())],
    'extra-parameter': [path('groups/<int:group>/tags/<int:pk>/', TagDetail.as_view())],
    'paged': [path('tags/', PagedTags.as_view())],
    'sized': [path('tags/', SizedTags.as_view())],
    'offset': [path('tags/', OffsetTags.as_view())],
    'cursor': [path('tags/', CursorTags.as_view())],
    'filtered': [path('tags/', FilteredTags.as_view())],
    'json-only': [path('tags/', JSONTags.as_view())],
    'file-parsers': [path('tags/', FileTags.as_view())],
    'mixed-renderers': [path('tags/', MixedTags.as_view())],
    'router': router.urls,
    'everything': [path('everything/', EverythingView.as_view())],
    'nested': [path('nested/', NestedView.as_view())],
    'flags': [path('flags/', FlagsView.as_view())],
    'line': [path('line/<int:pk>/', LineView.as_view())],
    'path': [path('path/', PathView.as_view())],
    'read-write': [path('rw/', ReadWriteView.as_view())],
    'split': [path('split/', SplitView.as_view())],
    'tagged': [path('tags/', TaggedView.as_view())],
    'component-name': [path('tags/', ComponentView.as_view())],
    'operation-base': [path('tags/', OperationView.as_view())],
    'action-operation': [path('tags/', ActionOperationView.as_view())],
    'no-serializer': [path('bare/', NoSerializerView.as_view())],
    'empty-serializer': [path('odd/', OddNameView.as_view())],
    'get-serializer-only': [path('anon/<int:pk>/', AnonymousSchemaView.as_view())],
    'function': [path('function/', function_view), path('hidden/', function_without_schema)],
    'underscore-path': [path('some_path/more-parts/', TagList.as_view())],
    'prefix': [path('api/v1/tags/', TagList.as_view()), path('api/v1/plain/', PlainView.as_view())],
    'duplicate-operation': [path('one/', TagList.as_view()), path('two/', TagList.as_view())],
    'same-component-twice': [path('a/', TagList.as_view()), path('b/', PagedTags.as_view())],
    'format-suffix': [re_path(r'^tags\.(?P<format>[a-z0-9]+)/?$', TagList.as_view()),
                      path('tags/', TagList.as_view())],
}
urlpatterns = schema_patterns = PATTERNS['router'] + PATTERNS['paged'] + PATTERNS['plain']
