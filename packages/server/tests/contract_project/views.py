import datetime
import decimal
import ipaddress
import uuid

from django.contrib.auth.models import User
from django.core.exceptions import BadRequest, PermissionDenied as DjangoPermissionDenied
from django.core.exceptions import SuspiciousOperation
from django.core.exceptions import ValidationError as DjangoValidationError
from django.http import Http404, HttpResponse, JsonResponse
from django.utils.translation import gettext_lazy

from lintel import (
    authentication, exceptions, filters, generics, metadata, mixins, negotiation, pagination,
    parsers, permissions, renderers, routers, serializers, status, throttling, versioning, views,
    viewsets
)
from lintel.authtoken.models import Token
from lintel.authtoken.views import ObtainAuthToken
from lintel.decorators import (
    action, api_view, authentication_classes, parser_classes, permission_classes,
    renderer_classes, throttle_classes
)
from lintel.response import Response
from lintel.reverse import reverse
from lintel.settings import api_settings

from contract_project import clock, support
from contract_project.models import Entry, Everything, Snippet, Tag

JSON_ONLY = [renderers.JSONRenderer]


# ---- authentication and permissions -------------------------------------

class BearerAuthentication(authentication.TokenAuthentication):
    keyword = 'Bearer'


class LabBasic(authentication.BasicAuthentication):
    www_authenticate_realm = 'lab'


class KeyAuthentication(authentication.BaseAuthentication):
    """X-Key: carol authenticates; X-Key: bad fails; no authenticate_header."""
    def authenticate(self, request):
        key = request.META.get('HTTP_X_KEY')
        if key is None:
            return None
        if key == 'bad':
            raise exceptions.AuthenticationFailed('Bad key.')
        return User.objects.get(username=key), {'key': key}


class KeyWithHeader(KeyAuthentication):
    def authenticate_header(self, request):
        return 'Key zone="x"'


class NoUserKey(KeyAuthentication):
    """Authenticates a request without a user: (None, token)."""
    def authenticate(self, request):
        return (None, 'machine') if 'HTTP_X_KEY' in request.META else None


class BrokenAuthentication(authentication.BaseAuthentication):
    def authenticate(self, request):
        return request.no_such_attribute


AUTH_SETS = {
    'none': [],
    'session': [authentication.SessionAuthentication],
    'basic': [authentication.BasicAuthentication],
    'lab': [LabBasic],
    'token': [authentication.TokenAuthentication],
    'bearer': [BearerAuthentication],
    'remote': [authentication.RemoteUserAuthentication],
    'session-basic': [authentication.SessionAuthentication, authentication.BasicAuthentication],
    'basic-session': [authentication.BasicAuthentication, authentication.SessionAuthentication],
    'basic-token': [authentication.BasicAuthentication, authentication.TokenAuthentication],
    'key': [KeyAuthentication],
    'key-header': [KeyWithHeader],
    'key-basic': [KeyAuthentication, authentication.BasicAuthentication],
    'machine': [NoUserKey],
    'broken': [BrokenAuthentication],
}


class DenyWithMessage(permissions.BasePermission):
    message = 'Closed for maintenance.'
    code = 'maintenance'

    def has_permission(self, request, view):
        return False


class OwnerOnly(permissions.BasePermission):
    def has_object_permission(self, request, view, obj):
        return obj.owner == request.user


class LenientModelPermissions(permissions.DjangoModelPermissions):
    perms_map = dict(permissions.DjangoModelPermissions.perms_map, GET=['%(app_label)s.view_%(model_name)s'])


PERMISSION_SETS = {
    'default': None,
    'nothing': [],
    'AllowAny': [permissions.AllowAny],
    'IsAuthenticated': [permissions.IsAuthenticated],
    'IsAdminUser': [permissions.IsAdminUser],
    'IsAuthenticatedOrReadOnly': [permissions.IsAuthenticatedOrReadOnly],
    'DjangoModelPermissions': [permissions.DjangoModelPermissions],
    'DjangoModelPermissionsOrAnonReadOnly': [permissions.DjangoModelPermissionsOrAnonReadOnly],
    'DjangoObjectPermissions': [permissions.DjangoObjectPermissions],
    'ViewModelPermissions': [LenientModelPermissions],
    'Deny': [DenyWithMessage],
    'And': [permissions.IsAuthenticated & permissions.IsAdminUser],
    'Or': [permissions.IsAdminUser | permissions.IsAuthenticatedOrReadOnly],
    'Not': [~permissions.IsAuthenticated],
    'Two': [permissions.IsAuthenticated, permissions.IsAdminUser],
    'OwnerOnly': [OwnerOnly],
}


