"""The API beside the authorization server, and what tests ask it for."""

from django.contrib.auth.models import User
from django.http import JsonResponse
from django.views.decorators.csrf import csrf_exempt
from oauth2_provider.models import AccessToken, RefreshToken

ADA = "ada"


def as_ada(get_response):
    """Sign in everybody who opens a page as ada."""

    def middleware(request):
        request.user = User.objects.get(username=ADA)
        return get_response(request)

    return middleware


def me(request):
    """Say whose token the request has."""
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    token = AccessToken.objects.filter(token=text).first() if scheme == "Bearer" else None
    if token is None or not token.is_valid(["read"]):
        place = request.build_absolute_uri("/.well-known/oauth-protected-resource")
        error = 'error="invalid_token", ' if text else ""
        challenge = {"WWW-Authenticate": f'Bearer {error}resource_metadata="{place}"'}
        return JsonResponse({"detail": "No."}, status=401, headers=challenge)
    name = token.user.username if token.user else None
    return JsonResponse({"user": name, "scope": token.scope, "client": token.application.name})


@csrf_exempt
def state(request):
    """Say which tokens there are; first, if asked to, let them expire or take them back."""
    if "expire" in request.GET:
        AccessToken.objects.update(expires="2000-01-01T00:00Z")
    if "revoke" in request.GET:
        for token in RefreshToken.objects.filter(revoked=None):
            token.revoke()
    refresh = RefreshToken.objects.count()
    living = RefreshToken.objects.filter(revoked=None).count()
    access = AccessToken.objects.count()
    return JsonResponse({"access": access, "refresh": refresh, "living": living})


def resource(request):
    """Name the authorization server of the API (RFC 9728)."""
    root = request.build_absolute_uri("/")
    return JsonResponse({"resource": root, "authorization_servers": [f"{root}o"]})


def description(request):
    """Describe the API, in OpenAPI."""
    scopes = {"read": "Reading", "write": "Writing"}
    token = {"tokenUrl": "/o/token/", "scopes": scopes}
    flows = {
        "authorizationCode": {"authorizationUrl": "/o/authorize/", **token},
        "clientCredentials": token,
        "deviceAuthorization": {"deviceAuthorizationUrl": "/o/device-authorization/", **token},
    }
    operation = {"tags": ["me"], "responses": {"200": {"description": "Me"}}}
    return JsonResponse(
        {
            "openapi": "3.2.0",
            "info": {"title": "Who am I", "version": "1"},
            "security": [{"oauth": ["read"]}],
            "paths": {"/me/": {"get": {"operationId": "me_read", **operation}}},
            "components": {"securitySchemes": {"oauth": {"type": "oauth2", "flows": flows}}},
        }
    )
