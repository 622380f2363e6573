#!/usr/bin/env bash
# Generates a client from each document and compiles them all in a package of its own, as an outsider would.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: scripts/compile-generated.sh DOCUMENT...

Generates a client from each document (YAML or JSON) and compiles them all in a package of its own, as an
outsider would: Swift 6 mode, warnings are errors. The first document is also built by the plugin, under
MainActor isolation.

  -h, --help   this text

Example: scripts/compile-generated.sh openapi/bookshop.openapi.yaml
Environment: GATEWAY_COMPILE_DIR keeps the package there, so that a second run is incremental; else it is
temporary.
Exit status: 0 when all of it compiles without warnings, 1 when not, 2 for wrong usage.
TEXT
}

for argument in "$@"; do
    case "$argument" in
        -h | --help)
            usage
            exit 0
            ;;
        -*)
            echo "compile-generated: unknown option $argument; see --help" >&2
            exit 2
            ;;
    esac
done
if [ $# -eq 0 ]; then
    usage >&2
    exit 2
fi

root=$(cd "$(dirname "$0")/.." && pwd)
specs=()
for spec in "$@"; do
    [ -r "$spec" ] || { echo "compile-generated: cannot read $spec" >&2; exit 2; }
    specs+=("$(cd "$(dirname "$spec")" && pwd)/$(basename "$spec")")
done

if [ -n "${GATEWAY_COMPILE_DIR:-}" ]; then
    work=$GATEWAY_COMPILE_DIR
    mkdir -p "$work"
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi

echo "compile-generated: building the tool"
swift build --package-path "$root" --product gateway-openapi
tool=$(swift build --package-path "$root" --show-bin-path)/gateway-openapi

targets=""
list=""
rm -rf "$work/Sources"
for spec in "${specs[@]}"; do
    # A module of its own for each document: two documents may have a name in common.
    module="Generated$(basename "$spec" | sed -E 's/\.(yaml|yml|json)$//; s/[^A-Za-z0-9]+/_/g')"
    "$tool" generate "$spec" --output "$work/Sources/$module"
    targets+="        .target(name: \"$module\", dependencies: [client], swiftSettings: settings),"$'\n'
    list+=" $module"
done
mkdir -p "$work/Sources/ByPlugin"
# The plugin knows a document by its name.
plugged=$(basename "${specs[0]}")
[[ $plugged == *openapi.* ]] || plugged=${plugged%.*}.openapi.${plugged##*.}
cp "${specs[0]}" "$work/Sources/ByPlugin/$plugged"
echo '// The client comes from the build plugin.' > "$work/Sources/ByPlugin/ByPlugin.swift"

cat > "$work/Package.swift" <<PACKAGE
// swift-tools-version: 6.2
import PackageDescription

let client: Target.Dependency = .product(name: "GatewayClient", package: "GatewayClient")
let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let package = Package(
    name: "Outsider",
    dependencies: [.package(name: "GatewayClient", path: "$root")],
    targets: [
$targets
        .target(
            name: "ByPlugin", dependencies: [client],
            swiftSettings: settings + [.defaultIsolation(MainActor.self)],
            plugins: [.plugin(name: "GatewayOpenAPIPlugin", package: "GatewayClient")]),
    ]
)
PACKAGE

echo "compile-generated: compiling$list ByPlugin"
swift build --package-path "$work"
echo "compile-generated: all of it compiles without warnings"