def who(request):
    auth = request.auth
    return {
        'method': request.method,
        'user': str(request.user),
        'user_type': type(request.user).__name__,
        'auth': None if auth is None else type(auth).__name__,
        'authenticator': type(request.successful_authenticator).__name__,
    }


class WhoView(views.APIView):
    renderer_classes = JSON_ONLY
    queryset = Snippet.objects.all()

    def get(self, request, **kwargs):
        return Response(who(request))

    def post(self, request, **kwargs):
        return Response(who(request), status=201)

    def put(self, request, **kwargs):
        return Response(who(request))

    def patch(self, request, **kwargs):
        return Response(who(request))

    def delete(self, request, **kwargs):
        return Response(status=204)


def who_view(auth, permission):
    attrs = {'authentication_classes': AUTH_SETS[auth]}
    if PERMISSION_SETS[permission] is not None:
        attrs['permission_classes'] = PERMISSION_SETS[permission]
    return type('Who', (WhoView,), attrs).as_view()


class ObjectView(generics.RetrieveUpdateDestroyAPIView):
    """Object level permissions."""
    renderer_classes = JSON_ONLY
    authentication_classes = [authentication.BasicAuthentication]
    queryset = Snippet.objects.all()
    serializer_class = support.SnippetSerializer


def object_view(permission):
    return type('Object', (ObjectView,), {'permission_classes': PERMISSION_SETS[permission]}).as_view()


class ObjectPermissionsNoQueryset(views.APIView):
    permission_classes = [permissions.DjangoModelPermissions]

    def get(self, request):
        return Response({})


# ---- errors -------------------------------------------------------------

class Teapot(exceptions.APIException):
    status_code = 418
    default_detail = 'I am a teapot.'
    default_code = 'teapot'


class WithHeaders(exceptions.APIException):
    status_code = 503
    default_detail = 'Busy.'
    auth_header = 'Custom realm'
    wait = 7


def raiser(exc):
    def raise_it():
        raise exc() if callable(exc) else exc
    return raise_it


V = exceptions.ValidationError
ERRORS = {
    'api': lambda: exceptions.APIException(),
    'api-detail': lambda: exceptions.APIException('Something else.'),
    'api-code': lambda: exceptions.APIException('Coded.', 'special'),
    'api-list': lambda: exceptions.APIException(['a', 'b']),
    'api-dict': lambda: exceptions.APIException({'why': 'x', 'deep': {'er': ['y']}}),
    'parse': lambda: exceptions.ParseError(),
    'parse-detail': lambda: exceptions.ParseError('Cannot read that.'),
    'auth-failed': lambda: exceptions.AuthenticationFailed(),
    'auth-failed-detail': lambda: exceptions.AuthenticationFailed('Wrong key.', code='wrong'),
    'not-authenticated': lambda: exceptions.NotAuthenticated(),
    'permission': lambda: exceptions.PermissionDenied(),
    'permission-detail': lambda: exceptions.PermissionDenied('Not you.'),
    'not-found': lambda: exceptions.NotFound(),
    'not-found-detail': lambda: exceptions.NotFound('No such thing.'),
    'method': lambda: exceptions.MethodNotAllowed('BREW'),
    'method-detail': lambda: exceptions.MethodNotAllowed('BREW', detail='No {method} here.'),
    'not-acceptable': lambda: exceptions.NotAcceptable(),
    'media-type': lambda: exceptions.UnsupportedMediaType('text/odd'),
    'throttled': lambda: exceptions.Throttled(),
    'throttled-0': lambda: exceptions.Throttled(wait=0),
    'throttled-1': lambda: exceptions.Throttled(wait=1),
    'throttled-2.1': lambda: exceptions.Throttled(wait=2.1),
    'throttled-60': lambda: exceptions.Throttled(wait=60),
    'throttled-detail': lambda: exceptions.Throttled(wait=5, detail='Slow down.'),
    'validation': lambda: V('plain'),
    'validation-default': lambda: V(),
    'validation-list': lambda: V(['a', 'b']),
    'validation-tuple': lambda: V(('a', 'b')),
    'validation-dict': lambda: V({'f': ['a'], 'g': 'b'}),
    'validation-nested': lambda: V({'f': {'g': [{}, {'h': ['deep']}]}}),
    'validation-lazy': lambda: V(gettext_lazy('lazy words')),
    'validation-types': lambda: V({'n': 1, 'b': True, 'none': None, 'd': decimal.Decimal('1.5')}),
    'http404': lambda: Http404(),
    'http404-detail': lambda: Http404('detail of a 404'),
    'django-permission': lambda: DjangoPermissionDenied(),
    'django-permission-detail': lambda: DjangoPermissionDenied('why not'),
    'django-validation': lambda: DjangoValidationError('host validation'),
    'does-not-exist': lambda: Snippet.DoesNotExist(),
    'value': lambda: ValueError('unhandled'),
    'bad-request': lambda: BadRequest('bad'),
    'suspicious': lambda: SuspiciousOperation('odd'),
    'teapot': lambda: Teapot(),
    'teapot-detail': lambda: Teapot({'spout': ['short']}),
    'with-headers': lambda: WithHeaders(),
}


