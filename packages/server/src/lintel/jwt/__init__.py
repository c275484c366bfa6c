"""Access tokens that an authorization server has signed (JWT): this API as a resource server."""

from lintel.jwt.authentication import InvalidToken as InvalidToken
from lintel.jwt.authentication import JWTAuthentication as JWTAuthentication
from lintel.jwt.keys import KeysUnavailable as KeysUnavailable
from lintel.jwt.tokens import AccessToken as AccessToken
