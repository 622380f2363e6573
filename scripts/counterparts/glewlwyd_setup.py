"""Prepares glewlwyd for the tests.

    python glewlwyd_setup.py database PATH    creates its database, before it starts
    python glewlwyd_setup.py server URL       creates what the tests need, over its administration API

This is a user `person` with the password `password`, who may grant the scopes `openid`, `read` and `write`, and two
instances of the OpenID Connect plugin: /api/oidc, and /api/nonces, where proofs of possession need a nonce. Both let
anybody register clients (RFC 7591). Objects that exist already are not changed. GATEWAY_COUNTERPART_KEYS is the folder
of make_keys.py, whose key ES256 signs the tokens.
"""

import http.cookiejar
import json
import os
import pathlib
import sqlite3
import sys
import urllib.error
import urllib.request

SCRIPT = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
# The administrator of a new database.
ADMINISTRATOR = {"username": "admin", "password": "password"}
PERSON = {"username": "person", "password": "password"}
SCOPES = ["read", "write"]


def make_database(path):
    # In one transaction, which is much faster than one for each table.
    script = pathlib.Path(SCRIPT).read_text()
    with sqlite3.connect(path) as connection:
        connection.executescript(f"BEGIN;\n{script}\nCOMMIT;")


def plugin(name, url, requires_nonces):
    keys = json.loads((pathlib.Path(os.environ["GATEWAY_COUNTERPART_KEYS"]) / "all-keys.json").read_text())
    signer = next(key for key in keys["keys"] if key["kid"] == "ES256")
    enabled = ["code", "client", "device", "refresh"]
    return {
        "module": "oidc",
        "name": name,
        "display_name": name,
        "enabled": True,
        "parameters": {
            "iss": f"{url}/api/{name}",
            "jwks-private": json.dumps({"keys": [signer]}),
            "default-kid": signer["kid"],
            "jwks-show": True,
            "subject-type": "public",
            "access-token-duration": 3600,
            "refresh-token-duration": 86400,
            "code-duration": 600,
            "refresh-token-rolling": True,
            "refresh-token-one-use": "always",
            "allow-non-oidc": True,
            **{f"auth-type-{kind}-enabled": True for kind in enabled},
            "auth-type-token-enabled": False,
            "auth-type-id-token-enabled": True,
            "auth-type-password-enabled": False,
            "auth-type-code-revoke-replayed": True,
            "pkce-allowed": True,
            "pkce-method-plain-allowed": False,
            "pkce-required": True,
            "allowed-scope": ["openid", *SCOPES],
            "introspection-revocation-allowed": True,
            "introspection-revocation-allow-target-client": True,
            "register-client-allowed": True,
            "register-client-auth-scope": [],
            "register-client-credentials-scope": SCOPES,
            "register-client-management-allowed": True,
            "request-parameter-allow": True,
            "request-maximum-exp": 3600,
            "client-jwks-parameter": "jwks",
            "client-jwks_uri-parameter": "jwks_uri",
            "device-authorization-expiration": 600,
            # The shortest: tests wait for it.
            "device-authorization-interval": 1,
            "oauth-dpop-allowed": True,
            "oauth-dpop-iat-duration": 60,
            "oauth-dpop-iat-gap-duration": 5,
            "oauth-dpop-nonce-mandatory": requires_nonces,
            "oauth-dpop-nonce-counter": 5,
            # Answers to the browser name the issuer (RFC 9207).
            "oauth-as-iss-id": True,
        },
    }


def configure(url):
    cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies)

    def send(method, path, body=None):
        request = urllib.request.Request(
            f"{url}/api{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            return opener.open(request, timeout=60).status
        except urllib.error.HTTPError as error:
            if error.code == 404 and method == "GET":
                return 404
            sys.exit(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}")

    def add(path, name, body):
        if send("GET", f"{path}/{name}") == 404:
            send("POST", path, body)

    send("POST", "/auth", ADMINISTRATOR)
    for scope in SCOPES:
        add("/scope", scope, {"name": scope, "display_name": scope, "password_required": True})
    add("/user", PERSON["username"], PERSON | {"name": "Person", "scope": ["openid", *SCOPES], "enabled": True})
    add("/mod/plugin", "oidc", plugin("oidc", url, False))
    add("/mod/plugin", "nonces", plugin("nonces", url, True))


match sys.argv[1:]:
    case ["database", path]:
        make_database(path)
    case ["server", url]:
        configure(url)
    case _:
        sys.exit(__doc__)
