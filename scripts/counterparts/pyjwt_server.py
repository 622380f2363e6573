"""PyJWT over HTTP: signs and verifies JSON Web Tokens for the tests, with the keys that make_keys.py has made.

GATEWAY_COUNTERPART_KEYS names their folder.
  POST /sign     {"algorithm", "claims", "headers", "key"} → {"token"}; `key` names another key than the algorithm's
  POST /verify   {"token", "algorithm", "audience", "issuer"} → {"claims", "headers"}, or {"error": class of PyJWT's}
  POST /forge    {"kind", "claims"} → {"token"}, of a kind that nobody may take
  POST /proof    {"method", "url", "token", "nonce", "fault"} → {"proof"}: of possession of a key (RFC 9449 §4.2)
  POST /proven   {"proof", "method", "url", "token", "nonce"} → {"thumbprint", "id"}, or {"error": what is wrong}
  GET  /keys     what is published of the keys
"""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import secrets
import time

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
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


def digest(text):
    return encode(hashlib.sha256(text.encode()).digest())


def public_jwk(algorithm):
    handler = jwt.get_algorithm_by_name(algorithm)
    members = handler.to_jwk(handler.prepare_key(key(algorithm, public=True)), as_dict=True)
    return {name: value for name, value in members.items() if name != "key_ops"}


@app.post("/proof")
def proof():
    ask = request.get_json()
    fault, algorithm = ask.get("fault"), ask.get("algorithm") or "ES256"
    signer, headers = key(algorithm), {"typ": "dpop+jwt", "jwk": public_jwk(algorithm)}
    claims = {"jti": secrets.token_urlsafe(16), "htm": ask["method"], "htu": ask["url"], "iat": int(time.time())}
    if ask.get("token"):
        claims["ath"] = digest(ask["token"])
    if ask.get("nonce"):
        claims["nonce"] = ask["nonce"]
    if fault in claims:
        del claims[fault]
    elif fault == "type":
        headers["typ"] = "JWT"
    elif fault == "method":
        claims["htm"] = "PUT"
    elif fault == "address":
        claims["htu"] += "/other"
    elif fault == "old":
        claims["iat"] -= 600
    elif fault == "future":
        claims["iat"] += 600
    elif fault == "hash":
        claims["ath"] = digest("another token")
    elif fault == "signature":
        headers["jwk"] = public_jwk("ES256")
        headers["jwk"]["x"], headers["jwk"]["y"] = other_point()
    elif fault == "key":
        del headers["jwk"]
    elif fault == "private":
        handler = jwt.get_algorithm_by_name(algorithm)
        headers["jwk"] = handler.to_jwk(handler.prepare_key(signer), as_dict=True)
    elif fault == "secret":
        algorithm, signer = "HS256", key("HS256")
        headers["jwk"] = {"kty": "oct", "k": encode(signer)}
    elif fault == "unsigned":
        algorithm, signer = "none", None
    return jsonify(proof=jwt.encode(claims, signer, algorithm=algorithm, headers=headers))


def other_point():
    handler = jwt.get_algorithm_by_name("ES256")
    members = handler.to_jwk(ec.generate_private_key(ec.SECP256R1()).public_key(), as_dict=True)
    return members["x"], members["y"]


@app.post("/proven")
def proven():
    """The checks of RFC 9449 §4.3."""
    ask = request.get_json()
    try:
        headers = jwt.get_unverified_header(ask["proof"])
        held = jwt.PyJWK(headers["jwk"])
        token = jwt.decode(ask["proof"], held.key, algorithms=["ES256", "ES384", "ES512"])
    except (jwt.PyJWTError, KeyError) as error:
        return jsonify(error=type(error).__name__)
    names = {"EC": ("crv", "kty", "x", "y"), "RSA": ("e", "kty", "n")}[headers["jwk"]["kty"]]
    members = {name: headers["jwk"][name] for name in names}
    for is_good, error in (
        (headers["typ"] == "dpop+jwt", "typ"),
        (set(headers["jwk"]) == set(names), "jwk"),
        (token.get("htm") == ask["method"], "htm"),
        (token.get("htu") == ask["url"], "htu"),
        (abs(token.get("iat", 0) - time.time()) < 60, "iat"),
        (token.get("ath") == (digest(ask["token"]) if ask.get("token") else None), "ath"),
        (token.get("nonce") == ask.get("nonce"), "nonce"),
        (len(token.get("jti", "")) >= 16, "jti"),
    ):
        if not is_good:
            return jsonify(error=error)
    thumbprint = digest(json.dumps(members, separators=(",", ":"), sort_keys=True))
    return jsonify(thumbprint=thumbprint, id=token["jti"])


@app.get("/ready")
def ready():
    return "ready"
