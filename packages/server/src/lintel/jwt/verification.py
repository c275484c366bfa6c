"""The check of a signed token (RFC 7519, with the advice of RFC 8725), by PyJWT.

Only the configured keys and algorithms count: header parameters that bring or name a key (``jwk``,
``jku``, ``x5c``, ``x5u``) are not read, and ``kid`` is compared, never opened.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from lintel.jwt.keys import KeySet, key_set
from lintel.jwt.tokens import Claims

try:
    import jwt
except ImportError as error:
    raise ImportError("lintel.jwt needs PyJWT: install django-lintel[jwt]") from error

#: What a key of each algorithm is: its type, and its curve.
KINDS = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), ("RSA", None)),
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
}

#: The members of public keys: those of private ones are left out.
_PUBLIC = ("kty", "crv", "n", "e", "x", "y")

#: The most keys of a set, characters of a number of one (16,384 bits), and of a token.
MAX_KEYS = 100
MAX_NUMBER = 2736
MAX_TOKEN = 16 * 1024

_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", re.ASCII)

#: What a token of hostile bytes raises.
_ERRORS = (jwt.PyJWTError, ValueError, OverflowError, TypeError, RecursionError)


class Refused(Exception):
    """A token that is not accepted; the text is for the log."""


class Expired(Refused):
    """A token that was accepted until its end."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What tokens have to be."""

    issuer: str
    audience: tuple[str, ...]
    keys_url: str
    algorithms: tuple[str, ...]
    #: Values of the header ``typ``, in lower case; "" for none.
    types: tuple[str, ...]
    required: tuple[str, ...]
    leeway: float


@dataclass(frozen=True, slots=True)
class Key:
    identifier: object
    by_algorithm: Mapping[str, jwt.PyJWK] = field(repr=False)


Keys = tuple[Key, ...]


def verified(token: str, expected: Expected) -> Claims:
    """Return the claims of a token. Raises Refused, and KeysUnavailable without keys."""
    header = _header_of(token, expected)
    for key in _keys_for(header, expected):
        try:
            return _claims_of(token, key, expected)
        except jwt.ExpiredSignatureError:
            raise Expired("it has expired") from None
        except jwt.InvalidSignatureError:
            continue
        except _ERRORS as error:
            raise Refused(str(error)) from None
    raise Refused("no key of the issuer has signed it")


def issuer_of(token: str) -> object:
    """Return what a token says of its issuer, unchecked; None for anything else than a token."""
    try:
        if len(token) <= MAX_TOKEN and _COMPACT.fullmatch(token):
            return _object(_decoded(token.split(".")[1])).get("iss")
    except _ERRORS:
        pass
    return None


def _header_of(token: str, expected: Expected) -> Claims:
    if len(token) > MAX_TOKEN:
        raise Refused(f"it has more than {MAX_TOKEN} characters")
    # An encrypted token has five parts.
    if not _COMPACT.fullmatch(token):
        raise Refused("it is not a signed token")
    try:
        header = _object(_decoded(token.split(".")[0]))
    except _ERRORS as error:
        raise Refused(f"its header cannot be read: {error}") from None
    if header.get("alg") not in expected.algorithms:
        raise Refused("its algorithm is not allowed")
    if not {"crit", "b64", "zip", "enc"}.isdisjoint(header) or "cty" in header:
        raise Refused("its header asks for more than a signature")
    if _type_of(header) not in expected.types:
        raise Refused(f"its type is not one of {', '.join(expected.types)}")
    return header


def _type_of(header: Claims) -> str | None:
    kind = header.get("typ", "")
    # RFC 7515, 4.1.9: the prefix may be left out.
    return kind.lower().removeprefix("application/") if isinstance(kind, str) else None


def _keys_for(header: Claims, expected: Expected) -> list[jwt.PyJWK]:
    keys: KeySet[Keys] = key_set(expected.keys_url, Reader(expected.algorithms))
    return list(_fitting(header, keys.keys())) or list(_fitting(header, keys.searched()))


