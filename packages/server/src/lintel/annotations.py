"""Names for what has no closer type, because a project brings objects and hooks of its own."""

from __future__ import annotations

from typing import Any, TypeAlias

#: A view: whatever has the attributes that are read. Its class is defined above the policies.
AnyView: TypeAlias = Any

#: A request of ours or of Django, or what stands for one in a test.
AnyRequest: TypeAlias = Any

#: A user of any model, or None; likewise what a project has in ``request.auth``.
AnyUser: TypeAlias = Any

#: What a hook returns that may be ``async def``: its result, or a coroutine with it.
HookResult: TypeAlias = Any

#: A row of any model, or another object that a serializer shows.
Instance: TypeAlias = Any

#: The value of a class attribute or argument that is a setting: any type that the setting takes.
Setting: TypeAlias = Any
