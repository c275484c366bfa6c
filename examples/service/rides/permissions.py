"""Who may change what."""

from lintel.permissions import SAFE_METHODS, BasePermission
from lintel.request import Request
from lintel.views import APIView


class IsStaffOrReadOnly(BasePermission):
    """Everybody may read, staff may write."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.method in SAFE_METHODS or request.user.is_staff