class ErrorView(views.APIView):
    renderer_classes = [renderers.JSONRenderer, renderers.BrowsableAPIRenderer]
    authentication_classes = []

    def get(self, request, name):
        raise ERRORS[name]()

    post = get


class BasicErrorView(ErrorView):
    authentication_classes = [authentication.BasicAuthentication]


class FullDetailsView(views.APIView):
    """The inspection methods of an exception."""
    renderer_classes = JSON_ONLY
    authentication_classes = []

    def get(self, request, name):
        exc = ERRORS[name]()
        return Response({'detail': exc.detail, 'codes': exc.get_codes(),
                         'full': exc.get_full_details(), 'str': str(exc),
                         'status_code': exc.status_code})


def custom_handler(exc, context):
    from lintel.views import exception_handler
    response = exception_handler(exc, context)
    if response is not None:
        response.data = {'error': response.data, 'view': type(context['view']).__name__,
                         'keys': sorted(context)}
    return response


def silent_handler(exc, context):
    return None


class BadReturnView(views.APIView):
    authentication_classes = []

    def get(self, request):
        return {'not': 'a response'}


# ---- negotiation and rendering ------------------------------------------

class PlainTextRenderer(renderers.BaseRenderer):
    media_type = 'text/plain'
    format = 'txt'

    def render(self, data, accepted_media_type=None, renderer_context=None):
        return 'TEXT ' + str(data.get('format') if isinstance(data, dict) else data)


class VendorRenderer(renderers.JSONRenderer):
    media_type = 'application/vnd.acme+json'
    format = 'acme'


class BytesRenderer(renderers.BaseRenderer):
    media_type = 'image/x-bytes'
    format = 'bytes'
    charset = None
    render_style = 'binary'

    def render(self, data, accepted_media_type=None, renderer_context=None):
        return b'\x00\x01\x02'


class LatinRenderer(PlainTextRenderer):
    media_type = 'text/latin'
    format = 'latin'
    charset = 'iso-8859-1'


class ParamRenderer(renderers.JSONRenderer):
    media_type = 'application/param+json; level=2'
    format = 'param'


class FirstRendererNegotiation(negotiation.BaseContentNegotiation):
    def select_parser(self, request, parsers):
        return parsers[0]

    def select_renderer(self, request, renderers, format_suffix=None):
        return renderers[0], renderers[0].media_type


class NegotiationView(views.APIView):
    renderer_classes = [renderers.JSONRenderer, PlainTextRenderer, VendorRenderer,
                        renderers.BrowsableAPIRenderer]

    def get(self, request, format=None):
        return Response({'format': request.accepted_renderer.format,
                         'media_type': request.accepted_media_type, 'suffix': format,
                         'query': dict(request.query_params)})

    def post(self, request, format=None):
        return Response({'format': request.accepted_renderer.format,
                         'media_type': request.accepted_media_type}, status=201)


class BrowsableFirstView(NegotiationView):
    renderer_classes = [renderers.BrowsableAPIRenderer, renderers.JSONRenderer]


class ExoticView(NegotiationView):
    renderer_classes = [BytesRenderer, LatinRenderer, ParamRenderer, renderers.JSONRenderer]


class JSONOnlyView(NegotiationView):
    renderer_classes = JSON_ONLY


class IgnoreAcceptView(NegotiationView):
    content_negotiation_class = FirstRendererNegotiation


@api_view(['GET', 'POST'])
def function_view(request, format=None):
    return Response({'method': request.method, 'data': request.data,
                     'format': request.accepted_renderer.format})


@api_view()
def function_view_default(request):
    return Response({'method': request.method})


@api_view(['GET'])
@renderer_classes([PlainTextRenderer])
@authentication_classes([authentication.TokenAuthentication])
@permission_classes([permissions.IsAuthenticated])
@parser_classes([parsers.JSONParser])
def function_view_decorated(request):
    return Response({'format': request.accepted_renderer.format})


