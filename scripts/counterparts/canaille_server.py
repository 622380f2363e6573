"""The OpenID Connect provider canaille for the tests: in memory, with a user `person` whose password is `password`.

GATEWAY_COUNTERPART_KEYS is the folder of make_keys.py, whose keys RS256 and ES256 sign the tokens.
GATEWAY_COUNTERPART_CANAILLE is the host and port of the server. The tests use canaille's own endpoints and pages; anybody
may register clients (RFC 7591).
"""

import json
import os
import pathlib
import secrets

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend

keys = json.loads((pathlib.Path(os.environ["GATEWAY_COUNTERPART_KEYS"]) / "all-keys.json").read_text())

app = create_app(
    {
        "SECRET_KEY": secrets.token_urlsafe(32),
        "SERVER_NAME": os.environ["GATEWAY_COUNTERPART_CANAILLE"],
        "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {"DATABASE": "memory", "JAVASCRIPT": False, "FORCE_HTTPS": False},
        "CANAILLE_OIDC": {
            "ACTIVE_JWKS": [key for key in keys["keys"] if key["kid"] in ("RS256", "ES256")],
            "DYNAMIC_CLIENT_REGISTRATION_OPEN": True,
            "REQUIRE_NONCE": False,
            # By default clients on 127.0.0.1 need no consent.
            "TRUSTED_DOMAINS": [],
        },
    }
)

with app.app_context():
    Backend.instance.save(
        models.User(
            user_name="person",
            formatted_name="Person",
            family_name="Person",
            emails=["person@example.com"],
            password="password",
        )
    )
