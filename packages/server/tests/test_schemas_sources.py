"""The source of functions as trees: what runs of it, wherever it ends."""

import ast
import inspect

import pytest

from lintel.schemas.sources import source_of


def closed_late(request):
    return str(
        [
            request,
        ],
    )


def ends_with_nothing(request):
    try:
        return request.a
    finally:
        pass


def ends_in_another(request):
    def inner():
        return request

    return [
        inner,
        lambda: request,
    ]


async def waits(request):
    async with request as one:
        match one:
            case 1:
                return "one"
            case _:
                pass
    for each in request:
        if each:
            return "some"
        if request:
            return "none"
    else:
        return "all"


class Owner:
    def method(self, request):
        try:
            return """one
    two"""
        except ValueError:
            return 3

    @staticmethod
    def decorated(request):
        with request:
            return 1


FUNCTIONS = [
    *(closed_late, ends_with_nothing, ends_in_another, waits),
    *(Owner.method, Owner.decorated),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_the_whole_function_is_read(function):
    text = inspect.getsource(function)
    (expected,) = (
        ast.parse(f"if True:\n{text}").body[0].body if text[0] == " " else ast.parse(text).body
    )
    assert ast.dump(source_of(function).tree) == ast.dump(expected)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_returns_are_those_of_the_function_in_order(function):
    source = source_of(function)
    returns = [node for node in source.nodes if isinstance(node, ast.Return)]
    assert returns
    assert list(source.returns) == returns
    assert all(statement in source.blocks[statement] for statement in source.returns)
