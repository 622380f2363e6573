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

        // The runtime.
        .target(name: "GatewayCore", swiftSettings: settings),
        .target(name: "GatewayResilience", dependencies: ["GatewayCore"], swiftSettings: settings),
        .target(name: "GatewayTesting", dependencies: ["GatewayCore"], swiftSettings: settings),

        // The generator.

        // Commands.

        // Tests.
        .testTarget(name: "GatewayCoreTests", dependencies: ["GatewayCore"], swiftSettings: testSettings),
        .testTarget(
            name: "GatewayResilienceTests",
            dependencies: ["GatewayResilience", "GatewayTesting", "GatewayCore"],
            swiftSettings: testSettings),
        .testTarget(
            name: "GatewayTestingTests", dependencies: ["GatewayTesting", "GatewayCore"],
            swiftSettings: testSettings),
    ]
)