def _fitting(header: Claims, keys: Keys) -> Iterator[jwt.PyJWK]:
    algorithm = header["alg"]
    if "kid" not in header:
        # Which key it is must not be a guess.
        keys = tuple(key for key in keys if algorithm in key.by_algorithm)
        yield from [key.by_algorithm[algorithm] for key in keys if len(keys) == 1]
        return
    for key in keys:
        if key.identifier == header["kid"] and algorithm in key.by_algorithm:
            yield key.by_algorithm[algorithm]


def _claims_of(token: str, key: jwt.PyJWK, expected: Expected) -> Claims:
    claims: dict[str, Any] = jwt.decode(
        token,
        key,
        algorithms=[key.algorithm_name],
        audience=expected.audience,
        issuer=expected.issuer,
        leeway=expected.leeway,
        options={
            "require": ["iss", "aud", *expected.required],
            "enforce_minimum_key_length": True,
        },
    )
    # PyJWT takes the last of two members with one name, and numbers as texts.
    if claims != _object(_decoded(token.split(".")[1])):
        raise Refused("its claims cannot be read")
    for name in ("exp", "nbf", "iat"):
        if isinstance(claims.get(name, 0), bool) or not isinstance(
            claims.get(name, 0), int | float
        ):
            raise Refused(f"its {name} is not a number")
    return claims


def _decoded(part: str) -> bytes:
    return jwt.utils.base64url_decode(part)


def _object(text: bytes) -> dict[str, Any]:
    result = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    if not isinstance(result, dict):
        raise ValueError("not an object")
    return result


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a name appears twice")
    return result


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


# The keys


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads a JWKS: the public keys for signatures, for the algorithms that are allowed."""

    algorithms: tuple[str, ...]

    def __call__(self, body: bytes) -> Keys:
        try:
            jwks = json.loads(body).get("keys")
        except (ValueError, AttributeError, RecursionError):
            raise ValueError("the body is not a JWKS") from None
        if not isinstance(jwks, list) or len(jwks) > MAX_KEYS:
            raise ValueError(f"the body is not a list of at most {MAX_KEYS} keys")
        keys = [self.key(jwk) for jwk in jwks if isinstance(jwk, dict)]
        return tuple(key for key in keys if key.by_algorithm)

    def key(self, jwk: Mapping[str, Any]) -> Key:
        """Return a key with the algorithms that it may be used with, maybe none."""
        names = self.algorithms if _is_for_signatures(jwk) else ()
        named = jwk.get("alg")
        fitting = [name for name in names if named in (None, name) and _is_of(jwk, KINDS[name])]
        return Key(jwk.get("kid"), dict(_made(jwk, fitting)))


def _is_for_signatures(jwk: Mapping[str, Any]) -> bool:
    operations = jwk.get("key_ops", ["verify"])
    may_verify = isinstance(operations, list) and "verify" in operations
    return jwk.get("use", "sig") == "sig" and may_verify


def _is_of(jwk: Mapping[str, Any], kind: tuple[str, str | None]) -> bool:
    return (jwk.get("kty"), jwk.get("crv") if kind[1] else None) == kind


def _made(jwk: Mapping[str, Any], algorithms: list[str]) -> Iterator[tuple[str, jwt.PyJWK]]:
    public = {name: jwk[name] for name in _PUBLIC if isinstance(jwk.get(name), str)}
    if max(map(len, public.values()), default=0) > MAX_NUMBER:
        return
    for name in algorithms:
        try:
            yield name, jwt.PyJWK(public, name)
        except _ERRORS:
            continue


def checked_algorithms(algorithms: tuple[str, ...]) -> tuple[str, ...]:
    """Raises ImproperlyConfigured for others than signatures by a pair of keys."""
    wrong = [name for name in algorithms if name not in KINDS]
    if wrong or not algorithms:
        names = ", ".join(KINDS)
        raise ImproperlyConfigured(f"Tokens are checked with {names}, not with {wrong}.")
    return algorithms
