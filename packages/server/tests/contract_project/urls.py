from django.urls import include, path, re_path

from lintel import routers
from lintel.authtoken.views import obtain_auth_token
from lintel.schemas import get_schema_view
from lintel.urlpatterns import format_suffix_patterns

from contract_project import openapi_views, support, views

router = routers.DefaultRouter()
router.register('snippets', views.SnippetViewSet)
router.register('users', views.UserViewSet)
router.register('tags', views.TagViewSet)
router.register('reservations', views.ReservationViewSet)

simple_router = routers.SimpleRouter(trailing_slash=False)
simple_router.register('snippets', views.SnippetViewSet, basename='simple-snippet')

urlpatterns = [
    path('api/', include(router.urls)),
    path('simple/', include(simple_router.urls)),
    path('api-auth/', include('lintel.urls')),
    path('api-token-auth/', obtain_auth_token),
    path('custom-token/', views.CustomToken.as_view()),
    path('openapi/', get_schema_view(title='Contract', description='About it', version='1.2',
                                     patterns=openapi_views.schema_patterns), name='openapi'),
    path('errors/<str:name>/', views.ErrorView.as_view()),
    path('basic-errors/<str:name>/', views.BasicErrorView.as_view()),
    path('error-details/<str:name>/', views.FullDetailsView.as_view()),
    path('bad-return/', views.BadReturnView.as_view()),
    path('values/<str:name>/', views.ValueView.as_view()),
    path('status/<str:code>/<str:body>/', views.StatusView.as_view()),
    path('headers/<str:kind>/', views.HeaderView.as_view()),
    path('template/<str:kind>/', views.TemplateView.as_view()),
    path('static-html/<str:kind>/', views.StaticView.as_view()),
    path('ignore-accept/', views.IgnoreAcceptView.as_view()),
    path('exotic/', views.ExoticView.as_view()),
    path('function-default/', views.function_view_default),
    path('function-decorated/', views.function_view_decorated),
    path('ignore-body/', views.IgnoreBodyView.as_view()),
    path('object-no-queryset/', views.ObjectPermissionsNoQueryset.as_view()),
    path('orderable/', views.OrderableEntries.as_view()),
    path('empty-pages/', views.EmptyEntries.as_view()),
    path('plain-pages/<str:kind>/', views.PlainListPages.as_view()),
    path('search/', views.SearchView.as_view()),
    path('search-prefix/', views.PrefixSearchView.as_view()),
    path('ordering/', views.OrderingView.as_view()),
    path('ordering-all/', views.OrderingAllView.as_view()),
    path('ordering-default/', views.OrderingDefaultView.as_view()),
    path('all-fields/', views.AllFieldsView.as_view()),
    path('snippet-list/', views.SnippetListView.as_view()),
    path('snippet-list/<int:pk>/', views.SnippetDetailView.as_view()),
    path('no-metadata/', views.NoMetadataView.as_view()),
    path('own-metadata/', views.OwnMetadataView.as_view()),
    path('named-metadata/', views.HTMLPageWithLongNAMEView.as_view()),
    path('nested-create/', views.NestedTagsView.as_view()),
    path('open-snippets/', views.OpenSnippetList.as_view()),
    path('bulk/', views.BulkView.as_view()),
    path('everything/', views.EverythingList.as_view()),
    path('no-queryset/', views.NoQuerysetView.as_view()),
    path('no-serializer/', views.NoSerializerView.as_view()),
    path('lookup/<str:who>/', views.LookupView.as_view()),
    re_path(r'^file/(?P<filename>[^/]+)$', views.echo_view('file')),
    # fields with hyperlinks resolve against these
    path('tag-by-pk/<int:pk>/', views.TagViewSet.as_view({'get': 'retrieve'}), name='tag-pk'),
    path('user-by-name/<str:username>/', views.UserViewSet.as_view({'get': 'retrieve'}),
         name='user-name'),
    path('version-target/', views.VersionView.as_view(), name='version-target'),
    path('version-arg/<int:pk>/', views.VersionView.as_view(), name='version-arg'),
]

urlpatterns += format_suffix_patterns([
    path('negotiate/', views.NegotiationView.as_view()),
    path('browsable-first/', views.BrowsableFirstView.as_view()),
    path('function/', views.function_view),
])
urlpatterns += [
    path('defaults-list/', views.DefaultsList.as_view()),
    path('defaults-links/', views.DefaultsHyperlinks.as_view()),
    path('defaults-types/', views.DefaultsTypes.as_view()),
]
urlpatterns += format_suffix_patterns([
    path('defaults/', views.DefaultsView.as_view()),
])
urlpatterns += format_suffix_patterns([
    path('suffix-json-only', views.JSONOnlyView.as_view()),
], suffix_required=True, allowed=['json', 'txt'])

for auth in views.AUTH_SETS:
    for permission in views.PERMISSION_SETS:
        urlpatterns.append(path('auth/%s/%s/' % (auth, permission), views.who_view(auth, permission)))
for permission in ['DjangoObjectPermissions', 'OwnerOnly', 'IsAdminUser']:
    urlpatterns.append(path('object/%s/<int:pk>/' % permission, views.object_view(permission)))
for name in views.PARSER_SETS:
    urlpatterns.append(path('parse/%s/' % name, views.echo_view(name)))
for name in views.PAGINATORS:
    urlpatterns.append(path('entries/%s/' % name, views.entry_list(name)))
for name in views.THROTTLES:
    urlpatterns.append(path('throttle/%s/' % name, views.throttle_view(name)))
for name in ['None', *views.VERSIONING]:
    if name.startswith('URLPath'):
        urlpatterns += [
            re_path(r'^%s/(?P<version>[^/]+)/here/$' % name,
                    views.version_view(name, target=name + '-target'), name=name + '-target'),
            re_path(r'^%s/(?P<v>[^/]+)/odd/$' % name, views.version_view(name)),
            re_path(r'^%s/here/$' % name, views.version_view(name)),
        ]
    elif name.startswith('Namespace'):
        def spaced(space, name=name):
            return ([path('here/', views.version_view(name)),
                     path('target/', views.version_view(name), name='version-target'),
                     path('arg/<int:pk>/', views.version_view(name), name='version-arg')],
                    space)
        spaces = [path('%s/' % space, include(spaced(space), namespace=space))
                  for space in ['v1', 'v2', 'v9']]
        if name == 'NamespaceVersioning':
            urlpatterns.append(path('%s/' % name, include(spaces)))
        urlpatterns.append(path('%s/outer/' % name, include((spaces, 'outer'), namespace='outer-' + name)))
        urlpatterns.append(path('%s/here/' % name, views.version_view(name)))
    else:
        urlpatterns.append(path('%s/here/' % name, views.version_view(name)))
