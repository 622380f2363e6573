# Sourced by the other scripts: says what is missing on this machine and installs what can be installed.

# Prints a message on standard error.
say() { printf '%s\n' "$*" >&2; }

# Stops where one of these variables is set and no number.
require_numbers() {
    local name
    for name in "$@"; do
        if [ -n "${!name:-}" ] && ! [[ ${!name} =~ ^[0-9]+(\.[0-9]+)?$ ]]; then
            say "$name must be a number, not '${!name}'."
            exit 2
        fi
    done
}

# Ends processes that this shell has started. What does not end within 10 s is killed.
end_processes() {
    local id left _
    for id in "$@"; do kill -TERM "$id" 2> /dev/null || true; done
    for _ in $(seq 100); do
        left=()
        for id in "$@"; do ! kill -0 "$id" 2> /dev/null || left+=("$id"); done
        [ "${#left[@]}" -gt 0 ] || break
        sleep 0.1
    done
    for id in "${left[@]}"; do
        say "The process $id ($(tr '\0' ' ' < "/proc/$id/cmdline" 2> /dev/null | cut -c 1-80)) does not end; it is killed."
        kill -KILL "$id" 2> /dev/null || true
    done
    for id in "$@"; do wait "$id" 2> /dev/null || true; done
}

# Stops with an explanation where there is no Swift, or one that is too old.
require_swift() {
    if ! command -v swift > /dev/null; then
        say "Swift is not installed, or not on the PATH."
        say "Install Swift 6.2 or later for your system (https://www.swift.org/install/linux/), then run this again."
        exit 3
    fi
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
    if [ -n "$version" ] && [ "$(printf '%s\n6.2\n' "$version" | sort -V | head -n 1)" != 6.2 ]; then
        say "This is Swift $version; the project needs Swift 6.2 or later (https://www.swift.org/install/linux/)."
        exit 3
    fi
}

# Installs those of the named distribution packages that are missing.
require_packages() {
    local missing=()
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ "${#missing[@]}" -gt 0 ] || return 0
    if ! command -v apt-get > /dev/null; then
        say "These packages are missing, and this system has no apt-get to install them: ${missing[*]}"
        exit 3
    fi
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo > /dev/null; then
            say "These packages are missing: ${missing[*]}"
            say "Run as root: apt-get install ${missing[*]}"
            exit 3
        fi
        root=(sudo)
    fi
    say "Installing: ${missing[*]}"
    local log
    log=$(mktemp)
    if ! {
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
        # A server that a package brings is started by the tests themselves, never by its package.
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -q -y --no-install-recommends "${missing[@]}"
    } > "$log" 2>&1; then
        tail -n 20 "$log" >&2
        say "The packages could not be installed; the whole log is in $log."
        exit 3
    fi
    rm -f "$log"
}

# Options of `swift build` where nobody debugs: without debug information it takes an eighth less time.
build_options=()
[ -z "${CI:-}" ] || build_options=(-debug-info-format none)

# The libraries that the products are built on.
library_packages=(libcurl4-openssl-dev libjwt-dev libssl-dev libyaml-dev libmicrohttpd-dev libhiredis-dev zlib1g-dev
    libsqlite3-dev pkg-config)
