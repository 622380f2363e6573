// swift-tools-version: 6.2
import PackageDescription

/// Warnings are errors where `CI` is set.
let warnings: [SwiftSetting] = Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]

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
        .library(name: "GatewayTesting", targets: ["GatewayTesting"])
    ],
    targets: [
        // The distribution's C libraries.
        .systemLibrary(
            name: "CLibjwt", pkgConfig: "libjwt", providers: [.apt(["libjwt-dev"]), .brew(["libjwt"])]),
        .systemLibrary(
            name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),

        // The runtime.
        .target(name: "GatewayCore", swiftSettings: settings),
        .target(name: "GatewayResilience", dependencies: ["GatewayCore"], swiftSettings: settings),
        .target(name: "GatewayJSON", swiftSettings: settings),
        .target(name: "GatewayTesting", dependencies: ["GatewayCore"], swiftSettings: settings),
        .target(
            name: "GatewayAuth", dependencies: ["GatewayCore", "GatewayJSON", "CLibjwt", "CLibcrypto"],
            swiftSettings: settings),

        // The generator.

        // Commands.

        // Tests.
        .testTarget(name: "GatewayCoreTests", dependencies: ["GatewayCore"], swiftSettings: testSettings),
        .testTarget(name: "GatewayJSONTests", dependencies: ["GatewayJSON"], swiftSettings: testSettings),
        .testTarget(
            name: "GatewayResilienceTests",
            dependencies: ["GatewayResilience", "GatewayTesting", "GatewayCore"],
            swiftSettings: testSettings),
        .testTarget(
            name: "GatewayTestingTests", dependencies: ["GatewayTesting", "GatewayCore"],
            swiftSettings: testSettings),
        .testTarget(
            name: "GatewayAuthTests", dependencies: ["GatewayAuth", "GatewayTesting", "GatewayJSON", "GatewayCore"],
            swiftSettings: testSettings),
    ]
)
