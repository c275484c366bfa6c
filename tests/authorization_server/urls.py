"""The URLs of the authorization server."""

from django.urls import include, path

from authorization_server.views import description, me, resource, state

urlpatterns = [
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("me/", me),
    path("state/", state),
    path("openapi.json", description),
    path(".well-known/oauth-protected-resource", resource),
]
