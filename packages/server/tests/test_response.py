"""The response: rendered by what was negotiated, picklable afterwards."""

import pickle

import pytest
from django.template.response import SimpleTemplateResponse

from lintel import renderers, serializers
from lintel.response import Response
from lintel.test import APIRequestFactory
from lintel.views import APIView


class Text(renderers.BaseRenderer):
    media_type = "text/plain"
    format = "txt"

    def render(self, data, accepted_media_type=None, renderer_context=None):
        return data


def rendered(data, renderer=None, **arguments):
    response = Response(data, **arguments)
    response.accepted_renderer = renderer or renderers.JSONRenderer()
    response.accepted_media_type = "application/json"
    response.renderer_context = {}
    return response.render()


def test_data_is_rendered_with_the_content_type_of_the_renderer():
    response = rendered({"a": 1}, status=201, headers={"X-Own": "yes"})
    assert response.content == b'{"a":1}'
    assert dict(response.items()) == {"Content-Type": "application/json", "X-Own": "yes"}
    assert (response.status_code, response.status_text) == (201, "Created")


def test_text_is_encoded_in_the_charset_of_the_renderer():
    class Latin(Text):
        charset = "latin-1"

    response = rendered("é", Latin())
    assert response.content == b"\xe9"
    assert response["Content-Type"] == "text/plain; charset=latin-1"


def test_an_own_content_type_wins():
    assert rendered({}, content_type="application/custom")["Content-Type"] == "application/custom"


@pytest.mark.parametrize("data", [None])
def test_no_body_has_no_content_type(data):
    response = rendered(data, status=204)
    assert response.content == b""
    assert "Content-Type" not in response


def test_a_renderer_that_returns_none_writes_nothing():
    class Silent(Text):
        def render(self, data, accepted_media_type=None, renderer_context=None):
            return None

    response = rendered("text", Silent())
    assert response.content == b""
    assert "Content-Type" not in response


def test_mistakes_of_a_view_are_named():
    with pytest.raises(AssertionError, match="accepted_renderer not set"):
        Response({}).render()
    with pytest.raises(AssertionError, match=r"serialized `\.data`"):
        Response(serializers.Serializer())

    class NoCharset(Text):
        charset = None

    with pytest.raises(AssertionError, match="did not specify a charset"):
        rendered("text", NoCharset())


def test_a_line_break_cannot_get_into_a_header():
    with pytest.raises(ValueError, match="newlines"):
        Response({}, headers={"X-Own": "a\r\nSet-Cookie: x"})


def test_an_own_way_to_set_headers_sees_all_of_them():
    class Noted(Response):
        def __setitem__(self, name, value):
            super().__setitem__(name, f"{value}; noted")

    class View(APIView):
        def get(self, request):
            return Noted({"a": 1}, headers={"X-Own": "yes"})

    response = View.as_view()(APIRequestFactory().get("/")).render()
    assert dict(response.items()) == {
        "Content-Type": "application/json; noted",
        "X-Own": "yes; noted",
        "Allow": "GET, HEAD, OPTIONS; noted",
        "Vary": "Accept; noted",
    }


def test_a_status_outside_of_http_is_refused():
    with pytest.raises(ValueError, match="from 100 to 599"):
        Response({}, status=600)


def test_a_new_response_has_all_attributes_of_djangos():
    response, of_django = Response(), SimpleTemplateResponse(None)
    added = {"data": None, "exception": False, "content_type": None}
    assert {name: type(value) for name, value in vars(response).items()} == {
        name: type(value) for name, value in (vars(of_django) | added).items()
    }
    assert dict(response.items()) == dict(of_django.items())
    assert response._container == of_django._container


def test_responses_share_nothing():
    first, second = Response({}), Response({})
    first["X-Own"] = "1"
    first.cookies["a"] = "b"
    first.add_post_render_callback(print)
    assert "X-Own" not in second
    assert not second.cookies
    assert second._post_render_callbacks == []


def test_a_rendered_response_can_be_pickled():
    response = rendered({"a": 1})
    response.client = response.request = lambda: None
    copy = pickle.loads(pickle.dumps(response))
    assert (copy.content, copy.data) == (b'{"a":1}', {"a": 1})
    assert not hasattr(copy, "renderer_context")
    assert Response[int] is Response
