"""OAuth 2: tokens from an authorization server, obtained, kept and renewed for a client."""

from lintel_client.errors import LoginRequired, OAuth2Error
from lintel_client.oauth2.authentication import (
    AuthorizationCode,
    ClientCredentials,
    DeviceCode,
    OAuth2Authentication,
)
from lintel_client.oauth2.grants import DeviceLogin
from lintel_client.oauth2.servers import AuthorizationServer
from lintel_client.oauth2.stores import FileTokens, MemoryTokens, TokenStore
from lintel_client.oauth2.tokens import Tokens

__all__ = [
    "AuthorizationCode",
    "AuthorizationServer",
    "ClientCredentials",
    "DeviceCode",
    "DeviceLogin",
    "FileTokens",
    "LoginRequired",
    "MemoryTokens",
    "OAuth2Authentication",
    "OAuth2Error",
    "TokenStore",
    "Tokens",
]
