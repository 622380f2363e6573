#!/usr/bin/env bash
# Builds the fuzz targets in Tests/Fuzz with libFuzzer and AddressSanitizer, and runs them over the corpus of the tests.
set -euo pipefail
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'TEXT'
usage: scripts/fuzz.sh [--seconds N | --build-only] [--folder PATH] [TARGET…]

Throws inputs at the parsers of what comes from outside, guided by coverage, until the time is up or one of them crashes,
hangs, or prints a secret. Without a target all of them run, one after another.

  challenge        values of WWW-Authenticate
  token            JSON Web Tokens: reading, checking and verifying, libjwt included
  token-response   answers of token endpoints
  key-set          sets of JSON Web Keys, libcrypto included
  json-document    the generator's reader of JSON documents
  yaml-document    its reader of YAML documents, libyaml included
  generator        the whole generator, over documents and over hostile names and descriptions in one

  --seconds N      how long each target runs (60 by default)
  --build-only     builds the targets and runs none
  --folder PATH    where builds, inputs and findings are kept (.build/fuzz by default)
  -h, --help       this text

Inputs that reach new code are kept in PATH/inputs/TARGET and used again by the next run. An input that breaks something is
saved to PATH/findings/TARGET; run PATH/bin/TARGET with that file to see it again.
Exit status: 0 when nothing was found, 1 when something was, 2 for wrong usage, 3 when something is missing.
TEXT
}

all=(challenge token token-response key-set json-document yaml-document generator)
seconds=60
folder=.build/fuzz
targets=()
build_only=false
while (($#)); do
    case "$1" in
        -h | --help)
            usage
            exit 0
            ;;
        --build-only) build_only=true ;;
        --seconds | --folder)
            if (($# < 2)); then
                echo "fuzz.sh: $1 needs a value (see --help)" >&2
                exit 2
            fi
            if [ "$1" = --seconds ]; then seconds=$2; else folder=$2; fi
            shift
            ;;
        -*)
            echo "fuzz.sh: unknown option '$1' (see --help)" >&2
            exit 2
            ;;
        *)
            if [[ " ${all[*]} " != *" $1 "* ]]; then
                echo "fuzz.sh: unknown target '$1'; there are: ${all[*]}" >&2
                exit 2
            fi
            targets+=("$1")
            ;;
    esac
    shift
done
if ! [[ "$seconds" =~ ^[1-9][0-9]{0,6}$ ]]; then
    echo "fuzz.sh: --seconds takes a whole number from 1 on" >&2
    exit 2
fi
if ((${#targets[@]} == 0)); then targets=("${all[@]}"); fi

if ! command -v swiftc > /dev/null; then
    echo "fuzz.sh: swiftc is not on the PATH" >&2
    exit 3
fi
if ! compgen -G "$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/clang/*/lib/*/*fuzzer*" > /dev/null; then
    echo "fuzz.sh: this toolchain has no libFuzzer" >&2
    exit 3
fi

mkdir -p "$folder/bin" "$folder/modules"
folder=$(cd "$folder" && pwd)
log=$folder/build.log
: > "$log"

# What does not run need not be fast.
if $build_only; then effort=(-Onone); else effort=(-O -g); fi
options=(
    "${effort[@]}" -swift-version 6 -parse-as-library -package-name gatewayclient -sanitize=fuzzer,address
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility
    -I "$folder/modules" -I Sources/CLibjwt -I Sources/CLibcrypto -I Sources/CLibyaml
)

compile() {
    if ! swiftc "$@" >> "$log" 2>&1; then
        echo "fuzz.sh: the build failed:" >&2
        grep -E 'error' "$log" | head -20 >&2
        echo "fuzz.sh: the whole of it is in $log" >&2
        exit 3
    fi
}

# A room, built into one object that the fuzzer sees into.
room() {
    local sources
    mapfile -t sources < <(find "Sources/$1" -name '*.swift' | sort)
    echo "  $1 (${#sources[@]} files)"
    compile "${options[@]}" -wmo -enable-testing -module-name "$1" -emit-module \
        -emit-module-path "$folder/modules/$1.swiftmodule" -c "${sources[@]}" -o "$folder/modules/$1.o"
}

echo "== Building with libFuzzer and AddressSanitizer"
# What a target is made of: rooms, and files of the tests.
runtime=(GatewayLibC GatewayCore GatewayPatterns GatewayJSON GatewayDigest GatewayAuth)
helpers=(Tests/Fuzz/TreeChecks.swift Tests/OpenAPIGenerationTests/Fuzzing/{SourceCheck,DocumentShuffler,HostileDocument}.swift)
built=" "
for target in "${targets[@]}"; do
    case "$target" in
        *-document | generator)
            rooms=(GatewayPatterns GatewaySuggestions OpenAPIGeneration)
            files=("${helpers[@]}")
            ;;
        *)
            rooms=("${runtime[@]}")
            files=()
            ;;
    esac
    objects=()
    for name in "${rooms[@]}"; do
        if [[ "$built" != *" $name "* ]]; then
            room "$name"
            built+="$name "
        fi
        objects+=("$folder/modules/$name.o")
    done
    echo "  $target"
    compile "${options[@]}" -use-ld=lld -module-name "Fuzz_${target//-/_}" Tests/Fuzz/FuzzInput.swift \
        "${files[@]}" "Tests/Fuzz/$target.swift" "${objects[@]}" -o "$folder/bin/$target"
done

if $build_only; then
    echo "== Built"
    exit 0
fi

# One file for each line of the tests' corpus, with its escapes resolved.
unfold() {
    python3 - "$1" "$2" <<'PY'
import hashlib
import pathlib
import re
import sys

source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
simple = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"e": b""}


def resolved(match):
    escape = match.group(1)
    return bytes([int(escape[1:], 16)]) if len(escape) == 3 else simple.get(escape, escape)


for line in source.read_bytes().splitlines():
    if line and not line.startswith(b"#"):
        entry = re.sub(rb"\\(x[0-9A-F]{2}|.)", resolved, line)
        (folder / hashlib.sha1(entry).hexdigest()).write_bytes(entry)
PY
}

