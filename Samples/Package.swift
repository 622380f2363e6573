// swift-tools-version: 6.2
import PackageDescription

let client: Target.Dependency = .product(name: "GatewayClient", package: "GatewayClient")

let package = Package(
    name: "Samples",
    products: [
        .executable(name: "bookshop-demo", targets: ["BookshopDemo"]),
        .executable(name: "bookshop-orders", targets: ["BookshopOrders"]),
        .executable(name: "bookshop-service", targets: ["BookshopService"]),
        .executable(name: "orders-service", targets: ["OrdersService"]),
    ],
    // In a package of your own a URL and a version stand here.
    dependencies: [.package(name: "GatewayClient", path: "..")],
    targets: [
        .target(
            name: "BookshopAPI", dependencies: [client],
            plugins: [.plugin(name: "GatewayOpenAPIPlugin", package: "GatewayClient")]),
        .executableTarget(
            name: "BookshopDemo",
            dependencies: [
                "BookshopAPI", client, .product(name: "GatewayDashboard", package: "GatewayClient"),
                .product(name: "GatewayNetworkMonitor", package: "GatewayClient"),
                .product(name: "GatewayOfflineQueue", package: "GatewayClient"),
                .product(name: "GatewayTelemetry", package: "GatewayClient"),
                .product(name: "GatewayTesting", package: "GatewayClient"),
            ]),
        .executableTarget(
            name: "BookshopOrders",
            dependencies: [
                "BookshopAPI", client, .product(name: "GatewayOfflineQueue", package: "GatewayClient"),
                .product(name: "GatewayTesting", package: "GatewayClient"),
            ]),
        .target(
            name: "ReadmeExamples",
            dependencies: [
                "BookshopAPI", client, .product(name: "GatewayDashboard", package: "GatewayClient"),
                .product(name: "GatewayDiskCache", package: "GatewayClient"),
                .product(name: "GatewayTelemetry", package: "GatewayClient"),
                .product(name: "GatewayNetworkMonitor", package: "GatewayClient"),
                .product(name: "GatewayOfflineQueue", package: "GatewayClient"),
                .product(name: "GatewayTesting", package: "GatewayClient"),
            ],
            plugins: [.plugin(name: "GatewayOpenAPIPlugin", package: "GatewayClient")]),
        .executableTarget(name: "BookshopService", dependencies: ["BookshopAPI", client]),
        .executableTarget(
            name: "OrdersService",
            dependencies: [
                client, .product(name: "GatewayOfflineQueue", package: "GatewayClient"),
                .product(name: "GatewayTelemetry", package: "GatewayClient"),
                .product(name: "GatewayTesting", package: "GatewayClient"),
            ],
            exclude: ["README.md"],
            plugins: [.plugin(name: "GatewayOpenAPIPlugin", package: "GatewayClient")]),
        // They run orders-service, which every build of the tests makes.
        .testTarget(
            name: "OrdersServiceTests",
            dependencies: [client, .product(name: "GatewayTesting", package: "GatewayClient")]),
    ]
)