VALUES = {
    'null': None,
    'true': True,
    'number': 12,
    'float': 1.5,
    'big': 2 ** 70,
    'string': 'caf\u00e9 \u4e2d\U0001f389 <script>&',
    'separators': 'a\u2028b\u2029c',
    'empty-string': '',
    'list': [1, [2, [3]], {}],
    'empty-list': [],
    'empty-dict': {},
    'nested': {'b': 1, 'a': {'z': [], 'y': None}},
    'int-keys': {1: 'one', 2: 'two'},
    'tuple': (1, 2),
    'datetime': datetime.datetime(2024, 1, 2, 3, 4, 5, 678901),
    'datetime-utc': datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc),
    'datetime-offset': datetime.datetime(
        2024, 1, 2, 3, 4, 5, 6, tzinfo=datetime.timezone(datetime.timedelta(hours=5, minutes=45))),
    'date': datetime.date(2024, 1, 2),
    'time': datetime.time(3, 4, 5, 678901),
    'time-aware': datetime.time(3, 4, 5, tzinfo=datetime.timezone.utc),
    'timedelta': datetime.timedelta(days=1, seconds=2.5),
    'timedelta-negative': datetime.timedelta(seconds=-1),
    'decimal': decimal.Decimal('10.50'),
    'decimal-exponent': decimal.Decimal('1E+3'),
    'uuid': uuid.UUID('12345678-1234-5678-1234-567812345678'),
    'bytes': b'bytes',
    'bytes-binary': b'\xff\xfe',
    'set': {1},
    'generator': (n for n in ()),
    'lazy': gettext_lazy('lazy'),
    'nan': float('nan'),
    'infinity': float('inf'),
    'ipv4': ipaddress.ip_address('127.0.0.1'),
    'ipv6-network': ipaddress.ip_network('fe80::/10'),
    'object': object(),
    'complex': 1j,
    'exception-detail': exceptions.ErrorDetail('said', code='code'),
    'choices': support.Colour.RED,
}


class LooseJSONRenderer(renderers.JSONRenderer):
    media_type = 'application/loose+json'
    format = 'loose'
    ensure_ascii = True
    compact = False
    strict = False


class ValueView(views.APIView):
    renderer_classes = [renderers.JSONRenderer, LooseJSONRenderer]
    authentication_classes = []

    def get(self, request, name):
        if name == 'queryset':
            return Response(Tag.objects.order_by('id').values('id', 'name'))
        if name == 'queryset-list':
            return Response(Tag.objects.order_by('id').values_list('id', 'name'))
        if name == 'fresh-generator':
            return Response(n * n for n in range(3))
        return Response(VALUES[name])


class StatusView(views.APIView):
    renderer_classes = JSON_ONLY
    authentication_classes = []

    def get(self, request, code, body):
        data = {'none': None, 'empty': '', 'dict': {'a': 1}}[body]
        return Response(data, status=int(code))

    post = get


class HeaderView(views.APIView):
    renderer_classes = JSON_ONLY
    authentication_classes = []

    def get(self, request, kind):
        if kind == 'headers':
            return Response({'a': 1}, headers={'API-Version': '2', 'X-Odd': 'yes', 'Link': '</x>; rel="x"'})
        if kind == 'content-type':
            return Response({'a': 1}, content_type='application/custom')
        if kind == 'cookie':
            response = Response({'a': 1})
            response.set_cookie('flavour', 'plain')
            return response
        if kind == 'vary':
            return Response({'a': 1}, headers={'Vary': 'X-Own'})
        if kind == 'http':
            return HttpResponse('plain response', content_type='text/plain')
        if kind == 'json':
            return JsonResponse({'plain': True})
        if kind == 'str':
            return Response('just text')

    @property
    def default_response_headers(self):
        headers = super().default_response_headers
        headers['X-Default'] = 'view'
        return headers


class TemplateView(views.APIView):
    renderer_classes = [renderers.TemplateHTMLRenderer]
    template_name = 'contract_page.html'
    authentication_classes = []

    def get(self, request, kind):
        if kind == 'page':
            return Response({'word': 'hello <b>'})
        if kind == 'own-name':
            return Response({'word': 'x'}, template_name='contract_other.html')
        if kind == 'missing':
            raise Http404()
        if kind == 'denied':
            raise exceptions.PermissionDenied()


