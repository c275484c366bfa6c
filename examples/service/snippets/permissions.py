"""Who may change a snippet."""

from lintel.permissions import SAFE_METHODS, BasePermission
from lintel.request import Request
from lintel.views import APIView
from snippets.models import Snippet


class IsOwnerOrReadOnly(BasePermission):
    """Everybody may read, the owner may write."""

    def has_object_permission(self, request: Request, view: APIView, obj: Snippet) -> bool:
        return request.method in SAFE_METHODS or obj.owner_id == request.user.pk
