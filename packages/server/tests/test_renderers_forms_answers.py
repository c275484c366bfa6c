"""Forms of a page share what permissions say, and nothing else does."""

from typing import Any

import pytest
from asgiref.sync import async_to_sync, iscoroutinefunction
from contract_project.models import Tag
from django.contrib.auth.models import User
from django.urls import include, path

from lintel import exceptions, generics, permissions, renderers, serializers, viewsets
from lintel.decorators import action
from lintel.request import clone_request
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.test import APIClient, APIRequestFactory

asked: list[Any] = []


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class Counting(permissions.BasePermission):
    def has_object_permission(self, request, view, obj):
        asked.append(request.method)
        return True


class CountedTag(generics.RetrieveUpdateDestroyAPIView):
    queryset = Tag.objects.all()
    serializer_class = TagSerializer
    permission_classes = [Counting]
    authentication_classes: list[Any] = []
    renderer_classes = [renderers.BrowsableAPIRenderer]


class CheckedTag(CountedTag):
    """Finds and checks its row with code of its own."""

    def get_object(self):
        tag = Tag.objects.get(pk=self.kwargs["pk"])
        self.check_object_permissions(self.request, tag)
        return tag

    def check_object_permissions(self, request, obj):
        asked.append(request.method)


class AsyncTag(generics.AsyncRetrieveUpdateDestroyAPIView):
    queryset = Tag.objects.all()
    serializer_class = TagSerializer
    permission_classes = [Counting]
    authentication_classes: list[Any] = []
    renderer_classes = [renderers.BrowsableAPIRenderer]


def page_of(view, tag, method="get", **values):
    """Return the text of the page after a request."""
    asked.clear()
    request = getattr(APIRequestFactory(), method)("/", values)
    called = view.as_view()
    if iscoroutinefunction(called):
        called = async_to_sync(called)
    response = called(request, pk=tag.pk).render()
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("view", [CountedTag, CheckedTag, AsyncTag])
@pytest.mark.parametrize(
    ("method", "forms"),
    [
        ("get", ["DELETE", "PATCH", "PUT"]),
        ("put", ["DELETE", "GET", "PATCH", "PUT"]),
    ],
)
def test_forms_of_a_page_ask_the_permissions_of_its_object_once_for_a_method(view, method, forms):
    text = page_of(view, Tag.objects.create(name="before"), method, name="after")
    assert "OPTIONS" in text
    assert asked[0] == method.upper(), "the view itself asks first"
    assert sorted(asked[1:]) == forms


@pytest.mark.django_db
def test_forms_follow_the_row_as_the_request_left_it():
    class Unlocked(permissions.BasePermission):
        def has_object_permission(self, request, view, obj):
            return request.method in ("GET", "OPTIONS") or obj.name == "open"

    class Locking(CountedTag):
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

    class RuledTag(CountedTag):
        permission_classes = [Ruled]

    text = page_of(RuledTag, Tag.objects.create(name="one"), "patch", name="no PUT")
    assert 'data-method="PATCH"' in text
    assert 'data-method="PUT"' not in text


class AskingPage(renderers.BrowsableAPIRenderer):
    """Asks about the same and about others while it is made."""

    def get_description(self, view, status_code):
        view.answers = [
            self.show_form_for_method(view, "GET", request, row)
            for request, row in view.questions
            for _ in range(2)
        ]
        return ""


@pytest.mark.django_db
def test_other_users_and_equal_rows_are_asked_about_anew():
    class Own(permissions.BasePermission):
        def has_object_permission(self, request, view, obj):
            asked.append((request.user.username, obj.name))
            return request.user.username == obj.name

    tag = Tag.objects.create(name="one")
    view = CountedTag(permission_classes=[Own])
    request = view.initialize_request(APIRequestFactory().get("/"))
    request.user = User(username="one")
    other = clone_request(request, "GET")
    other.user = User(username="two")
    twin = Tag(pk=tag.pk, name="two")
    assert twin == tag
    view.setup(request._request)
    view.format_kwarg = None
    view.request, view.questions = request, [(request, tag), (other, tag), (other, twin)]
    context = {"view": view, "request": request, "response": Response()}
    page = AskingPage()
    asked.clear()
    page.render({}, "text/html", context)
    about_rows = [each for each in asked if each[0]]
    assert about_rows == [("one", "one"), ("two", "one"), ("two", "two")]
    assert view.answers == [True, True, False, False, True, True]
    assert page.show_form_for_method(view, "GET", request, tag)
    assert len(asked) == len(about_rows) + 1, "a page that is done keeps no answers"