class StaticView(views.APIView):
    renderer_classes = [renderers.StaticHTMLRenderer]
    authentication_classes = []

    def get(self, request, kind):
        if kind == 'page':
            return Response('<p>static</p>')
        raise Http404()


# ---- parsing ------------------------------------------------------------

class TextParser(parsers.BaseParser):
    media_type = 'text/plain'

    def parse(self, stream, media_type=None, parser_context=None):
        return stream.read().decode()


PARSER_SETS = {
    'default': None,
    'json': [parsers.JSONParser],
    'form': [parsers.FormParser],
    'multipart': [parsers.MultiPartParser],
    'forms': [parsers.FormParser, parsers.MultiPartParser],
    'file': [parsers.FileUploadParser],
    'text': [TextParser],
    'text-json': [TextParser, parsers.JSONParser],
    'none': [],
}


class EchoView(views.APIView):
    renderer_classes = JSON_ONLY
    authentication_classes = []

    def respond(self, request, **kwargs):
        data = request.data
        files = {name: {'name': item.name, 'size': item.size, 'content_type': item.content_type,
                        'text': item.read().decode('latin-1')}
                 for name, item in request.FILES.items()}
        if hasattr(data, 'lists'):
            shown = {name: [v if isinstance(v, str) else '<file>' for v in values]
                     for name, values in data.lists()}
        else:
            shown = data
        return Response({'type': type(data).__name__, 'data': shown, 'files': files,
                         'content_type': request.content_type,
                         'post': sorted(request.POST) if hasattr(request.POST, 'lists') else None})

    get = post = put = patch = delete = respond


def echo_view(name):
    attrs = {}
    if PARSER_SETS[name] is not None:
        attrs['parser_classes'] = PARSER_SETS[name]
    return type('Echo', (EchoView,), attrs).as_view()


class IgnoreBodyView(views.APIView):
    """Never touches request.data."""
    renderer_classes = JSON_ONLY
    authentication_classes = []

    def post(self, request):
        return Response({'read': False})


# ---- versioning ---------------------------------------------------------

class AllowedMixin:
    default_version = 'v1'
    allowed_versions = ('v2', 'v3')


class OddParamMixin:
    version_param = 'v'


VERSIONING = {}
for _name in ['AcceptHeaderVersioning', 'URLPathVersioning', 'NamespaceVersioning',
              'HostNameVersioning', 'QueryParameterVersioning']:
    _cls = getattr(versioning, _name)
    VERSIONING[_name] = _cls
    VERSIONING[_name + '-allowed'] = type(_name, (AllowedMixin, _cls), {})
    VERSIONING[_name + '-param'] = type(_name, (OddParamMixin, _cls), {})


class VersionView(views.APIView):
    renderer_classes = [renderers.JSONRenderer, VendorRenderer]
    authentication_classes = []
    target = None

    def get(self, request, **kwargs):
        scheme = request.versioning_scheme
        out = {'version': request.version,
               'scheme': None if scheme is None else type(scheme).__name__}
        try:
            out['url'] = reverse(self.target or 'version-target', request=request)
        except Exception as exc:
            out['url_error'] = type(exc).__name__
        try:
            out['url_kwargs'] = reverse('version-arg', kwargs={'pk': 5}, request=request)
        except Exception as exc:
            out['url_kwargs_error'] = type(exc).__name__
        return Response(out)


def version_view(name, **attrs):
    attrs['versioning_class'] = None if name == 'None' else VERSIONING[name]
    return type('Version', (VersionView,), attrs).as_view()


# ---- pagination and filters ---------------------------------------------

class EntrySerializer(serializers.ModelSerializer):
    class Meta:
        model = Entry
        fields = ['id', 'name']


class Pages(pagination.PageNumberPagination):
    page_size = 5


class SizedPages(pagination.PageNumberPagination):
    page_size = 5
    page_size_query_param = 'size'
    max_page_size = 8
    page_query_param = 'p'
    last_page_strings = ('last', 'end')


class NoSizePages(pagination.PageNumberPagination):
    page_size = None


class ClientSizedPages(pagination.PageNumberPagination):
    page_size_query_param = 'size'


class Offsets(pagination.LimitOffsetPagination):
    default_limit = 5
    max_limit = 9


class NoDefaultOffsets(pagination.LimitOffsetPagination):
    limit_query_param = 'n'
    offset_query_param = 'skip'


class Cursors(pagination.CursorPagination):
    page_size = 5


class CursorsTwoFields(pagination.CursorPagination):
    page_size = 4
    ordering = ('created', '-id')


