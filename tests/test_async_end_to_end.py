"""AsyncClient against the real service, with each kind of authentication."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from service_process import PASSWORD, Service

from lintel_client import (
    AsyncClient,
    Auth,
    BasicAuthentication,
    InvalidInput,
    NotAuthenticated,
    PermissionDenied,
    TokenAuthentication,
)

pytestmark = pytest.mark.xdist_group("service")


def running(service: Service, use: Callable[..., Awaitable[Any]], auth: Auth | None = None) -> Any:
    """Run a function of an open client and the schema of the service."""

    async def main() -> Any:
        async with AsyncClient(auth) as client:
            return await use(client, await client.get(service.url))

    return asyncio.run(main())


def token_of(service: Service, user: str) -> TokenAuthentication:
    params = {"username": user, "password": PASSWORD}
    call = ["token", "create"]
    answer = running(service, lambda client, schema: client.action(schema, call, params))
    return TokenAuthentication("Token", answer["token"])


@pytest.mark.parametrize("scheme", ["token", "basic"])
def test_a_snippet_lives_and_dies(service: Service, scheme: str) -> None:
    ada = token_of(service, "ada") if scheme == "token" else BasicAuthentication("ada", PASSWORD)

    async def use(client: AsyncClient, schema: Any) -> None:
        code = f"# Καλημέρα, {scheme}\n"
        made = await client.action(schema, ["snippets", "create"], {"code": code})
        assert made["owner"] == "ada"
        key = {"id": made["pk"]}
        changes = {**key, "linenos": True}
        changed = await client.action(schema, ["snippets", "partial_update"], changes)
        assert changed == {**made, "linenos": True}
        assert dict(service.rows())[made["pk"]] == code
        assert await client.action(schema, ["snippets", "destroy"], key) is None
        assert made["pk"] not in dict(service.rows())

    running(service, use, ada)


def test_every_page_is_read(service: Service) -> None:
    async def use(client: AsyncClient, schema: Any) -> tuple[list[int], int | None]:
        pages = client.pages(schema, ["snippets", "list"], {"page_size": 100})
        return [item["pk"] async for item in pages], pages.total

    keys, total = running(service, use)
    assert sorted(keys) == sorted(key for key, _ in service.rows())
    assert total == len(keys)


def test_refusals_have_classes(service: Service) -> None:
    async def anonymous(client: AsyncClient, schema: Any) -> None:
        with pytest.raises(NotAuthenticated):
            await client.action(schema, ["snippets", "create"], {"code": "x"})

    async def other(client: AsyncClient, schema: Any) -> None:
        snippets = client.pages(schema, ["snippets", "list"])
        theirs = [item["pk"] async for item in snippets if item["owner"] == "ada"]
        key = {"id": theirs[0]}
        with pytest.raises(PermissionDenied):
            await client.action(schema, ["snippets", "destroy"], key)
        with pytest.raises(InvalidInput) as caught:
            await client.action(schema, ["snippets", "create"], {"code": ""})
        assert caught.value.messages == {"code": ["This field may not be blank."]}

    running(service, anonymous)
    running(service, other, token_of(service, "grace"))
