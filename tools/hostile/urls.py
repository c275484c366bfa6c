"""The addresses of both packages, and under ``ours/`` those that only lintel has."""

from importlib import import_module
from typing import Any

from django.conf import settings
from django.urls import include, path, re_path

from hostile import views

routers = import_module(f"{settings.PACKAGE}.routers")
schemas = import_module(f"{settings.PACKAGE}.schemas")
tokens = import_module(f"{settings.PACKAGE}.authtoken.views")


def routed(**viewsets: Any) -> list[Any]:
    router = routers.DefaultRouter()
    for name, viewset in viewsets.items():
        router.register(name, viewset, basename=name)
    return list(router.urls)


urlpatterns = [
    path("", include(routed(notes=views.Notes, labels=views.Labels))),
    path("", include(routed(limited=views.LimitedNotes, cursors=views.CursorNotes))),
    path("fields/", views.Fields.as_view()),
    path("echo/", views.Echo.as_view()),
    path("echo/<str:filename>", views.Echo.as_view()),
    path("private/", views.Private.as_view()),
    path("token/", tokens.obtain_auth_token),
    path("schema/", schemas.get_schema_view(title="Hostile", public=True)),
    path("accepted/", views.versioned("AcceptHeaderVersioning")),
    path("queried/", views.versioned("QueryParameterVersioning")),
    path("hosted/", views.versioned("HostNameVersioning")),
    re_path(r"^(?P<version>v[^/]+)/versioned/$", views.versioned("URLPathVersioning")),
    path("login/", include(f"{settings.PACKAGE}.urls")),
]

if settings.IS_OURS:
    from hostile import ours
    from lintel.documentation import include_docs_urls
    from lintel.mcp import view as agents

    extra = routed(
        patched=ours.Patched,
        conditional=ours.Conditional,
        idempotent=ours.Idempotent,
        sparse=ours.Sparse,
        signed=ours.Signed,
        bulk=ours.Bulk,
    )
    urlpatterns += [
        path("ours/", include(extra)),
        path("ours/nested/", ours.Nested.as_view()),
        path("ours/hashed/", ours.Hashed.as_view()),
        path("ours/docs/", include_docs_urls(title="Hostile")),
        path("ours/agents/", agents),
    ]
