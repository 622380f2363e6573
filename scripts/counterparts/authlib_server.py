"""An authorization server and an API by Authlib, for the tests: everything in memory, each test with a client of its own.

GATEWAY_COUNTERPART_KEYS names the folder of make_keys.py. The server speaks for itself at
  POST /oauth/token, /oauth/revoke, /oauth/introspect, /oauth/device
  GET  /api/NAME                     needs the scope `read`
and the tests prepare and inspect it at
  POST /control/clients              {"methods", "grants"} → {"id", "secret"}; a certificate that proves a client is
                                      of `CN=client`
  POST /control/clients/ID/sign-in   → a token response for a person
  POST /control/clients/ID/expire    no access token of the client counts any more
  GET  /control/clients/ID           → {"requests": token requests, "granted", "assertions": distinct ones,
                                      "hurried": questions of devices that came too soon}
  POST /control/device/USER_CODE     {"approved"}: the person has answered
"""

import base64
import hashlib
import json
import os
import pathlib
import secrets
import ssl
import threading
import time
import urllib.parse

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenValidator, InvalidTokenError
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion, JWTBearerGrant
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
from flask import Flask, jsonify, request
from joserfc.jwk import KeySet

# The tests use loopback without TLS.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
keys = KeySet.import_key_set(
    json.loads((pathlib.Path(os.environ["GATEWAY_COUNTERPART_KEYS"]) / "keys.json").read_text())
)
lock = threading.RLock()
clients, tokens, devices, answers, used = {}, [], {}, {}, set()
METHODS = ["client_secret_basic", "client_secret_post", "client_assertion_jwt", "tls_client_auth", "none"]


class Client(ClientMixin):
    def __init__(self, methods, granted):
        self.id, self.secret = secrets.token_urlsafe(12), secrets.token_urlsafe(24)
        self.methods, self.grants = methods, granted
        self.requests = self.granted = self.assertions = self.hurried = 0

    def get_client_id(self):
        return self.id

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return " ".join(one for one in (scope or "").split() if one in ("read", "write"))

    def check_client_secret(self, client_secret):
        return secrets.compare_digest(self.secret, client_secret)

    def check_endpoint_auth_method(self, method, endpoint):
        return method in self.methods

    def check_grant_type(self, grant_type):
        return grant_type in self.grants


def thumbprint():
    """`x5t#S256` of the certificate that nginx has seen on the connection (RFC 8705 §3.1); None without one."""
    text = urllib.parse.unquote(request.headers.get("X-Client-Certificate", ""))
    if not text or request.headers.get("X-Client-Verify") != "SUCCESS":
        return None
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(text)).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


class Token(TokenMixin):
    def __init__(self, client, user, response, bound_to=None):
        self.client, self.user, self.response, self.bound_to = client, user, response, bound_to
        self.issued = time.time()
        self.access_revoked = self.refresh_revoked = False

    def check_client(self, client):
        return self.client is client

    def get_scope(self):
        return self.response.get("scope") or ""

    def get_expires_in(self):
        return self.response["expires_in"]

    def is_expired(self):
        return time.time() > self.issued + self.response["expires_in"]

    def is_revoked(self):
        return self.access_revoked

    def get_user(self):
        return self.user

    def get_client(self):
        return self.client


def find(text, kind):
    with lock:
        return next((token for token in tokens if token.response.get(kind) == text), None)


def save_token(response, ask):
    with lock:
        ask.client.granted += 1
        # Every token that is got with a certificate is bound to it (RFC 8705 §3).
        tokens.append(Token(ask.client, ask.user, dict(response), thumbprint()))


app = Flask(__name__)
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
server = AuthorizationServer(app, query_client=clients.get, save_token=save_token)


class ClientAssertion(JWTBearerClientAssertion):
    def get_audiences(self):
        return [request.host_url + "oauth/token"]

    def resolve_client_public_key(self, client):
        return keys

    def validate_jti(self, claims, jti):
        with lock:
            name = (claims["sub"], jti)
            if name in used:
                return False
            used.add(name)
            clients[claims["sub"]].assertions += 1
            return True


def authenticate_by_certificate(query_client, ask):
    """`tls_client_auth` (RFC 8705 §2.1): nginx has verified the certificate, and whose it is decides."""
    client = query_client(ask.form.get("client_id"))
    is_verified = request.headers.get("X-Client-Verify") == "SUCCESS"
    if client and is_verified and request.headers.get("X-Client-Subject") == "CN=client":
        return client
    return None


server.register_client_auth_method("tls_client_auth", authenticate_by_certificate)
server.register_client_auth_method(ClientAssertion.CLIENT_AUTH_METHOD, ClientAssertion())