class CursorsById(pagination.CursorPagination):
    page_size = 7
    ordering = 'id'
    cursor_query_param = 'c'
    page_size_query_param = 'size'
    max_page_size = 12


class CursorsByNullable(pagination.CursorPagination):
    page_size = 6
    ordering = 'score'


class NestedLinks(Pages):
    def get_paginated_response(self, data):
        return Response({'links': {'next': self.get_next_link(), 'previous': self.get_previous_link()},
                         'count': self.page.paginator.count, 'results': data})


class HeaderLinks(Pages):
    def get_paginated_response(self, data):
        pairs = [('next', self.get_next_link()), ('prev', self.get_previous_link())]
        value = ', '.join('<%s>; rel="%s"' % (url, rel) for rel, url in pairs if url)
        return Response(data, headers={'Link': value} if value else {})


PAGINATORS = {
    'page': Pages, 'sized': SizedPages, 'no-size': NoSizePages, 'client-sized': ClientSizedPages,
    'offset': Offsets, 'offset-free': NoDefaultOffsets, 'cursor': Cursors,
    'cursor-two': CursorsTwoFields, 'cursor-id': CursorsById, 'cursor-null': CursorsByNullable,
    'nested': NestedLinks, 'header': HeaderLinks, 'off': None,
}


class EntryList(generics.ListCreateAPIView):
    renderer_classes = JSON_ONLY
    authentication_classes = []
    queryset = Entry.objects.order_by('id')
    serializer_class = EntrySerializer


def entry_list(name, **attrs):
    attrs['pagination_class'] = PAGINATORS[name]
    return type('Entries', (EntryList,), attrs).as_view()


class OrderableEntries(EntryList):
    pagination_class = Cursors
    filter_backends = [filters.OrderingFilter]
    ordering_fields = ['id', 'created', 'name']


class EmptyEntries(EntryList):
    queryset = Entry.objects.none()
    pagination_class = Pages


class PlainListPages(views.APIView):
    """A plain list through the pagination API."""
    renderer_classes = JSON_ONLY
    authentication_classes = []

    def get(self, request, kind):
        paginator = {'page': Pages, 'offset': Offsets}[kind]()
        page = paginator.paginate_queryset(list(range(12)), request, view=self)
        return paginator.get_paginated_response(page)


class FilterView(generics.ListAPIView):
    renderer_classes = JSON_ONLY
    authentication_classes = []
    serializer_class = support.SnippetSerializer
    queryset = Snippet.objects.all()


class SearchView(FilterView):
    filter_backends = [filters.SearchFilter]
    search_fields = ['title', 'code', 'owner__username']


class PrefixSearchView(FilterView):
    filter_backends = [filters.SearchFilter]
    search_fields = ['^title', '=language', '$code', 'tags__name']


class OrderingView(FilterView):
    filter_backends = [filters.OrderingFilter]
    ordering_fields = ['id', 'title', ('owner__username', 'Owner')]
    ordering = ['-id']


class OrderingAllView(FilterView):
    filter_backends = [filters.OrderingFilter]
    ordering_fields = '__all__'


class OrderingDefaultView(FilterView):
    filter_backends = [filters.OrderingFilter]


# ---- throttling ---------------------------------------------------------

class ClockMixin:
    timer = staticmethod(clock.now)
    THROTTLE_RATES = {'anon': '2/min', 'user': '3/hour', 'uploads': '1/day', 'fast': '2/s'}


class Anon(ClockMixin, throttling.AnonRateThrottle):
    pass


class PerUser(ClockMixin, throttling.UserRateThrottle):
    pass


class Scoped(ClockMixin, throttling.ScopedRateThrottle):
    pass


class Fast(ClockMixin, throttling.AnonRateThrottle):
    scope = 'fast'


class FixedRate(ClockMixin, throttling.AnonRateThrottle):
    rate = '1/m'


class NoRate(ClockMixin, throttling.AnonRateThrottle):
    rate = None
    THROTTLE_RATES = {'anon': None}


class WaitNone(throttling.BaseThrottle):
    def allow_request(self, request, view):
        return False


class WaitFloat(WaitNone):
    def wait(self):
        return 3.2


class ThrottleView(views.APIView):
    renderer_classes = JSON_ONLY
    authentication_classes = [authentication.BasicAuthentication]

    def get(self, request):
        return Response({'ok': True, 'user': str(request.user)})

    post = get


