"""Makes the keys that the counterparts and the tests against them share: python make_keys.py FOLDER

For each algorithm NAME.pem and NAME-public.pem or, of a shared secret, NAME.secret in hexadecimal; `other.pem`, an RSA
key that nobody trusts; `keys.json` with the public keys and `all-keys.json` with the private ones and the secrets, both
written by PyJWT; `client.pem`, `client-key.pem`, `other-client.pem` and `other-client-key.pem`, certificates of clients, and `stranger.pem`
and `stranger-key.pem`, one that nobody trusts.
"""

import datetime
import json
import pathlib
import secrets
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID
from jwt.algorithms import ECAlgorithm, HMACAlgorithm, RSAAlgorithm

folder = pathlib.Path(sys.argv[1])
folder.mkdir(mode=0o700, parents=True, exist_ok=True)
CURVES = {"ES256": ec.SECP256R1(), "ES384": ec.SECP384R1(), "ES512": ec.SECP521R1()}


def private_pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def write(name, key):
    (folder / f"{name}.pem").write_bytes(private_pem(key))
    (folder / f"{name}-public.pem").write_bytes(
        key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )


def certificate(name):
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .sign(key, hashes.SHA256())
    )
    (folder / f"{name}.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / f"{name}-key.pem").write_bytes(private_pem(key))


public, everything = [], []
rsa_key = rsa.generate_private_key(65537, 2048)
for size in (256, 384, 512):
    name = f"RS{size}"
    write(name, rsa_key)
    members = {"kid": name, "alg": name, "use": "sig"}
    public.append(RSAAlgorithm.to_jwk(rsa_key.public_key(), as_dict=True) | members)
    everything.append(RSAAlgorithm.to_jwk(rsa_key, as_dict=True) | members)
    # PyJWT says of a private RSA key that it is for signing alone, so that nobody would verify with its public half.
    del everything[-1]["key_ops"]
for name, curve in CURVES.items():
    key = ec.generate_private_key(curve)
    write(name, key)
    members = {"kid": name, "alg": name, "use": "sig"}
    public.append(ECAlgorithm.to_jwk(key.public_key(), as_dict=True) | members)
    everything.append(ECAlgorithm.to_jwk(key, as_dict=True) | members)
for size in (256, 384, 512):
    name, secret = f"HS{size}", secrets.token_bytes(size // 8)
    # Text that every configuration file takes.
    (folder / f"{name}.secret").write_text(secret.hex())
    everything.append(HMACAlgorithm.to_jwk(secret.hex().encode(), as_dict=True) | {"kid": name, "alg": name})
write("other", rsa.generate_private_key(65537, 2048))
(folder / "keys.json").write_text(json.dumps({"keys": public}))
(folder / "all-keys.json").write_text(json.dumps({"keys": everything}))
certificate("client")
certificate("other-client")
certificate("stranger")