auth=Tests/GatewayAuthTests/Fuzzing/Corpus
generation=Tests/OpenAPIGenerationTests/Fuzzing/Corpus
declare -A corpora=(
    [challenge]=$auth/challenges [token]=$auth/tokens [token-response]=$auth/token-responses [key-set]=$auth/key-sets
    [json-document]=$generation/json-documents [yaml-document]=$generation/yaml-documents
    [generator]=$generation/generator-documents
)
# The runtime's own report of a crash would get in the way of the fuzzer's.
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
found=()
for target in "${targets[@]}"; do
    inputs=$folder/inputs/$target
    findings=$folder/findings/$target
    mkdir -p "$inputs" "$findings"
    seeds=$folder/seeds/$target
    rm -rf "$seeds"
    unfold "${corpora[$target]}.txt" "$seeds"
    echo "== $target: $(find "$seeds" -type f | wc -l) seeds, $seconds s"
    run=$folder/$target.log
    end=$((SECONDS + seconds))
    status=0
    executed=0
    while ((SECONDS < end)); do
        rm -f "$folder/artifact"-*
        status=0
        # Killed where the fuzzer itself no longer listens.
        timeout --signal=KILL $((end - SECONDS + 60)) "$folder/bin/$target" -max_total_time=$((end - SECONDS)) \
            -timeout=10 -report_slow_units=20 -rss_limit_mb=2048 -max_len=20000 -print_final_stats=1 \
            -artifact_prefix="$folder/artifact-" "$inputs" "$seeds" > "$run" 2>&1 < /dev/null || status=$?
        units=$(grep -aE '^stat::number_of_executed_units' "$run" | grep -oE '[0-9]+$' || echo 0)
        executed=$((executed + units))
        ((status != 0)) || break
        # A machine that is busy makes any input slow: a timeout counts where it happens again.
        slow=$(compgen -G "$folder/artifact-timeout-*" || true)
        if [ -z "$slow" ] || ! timeout --signal=KILL 60 "$folder/bin/$target" -timeout=10 "$slow" \
            > /dev/null 2>&1 < /dev/null; then
            break
        fi
        echo "   one timeout did not happen again"
        status=0
    done
    for artifact in "$folder"/artifact-*; do
        if ((status != 0)) && [ -f "$artifact" ]; then mv "$artifact" "$findings/${artifact##*/artifact-}"; fi
    done
    covered=$(grep -aoE 'cov: [0-9]+ ft: [0-9]+' "$run" | tail -1 || true)
    echo "   $executed executions, $((executed / seconds)) a second, ${covered:-no coverage}," \
        "$(find "$inputs" -type f | wc -l) inputs kept"
    if ((status != 0)); then
        found+=("$target")
        echo "   FOUND (status $status): see $findings and $run"
        grep -aE 'ERROR: |Fatal error|SUMMARY: ' "$run" | head -5 | sed 's/^/   /'
    fi
done

if ((${#found[@]})); then
    echo "== Findings in: ${found[*]} ($folder/findings)"
    exit 1
fi
echo "== Nothing found"
