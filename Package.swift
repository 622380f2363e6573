// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Warnings are errors where this variable is set. It is not `CI`, which pipelines of packages that depend on this one set,
/// too: there a warning of a later compiler must not fail the build.
let areWarningsErrors = Context.environment["GATEWAY_WARNINGS_AS_ERRORS"] != nil
let warnings: [SwiftSetting] = areWarningsErrors ? [.treatAllWarnings(as: .error)] : []

let testSettings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + warnings

/// Tests go without strict memory safety: it only adds noise to what their macros expand to.
let settings: [SwiftSetting] = testSettings + [.strictMemorySafety()]

let package = Package(
    name: "GatewayClient",
    products: [
        .library(name: "GatewayClient", targets: ["GatewayClient"]),
        .library(name: "GatewayDashboard", targets: ["GatewayDashboard"]),
        .library(name: "GatewayDiskCache", targets: ["GatewayDiskCache"]),
        .library(name: "GatewayNetworkMonitor", targets: ["GatewayNetworkMonitor"]),
        .library(name: "GatewayOfflineQueue", targets: ["GatewayOfflineQueue"]),
        .library(name: "GatewayQueueTesting", targets: ["GatewayQueueTesting"]),
        .library(name: "GatewayRedis", targets: ["GatewayRedis"]),
        .library(name: "GatewayTelemetry", targets: ["GatewayTelemetry"]),
        .library(name: "GatewayTesting", targets: ["GatewayTesting"]),
        .executable(name: "gateway", targets: ["gateway"]),
        .executable(name: "gateway-chaos", targets: ["gateway-chaos"]),
        .executable(name: "gateway-openapi", targets: ["gateway-openapi"]),
        .plugin(name: "GatewayOpenAPIPlugin", targets: ["GatewayOpenAPIPlugin"]),
        .plugin(name: "GenerateClientCommand", targets: ["GenerateClientCommand"]),
        .plugin(name: "CheckClientCommand", targets: ["CheckClientCommand"]),
    ],
    targets: [
        // The distribution's C libraries.
        .systemLibrary(name: "CLibcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CLibyaml", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(
            name: "CLibjwt", pkgConfig: "libjwt", providers: [.apt(["libjwt-dev"])]),
        .systemLibrary(
            name: "CLibcrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CLibssl", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CLibmicrohttpd", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CLibhiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        // Headers of the C library.
        .systemLibrary(name: "CEpoll"),
        .systemLibrary(name: "CNetlink"),

        // What the runtime, the generator and the commands share.
        .target(name: "GatewayLibC", swiftSettings: settings),
        .target(name: "GatewaySuggestions", swiftSettings: settings),
        .target(name: "GatewayPatterns", swiftSettings: settings),

        // The runtime.
        .target(name: "GatewayCore", dependencies: ["GatewayLibC"], swiftSettings: settings),
        .target(name: "GatewayDigest", dependencies: ["CLibcrypto"], swiftSettings: settings),
        .target(
            name: "GatewayCurl",
            dependencies: ["GatewayCore", "GatewayLibC", "CLibcurl", "CLibssl", "CZlib"],
            swiftSettings: settings),
        .target(
            name: "GatewayResilience", dependencies: ["GatewayCore", "GatewayDigest", "GatewayLibC"],
            swiftSettings: settings),
        .target(
            name: "GatewayNetworkMonitor", dependencies: ["GatewayCore", "GatewayLibC", "CNetlink"],
            swiftSettings: settings),
        .target(name: "GatewayJSON", dependencies: ["GatewayPatterns"], swiftSettings: settings),
        .target(
            name: "GatewayTelemetry", dependencies: ["GatewayCore", "GatewayJSON", "GatewayLibC", "CZlib"],
            swiftSettings: settings),
        .target(
            name: "GatewayTesting",
            dependencies: [
                "GatewayCore", "GatewayJSON", "GatewayDigest", "GatewayAuth", "GatewayResilience",
                "GatewayListener", "GatewayLibC",
            ],
            swiftSettings: settings),
        // The HTTP server of the test kit and the dashboard. No product: it is not offered as a server for users.
        .target(
            name: "GatewayListener", dependencies: ["GatewayCore", "GatewayLibC", "CLibmicrohttpd"],
            swiftSettings: settings),
        .target(
            name: "GatewayAuth",
            dependencies: [
                "GatewayCore", "GatewayJSON", "GatewayDigest", "GatewayLibC", "CLibjwt", "CLibcrypto",
            ],
            swiftSettings: settings),
        .target(
            name: "GatewayRedis", dependencies: ["GatewayCore", "GatewayAuth", "GatewayLibC", "CLibhiredis"],
            swiftSettings: settings),
        .target(
            name: "GatewaySQLite", dependencies: ["GatewayCore", "GatewayLibC", "CSQLite"],
            swiftSettings: settings),
        .target(
            name: "GatewayDiskCache",
            dependencies: [
                "GatewayCore", "GatewayDigest", "GatewayResilience", "GatewaySQLite", "GatewayLibC",
                "CSQLite",
            ],
            swiftSettings: settings),
        .target(
            name: "GatewayOfflineQueue", dependencies: ["GatewayCore", "GatewaySQLite", "GatewayLibC"],
            swiftSettings: settings),
        .target(
            name: "GatewayQueueTesting", dependencies: ["GatewayOfflineQueue", "GatewayCore"],
            swiftSettings: settings),
        .target(
            name: "GatewayOpenAPI",
            dependencies: [
                "GatewayCore", "GatewayJSON", "GatewayDigest", "GatewayAuth", "GatewayPatterns",
                "GatewayLibC",
            ],
            swiftSettings: settings),
        .target(
            name: "GatewayClient",
            dependencies: [
                "GatewayCore", "GatewayJSON", "GatewayCurl", "GatewayResilience", "GatewayAuth",
                "GatewayNetworkMonitor", "GatewayOpenAPI", "GatewaySuggestions", "GatewayLibC",
            ],
            swiftSettings: settings),

        .target(
            name: "GatewayDashboard",
            dependencies: [
                "GatewayClient", "GatewayResilience", "GatewayTelemetry", "GatewayListener", "GatewayJSON",
                "GatewayDigest", "GatewayCore",
            ],
            swiftSettings: settings),

        // The generator.
        .target(
            name: "OpenAPIGeneration", dependencies: ["CLibyaml", "GatewayPatterns", "GatewaySuggestions"],
            swiftSettings: settings),
        .plugin(
            name: "GatewayOpenAPIPlugin", capability: .buildTool(), dependencies: ["gateway-openapi"],
            path: "Sources/Plugins/GatewayOpenAPIPlugin"),
        .plugin(
            name: "GenerateClientCommand",
            capability: .command(
                intent: .custom(
                    verb: "generate-client",
                    description: "Writes the clients of OpenAPI documents into the sources."),
                permissions: [
                    .writeToPackageDirectory(
                        reason: "The generated clients and openapi.lock are written there.")
                ]),
            dependencies: ["gateway-openapi"], path: "Sources/Plugins/GenerateClientCommand"),
        .plugin(
            name: "CheckClientCommand",
            capability: .command(
                intent: .custom(
                    verb: "check-client",
                    description: "Lists the files of generate-client that are out of date.")),
            dependencies: ["gateway-openapi"], path: "Sources/Plugins/CheckClientCommand"),

        // Commands.
        .target(name: "CommandArguments", dependencies: ["GatewaySuggestions"], swiftSettings: settings),
        .executableTarget(
            name: "gateway",
            dependencies: [
                "CommandArguments", "GatewayClient", "GatewayDiskCache", "GatewayNetworkMonitor",
                "GatewayOfflineQueue", "GatewaySuggestions", "GatewayTelemetry", "GatewayLibC",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "gateway-openapi", dependencies: ["CommandArguments", "GatewayLibC", "OpenAPIGeneration"],
            swiftSettings: settings),
        .executableTarget(
            name: "gateway-chaos", dependencies: ["CommandArguments", "GatewayLibC", "CEpoll"],
            swiftSettings: settings),
        .target(name: "CCurlBaseline", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "CBenchServer"),
        .target(name: "CAllocationCounter"),
        .executableTarget(
            name: "gateway-bench",
            dependencies: [
                "BenchmarkClients", "CommandArguments", "GatewayClient", "GatewayDiskCache",
                "GatewayOfflineQueue", "GatewayRedis", "GatewayTelemetry", "GatewayDashboard",
                "GatewayTesting", "CSQLite", "CCurlBaseline", "CBenchServer", "CAllocationCounter",
            ],
            swiftSettings: settings, plugins: ["GatewayOpenAPIPlugin"]),
        .target(
            name: "BenchmarkClients", dependencies: ["CBenchServer", "CAllocationCounter"],
            swiftSettings: settings),
        .executableTarget(
            name: "gateway-bench-urlsession", dependencies: ["BenchmarkClients"], swiftSettings: settings),

        // Tests.
        .testTarget(
            name: "GatewayCoreTests", dependencies: ["GatewayCore", "GatewayTesting"],
            swiftSettings: testSettings),
        .testTarget(
            name: "GatewayNetworkMonitorTests",
            dependencies: [
                "GatewayNetworkMonitor", "GatewayOfflineQueue", "GatewayClient", "GatewayOpenAPI",
                "GatewayCore", "GatewayTesting",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "CommandArgumentsTests", dependencies: ["CommandArguments"], swiftSettings: testSettings),
        .testTarget(
            name: "GatewayJSONTests", dependencies: ["GatewayJSON", "GatewayPatterns"],
            swiftSettings: testSettings),
        .testTarget(
            name: "GatewayCurlTests",
            dependencies: [
                "GatewayCurl", "GatewayAuth", "GatewayResilience", "GatewayCore", "GatewayTesting",
                "CLibcurl", "CLibssl", "CZlib", "CSpareDescriptors",
            ],
            exclude: ["Options/OPTIONS.md"], swiftSettings: testSettings),
        .testTarget(
            name: "GatewayResilienceTests",
            dependencies: [
                "GatewayResilience", "GatewayDigest", "GatewayTesting", "GatewayCore", "CAllocationCounter",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "GatewayTestingTests",
            dependencies: [
                "GatewayTesting", "GatewayListener", "GatewayAuth", "GatewayCurl", "GatewayJSON",
                "GatewayCore",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "GatewayAuthTests",
            dependencies: [
                "GatewayClient", "GatewayAuth", "GatewayDigest", "GatewayCurl", "GatewayTesting",
                "GatewayJSON",
                "GatewayCore", "TokenProbing", "FuzzCorpora",
            ],
            exclude: ["Fuzzing/Corpus"], swiftSettings: testSettings),
        .testTarget(
            name: "GatewayTelemetryTests",
            dependencies: [
                "GatewayTelemetry", "GatewayClient", "GatewayTesting", "GatewayJSON", "GatewayCore",
                "CAllocationCounter",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "GatewayDashboardTests",
            dependencies: [
                "GatewayDashboard", "GatewayClient", "GatewayAuth", "GatewayResilience", "GatewayTelemetry",
                "GatewayTesting", "GatewayListener", "GatewayDigest", "GatewayJSON", "GatewayCore",
                "CAllocationCounter",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "GatewayRedisTests",
            dependencies: [
                "GatewayRedis", "GatewayClient", "GatewayAuth", "GatewayTesting", "GatewayCore",
                "TokenProbing",
            ],
            swiftSettings: testSettings),
        // They start gateway-cache-writer, which every build of the tests makes.
        .testTarget(
            name: "GatewayDiskCacheTests",
            dependencies: [
                "GatewayDiskCache", "GatewaySQLite", "GatewayResilience", "GatewayTesting", "GatewayCore",
                "CFaultFileSystem", "CSQLite",
            ],
            swiftSettings: testSettings),
        // They start gateway-queue-worker, which every build of the tests makes.
        .testTarget(
            name: "GatewayOfflineQueueTests",
            dependencies: [
                "GatewayOfflineQueue", "GatewayQueueTesting", "GatewaySQLite", "GatewayTesting",
                "GatewayCore",
                "CFaultFileSystem", "CSQLite",
            ],
            swiftSettings: testSettings),
        // A VFS of SQLite whose operations fail when a test wants it.
        .target(
            name: "CFaultFileSystem", path: "Tests/Support/CFaultFileSystem",
            linkerSettings: [.linkedLibrary("sqlite3")]),
        // Descriptors for Dispatch while a test has taken all others.
        .target(name: "CSpareDescriptors", path: "Tests/Support/CSpareDescriptors"),
        // A process that writes into a disk cache until it is killed.
        .executableTarget(
            name: "gateway-cache-writer",
            dependencies: ["GatewayDiskCache", "GatewayResilience", "GatewayCore"],
            path: "Tests/Support/gateway-cache-writer", swiftSettings: testSettings),
        // A process that stores and sends the entries of a queue until it is killed.
        .executableTarget(
            name: "gateway-queue-worker",
            dependencies: ["GatewayOfflineQueue", "GatewayCurl", "GatewayCore"],
            path: "Tests/Support/gateway-queue-worker", swiftSettings: testSettings),
        // A process that adds entries to a queue, for tests that trace it.
        .executableTarget(
            name: "gateway-queue-writer", dependencies: ["GatewayOfflineQueue", "GatewayCore"],
            path: "Tests/Support/gateway-queue-writer", swiftSettings: testSettings),
        // A process that tests start in numbers and kill, and what drives it.
        .executableTarget(
            name: "gateway-token-probe",
            dependencies: ["GatewayRedis", "GatewayAuth", "GatewayCurl", "GatewayCore"],
            path: "Tests/Support/gateway-token-probe", swiftSettings: testSettings),
        .target(
            name: "TokenProbing",
            dependencies: ["GatewayAuth", "GatewayTesting", "GatewayCore", "TestTiers"],
            path: "Tests/Support/TokenProbing", swiftSettings: testSettings),
        // An HTTP cache as a process, for cache test suites of other projects.
        .executableTarget(
            name: "gateway-cache-probe", dependencies: ["GatewayResilience", "GatewayCurl", "GatewayCore"],
            path: "Tests/Support/gateway-cache-probe", swiftSettings: testSettings),
        // A service that continues the traces of its requests, for the test suite of W3C.
        .executableTarget(
            name: "gateway-trace-probe",
            dependencies: [
                "GatewayTelemetry", "GatewayResilience", "GatewayListener", "GatewayCurl", "GatewayCore",
            ],
            path: "Tests/Support/gateway-trace-probe", swiftSettings: testSettings),
        // Traits of tests: where a test runs, and why it costs more than others; and what several targets of tests need.
        .target(name: "TestTiers", path: "Tests/Support/TestTiers", swiftSettings: testSettings),
        .target(name: "FuzzCorpora", path: "Tests/Support/FuzzCorpora", swiftSettings: testSettings),
        // The documentation page on errors, whose tables tests produce.
        .target(
            name: "DocumentedErrors", path: "Tests/Support/DocumentedErrors", swiftSettings: testSettings),
        // They run gateway-openapi, which every build of the tests makes. Named here beside the plugin's use of
        // it, it would be linked into the tests twice.
        .testTarget(
            name: "OpenAPIGenerationTests",
            dependencies: ["OpenAPIGeneration", "DocumentedErrors", "FuzzCorpora"],
            exclude: ["Fuzzing/Corpus"], resources: [.copy("Fixtures")], swiftSettings: testSettings),
        // They run gateway-bench, which every build of the tests makes.
        .testTarget(
            name: "GatewayBenchTests", dependencies: ["GatewayTesting", "CBenchServer"],
            swiftSettings: testSettings),
        // They run gateway, which every build of the tests makes.
        .testTarget(
            name: "GatewayCommandTests",
            dependencies: [
                "GatewayOfflineQueue", "GatewaySQLite", "GatewayTesting", "GatewayListener", "GatewayCore",
                "DocumentedErrors",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "GatewayClientTests", dependencies: ["GatewayClient", "GatewayTesting"],
            swiftSettings: testSettings),
        // Prints every public type of the libraries and searches the output for secrets.
        .testTarget(
            name: "GatewaySecrecyTests",
            dependencies: [
                "GatewayClient", "GatewayDiskCache", "GatewayNetworkMonitor", "GatewayOfflineQueue",
                "GatewayRedis", "GatewayTelemetry", "GatewayDashboard",
                "GatewayTesting", "GatewayOpenAPI", "GatewayAuth", "GatewayResilience", "GatewayCurl",
                "GatewayJSON", "GatewayCore",
            ],
            swiftSettings: testSettings),
        .testTarget(
            name: "GatewayOpenAPITests",
            dependencies: [
                "GatewayClient", "GatewayOfflineQueue", "GatewayOpenAPI", "GatewayAuth", "GatewayJSON",
                "GatewayTesting", "GatewayCore", "DocumentedErrors", "CAllocationCounter",
            ],
            resources: [.copy("Fixtures")], swiftSettings: testSettings, plugins: ["GatewayOpenAPIPlugin"]),
    ]
)

for target in package.targets where target.type == .test {
    target.dependencies.append("TestTiers")
}

// What no test for ThreadSanitizer needs. Its build of the rest takes minutes less without it.
if let kind = Context.environment["GATEWAY_THREAD_SANITIZER"] {
    var unneeded: Set = [
        "GenerateClientCommand", "CheckClientCommand", "gateway", "gateway-bench", "gateway-bench-urlsession",
        "BenchmarkClients", "CCurlBaseline", "CBenchServer", "gateway-cache-probe",
        "CommandArgumentsTests", "GatewayJSONTests", "GatewaySecrecyTests", "GatewayBenchTests",
        "GatewayCommandTests",
        "OpenAPIGenerationTests",
    ]
    let ofGeneratedClients: Set = [
        "OpenAPIGeneration", "GatewayOpenAPIPlugin", "gateway-openapi", "GatewayOpenAPITests",
        "DocumentedErrors",
    ]
    if kind != "thread-all" { unneeded.formUnion(ofGeneratedClients) }
    package.products.removeAll { unneeded.contains($0.name) }
    package.targets.removeAll { unneeded.contains($0.name) }
    if kind == "thread-all" {
        // Runs the command, which is not built.
        let network = package.targets.first { $0.name == "GatewayNetworkMonitorTests" }
        network?.exclude.append("Namespace/StatusCommandTests.swift")
    } else {
        for target in package.targets where target.type == .test {
            let folder = Context.packageDirectory + "/Tests/" + target.name
            // Files of suites that are not tagged as concurrent.
            target.exclude += (FileManager.default.subpaths(atPath: folder) ?? []).filter { path in
                guard path.hasSuffix("Tests.swift"),
                    let text = try? String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
                else { return false }
                return text.contains("@Suite") && !text.contains(".concurrent")
            }
        }
    }
}
