"""Authentication by token digest, with the header that ``TokenAuthentication`` reads."""

from secrets import compare_digest

from django.apps import apps
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lintel import fast
from lintel.annotations import AnyUser, Instance
from lintel.authentication import TokenAuthentication
from lintel.exceptions import AuthenticationFailed
from lintel.hashedtokens.lifetimes import has_expired, is_withdrawn, note_use, stop_family
from lintel.hashedtokens.models import digest_of


class HashedTokenAuthentication(TokenAuthentication):
    """A token in the header ``Authorization: Token <key>``, of which only a digest is stored.

    Subclasses may set another ``keyword``, and another ``model`` with the fields ``digest`` and
    ``user``; those that it lacks of HashedToken end no token.
    """

    carries_scopes = True

    #: Whether ``last_used`` is written.
    notes_use: bool = True
    #: Seconds in which a replaced key is only refused, because another process of its owner may
    #: still have it; afterwards it ends the keys that came from it.
    rotation_grace: float = 0

    def get_model(self) -> type[Instance]:
        if self.model is not None:
            return self.model
        return apps.get_model("hashedtokens", "HashedToken")

    def authenticate_credentials(self, key: str) -> tuple[AnyUser, AnyUser]:
        # The time of the lookup depends only on digests, which nobody can choose.
        model = self.get_model()
        digest = digest_of(key)
        try:
            token = fast.row(model.objects.select_related("user"), "digest", digest)
        except model.DoesNotExist:
            raise AuthenticationFailed(_("Invalid token.")) from None
        if not compare_digest(token.digest, digest):
            raise AuthenticationFailed(_("Invalid token."))
        if is_withdrawn(token):
            stop_family(token, self.rotation_grace)
            raise AuthenticationFailed(_("Invalid token."))
        if has_expired(token, timezone.now()):
            raise AuthenticationFailed("The token has expired.", "token_expired")
        if not token.user.is_active:
            raise AuthenticationFailed(_("User inactive or deleted."))
        if self.notes_use:
            note_use(token)
        token._lintel_key = key
        return token.user, token
