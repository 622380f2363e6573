"""Round trips of documents through generated clients. See scripts/round-trips.sh --help."""

import argparse
import collections
import os
import re
import subprocess
import sys
import time

from trip import Trip
from values import text

HEAD = ["document", "schemas", "instances", "mismatch", "none", "operations", "requests", "judged", "in part",
        "unjudged", "wrong", "answers", "wrong", "skipped"]


def table(rows):
    rows = [HEAD] + rows
    widths = [max(len(str(row[index])) for row in rows) for index in range(len(HEAD))]
    lines = []
    for row in rows:
        cells = [str(cell).ljust(width) if index == 0 else str(cell).rjust(width)
                 for index, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells))
    return "\n".join(lines)


def documents(paths):
    for path in paths:
        if os.path.isdir(path):
            for name in sorted(os.listdir(path)):
                whole = os.path.join(path, name)
                if os.path.isfile(whole) and name.endswith((".yaml", ".yml", ".json")):
                    with open(whole, encoding="utf-8", errors="replace") as file:
                        source = file.read()
                    # In JSON the key may be behind all others.
                    if re.search(r"""^["']?openapi["']?\s*:|"openapi"\s*:""", source, re.M):
                        yield whole
        else:
            yield path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", default="1")
    parser.add_argument("--instances", type=int, default=6)
    parser.add_argument("--variants", type=int, default=3)
    parser.add_argument("--failures", type=int, default=10)
    parser.add_argument("--record")
    parser.add_argument("--unknown-properties", action="store_true")
    parser.add_argument("--root", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    sys.setrecursionlimit(20000)
    trips, names = [], set()
    for path in documents(options.paths):
        name = ("Keeping" if options.unknown_properties else "Exercise") + "".join(part[:1].upper() + part[1:] for part in
                                    "".join(c if c.isalnum() else " " for c in os.path.basename(path).rsplit(".", 1)[0]).split())
        while name in names:
            name += "2"
        names.add(name)
        print(f"round-trips: {path}: generating", flush=True)
        trip = Trip(path, name, options, options.work)
        trip.generate(options.tool)
        trips.append(trip)
    write_package(options, [trip for trip in trips if hasattr(trip, "base")])
    rows, failed = [], False
    report = open(os.path.join(options.work, "report.txt"), "w", encoding="utf-8")
    for trip in trips:
        start = time.monotonic()
        print(f"round-trips: {trip.name}: compiling", flush=True)
        if trip.failures and not hasattr(trip, "base"):
            rows.append(trip.row())
            failed = True
            write_report(report, trip)
            print(f"  {trip.failures[0][2]}")
            continue
        built = subprocess.run(["swift", "build", "--package-path", options.work, "--product", trip.name],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if built.returncode != 0:
            lines = [line for line in built.stdout.decode(errors="replace").splitlines() if "error:" in line]
            print("\n".join(lines[:20]) or built.stdout.decode(errors="replace")[-2000:])
            trip.fail("build", trip.path, "the client with its driver does not compile", None, None)
        else:
            compiled = time.monotonic()
            trip.work()
            print(f"round-trips: {trip.name}: {len(trip.lines)} cases; compiling took {compiled - start:.0f} s, "
                  f"making them {time.monotonic() - compiled:.0f} s", flush=True)
            trip.judge()
            if options.record:
                with open(options.record, "w", encoding="utf-8") as out:
                    out.writelines(text(record) + "\n" for record in trip.records)
        rows.append(trip.row())
        failed = failed or bool(trip.failures)
        write_report(report, trip)
        for what, where, problem, given, got in trip.failures[:options.failures]:
            print(f"  {what} {where}: {problem}")
        if len(trip.failures) > options.failures:
            print(f"  and {len(trip.failures) - options.failures} more: see {report.name}")
    report.close()
    notes = collections.Counter()
    for trip in trips:
        notes.update({note: count for note, count in trip.notes.items() if not note.startswith("no valid instance")})
    print("\n" + table(rows))
    print(f"\nAmong them: {sum(trip.made.unknown for trip in trips)} properties that no document names, where"
          f" additionalProperties allows them; {sum(trip.made.kept for trip in trips)} that are kept as unknown properties,"
          f" {sum(trip.count['other order'] for trip in trips)} objects with them in another order; {sum(trip.count['forms of parts'] for trip in trips)} forms of parts.")
    print("\nWhat was not judged, or judged with an allowance:")
    for note, count in sorted(notes.items(), key=lambda item: (item[0].split(":")[0], -item[1])):
        print(f"  {count:6}  {note}")
    sys.exit(1 if failed else 0)


def write_report(report, trip):
    report.write(f"==== {trip.path}\n")
    for what, where, problem, given, got in trip.failures:
        report.write(f"{what} {where}\n    {problem}\n    given: {given}\n    got:   {got}\n")
    for one in sorted(trip.respelt):
        report.write(f"respelt {one}\n")
    for note, count in sorted(trip.notes.items()):
        report.write(f"note {count:6} {note}\n")
    report.flush()


def write_package(options, trips):
    targets = "".join(
        f'        .executableTarget(name: "{trip.name}", dependencies: [client], swiftSettings: settings),\n'
        for trip in trips)
    manifest = f"""// swift-tools-version: 6.2
import PackageDescription

let client: Target.Dependency = .product(name: "GatewayClient", package: "GatewayClient")
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning),
]

let package = Package(
    name: "RoundTrips",
    dependencies: [.package(name: "GatewayClient", path: "{options.root}")],
    targets: [
{targets}    ]
)
"""
    place = os.path.join(options.work, "Package.swift")
    if not os.path.exists(place) or open(place).read() != manifest:
        with open(place, "w") as out:
            out.write(manifest)


if __name__ == "__main__":
    main()
