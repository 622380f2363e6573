#!/usr/bin/env bash
# Checks every OpenAPI document of a folder and counts what is generated, refused and warned about.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/survey.sh [OPTION]... FOLDER

Runs the generator over each OpenAPI document (YAML or JSON) in FOLDER and below, without writing files, and prints tables:
documents that are generated and refused, the rules of the errors and of the warnings, operations and schemas that are
generated, degraded and skipped, and the first error of each refused document. A document is a file whose outermost object
has the key "openapi".

  --tool PATH       a gateway-openapi to use; default: it is built
  --release         the tool is built in release configuration; default: debug
  --jobs N          documents at a time, 1 or 2 (default: 2)
  --timeout S       seconds for each document (default: 120); a slower one is stopped and counted
  --keep DIR        keeps the output of each document in DIR
  -h, --help        this text

Progress is printed to standard error.

Example: scripts/survey.sh --release ~/documents
Exit status: 0 all documents are generated, 1 some are refused or fail, 2 wrong usage, 3 something is missing on this
machine.
TEXT
}

fail() {
    echo "survey: $1; see --help" >&2
    exit 2
}

tool=
configuration=debug
jobs=2
limit=120
work=
folder=
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help)
            usage
            exit 0
            ;;
        --release)
            configuration=release
            shift
            ;;
        --tool | --jobs | --timeout | --keep)
            [ $# -ge 2 ] || fail "$1 requires a value"
            case "$1" in
                --tool) tool=$2 ;;
                --jobs) jobs=$2 ;;
                --timeout) limit=$2 ;;
                --keep) work=$2 ;;
            esac
            shift 2
            ;;
        -*) fail "unknown option $1" ;;
        *)
            [ -z "$folder" ] || fail "expected one folder; unexpected argument $1"
            folder=$1
            shift
            ;;
    esac
done
[ -n "$folder" ] || fail "missing folder"
[ -d "$folder" ] || fail "$folder is not a folder"
[[ $jobs =~ ^[12]$ ]] || fail "--jobs must be 1 or 2, not $jobs"
[[ $limit =~ ^[1-9][0-9]{0,5}$ ]] || fail "--timeout must be a number of seconds, not $limit"

root=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "$tool" ]; then
    . "$root/scripts/packages.sh"
    require_swift
    require_packages "${library_packages[@]}"
    echo "survey: building the tool" >&2
    build=(swift build --package-path "$root" --configuration "$configuration" --product gateway-openapi)
    "${build[@]}" --quiet >&2 || exit 3
    tool=$("${build[@]}" --show-bin-path)/gateway-openapi
fi
[ -x "$tool" ] || fail "$tool is not an executable file"

if [ -n "$work" ]; then
    mkdir -p "$work"
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/gateway-survey.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi

# The documents, in order: in YAML the key begins a line, in JSON it has quotes and a text.
documents=()
while IFS= read -r -d '' file; do
    case "$file" in
        *.json) pattern='"openapi"[[:space:]]*:[[:space:]]*"' ;;
        *) pattern="^[\"']?openapi[\"']?[[:space:]]*:" ;;
    esac
    if grep -qE "$pattern" "$file"; then documents+=("$file"); fi
