"""Django OAuth Toolkit as an authorization server and an API, for the tests: rotation with protection against reuse.

GATEWAY_COUNTERPART_FOLDER names the folder of its database. The server speaks for itself at
  POST /o/token/, /o/revoke_token/, /o/introspect/
  GET  /o/authorize/                 whoever comes has signed in and agrees
  GET  /.well-known/oauth-authorization-server/o
  GET  /api/NAME, /naming/NAME       needs the scope `read`; the second says so when it refuses
and the tests prepare and inspect it as they do with authlib_server.py.
"""

import base64
import datetime
import json
import os
import pathlib
import secrets
import threading
import uuid

import django
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings

signing_key = (
    rsa.generate_private_key(public_exponent=65537, key_size=2048)
    .private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    .decode()
)
folder = pathlib.Path(os.environ["GATEWAY_COUNTERPART_FOLDER"])
settings.configure(
    SECRET_KEY=secrets.token_urlsafe(32),
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(folder / "django.sqlite3"),
            "CONN_MAX_AGE": None,
            # Threads wait for one another instead of failing.
            "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE", "init_command": "PRAGMA journal_mode=WAL"},
        }
    },
    # The least work: clients of a test live for seconds.
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    # The tables as they are in the end, without their history.
    MIGRATION_MODULES={"auth": None, "contenttypes": None, "oauth2_provider": None},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    USE_TZ=True,
    OAUTH2_PROVIDER={
        "SCOPES": {"read": "read", "write": "write", "introspection": "introspect", "openid": "sign in"},
        "OIDC_ENABLED": True,
        "OIDC_RSA_PRIVATE_KEY": signing_key,
        "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0,
        "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
        # Answers to the browser name the issuer (RFC 9207).
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    },
)
django.setup()

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, JsonResponse
from django.urls import include, path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from oauth2_provider.decorators import protected_resource
from oauth2_provider.models import AccessToken, Application, RefreshToken
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauth2_provider.urls import metadata_urlpatterns
from oauth2_provider.views import AuthorizationView, TokenView

call_command("migrate", run_syncdb=True, verbosity=0)
person, _ = get_user_model().objects.get_or_create(username="person")
lock = threading.Lock()
requests = {}


class CountingTokenView(TokenView):
    def post(self, request, *args, **kwargs):
        response = super().post(request, *args, **kwargs)
        _, _, basic = request.headers.get("Authorization", "").partition(" ")
        client = request.POST.get("client_id") or base64.b64decode(basic).decode().partition(":")[0]
        with lock:
            asked, granted = requests.get(client, (0, 0))
            requests[client] = (asked + 1, granted + (response.status_code == 200))
        return response


@protected_resource(scopes=["read"], advertise_metadata=True)
def api(request, name):
    return JsonResponse({"name": name})


class NamingValidator(OAuth2Validator):
    """Its refusals name the scopes that are needed (RFC 6750 §3.1), as the toolkit's own do not."""

    def _set_oauth2_error_on_request(self, request, access_token, scopes):
        super()._set_oauth2_error_on_request(request, access_token, scopes)
        if request.oauth2_error["error"] == "insufficient_scope":
            request.oauth2_error["scope"] = " ".join(scopes)
        return request


@protected_resource(scopes=["read"], validator_cls=NamingValidator, advertise_metadata=True)
def naming_api(request, name):
    return JsonResponse({"name": name})


def authorize(request):
    request.user = person
    return AuthorizationView.as_view()(request)


@csrf_exempt
def make_client(request):
    ask = json.loads(request.body)
    secret = ask.get("secret") or secrets.token_urlsafe(24)
    types = {
        "client_credentials": Application.GRANT_CLIENT_CREDENTIALS,
        "refresh_token": Application.GRANT_AUTHORIZATION_CODE,
    }
    client = Application.objects.create(
        name="test",
        user=person,
        client_type=Application.CLIENT_CONFIDENTIAL,
        authorization_grant_type=types[ask["grants"][0]],
        client_secret=secret,
        redirect_uris="http://127.0.0.1/callback",
        skip_authorization=True,
        algorithm=Application.RS256_ALGORITHM,
    )
    return JsonResponse({"id": client.client_id, "secret": secret})


@csrf_exempt
def sign_in(request, client):
    application = Application.objects.get(client_id=client)
    access = AccessToken.objects.create(
        user=person,
        application=application,
        token=secrets.token_urlsafe(24),
        scope="read write",
        expires=timezone.now() + datetime.timedelta(hours=1),
    )
    refresh = RefreshToken.objects.create(
        user=person,
        application=application,
        token=secrets.token_urlsafe(24),
        access_token=access,
        token_family=uuid.uuid4(),
    )
    return JsonResponse({"access_token": access.token, "refresh_token": refresh.token, "expires_in": 3600})


@csrf_exempt
def expire(request, client):
    AccessToken.objects.filter(application__client_id=client).update(expires=timezone.now())
    return JsonResponse({})


def tell(request, client):
    with lock:
        asked, granted = requests.get(client, (0, 0))
    alive = RefreshToken.objects.filter(application__client_id=client, revoked=None).count()
    return JsonResponse({"requests": asked, "granted": granted, "alive": alive})


urlpatterns = [
    path("o/token/", CountingTokenView.as_view()),
    path("o/authorize/", authorize),
    path("", include(metadata_urlpatterns)),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    path("api/<str:name>", api),
    path("naming/<str:name>", naming_api),
    path("control/clients", make_client),
    path("control/clients/<str:client>/sign-in", sign_in),
    path("control/clients/<str:client>/expire", expire),
    path("control/clients/<str:client>", tell),
    path("ready", lambda request: HttpResponse("ready")),
]
app = get_wsgi_application()
