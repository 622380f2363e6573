#!/usr/bin/env bash
# Searches the output of a run for the secrets that were used in it.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/check-secrets.sh OUTPUT LEDGER [--may-be-empty]

Searches the file OUTPUT for every secret in LEDGER: as it is, percent-encoded, form-encoded, escaped as in JSON, and
in Base64 of any alignment and alphabet. Of tokens in three parts (JWT) the second and the third part alone are found
as well, and of keys each line. A finding names the line and the kind of the secret, never the secret. LEDGER has one
line for each secret: its kind, a tab, its bytes in hexadecimal. Secrets of fewer than 16 bytes are not searched for, nor
what is encoded more than twice, in Base64 with line breaks or twice, compressed, or in other alphabets.

  --may-be-empty   a ledger without secrets is not a failure: for runs of a few tests
  -h, --help       this text

Exit status: 0 nothing was found, 1 a secret was, 2 wrong usage, 3 there was nothing to search for.
TEXT
}

files=()
may_be_empty=
for argument in "$@"; do
    case "$argument" in
        -h | --help)
            usage
            exit 0
            ;;
        --may-be-empty) may_be_empty=yes ;;
        -*)
            echo "check-secrets.sh: unknown option '$argument' (see --help)" >&2
            exit 2
            ;;
        *) files+=("$argument") ;;
    esac
done
if [ "${#files[@]}" -ne 2 ] || [ ! -r "${files[0]}" ]; then
    echo "check-secrets.sh: wants the output and the ledger (see --help)" >&2
    exit 2
fi

exec python3 - "${files[@]}" "$may_be_empty" <<'PY'
import base64
import collections
import json
import re
import sys
import urllib.parse

output, ledger, may_be_empty = sys.argv[1:4]
shortest = 16
secrets = {}
try:
    with open(ledger, encoding="ascii") as lines:
        for line in lines:
            kind, tab, digits = line.rstrip("\n").partition("\t")
            secret = bytes.fromhex(digits)
            if not tab:
                sys.exit(f"{ledger}: a line has no kind")
            if len(secret) >= shortest:
                secrets[secret] = kind
except FileNotFoundError:
    pass
except ValueError:
    # The error itself would print a part of it.
    sys.exit(f"{ledger}: a line is not in hexadecimal")
if not secrets:
    print("secrets: none was used, so none was searched for")
    sys.exit(0 if may_be_empty else 3)

# Needles and lines are compared in the standard alphabet of Base64.
standard = bytes.maketrans(b"-_", b"+/")
# What to look for, by its first bytes.
needles = collections.defaultdict(dict)
# The words (8 bytes) in the end of each needle: a line that has the needle has one of them at a multiple of 8 bytes.
words = set()


def in_words(text):
    return memoryview(text)[: len(text) // 8 * 8].cast("Q")


def add(needle, kind, form):
    if len(needle) >= shortest:
        needle = needle.translate(standard)
        needles[needle[:shortest]].setdefault(needle, (kind, form))
        for start in range(len(needle) - shortest, len(needle) - 8):
            words.update(in_words(needle[start : start + 8]))


for secret, kind in secrets.items():
    add(secret, kind, "as it is")
    parts = secret.split(b".")
    if len(parts) == 3:
        for part in parts[1:]:
            add(part, kind, "in part")
    # One line of a key is enough to find it.
    for line in secret.splitlines():
        if not line.startswith(b"-----"):
            add(line.strip(), kind, "in part")
    # What stands in Base64 may be encoded before: Basic credentials are, as forms (RFC 6749, section 2.3.1).
    text = secret.decode(errors="replace")
    escaped = json.dumps(text, ensure_ascii=False)[1:-1]
    encoded_texts = {
        urllib.parse.quote_plus(secret), urllib.parse.quote(secret), urllib.parse.quote(secret, safe=""), escaped,
        escaped.replace("/", "\\/"), json.dumps(text)[1:-1],
    }
    for text in {secret} | {one.encode() for one in encoded_texts}:
        for shift in range(3):
            encoded = base64.b64encode(b"\0" * shift + text)
            first = (0, 2, 3)[shift]
            last = len(encoded.rstrip(b"=")) - (1 if (len(text) + shift) % 3 else 0)
            add(encoded[first:last], kind, "in Base64")


def percent_decoded(text):
    return re.sub(rb"%([0-9A-Fa-f]{2})", lambda match: bytes.fromhex(match[1].decode()), text)


def unescaped(match):
    if match[1]:
        return bytes.fromhex(match[1].replace(b"\\u", b"").decode()).decode("utf-16-be", "replace").encode()
    return {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(match[2], match[2])


decoders = [
    ("percent-encoded", percent_decoded),
    ("form-encoded", lambda text: percent_decoded(text.replace(b"+", b" "))),
    ("escaped", lambda text: text.replace(b"\\", b"")),
    ("escaped", lambda text: re.sub(rb"((?:\\u[0-9A-Fa-f]{4})+)|\\(.)", unescaped, text)),
]


def forms(line):
    """The line as it is, decoded once, and decoded twice, each with the name of the first decoder."""
    found = {line: ""}
    if b"%" in line or b"+" in line or b"\\" in line:
        for _ in range(2):
            for form, how in list(found.items()):
                for name, decoder in decoders:
                    found.setdefault(decoder(form), how or name)
    return found.items()


findings = {}
clean = set()
with open(output, "rb") as file:
    lines = file.read().split(b"\n")
if lines == [b""]:
    print("secrets: the output is empty", file=sys.stderr)
    sys.exit(3)
for number, line in enumerate(lines, 1):
    if line in clean:
        continue
    clean.add(line)
    for form, how in forms(line):
        form = form.translate(standard)
        if words.isdisjoint(in_words(form)):
            continue
        for start in range(len(form) - shortest + 1):
            for needle, (kind, what) in needles.get(form[start : start + shortest], {}).items():
                if form.startswith(needle, start):
                    clean.discard(line)
                    findings.setdefault((number, kind), how or what)
for (number, kind), what in sorted(findings.items())[:50]:
    print(f"{output}:{number}: a secret is printed: {kind}, {what}", file=sys.stderr)
kinds = len(set(secrets.values()))
print(f"secrets: {len(secrets)} of {kinds} kinds, {len(findings)} finding(s) in {len(lines) - 1} lines")
sys.exit(1 if findings else 0)
PY
