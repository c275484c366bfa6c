"""Descriptions of the views of djangorestframework-simplejwt, which stands in here in miniature."""

import sys
from types import ModuleType, SimpleNamespace

import pytest
from django.urls import path

from lintel import generics, serializers
from lintel.authentication import BaseAuthentication
from lintel.permissions import IsAuthenticated
from lintel.response import Response
from lintel.schemas.openapi import SchemaGenerator

PACKAGE = "rest_framework_simplejwt"


class TokenObtainPairSerializer(serializers.Serializer):
    username = serializers.CharField(write_only=True)
    password = serializers.CharField(write_only=True)


class TokenRefreshSerializer(serializers.Serializer):
    refresh = serializers.CharField()
    access = serializers.CharField(read_only=True)


class TokenVerifySerializer(serializers.Serializer):
    token = serializers.CharField(write_only=True)


class WithClaims(TokenObtainPairSerializer):
    pass


class WithUser(TokenObtainPairSerializer):
    user = serializers.IntegerField(read_only=True)


class InCookie(TokenObtainPairSerializer):
    def validate(self, attrs):
        return {"access": attrs["access"]}


class Unknown(serializers.Serializer):
    token = serializers.CharField()


class JWTAuthentication(BaseAuthentication):
    def authenticate_header(self, request):
        return 'Bearer realm="api"'


class OfCookie(JWTAuthentication):
    def authenticate(self, request):
        return None


for each in (TokenObtainPairSerializer, TokenRefreshSerializer, TokenVerifySerializer):
    each.__module__ = f"{PACKAGE}.serializers"
JWTAuthentication.__module__ = f"{PACKAGE}.authentication"


@pytest.fixture
def package(monkeypatch):
    """Let the package be imported, with these settings."""

    def enter(**given):
        settings = ModuleType(f"{PACKAGE}.settings")
        settings.api_settings = SimpleNamespace(**given)
        monkeypatch.setitem(sys.modules, PACKAGE, ModuleType(PACKAGE))
        monkeypatch.setitem(sys.modules, settings.__name__, settings)

    return enter


def document(serializer, authentication=JWTAuthentication, version="3.1.0"):
    class TokenView(generics.GenericAPIView):
        serializer_class = serializer
        authentication_classes = [authentication]
        permission_classes = [IsAuthenticated]

        def post(self, request):
            checked = self.get_serializer(data=request.data)
            checked.is_valid(raise_exception=True)
            return Response(checked.validated_data)

    generator = SchemaGenerator(patterns=[path("token/", TokenView.as_view())])
    generator.openapi_version = version
    return generator.get_schema(public=True)


def answer(serializer, **kwargs):
    name = serializer.__name__.removesuffix("Serializer")
    return document(serializer, **kwargs)["components"]["schemas"][name]


@pytest.mark.parametrize(
    ("serializer", "settings", "names"),
    [
        (TokenObtainPairSerializer, {}, ["access", "refresh"]),
        (WithClaims, {}, ["access", "refresh"]),
        (TokenRefreshSerializer, {}, ["access"]),
        (TokenRefreshSerializer, {"ROTATE_REFRESH_TOKENS": True}, ["access", "refresh"]),
        (TokenVerifySerializer, {}, []),
    ],
)
def test_answers_hold_the_tokens(package, serializer, settings, names):
    package(**settings)
    found = answer(serializer)
    assert sorted(found["properties"]) == sorted(found.get("required", [])) == names


def test_a_subclass_may_add_to_them(package):
    package()
    found = answer(WithUser)
    assert sorted(found["properties"]) == ["access", "refresh", "user"]
    assert found["required"] == ["access", "refresh"]


def test_and_its_own_code_may_take_some_out(package):
    package()
    found = answer(InCookie)
    assert sorted(found["properties"]) == ["access", "refresh"]
    assert "required" not in found


def test_no_list_of_required_names_is_empty(package):
    package()
    assert "required" not in answer(TokenVerifySerializer, version="3.0.3")


def test_requests_hold_the_fields(package):
    package()
    schemas = document(TokenObtainPairSerializer)["components"]["schemas"]
    assert sorted(schemas["TokenObtainPairRequest"]["properties"]) == ["password", "username"]


def test_other_serializers_describe_themselves(package):
    package()
    assert list(answer(Unknown)["properties"]) == ["token"]


def test_version_3_0_2_has_one_description_of_the_fields(package):
    package()
    found = answer(TokenObtainPairSerializer, version="3.0.2")
    assert sorted(found["properties"]) == ["password", "username"]


@pytest.mark.parametrize(
    ("settings", "scheme"),
    [
        ({}, {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}),
        (
            {"AUTH_HEADER_TYPES": ("JWT",)},
            {
                "type": "apiKey",
                "in": "header",
                "name": "Authorization",
                "description": "`JWT`, a space, and the token",
            },
        ),
        (
            {"AUTH_HEADER_TYPES": "JWT"},
            {
                "type": "apiKey",
                "in": "header",
                "name": "Authorization",
                "description": "`JWT`, a space, and the token",
            },
        ),
        (
            {"AUTH_HEADER_NAME": "HTTP_X_ACCESS_TOKEN"},
            {
                "type": "apiKey",
                "in": "header",
                "name": "X-Access-Token",
                "description": "`Bearer`, a space, and the token",
            },
        ),
    ],
)
def test_the_scheme_says_how_tokens_are_sent(package, settings, scheme):
    package(**settings)
    found = document(Unknown)["components"]["securitySchemes"]
    assert found == {"jwtAuth": scheme}


def test_a_subclass_that_takes_its_token_elsewhere_has_no_scheme_of_the_package(package):
    package()
    schemes = document(Unknown, OfCookie)["components"]["securitySchemes"]
    assert "jwtAuth" not in schemes


def test_nothing_is_known_of_a_package_that_is_not_there():
    assert answer(TokenObtainPairSerializer).get("properties", {}) == {}
