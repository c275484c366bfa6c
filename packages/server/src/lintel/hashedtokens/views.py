"""The view that creates a token for a user name and a password, and shows it once."""

from lintel.annotations import HookResult
from lintel.authtoken.views import ObtainAuthToken, user_of_credentials
from lintel.hashedtokens.models import HashedToken
from lintel.request import Request
from lintel.response import Response


# A comment, because a docstring would be shown to clients as the description of the view.
# ``tokens_per_user``: if there are more, the oldest ones are deleted; None for no limit.
class ObtainHashedToken(ObtainAuthToken):
    tokens_per_user: int | None = None

    def post(self, request: Request, *args: object, **kwargs: object) -> HookResult:
        # Each request creates a token: the keys of existing ones cannot be shown.
        user = user_of_credentials(self, request)
        token = HashedToken.objects.create(user=user)
        if self.tokens_per_user is not None:
            _delete_oldest(user, max(1, self.tokens_per_user))
        return Response({"token": token.key}, headers={"Cache-Control": "no-store"})


def _delete_oldest(user: object, kept: int) -> None:
    tokens = HashedToken.objects.filter(user=user)
    newest = tokens.order_by("-created", "-pk").values_list("pk", flat=True)[:kept]
    tokens.exclude(pk__in=list(newest)).delete()


obtain_hashed_token = ObtainHashedToken.as_view()
