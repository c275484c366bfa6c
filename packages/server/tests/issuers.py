"""An issuer of access tokens for the tests: keys, tokens of any form, and a JWKS on loopback."""

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

ISSUER = "https://auth.example/"
AUDIENCE = "https://api.example/"


def encoded(data: bytes | dict[str, Any]) -> str:
    found = json.dumps(data).encode() if isinstance(data, dict) else data
    return base64.urlsafe_b64encode(found).rstrip(b"=").decode()


@cache
def rsa_key(name: str = "first", size: int = 2048) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=size)


@cache
def ec_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


@cache
def ed_key() -> ed25519.Ed25519PrivateKey:
    return ed25519.Ed25519PrivateKey.generate()


def jwk_of(key: Any, kid: str | None = "first", **members: Any) -> dict[str, Any]:
    """Return the public key as a member of a JWKS."""
    kinds: Any = {rsa.RSAPrivateKey: RSAAlgorithm, ec.EllipticCurvePrivateKey: ECAlgorithm}
    kind = next((made for cls, made in kinds.items() if isinstance(key, cls)), OKPAlgorithm)
    named = {} if kid is None else {"kid": kid}
    return {**kind.to_jwk(key.public_key(), as_dict=True), **named, **members}


def claims(**changed: Any) -> dict[str, Any]:
    """Return claims of a good token; None leaves one out."""
    now = int(time.time())
    found = {"iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "iat": now, "exp": now + 300}
    return {name: value for name, value in {**found, **changed}.items() if value is not None}


def token(key: Any = None, algorithm: str = "RS256", headers: Any = None, **changed: Any) -> str:
    headers = {"typ": "at+jwt", "kid": "first", **(headers or {})}
    headers = {name: value for name, value in headers.items() if value is not None}
    if "typ" not in headers:
        headers["typ"] = None
    return jwt.encode(claims(**changed), key or rsa_key(), algorithm, headers)


def signed(header: str, payload: str) -> str:
    """Sign texts that the library would not write, with RS256."""
    text = f"{encoded(header.encode())}.{encoded(payload.encode())}"
    signature = jwt.algorithms.RSAAlgorithm(RSAAlgorithm.SHA256).sign(text.encode(), rsa_key())
    return f"{text}.{encoded(signature)}"


def by_secret(secret: bytes, header: dict[str, Any]) -> str:
    text = f"{encoded(header)}.{encoded(claims())}"
    return f"{text}.{encoded(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"


def public_pem() -> bytes:
    return (
        rsa_key()
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )


@dataclass
class Issuer:
    """A JWKS on loopback, whose answer a test may change."""

    url: str = ""
    keys: list[dict[str, Any]] = field(default_factory=lambda: [jwk_of(rsa_key())])
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    #: What is sent in place of the keys: pieces, with seconds between them.
    pieces: list[bytes] | None = None
    pause: float = 0
    asked: int = 0
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def settings(self) -> dict[str, Any]:
        return {"JWT_ISSUER": ISSUER, "JWT_AUDIENCE": AUDIENCE, "JWT_KEYS_URL": self.url}

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.asked += 1
        handler.send_response(self.status)
        for name, value in self.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        for piece in self.pieces or [json.dumps({"keys": self.keys}).encode()]:
            try:
                handler.wfile.write(piece)
            except OSError:
                return
            if self.pause and self.released.wait(self.pause):
                return


@contextmanager
def served_issuer() -> Iterator[Issuer]:
    issuer = Issuer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            issuer.answer(self)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    issuer.url = f"http://127.0.0.1:{server.server_port}/keys"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield issuer
    finally:
        issuer.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
