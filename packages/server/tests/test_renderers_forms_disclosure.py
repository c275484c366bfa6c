"""A page offers what permissions allow."""

from typing import Any

import pytest
from contract_project.models import Tag
from django.urls import include, path

from lintel import exceptions, generics, permissions, renderers, serializers, viewsets
from lintel.decorators import action
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.test import APIClient, APIRequestFactory


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class TagPage(generics.RetrieveUpdateDestroyAPIView):
    queryset = Tag.objects.all()
    serializer_class = TagSerializer
    authentication_classes: list[Any] = []
    renderer_classes = [renderers.BrowsableAPIRenderer]


def page_of(view, tag, method="get", **values):
    """Return the text of the page after a request."""
    request = getattr(APIRequestFactory(), method)("/", values)
    response = view.as_view()(request, pk=tag.pk).render()
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.django_db
def test_forms_follow_the_row_as_the_request_left_it():
    class Unlocked(permissions.BasePermission):
        def has_object_permission(self, request, view, obj):
            return request.method in ("GET", "OPTIONS") or obj.name == "open"

    class Locking(TagPage):
        permission_classes = [Unlocked]

        def perform_update(self, serializer):
            page = self.request.accepted_renderer
            row = serializer.instance
            assert page.show_form_for_method(self, "PUT", self.request, row)
            serializer.save()
            assert not page.show_form_for_method(self, "PUT", self.request, row)

    tag = Tag.objects.create(name="open")
    assert 'data-method="PUT"' in page_of(Locking, tag)
    assert 'data-method="PUT"' not in page_of(Locking, tag, "put", name="closed")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "rule",
    [
        lambda request, view: request.method != "PUT",
        lambda request, view: request.method in ("GET", "DELETE", "OPTIONS", "PATCH"),
        lambda request, view: request.data.get("name") != "no PUT" or request.method == "PATCH",
    ],
)
def test_permissions_that_read_the_request_are_asked_with_its_values(rule):
    class Ruled(permissions.BasePermission):
        def has_object_permission(self, request, view, obj):
            return rule(request, view)

    class RuledTag(TagPage):
        permission_classes = [Ruled]

    text = page_of(RuledTag, Tag.objects.create(name="one"), "patch", name="no PUT")
    assert 'data-method="PATCH"' in text
    assert 'data-method="PUT"' not in text


class ByMethod(permissions.BasePermission):
    def has_object_permission(self, request, view, obj):
        return request.method != "DELETE"


class ByAction(permissions.BasePermission):
    def has_object_permission(self, request, view, obj):
        return view.action != "two"


class TagViewSet(viewsets.ModelViewSet):
    queryset = Tag.objects.all()
    serializer_class = TagSerializer
    authentication_classes: list[Any] = []
    renderer_classes = [renderers.BrowsableAPIRenderer]

    @action(detail=True, methods=["post"])
    def one(self, request, pk=None):
        return Response({})

    @action(detail=True)
    def two(self, request, pk=None):
        return Response({})

    @action(detail=True, methods=["delete", "post"], url_path="three")
    def three(self, request, pk=None):
        return Response({})

    @action(detail=True, permission_classes=[permissions.IsAdminUser])
    def four(self, request, pk=None):
        return Response({})


class ByMethodViewSet(TagViewSet):
    permission_classes = [ByMethod]


class ByActionViewSet(TagViewSet):
    permission_classes = [ByAction]


router = SimpleRouter()
for each in (ByMethodViewSet, ByActionViewSet):
    router.register(each.__name__, each, each.__name__)
urlpatterns = [path("", include(router.urls))]


def menu_of(name):
    """Return which extra actions the page of a row offers."""
    tag = Tag.objects.create(name="one")
    response = APIClient().get(f"/{name}/{tag.pk}/", headers={"accept": "text/html"})
    assert response.status_code == 200
    text = response.content.decode()
    return [word for word in ("one", "two", "three", "four") if f"/{tag.pk}/{word}/" in text]


@pytest.mark.django_db
@pytest.mark.urls(__name__)
@pytest.mark.parametrize(
    ("name", "menu"),
    [
        ("ByActionViewSet", ["one", "three"]),
        ("ByMethodViewSet", ["one", "two", "three"]),
    ],
)
def test_extra_actions_are_offered_that_permissions_allow(name, menu):
    assert menu_of(name) == menu


@pytest.mark.django_db
def test_forms_find_what_permissions_left_on_the_request():
    class Leaving(permissions.BasePermission):
        def has_permission(self, request, view):
            request.tenant = f"tenant of {request.method}"
            return True

    class TenantSerializer(TagSerializer):
        def get_fields(self):
            request = self.context["request"]
            fields = super().get_fields()
            fields["name"].initial = fields["name"].help_text = request.tenant
            return fields

    class TenantTag(TagPage):
        permission_classes = [Leaving]
        serializer_class = TenantSerializer

    assert "tenant of PUT" in page_of(TenantTag, Tag.objects.create(name="one"))


@pytest.mark.django_db
@pytest.mark.parametrize("error", [exceptions.NotFound, exceptions.Throttled, LookupError])
def test_refusals_are_answers_and_other_errors_are_not(error):
    class Raising(permissions.BasePermission):
        def has_object_permission(self, request, view, obj):
            if request.method == "PUT":
                raise error
            return True

    class RaisingTag(TagPage):
        permission_classes = [Raising]

    tag = Tag.objects.create(name="one")
    if error is LookupError:
        with pytest.raises(LookupError):
            page_of(RaisingTag, tag)
        return
    text = page_of(RaisingTag, tag)
    assert 'data-method="PUT"' not in text
    assert 'data-method="PATCH"' in text


class OwnOptionsTag(TagPage):
    def options(self, request, *args, **kwargs):
        self.get_object()
        return super().options(request, *args, **kwargs)


@pytest.mark.django_db
@pytest.mark.parametrize(("view", "is_offered"), [(TagPage, True), (OwnOptionsTag, False)])
def test_options_is_offered_as_it_would_answer(view, is_offered):
    class NoOptions(permissions.BasePermission):
        def has_object_permission(self, request, view, obj):
            return request.method != "OPTIONS"

    class Refused(view):
        permission_classes = [NoOptions]

    tag = Tag.objects.create(name="one")
    request = APIRequestFactory().options("/", headers={"accept": "text/html"})
    assert (Refused.as_view()(request, pk=tag.pk).status_code == 200) is is_offered
    assert ('data-method="OPTIONS"' in page_of(Refused, tag)) is is_offered