THROTTLES = {
    'anon': {'throttle_classes': [Anon]},
    'user': {'throttle_classes': [PerUser]},
    'both': {'throttle_classes': [Anon, PerUser]},
    'scoped': {'throttle_classes': [Scoped], 'throttle_scope': 'uploads'},
    'scoped-none': {'throttle_classes': [Scoped]},
    'fast': {'throttle_classes': [Fast]},
    'fixed': {'throttle_classes': [FixedRate]},
    'no-rate': {'throttle_classes': [NoRate]},
    'wait-none': {'throttle_classes': [WaitNone]},
    'wait-float': {'throttle_classes': [WaitFloat]},
    'wait-both': {'throttle_classes': [WaitFloat, FixedRate]},
    'denied-first': {'throttle_classes': [FixedRate],
                     'permission_classes': [permissions.IsAuthenticated]},
}


def throttle_view(name):
    return type('Throttle', (ThrottleView,), dict(THROTTLES[name])).as_view()


# ---- metadata -----------------------------------------------------------

class AllFieldsSerializer(serializers.Serializer):
    boolean = serializers.BooleanField(help_text='Yes or no', initial=True)
    char = serializers.CharField(min_length=2, max_length=9, label='Words')
    email = serializers.EmailField(required=False)
    regex = serializers.RegexField(r'^a+$')
    slug = serializers.SlugField()
    url = serializers.URLField()
    uuid = serializers.UUIDField()
    ip = serializers.IPAddressField()
    integer = serializers.IntegerField(min_value=1, max_value=5)
    big = serializers.BigIntegerField()
    float = serializers.FloatField()
    decimal = serializers.DecimalField(max_digits=5, decimal_places=2)
    datetime = serializers.DateTimeField()
    date = serializers.DateField()
    time = serializers.TimeField()
    duration = serializers.DurationField()
    choice = serializers.ChoiceField(choices=[('a', 'Letter A'), ('Group', [('b', 'Letter B')])])
    multiple = serializers.MultipleChoiceField(choices=['x', 'y'])
    file = serializers.FileField()
    list = serializers.ListField(child=serializers.IntegerField(min_value=0))
    dict = serializers.DictField(child=serializers.CharField())
    hstore = serializers.HStoreField()
    json = serializers.JSONField()
    read = serializers.ReadOnlyField()
    hidden = serializers.HiddenField(default=1)
    method = serializers.SerializerMethodField()
    nested = support.PointSerializer()
    nested_many = support.PointSerializer(many=True)
    related = serializers.PrimaryKeyRelatedField(queryset=Tag.objects.all())
    related_many = serializers.SlugRelatedField(slug_field='name', many=True,
                                                queryset=Tag.objects.all())

    def get_method(self, obj):
        return None


class AllFieldsView(generics.CreateAPIView):
    authentication_classes = []
    serializer_class = AllFieldsSerializer


class SnippetListView(generics.ListCreateAPIView):
    authentication_classes = [authentication.BasicAuthentication]
    permission_classes = [permissions.IsAuthenticatedOrReadOnly]
    queryset = Snippet.objects.all()
    serializer_class = support.SnippetSerializer


class SnippetDetailView(generics.RetrieveUpdateDestroyAPIView):
    authentication_classes = [authentication.BasicAuthentication]
    permission_classes = [permissions.IsAuthenticatedOrReadOnly]
    queryset = Snippet.objects.all()
    serializer_class = support.SnippetSerializer


class NoMetadataView(views.APIView):
    metadata_class = None
    authentication_classes = []

    def get(self, request):
        return Response({})


class TinyMetadata(metadata.BaseMetadata):
    def determine_metadata(self, request, view):
        return {'view': view.get_view_name()}


class OwnMetadataView(NoMetadataView):
    metadata_class = TinyMetadata


class HTMLPageWithLongNAMEView(NoMetadataView):
    """
    First line of *project* text.

        indented
    """
    metadata_class = metadata.SimpleMetadata


# ---- a routed API -------------------------------------------------------

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
        fields = ['url', 'id', 'highlight', 'owner', 'title', 'code', 'linenos', 'language',
                  'style', 'tags']
        extra_kwargs = {'tags': {'lookup_field': 'name'}}