class ByMethod(permissions.BasePermission):
    def has_object_permission(self, request, view, obj):
        asked.append((request.method, None))
        return request.method != "LINK"


class ByAction(permissions.BasePermission):
    def has_object_permission(self, request, view, obj):
        asked.append((request.method, view.action))
        return view.action != "two"


class Hidden(permissions.BasePermission):
    """Reads the action in a function inside."""

    def has_object_permission(self, request, view, obj):
        return [asked.append((request.method, view.action)) for _ in range(1)] == [None]


class Made(ByMethod):
    def __init__(self):
        asked.append("made")


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


class HiddenViewSet(TagViewSet):
    permission_classes = [Hidden]


class CheckedViewSet(TagViewSet):
    permission_classes = [ByMethod]

    def check_object_permissions(self, request, obj):
        asked.append((request.method, self.action))
        super().check_object_permissions(request, obj)


class MadeViewSet(TagViewSet):
    permission_classes = [Made]


router = SimpleRouter()
for each in (ByMethodViewSet, ByActionViewSet, HiddenViewSet, CheckedViewSet, MadeViewSet):
    router.register(each.__name__, each, each.__name__)
urlpatterns = [path("", include(router.urls))]


def menu_of(name, method="get"):
    """Return which extra actions the page of a row offers."""
    tag = Tag.objects.create(name="one")
    asked.clear()
    send = getattr(APIClient(), method)
    response = send(f"/{name}/{tag.pk}/", {"name": "a"}, headers={"accept": "text/html"})
    assert response.status_code == 200
    text = response.content.decode()
    return [word for word in ("one", "two", "three", "four") if f"/{tag.pk}/{word}/" in text]


@pytest.mark.django_db
@pytest.mark.urls(__name__)
@pytest.mark.parametrize(("method", "most"), [("get", 6), ("put", 6), ("patch", 6)])
def test_extra_actions_share_answers_of_permissions_that_ignore_the_view(method, most):
    assert menu_of("ByMethodViewSet", method) == ["one", "two", "three"]
    assert len(asked) <= most
    assert [each[0] for each in asked[1:]].count("POST") == 1


@pytest.mark.django_db
@pytest.mark.urls(__name__)
@pytest.mark.parametrize(
    ("name", "menu"),
    [
        ("ByActionViewSet", ["one", "three"]),
        ("HiddenViewSet", ["one", "two", "three"]),
        ("CheckedViewSet", ["one", "two", "three"]),
    ],
)
def test_permissions_that_look_at_the_view_are_asked_for_each_action(name, menu):
    assert menu_of(name) == menu
    for question in [("POST", "one"), ("GET", "two"), ("DELETE", "three")]:
        assert asked.count(question) == 1


@pytest.mark.django_db
@pytest.mark.urls(__name__)
def test_permissions_with_an_initializer_are_asked_for_each_action():
    assert menu_of("MadeViewSet") == ["one", "two", "three"]
    assert asked.count(("GET", None)) == 2


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

    class TenantTag(CountedTag):
        permission_classes = [Leaving]
        serializer_class = TenantSerializer

    assert "tenant of PUT" in page_of(TenantTag, Tag.objects.create(name="one"))


@pytest.mark.django_db
@pytest.mark.parametrize("error", [exceptions.NotFound, exceptions.Throttled, LookupError])
def test_refusals_are_answers_and_other_errors_are_not(error):
    class Raising(permissions.BasePermission):
        def has_object_permission(self, request, view, obj):
            asked.append(request.method)
            if request.method == "PUT":
                raise error
            return True

    class RaisingTag(CountedTag):
        permission_classes = [Raising]

    tag = Tag.objects.create(name="one")
    if error is LookupError:
        with pytest.raises(LookupError):
            page_of(RaisingTag, tag)
        return
    text = page_of(RaisingTag, tag)
    assert asked.count("PUT") == 1
    assert 'data-method="PUT"' not in text
    assert 'data-method="PATCH"' in text


class OwnOptionsTag(CountedTag):
    def options(self, request, *args, **kwargs):
        self.get_object()
        return super().options(request, *args, **kwargs)


@pytest.mark.django_db
@pytest.mark.parametrize(("view", "is_offered"), [(CountedTag, True), (OwnOptionsTag, False)])
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
