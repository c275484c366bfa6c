# Views whose native schema documents are recorded in corejson_cases.json.
# Runs on 3.16.1 with DEFAULT_SCHEMA_CLASS = lintel.schemas.coreapi.AutoSchema.
import lintel_document as coreapi
from lintel_document import schemas as coreschema
from django.contrib.auth.models import User
from django.urls import include, path, re_path

from lintel import (
    authentication, filters, generics, pagination, parsers, permissions, renderers, routers,
    serializers, views, viewsets
)
from lintel.authtoken.views import obtain_auth_token
from lintel.decorators import action, api_view, renderer_classes, schema
from lintel.documentation import get_schemajs_view, include_docs_urls
from lintel.response import Response
from lintel.schemas import get_schema_view
from lintel.schemas.coreapi import AutoSchema, ManualSchema, SchemaGenerator

from contract_project import support
from contract_project.models import Snippet, Tag


class Pages(pagination.PageNumberPagination):
    page_size = 10
    page_size_query_param = 'size'


class UserSerializer(serializers.HyperlinkedModelSerializer):
    snippets = serializers.HyperlinkedRelatedField(many=True, view_name='snippet-detail',
                                                   read_only=True)

    class Meta:
        model = User
        fields = ['url', 'id', 'username', 'snippets']


class SnippetSerializer(serializers.HyperlinkedModelSerializer):
    owner = serializers.ReadOnlyField(source='owner.username')
    highlight = serializers.HyperlinkedIdentityField(view_name='snippet-highlight', format='html')

    class Meta:
        model = Snippet
        fields = ['url', 'id', 'highlight', 'owner', 'title', 'code', 'linenos', 'language', 'style']


class UserViewSet(viewsets.ReadOnlyModelViewSet):
    queryset = User.objects.all()
    serializer_class = UserSerializer


class SnippetViewSet(viewsets.ModelViewSet):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer
    permission_classes = [permissions.IsAuthenticatedOrReadOnly]

    @action(detail=True, renderer_classes=[renderers.StaticHTMLRenderer])
    def highlight(self, request, *args, **kwargs):
        return Response('')


class PagedSnippetViewSet(SnippetViewSet):
    pagination_class = Pages
    filter_backends = [filters.SearchFilter, filters.OrderingFilter]

    @action(detail=False, methods=['get', 'post'])
    def recent(self, request):
        return Response([])

    @action(detail=True, methods=['post'], url_path='set-style', url_name='style')
    def set_style(self, request, pk=None):
        return Response({})


class OffsetViewSet(SnippetViewSet):
    pagination_class = type('Offsets', (pagination.LimitOffsetPagination,), {'default_limit': 5})


class CursorViewSet(SnippetViewSet):
    pagination_class = type('Cursors', (pagination.CursorPagination,), {'page_size': 5})


class DocumentedViewSet(viewsets.ModelViewSet):
    """
    General text.

    list:
    Text for list.

    create: Text for create on the same line.

    retrieve:
    Text for retrieve,
    on two lines.
    """
    queryset = Tag.objects.all()
    serializer_class = support.TagSerializer

    def destroy(self, request, *args, **kwargs):
        """Text of the method."""
        return super().destroy(request, *args, **kwargs)


class TagList(generics.ListCreateAPIView):
    queryset = Tag.objects.all()
    serializer_class = support.TagSerializer


class TagDetail(generics.RetrieveUpdateDestroyAPIView):
    queryset = Tag.objects.all()
    serializer_class = support.TagSerializer


class TagByName(TagDetail):
    lookup_field = 'name'


class PlainView(views.APIView):
    def get(self, request, **kwargs):
        return Response({})

    def post(self, request, **kwargs):
        return Response({})


class AdminOnlyView(PlainView):
    permission_classes = [permissions.IsAdminUser]


class ExcludedView(PlainView):
    schema = None


class ManualView(PlainView):
    schema = ManualSchema(fields=[
        coreapi.Field('first', required=True, location='path', schema=coreschema.String(
            title='First', description='The first.')),
        coreapi.Field('second', location='query', schema=coreschema.Integer(minimum=1, maximum=9)),
    ], description='Written by hand.', encoding='application/x-www-form-urlencoded')


class ExtraFieldsView(TagList):
    schema = AutoSchema(manual_fields=[
        coreapi.Field('extra', location='query', required=False, schema=coreschema.Boolean()),
        coreapi.Field('name', location='form', required=False, description='Replaced.'),
    ])


