#!/usr/bin/env bash
# Searches the output of a run for the secrets that were used in it.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/check-secrets.sh OUTPUT LEDGER [--may-be-empty]

Searches the file OUTPUT for every secret that LEDGER holds: as it is, percent-encoded, escaped as in JSON, and in
Base64 of any alignment and alphabet; of tokens in three parts (JWT) the second and the third part alone as well. A
finding names the line and the kind of the secret, never the secret. LEDGER has a line for each secret: its kind, a
tab, its bytes in hexadecimal.

  --may-be-empty   a ledger without a secret is no failure: for runs of a few tests
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
import re
import sys

output, ledger, may_be_empty = sys.argv[1:4]
shortest = 16
secrets = {}
try:
    with open(ledger, encoding="ascii") as lines:
        for line in lines:
            kind, tab, digits = line.rstrip("\n").partition("\t")
            secret = bytes.fromhex(digits)
            if tab and len(secret) >= shortest:
                secrets[secret] = kind
except FileNotFoundError:
    pass
if not secrets:
    print("secrets: none was used, so none was searched for")
    sys.exit(0 if may_be_empty else 3)

# What to look for, by its first bytes.
needles = collections.defaultdict(dict)


def add(needle, kind, form):
    if len(needle) >= shortest:
        needles[needle[:shortest]].setdefault(needle, (kind, form))


for secret, kind in secrets.items():
    add(secret, kind, "as it is")
    parts = secret.split(b".")
    if len(parts) == 3:
        for part in parts[1:]:
            add(part, kind, "in part")
    # A line of a key says as much as the key.
    for line in secret.splitlines():
        if not line.startswith(b"-----"):
            add(line.strip(), kind, "in part")
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + secret)
        first = (0, 2, 3)[shift]
        last = len(text.rstrip(b"=")) - (1 if (len(secret) + shift) % 3 else 0)
        add(text[first:last], kind, "in Base64")

text = open(output, "rb").read()
decode = lambda match: bytes([int(match[1], 16)]) if int(match[1], 16) >= 32 else match[0]
forms = [
    (text, ""),
    (text.replace(b"-", b"+").replace(b"_", b"/"), ""),
    (re.sub(rb"%([0-9A-Fa-f]{2})", decode, text), "percent-encoded"),
    (re.sub(rb"%([0-9A-Fa-f]{2})", decode, text.replace(b"+", b" ")), "form-encoded"),
    (text.replace(b"\\", b""), "escaped"),
]
findings = {}
for index, (form, how) in enumerate(forms):
    if index and form == text:
        continue
    for number, line in enumerate(form.split(b"\n"), 1):
        for start in range(len(line) - shortest + 1):
            for needle, (kind, what) in needles.get(line[start : start + shortest], {}).items():
                if line.startswith(needle, start):
                    findings.setdefault((number, kind), how or what)
for (number, kind), what in sorted(findings.items())[:50]:
    print(f"{output}:{number}: a secret is printed: {kind}, {what}", file=sys.stderr)
print(f"secrets: {len(secrets)} of {len(set(secrets.values()))} kinds, {len(findings)} finding(s) in {text.count(10)} lines")
sys.exit(1 if findings else 0)
PY