class ClientCredentialsGrant(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS[:4]


class RefreshTokenGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        token = find(refresh_token, "refresh_token")
        return token if token and not token.refresh_revoked else None

    def authenticate_user(self, refresh_token):
        return refresh_token.user

    def revoke_old_credential(self, refresh_token):
        with lock:
            refresh_token.access_revoked = refresh_token.refresh_revoked = True


class AssertionGrant(JWTBearerGrant):
    def get_audiences(self):
        return [request.host_url + "oauth/token"]

    def resolve_issuer_client(self, issuer):
        return clients.get(issuer)

    def resolve_client_public_key(self, client):
        return keys

    def authenticate_user(self, subject):
        return subject if subject.startswith("person") else None

    def has_granted_permission(self, client, user):
        return True


class DeviceGrant(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS

    def query_device_credential(self, device_code):
        return devices.get(device_code)

    def query_user_grant(self, user_code):
        return answers.get(user_code)

    def should_slow_down(self, credential):
        with lock:
            now, last = time.monotonic(), credential.get("asked")
            credential["asked"] = now
            is_hurried = last is not None and now - last < credential["interval"] - 0.1
            clients[credential["client_id"]].hurried += is_hurried
            return is_hurried


class Device(DeviceAuthorizationEndpoint):
    CLIENT_AUTH_METHODS = METHODS
    # The shortest: tests wait for it.
    INTERVAL = 1

    def get_verification_uri(self):
        return request.host_url + "device"

    def save_device_credential(self, client_id, scope, data):
        credential = {"client_id": client_id, "scope": scope, "expires_at": time.time() + data["expires_in"]}
        devices[data["device_code"]] = DeviceCredentialDict(data | credential)


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = METHODS

    def query_token(self, token_string, token_type_hint):
        return find(token_string, "access_token") or find(token_string, "refresh_token")

    def revoke_token(self, token, ask):
        with lock:
            token.access_revoked = True
            token.refresh_revoked |= ask.form.get("token_type_hint") != "access_token"


class Introspection(IntrospectionEndpoint):
    CLIENT_AUTH_METHODS = METHODS[:4]

    def query_token(self, token_string, token_type_hint):
        return find(token_string, "access_token")

    def check_permission(self, token, client, ask):
        return token.client is client

    def introspect_token(self, token):
        claims = {
            "client_id": token.client.id,
            "token_type": "Bearer",
            "scope": token.get_scope(),
            "iss": request.host_url,
            "iat": int(token.issued),
            "exp": int(token.issued + token.response["expires_in"]),
        }
        return claims | ({"sub": token.user, "username": token.user} if token.user else {})


for grant in (ClientCredentialsGrant, RefreshTokenGrant, AssertionGrant, DeviceGrant):
    server.register_grant(grant)
for endpoint in (Device, Revocation, Introspection):
    server.register_endpoint(endpoint)


class Validator(BearerTokenValidator):
    def authenticate_token(self, token_string):
        return find(token_string, "access_token")

    def validate_token(self, token, scopes, ask, **kwargs):
        super().validate_token(token, scopes, ask, **kwargs)
        # RFC 8705 §3: a bound token counts with its certificate alone.
        if token.bound_to and token.bound_to != thumbprint():
            raise InvalidTokenError()


protected = ResourceProtector()
protected.register_token_validator(Validator())


@app.post("/oauth/token")
def token():
    name = request.authorization.username if request.authorization else request.form.get("client_id")
    with lock:
        if name in clients:
            clients[name].requests += 1
    return server.create_token_response()


@app.post("/oauth/revoke")
def revoke():
    return server.create_endpoint_response(Revocation.ENDPOINT_NAME)


@app.post("/oauth/introspect")
def introspect():
    return server.create_endpoint_response(Introspection.ENDPOINT_NAME)


@app.post("/oauth/device")
def device():
    return server.create_endpoint_response(Device.ENDPOINT_NAME)


@app.get("/api/<name>")
@protected("read")
def api(name):
    return jsonify(name=name)


@app.post("/control/clients")
def make_client():
    ask = request.get_json()
    client = Client(ask["methods"], ask["grants"])
    clients[client.id] = client
    return jsonify(id=client.id, secret=client.secret)


@app.post("/control/clients/<name>/sign-in")
def sign_in(name):
    response = server.generate_token(
        grant_type="refresh_token", client=clients[name], user="person", scope="read write", expires_in=3600
    )
    with lock:
        tokens.append(Token(clients[name], "person", dict(response)))
    return jsonify(response)


@app.post("/control/clients/<name>/expire")
def expire(name):
    with lock:
        for one in tokens:
            one.access_revoked |= one.client is clients[name]
    return jsonify({})


@app.get("/control/clients/<name>")
def tell(name):
    client = clients[name]
    return jsonify(
        requests=client.requests, granted=client.granted, assertions=client.assertions, hurried=client.hurried
    )


@app.post("/control/device/<code>")
def answer(code):
    answers[code] = ("person", request.get_json()["approved"])
    return jsonify({})


@app.get("/ready")
def ready():
    return "ready"
