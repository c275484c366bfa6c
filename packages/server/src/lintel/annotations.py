"""Names for what has no closer type, because a project brings objects and hooks of its own."""

from typing import Any, TypeAlias

AnyView: TypeAlias = Any  # a view, whose class is defined above the policies
AnyRequest: TypeAlias = Any  # a request of ours or of Django, or what stands for one in a test
AnyUser: TypeAlias = Any  # a user of any model, or what a project has in ``request.auth``
HookResult: TypeAlias = Any  # of a hook that may be ``async def``: its result, or a coroutine
Instance: TypeAlias = Any  # a row of any model, or another object that a serializer shows
Setting: TypeAlias = Any  # the value of a setting, or of an attribute that replaces one