class TagSerializer(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = Tag
        fields = ['url', 'name']
        extra_kwargs = {'url': {'lookup_field': 'name'}}


class UserViewSet(viewsets.ReadOnlyModelViewSet):
    queryset = User.objects.order_by('id')
    serializer_class = UserSerializer


class SnippetViewSet(viewsets.ModelViewSet):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer
    authentication_classes = [authentication.BasicAuthentication]
    permission_classes = [permissions.IsAuthenticatedOrReadOnly]

    @action(detail=True, renderer_classes=[renderers.StaticHTMLRenderer])
    def highlight(self, request, *args, **kwargs):
        return Response('<pre>%s</pre>' % self.get_object().code)

    @action(detail=False, methods=['get', 'post'], url_path='recent-ones', url_name='recent')
    def recent(self, request, format=None):
        return Response({'action': self.action, 'detail': self.detail, 'method': request.method})

    @action(detail=True, methods=['put'])
    def rename(self, request, pk=None, format=None):
        return Response({'action': self.action, 'pk': pk})

    @rename.mapping.delete
    def unname(self, request, pk=None, format=None):
        return Response({'action': self.action, 'pk': pk}, status=202)

    def perform_create(self, serializer):
        serializer.save(owner=self.request.user)


class TagViewSet(viewsets.ModelViewSet):
    queryset = Tag.objects.order_by('id')
    serializer_class = TagSerializer
    authentication_classes = []
    lookup_field = 'name'
    lookup_value_regex = '[a-z]+'


class ReservationViewSet(viewsets.ModelViewSet):
    queryset = support.Reservation.objects.order_by('id')
    serializer_class = support.ReservationSerializer
    authentication_classes = []


class NestedTagsView(generics.CreateAPIView):
    authentication_classes = []
    serializer_class = support.SnippetNestedSerializer


class OpenSnippetList(generics.ListCreateAPIView):
    authentication_classes = []
    queryset = Snippet.objects.all()
    serializer_class = support.SnippetSerializer
    pagination_class = Offsets


class BulkView(views.APIView):
    """many=True at the top level."""
    renderer_classes = JSON_ONLY
    authentication_classes = []

    def post(self, request):
        serializer = support.PointSerializer(data=request.data, many=True)
        serializer.is_valid(raise_exception=True)
        return Response(serializer.data, status=201)


class EverythingList(generics.ListCreateAPIView):
    authentication_classes = []
    queryset = Everything.objects.all()
    serializer_class = support.EverythingSerializer


class DefaultsView(views.APIView):
    """Everything as configured."""
    def get(self, request, format=None):
        return Response({'user': str(request.user), 'auth': str(request.auth), 'version': request.version,
                         'format': request.accepted_renderer.format, 'text': 'caf\u00e9', 'suffix': format})

    def post(self, request, format=None):
        return Response({'data': request.data, 'type': type(request.data).__name__})


class DefaultsList(generics.ListCreateAPIView):
    queryset = Entry.objects.order_by('id')
    serializer_class = EntrySerializer
    search_fields = ['name']


class DefaultsHyperlinks(generics.ListAPIView):
    queryset = User.objects.order_by('id')[:2]

    def get_serializer_class(self):
        class NameSerializer(serializers.HyperlinkedModelSerializer):
            class Meta:
                model = User
                fields = [api_settings.URL_FIELD_NAME, 'username']
                extra_kwargs = {api_settings.URL_FIELD_NAME: {'view_name': 'user-name', 'lookup_field': 'username'}}
        return NameSerializer


class DefaultsTypes(views.APIView):
    def get(self, request):
        class Types(serializers.Serializer):
            when = serializers.DateTimeField()
            day = serializers.DateField()
            at = serializers.TimeField()
            span = serializers.DurationField()
            amount = serializers.DecimalField(max_digits=5, decimal_places=2)
            big = serializers.BigIntegerField()
        value = {'when': datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc),
                 'day': datetime.date(2024, 1, 2), 'at': datetime.time(3, 4),
                 'span': datetime.timedelta(days=1, seconds=2), 'amount': decimal.Decimal('1.5'),
                 'big': 2 ** 60}
        return Response(Types(value).data)


def loud_view_name(view):
    return type(view).__name__.upper()


def loud_view_description(view, html=False):
    return 'described'


class NoQuerysetView(generics.ListAPIView):
    authentication_classes = []
    serializer_class = support.SnippetSerializer


class NoSerializerView(generics.ListAPIView):
    authentication_classes = []
    queryset = Snippet.objects.all()


class LookupView(generics.RetrieveAPIView):
    authentication_classes = []
    renderer_classes = JSON_ONLY
    queryset = User.objects.all()
    serializer_class = UserSerializer
    lookup_field = 'username'
    lookup_url_kwarg = 'who'


class CustomToken(ObtainAuthToken):
    """Adds the owner's id to the usual answer."""
    def post(self, request, *args, **kwargs):
        response = super().post(request, *args, **kwargs)
        response.data['user_id'] = Token.objects.get(key=response.data['token']).user_id
        return response