class EveryFieldSerializer(serializers.Serializer):
    boolean = serializers.BooleanField(help_text='Yes or no')
    nullable = serializers.BooleanField(allow_null=True)
    char = serializers.CharField(min_length=2, max_length=9, label='Words')
    optional = serializers.CharField(required=False)
    email = serializers.EmailField()
    regex = serializers.RegexField(r'^a+$')
    slug = serializers.SlugField()
    url = serializers.URLField()
    uuid = serializers.UUIDField()
    ip = serializers.IPAddressField()
    integer = serializers.IntegerField(min_value=1, max_value=5)
    float = serializers.FloatField()
    decimal = serializers.DecimalField(max_digits=5, decimal_places=2)
    datetime = serializers.DateTimeField()
    date = serializers.DateField()
    time = serializers.TimeField()
    duration = serializers.DurationField()
    choice = serializers.ChoiceField(choices=[('a', 'Letter A'), ('b', 'Letter B')])
    multiple = serializers.MultipleChoiceField(choices=['x', 'y'])
    file = serializers.FileField()
    list = serializers.ListField(child=serializers.IntegerField())
    dict = serializers.DictField(child=serializers.CharField())
    json = serializers.JSONField()
    read = serializers.ReadOnlyField()
    hidden = serializers.HiddenField(default=1)
    textarea = serializers.CharField(style={'base_template': 'textarea.html'})
    nested = support.PointSerializer()
    nested_many = support.PointSerializer(many=True)
    related = serializers.PrimaryKeyRelatedField(queryset=Tag.objects.all())
    related_many = serializers.SlugRelatedField(slug_field='name', many=True,
                                                queryset=Tag.objects.all())


class EveryFieldView(generics.CreateAPIView):
    serializer_class = EveryFieldSerializer


class EveryFieldUpdateView(generics.UpdateAPIView):
    queryset = Tag.objects.all()
    serializer_class = EveryFieldSerializer


class FormOnlyView(EveryFieldView):
    parser_classes = [parsers.FormParser]


class MultiPartView(EveryFieldView):
    parser_classes = [parsers.MultiPartParser]


class FileUploadView(PlainView):
    parser_classes = [parsers.FileUploadParser]

    def get_serializer(self):
        return support.PointSerializer()


class ListSerializerView(views.APIView):
    def get_serializer(self):
        return support.PointSerializer(many=True)

    def post(self, request):
        return Response({})


@api_view(['GET', 'POST'])
def function_view(request):
    return Response({})


@api_view(['GET'])
@schema(None)
def function_excluded(request):
    return Response({})


def tutorial_router(snippets=SnippetViewSet):
    router = routers.DefaultRouter()
    router.register('snippets', snippets, basename='snippet')
    router.register('users', UserViewSet)
    return router


def simple_router(prefix, viewset, **kwargs):
    router = routers.SimpleRouter()
    router.register(prefix, viewset, **kwargs)
    return router.urls


PATTERNS = {
    'tutorial': tutorial_router().urls,
    'tutorial-paged': tutorial_router(PagedSnippetViewSet).urls,
    'tutorial-offset': tutorial_router(OffsetViewSet).urls,
    'tutorial-cursor': tutorial_router(CursorViewSet).urls,
    'tutorial-prefixed': [path('api/v1/', include(tutorial_router().urls))],
    'documented': simple_router('tags', DocumentedViewSet),
    'generic': [path('tags/', TagList.as_view()), path('tags/<int:pk>/', TagDetail.as_view())],
    'generic-regex': [re_path(r'^tags/$', TagList.as_view()),
                      re_path(r'^tags/(?P<pk>[0-9]+)/$', TagDetail.as_view())],
    'by-name': [path('tags/<str:name>/', TagByName.as_view())],
    'plain': [path('plain/', PlainView.as_view())],
    'plain-parameter': [path('plain/<int:number>/deep/<slug:word>/', PlainView.as_view())],
    'two-plain': [path('one/', PlainView.as_view()), path('two/', PlainView.as_view())],
    'nested-paths': [path('a/', PlainView.as_view()), path('a/b/', PlainView.as_view()),
                     path('a/b/c/', TagList.as_view())],
    'admin-only': [path('admin/', AdminOnlyView.as_view()), path('open/', PlainView.as_view())],
    'excluded': [path('out/', ExcludedView.as_view()), path('in/', PlainView.as_view()),
                 path('fout/', function_excluded)],
    'manual': [path('manual/<str:first>/', ManualView.as_view())],
    'extra-fields': [path('tags/', ExtraFieldsView.as_view())],
    'every-field': [path('every/', EveryFieldView.as_view())],
    'every-field-update': [path('every/<int:pk>/', EveryFieldUpdateView.as_view())],
    'form-only': [path('every/', FormOnlyView.as_view())],
    'multipart': [path('every/', MultiPartView.as_view())],
    'file-upload': [path('upload/', FileUploadView.as_view())],
    'list-serializer': [path('list/', ListSerializerView.as_view())],
    'function': [path('function/', function_view)],
    'token': [path('api-token-auth/', obtain_auth_token)],
    'empty': [],
}

schema_view = get_schema_view(title='Pastebin API', patterns=PATTERNS['tutorial'])
core_only_view = get_schema_view(title='Pastebin API', description='Shared code.',
                                 url='https://api.example.org/', patterns=PATTERNS['tutorial'],
                                 renderer_classes=[renderers.CoreJSONRenderer])
public_view = get_schema_view(title='Public', public=True, patterns=PATTERNS['tutorial'],
                              renderer_classes=[renderers.CoreJSONRenderer])

urlpatterns = PATTERNS['tutorial'] + [
    path('schema/', schema_view),
    path('schema-core/', core_only_view),
    path('schema-public/', public_view),
    path('schema-js/', get_schemajs_view(title='Pastebin API', patterns=PATTERNS['tutorial'])),
    path('docs/', include_docs_urls(title='Pastebin API', patterns=PATTERNS['tutorial'])),
]
