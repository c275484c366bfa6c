"""Failures that handlers write by hand are described beside those of ours."""

import pytest
from described_service import documented
from django.contrib.auth.models import Group
from django.http import (
    HttpResponse,
    HttpResponseForbidden,
    HttpResponseNotFound,
    JsonResponse,
)
from django.urls import include, path

from lintel import serializers, status, viewsets
from lintel.decorators import action, api_view
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas import extend_schema
from lintel.test import APIClient

pytestmark = [
    pytest.mark.filterwarnings("ignore:nothing is known"),
    pytest.mark.django_db,
]


class GroupSerializer(serializers.ModelSerializer):
    class Meta:
        model = Group
        fields = ["id", "name"]


class Groups(viewsets.ModelViewSet):
    queryset = Group.objects.all()
    serializer_class = GroupSerializer

    @action(detail=True, methods=["put"], url_path="merge/(?P<target>[^/.]+)")
    def merge(self, request, pk, target):
        source = self.queryset.filter(pk=pk).first()
        if source is None:
            content = {"error": True, "msg": f"No group {pk}"}
            return Response(content, status=status.HTTP_404_NOT_FOUND)
        if pk == target:
            return Response({"error": True, "msg": 3}, status=409)
        if not request.user:
            return Response("closed", 404)
        return Response({"msg": f"{source} is merged"}, status=200)

    @action(detail=True, methods=["post"])
    def slow(self, request, pk):
        if pk == "1":
            return JsonResponse({"error": True}, status=408)
        if pk == "2":
            return Response(status=status.HTTP_410_GONE)
        if pk == "3":
            return HttpResponse(status=411)
        if pk == "4":
            return Response(GroupSerializer().to_representation(Group(name="a")), status=413)
        return Response(self.get_serializer(self.get_object()).data)

    @action(detail=True, methods=["post"])
    def textual(self, request, pk):
        if pk == "1":
            return HttpResponseForbidden("not you")
        if pk == "2":
            return HttpResponseNotFound("no such group")
        if pk == "3":
            return HttpResponse("busy", "text/plain; charset=utf-8", 423)
        return Response({"count": 1})

    @action(detail=True, methods=["post"])
    def checked(self, request, pk):
        serializer = self.get_serializer(data=request.data)
        if not serializer.is_valid():
            return Response(serializer.errors, status=400)
        return Response(serializer.data)

    @extend_schema(responses={204: None, 404: None})
    @action(detail=True, methods=["post"])
    def said(self, request, pk):
        return Response({"error": "nobody says this"}, status=404)

    def update(self, request, *args, **kwargs):
        if request.data.get("name") == "root":
            return HttpResponseForbidden("nobody is root")
        return super().update(request, *args, **kwargs)

    def destroy(self, request, *args, **kwargs):
        if self.get_object().name == "admins":
            return Response({"error": "in use"}, status=403)
        return super().destroy(request, *args, **kwargs)


@api_view(["GET"])
def share(request, **kwargs):
    """Not for everybody."""
    if not request.user.is_staff:
        return JsonResponse({"error": "sharing_disabled"}, status=403)
    return Response({"link": "/"}, status=200)


router = SimpleRouter()
router.register("groups", Groups)
urlpatterns = [path("", include(router.urls)), path("share/", share)]

MERGED = {"error": {"type": "boolean"}, "msg": {"type": "string"}}


@pytest.fixture(scope="module")
def document():
    return documented(*urlpatterns)


def body(document, place, method, code):
    response = document["paths"][place][method]["responses"][code]
    return response["content"]["application/json"]["schema"]


def test_a_failure_may_be_ours_or_what_the_handler_writes(document):
    place = "/groups/{id}/merge/{target}/"
    ours, written, text = body(document, place, "put", "404")["anyOf"]
    assert ours == {"$ref": "#/components/schemas/Error"}
    assert written == {"type": "object", "properties": MERGED, "required": ["error", "msg"]}
    assert text == {"type": "string"}
    conflict = body(document, place, "put", "409")
    assert conflict["properties"]["msg"] == {"type": "integer"}


def test_actions_and_functions_and_overridden_methods_are_read(document):
    assert body(document, "/groups/{id}/slow/", "post", "408")["required"] == ["error"]
    assert len(body(document, "/groups/{id}/", "delete", "403")["anyOf"]) == 2
    assert len(body(document, "/share/", "get", "403")["anyOf"]) == 2


def test_a_failure_that_is_not_plain_changes_nothing_that_is_known(document):
    responses = document["paths"]["/groups/{id}/slow/"]["post"]["responses"]
    assert responses["410"] == {"description": "Gone"}
    assert responses["411"] == {"description": "Length Required"}
    assert responses["413"]["content"]["application/json"] == {"schema": {}}
    checked = document["paths"]["/groups/{id}/checked/"]["post"]["responses"]
    assert checked["400"] == {"$ref": "#/components/responses/BadRequest"}


def test_texts_of_django_have_their_own_media_type(document):
    responses = document["paths"]["/groups/{id}/textual/"]["post"]["responses"]
    text = {"schema": {"type": "string"}}
    assert responses["403"]["content"]["text/html"] == text
    assert responses["404"]["content"]["text/html"] == text
    assert body(document, "/groups/{id}/textual/", "post", "404")["$ref"]
    for method in ("put", "patch"):
        refused = document["paths"]["/groups/{id}/"][method]["responses"]["403"]
        assert refused["content"]["text/html"] == text
        assert body(document, "/groups/{id}/", method, "200")["$ref"].endswith("/Group")
    assert responses["423"]["content"] == {"text/plain": text}
    # Beside them, what is returned is still known.
    assert body(document, "/groups/{id}/textual/", "post", "200")["required"] == ["count"]


def test_what_the_project_says_of_a_status_counts(document):
    said = document["paths"]["/groups/{id}/said/"]["post"]["responses"]
    assert "content" not in said["404"]


@pytest.mark.urls(__name__)
def test_the_exchanges_agree():
    client, group = APIClient(), Group.objects.create(name="admins")
    place = f"/groups/{group.pk}"
    assert client.put("/groups/0/merge/1/").json() == {"error": True, "msg": "No group 0"}
    assert client.put(f"{place}/merge/{group.pk}/").status_code == 409
    assert client.put(f"{place}/merge/0/").json() == {"msg": "admins is merged"}
    assert client.delete(f"{place}/").json() == {"error": "in use"}
    assert client.delete("/groups/0/").json() == {"detail": "No Group matches the given query."}
    assert client.patch(f"{place}/", {"name": "root"}).content == b"nobody is root"
    for number in range(5):
        assert client.post(f"/groups/{number}/textual/").status_code in (200, 403, 404, 423)
        assert client.post(f"/groups/{number}/slow/").status_code in (404, 408, 410, 411, 413)
    assert client.get("/share/").json() == {"error": "sharing_disabled"}