done < <(find -L "$folder" -type f \( -name '*.yaml' -o -name '*.yml' -o -name '*.json' \) -print0 | LC_ALL=C sort -z)
total=${#documents[@]}
if [ "$total" -eq 0 ]; then
    echo "survey: no OpenAPI documents in $folder" >&2
    exit 1
fi

# Checks one document; its number names the files of its output.
check() {
    local status=0
    timeout "$limit" "$tool" validate --verbose "$2" > "$work/$1.out" 2> "$work/$1.err" || status=$?
    printf '%s\n' "$status" > "$work/$1.status"
    printf '%s\n' "$2" > "$work/$1.path"
}

# Progress: one line that is rewritten on a terminal, otherwise a line for each 25 documents.
progress() {
    if [ -t 2 ]; then
        printf '\r\033[K%s of %s: %s' "$1" "$total" "${documents[$1 - 1]##*/}" >&2
    elif [ $(($1 % 25)) -eq 0 ] || [ "$1" -eq "$total" ]; then
        echo "survey: $1 of $total" >&2
    fi
}

for index in "${!documents[@]}"; do
    if [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; then wait -n || true; fi
    progress $((index + 1))
    check "$index" "${documents[$index]}" &
done
wait
if [ -t 2 ]; then printf '\r\033[K' >&2; fi

# One record for each document, then one for each diagnostic: kind, number, fields.
for ((index = 0; index < total; index++)); do
    printf 'D\t%s\t%s\t%s\n' "$index" "$(< "$work/$index.status")" "$(< "$work/$index.path")"
    tail -n 1 "$work/$index.out" | sed -nE "s/^.*: ([0-9]+ operations?.*)$/C\t$index\t\1/p"
    sed -nE "s/^.*: (error|warning): .*\[([a-z-]+)\]$/\1\t$index\t\2/p" "$work/$index.err"
    { grep -m 1 -E ': error: ' "$work/$index.err" || true; } | sed "s/^/F\t$index\t/"
done | awk -F '\t' '
    function number(text, word) {
        return match(text, "[0-9]+ " word) ? substr(text, RSTART, RLENGTH) + 0 : 0
    }
    # Prints the entries of a count, the largest first.
    function table(title, count, documents, isWide,    rule, line, order) {
        order = "LC_ALL=C sort -k2,2nr -k1,1"
        line = 0
        for (rule in count) line++
        if (!line) return
        printf(isWide ? "\n%-24s %10s %10s\n" : "\n%-24s %10s\n", title, isWide ? "warnings" : "documents", "documents")
        for (rule in count) {
            if (isWide) printf("%-24s %10d %10d\n", rule, count[rule], documents[rule]) | order
            else printf("%-24s %10d\n", rule, count[rule]) | order
        }
        close(order)
    }
    $1 == "D" {
        total++
        path[$2] = $4
        status[$2] = $3
        if ($3 == 0) generated++
        else if ($3 == 1) refused++
        else if ($3 == 124) slow++
        else crashed++
    }
    $1 == "C" {
        split($3, part, /, [0-9]+ schema/)
        schemas = substr($3, length(part[1]) + 3)
        operations += number(part[1], "operation")
        operationsDegraded += number(part[1], "degraded")
        operationsSkipped += number(part[1], "skipped")
        allSchemas += number(schemas, "schema")
        schemasDegraded += number(schemas, "degraded")
        schemasSkipped += number(schemas, "skipped")
    }
    $1 == "F" { first[$2] = $3 }
    $1 == "error" && !(($2, $3) in errorSeen) { errorSeen[$2, $3]; errorRules[$3]++ }
    $1 == "warning" {
        warnings[$3]++
        if (!(($2, $3) in warningSeen)) { warningSeen[$2, $3]; warned[$3]++ }
        if (!($2 in isWarned)) { isWarned[$2]; withWarnings++ }
    }
    END {
        printf("%-24s %10d\n", "documents", total)
        printf("%-24s %10d\n", "generated", generated)
        printf("%-24s %10d\n", "refused", refused)
        if (slow) printf("%-24s %10d\n", "timed out", slow)
        if (crashed) printf("%-24s %10d\n", "crashed", crashed)
        printf("%-24s %10d\n", "with warnings", withWarnings)
        printf("\n%-24s %10s %10s %10s\n", "", "generated", "degraded", "skipped")
        printf("%-24s %10d %10d %10d\n", "operations", operations, operationsDegraded, operationsSkipped)
        printf("%-24s %10d %10d %10d\n", "schemas", allSchemas, schemasDegraded, schemasSkipped)
        fflush()
        table("errors by rule", errorRules, errorRules, 0)
        fflush()
        table("warnings by rule", warnings, warned, 1)
        if (generated == total) exit 0
        print "\nnot generated"
        for (i = 0; i < total; i++) {
            if (status[i] == 0) continue
            if (status[i] == 124) print path[i] ": timed out"
            else if (status[i] != 1) print path[i] ": failed with status " status[i]
            else print (i in first ? first[i] : path[i] ": refused")
        }
        exit 1
    }'
