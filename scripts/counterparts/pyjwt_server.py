"""PyJWT over HTTP: signs and verifies JSON Web Tokens for the tests, with the keys that make_keys.py has made.

GATEWAY_COUNTERPART_KEYS names their folder.
  POST /sign     {"algorithm", "claims", "headers", "key"} → {"token"}; `key` names another key than the algorithm's
  POST /verify   {"token", "algorithm", "audience", "issuer"} → {"claims", "headers"}, or {"error": class of PyJWT's}
  POST /forge    {"kind", "claims"} → {"token"}, of a kind that nobody may take
  GET  /keys     what is published of the keys
"""

import base64
import hashlib
import hmac
import json
import os
import pathlib

import jwt
from flask import Flask, jsonify, request

folder = pathlib.Path(os.environ["GATEWAY_COUNTERPART_KEYS"])
app = Flask(__name__)


def key(name, public=False):
    if name.startswith("HS"):
        return (folder / f"{name}.secret").read_bytes()
    return (folder / f"{name}{'-public' if public else ''}.pem").read_bytes()


def encode(value):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@app.get("/keys")
def keys():
    return app.response_class((folder / "keys.json").read_bytes(), mimetype="application/jwk-set+json")


@app.post("/sign")
def sign():
    ask = request.get_json()
    token = jwt.encode(
        ask["claims"], key(ask.get("key") or ask["algorithm"]), algorithm=ask["algorithm"], headers=ask.get("headers")
    )
    return jsonify(token=token)


@app.post("/verify")
def verify():
    ask = request.get_json()
    try:
        token = jwt.decode_complete(
            ask["token"],
            key(ask["algorithm"], public=True),
            algorithms=[ask["algorithm"]],
            audience=ask.get("audience"),
            issuer=ask.get("issuer"),
            options={"require": ["exp"]},
        )
    except jwt.PyJWTError as error:
        return jsonify(error=type(error).__name__)
    return jsonify(claims=token["payload"], headers=token["header"])


@app.post("/forge")
def forge():
    ask = request.get_json()
    claims = encode(ask["claims"])
    if ask["kind"] == "none":
        return jsonify(token=jwt.encode(ask["claims"], None, algorithm="none"))
    if ask["kind"] == "stripped":
        token = jwt.encode(ask["claims"], key("RS256"), algorithm="RS256", headers={"kid": "RS256"})
        return jsonify(token=token.rpartition(".")[0] + ".")
    if ask["kind"] == "confused":
        # RFC 8725 §2.1: a public key taken for a shared secret. PyJWT itself refuses to.
        text = encode({"alg": "HS256", "typ": "JWT", "kid": "RS256"}) + "." + claims
        mac = hmac.new(key("RS256", public=True), text.encode(), hashlib.sha256).digest()
        return jsonify(token=text + "." + encode(mac))
    if ask["kind"] == "embedded":
        # RFC 8725 §2.5: the token brings the key that is to be believed.
        public = jwt.algorithms.RSAAlgorithm.to_jwk(
            jwt.algorithms.RSAAlgorithm(jwt.algorithms.RSAAlgorithm.SHA256).prepare_key(key("other", public=True)),
            as_dict=True,
        )
        headers = {"jwk": public, "kid": "RS256"}
        return jsonify(token=jwt.encode(ask["claims"], key("other"), algorithm="RS256", headers=headers))
    if ask["kind"] == "critical":
        headers = {"crit": ["x"], "x": 1, "kid": "RS256"}
        return jsonify(token=jwt.encode(ask["claims"], key("RS256"), algorithm="RS256", headers=headers))
    if ask["kind"] == "PSS":
        headers = {"kid": "RS256"}
        return jsonify(token=jwt.encode(ask["claims"], key("RS256"), algorithm="PS256", headers=headers))
    return jsonify(error="unknown kind"), 400


@app.get("/ready")
def ready():
    return "ready"
