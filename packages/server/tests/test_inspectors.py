"""Inspectors: how they bind to views, and which text they find for an operation."""

import copy
import pickle
import threading

import pytest
from django.test import override_settings

from lintel.inspectors import DefaultSchema, ViewInspector
from lintel.schemas import inspectors, openapi
from lintel.views import APIView
from lintel.viewsets import ModelViewSet, ViewSet


def view_with(docstring: str | None = None, **attributes) -> APIView:
    members = {"schema": ViewInspector(), "__doc__": docstring, **attributes}
    return type("SomeView", (APIView,), members)()


def test_reading_through_an_instance_binds_the_inspector_of_the_class():
    class Some(APIView):
        schema = ViewInspector()

    first, second = Some(), Some()
    assert first.schema is Some.schema is second.schema
    assert first.schema.view is first
    assert second.schema.view is second


def test_an_inspector_without_a_view_says_what_is_missing():
    class Some(APIView):
        schema = ViewInspector()

    with pytest.raises(AssertionError, match="REQUIRES a view instance"):
        _ = Some.schema.view
    with pytest.raises(AssertionError, match="REQUIRES a view instance"):
        _ = ViewInspector().view


def test_assigning_to_an_instance_replaces_the_inspector_there_alone():
    first, second = view_with(), view_with()
    own = ViewInspector()
    first.schema = own
    assert first.schema is own
    assert own.view is first
    assert second.schema is not own


def test_none_may_be_assigned_to_an_instance():
    view = view_with()
    view.schema = None
    assert view.schema is None


def test_threads_do_not_see_the_views_of_each_other():
    class Some(APIView):
        schema = ViewInspector()

    mine, other = Some(), Some()
    inspector = mine.schema
    seen = []
    thread = threading.Thread(target=lambda: seen.append(other.schema.view))
    thread.start()
    thread.join()
    assert seen == [other]
    assert inspector.view is mine


def test_an_inspector_may_be_copied_and_pickled():
    inspector = openapi.AutoSchema(tags=["a"])
    assert copy.copy(inspector)._tags == ["a"]
    assert pickle.loads(pickle.dumps(inspector._lintel_bound)).view is None


def test_the_default_schema_is_the_one_of_the_settings_at_that_moment():
    class Own(ViewInspector):
        pass

    assert isinstance(APIView().schema, openapi.AutoSchema)
    with override_settings(REST_FRAMEWORK={"DEFAULT_SCHEMA_CLASS": Own}):
        view = APIView()
        assert type(view.schema) is Own
        assert view.schema.view is view


def test_the_default_schema_gives_way_to_what_is_assigned():
    view = APIView()
    own = ViewInspector()
    view.schema = own
    assert view.schema is own


def test_a_schema_class_that_is_no_inspector_is_refused():
    settings = {"DEFAULT_SCHEMA_CLASS": dict}
    with (
        override_settings(REST_FRAMEWORK=settings),
        pytest.raises(AssertionError, match="DEFAULT_SCHEMA_CLASS must be set to a ViewInspector"),
    ):
        _ = APIView().schema


def test_a_schema_class_of_djangorestframework_itself_is_told_what_to_do():
    foreign = type("AutoSchema", (), {"__module__": "rest_framework.schemas.openapi"})
    with (
        override_settings(REST_FRAMEWORK={"DEFAULT_SCHEMA_CLASS": foreign}),
        pytest.raises(AssertionError, match=r"subclass\. Call lintel\.dropin\.enable"),
    ):
        _ = APIView().schema


def test_the_public_address_is_below_schemas():
    assert inspectors.ViewInspector is ViewInspector
    assert inspectors.DefaultSchema is DefaultSchema


SECTIONS = """
    General text.

    get: Reading.

    post:
    Writing
      on two lines.
"""


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("GET", "Reading."),
        ("get", "Reading."),
        ("POST", "Writing\n  on two lines."),
        ("DELETE", "General text."),
    ],
)
def test_sections_of_the_docstring_describe_methods(method, text):
    assert view_with(SECTIONS).schema.get_description("/", method) == text


@pytest.mark.parametrize(
    ("docstring", "text"),
    [
        (None, ""),
        ("", ""),
        ("get:", ""),
        ("get: one\nget: two", "two"),
        ("see http://example.org\nget: x", "x"),
        ("GET: not a section for get", ""),
        ("gét: no header", "gét: no header"),
        ("before\r\nget: x\r\npost: y", "x"),
    ],
)
def test_odd_docstrings(docstring, text):
    assert view_with(docstring).schema.get_description("/", "GET") == text


def test_the_docstring_of_the_method_wins():
    def get(self, request):
        """Own text."""

    view = view_with("get: From the view.", get=get)
    assert view.schema.get_description("/", "GET") == "Own text."


def test_sections_may_be_named_after_actions_and_their_coerced_names():
    def described(action):
        members = {"schema": ViewInspector(), "__doc__": "all\nlist: L\nread: R\ndestroy: D"}
        view = type("Things", (ViewSet,), members)()
        view.action = action
        return view.schema.get_description("/", "GET")

    assert [described(name) for name in ("list", "retrieve", "destroy", "other")] == [
        "L",
        "R",
        "D",
        "all",
    ]


def test_a_view_without_an_action_for_the_method_is_described_by_its_general_text():
    view = type("Things", (ViewSet,), {"schema": ViewInspector(), "__doc__": "all"})()
    view.action = None
    assert view.schema.get_description("/", "DELETE") == "all"


def test_docstrings_of_our_own_handlers_are_not_for_clients():
    class Tags(ModelViewSet):
        schema = ViewInspector()

    view = Tags()
    view.action = "options"
    assert Tags.options.__doc__
    assert view.schema.get_description("/", "GET") == ""
