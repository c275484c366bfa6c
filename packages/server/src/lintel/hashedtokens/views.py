"""The view that creates a token for a user name and a password, and shows it once."""

from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from lintel.annotations import HookResult
from lintel.authtoken.views import ObtainAuthToken, user_of_credentials
from lintel.hashedtokens.models import HashedToken
from lintel.request import Request
from lintel.response import Response


# A comment, because a docstring would be shown to clients as the description of the view.
# ``tokens_per_user``: if there are more, the oldest ones are deleted; None for no limit. The others
# are what tokens get: how long they live, with and without use, and the names of their scopes.
class ObtainHashedToken(ObtainAuthToken):
    # A session would only get in the way: its cookie asks for a CSRF token.
    authentication_classes = ()
    tokens_per_user: int | None = None
    lifetime: timedelta | None = None
    idle_time: timedelta | None = None
    scopes: Sequence[str] | None = None

    def post(self, request: Request, *args: object, **kwargs: object) -> HookResult:
        # Each request creates a token: the keys of existing ones cannot be shown.
        user = user_of_credentials(self, request)
        token = HashedToken.objects.create(
            user=user,
            scopes=self.scopes,
            expires=None if self.lifetime is None else timezone.now() + self.lifetime,
            idle_seconds=None if self.idle_time is None else int(self.idle_time.total_seconds()),
        )
        if self.tokens_per_user is not None:
            _delete_oldest(user, max(1, self.tokens_per_user))
        return Response({"token": token.key}, headers={"Cache-Control": "no-store"})


def _delete_oldest(user: object, number: int) -> None:
    tokens = HashedToken.objects.filter(user=user, revoked=None, replaced=None)
    newest = tokens.order_by("-created", "-pk").values_list("pk", flat=True)[:number]
    tokens.exclude(pk__in=list(newest)).delete()


obtain_hashed_token = ObtainHashedToken.as_view()
