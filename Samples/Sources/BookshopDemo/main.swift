import Foundation
import GatewayClient
import GatewayTelemetry
import GatewayTesting

/// Says how to call the gateway, and waits until standard input ends.
func serve(_ gateway: EmbeddedGateway) throws {
    let token = try gateway.issueAccessToken()
    print("The bookshop is served at \(gateway.apiURL)")
    print("Tokens are had at        \(gateway.tokenURL)")
    print("  client \(gateway.client.id), secret '\(gateway.client.secret.exposed)'")
    print(
        "A token, good for \(Int(EmbeddedGateway.Configuration().accessTokenLifetime.components.seconds)) s:")
    print(token.token.exposed)
    print("It ends when standard input does (Ctrl-D) or with Ctrl-C.")
    fflush(nil)
    while readLine() != nil {}
}

/// Serves metrics to Prometheus, by a server of the test kit.
func serve(_ metrics: RequestMetricsCollector, port: UInt16) throws -> EmbeddedGateway {
    var configuration = EmbeddedGateway.Configuration()
    configuration.port = port
    let server = try EmbeddedGateway.start(configuration)
    server.route(.get, "/metrics") { request async in
        let (contentType, bytes) = await metrics.exposition(accepting: request.fields["Accept"])
        return EmbeddedGateway.Reply(fields: [.contentType: contentType], body: bytes)
    }
    print("Metrics are served at \(server.origin)/metrics")
    fflush(nil)
    return server
}

func run(_ options: Options) async -> Int32 {
    do {
        var configuration = EmbeddedGateway.Configuration()
        configuration.bookCount = max(options.calls, 200)
        let gateway = try EmbeddedGateway.start(configuration)
        defer { gateway.shutdown() }
        if options.isServing {
            try serve(gateway)
            return 0
        }
        if options.hasDashboard {
            try await DashboardDemo.run(gateway, options)
            return 0
        }
        let telemetry = try ClientTelemetry.environment()
        let server = try options.metricsPort.map { try serve(telemetry.metrics, port: $0) }
        defer { server?.shutdown() }
        var demo = Demo(gateway: gateway, telemetry: telemetry)
        try await demo.typedCalls()
        try await demo.revocation(calls: options.calls)
        try await demo.outage()
        try await demo.duplicates()
        let isGood = demo.summarise()
        if server != nil {
            print("It ends when standard input does (Ctrl-D) or with Ctrl-C.")
            fflush(nil)
            while readLine() != nil {}
        }
        return isGood ? 0 : 1
    } catch {
        Terminal.complain("\(error)")
        return 1
    }
}

switch Options.parse(Array(CommandLine.arguments.dropFirst())) {
case .help: print(Options.usage)
case .wrong(let complaint):
    Terminal.complain(complaint)
    exit(2)
case .run(let options): exit(await run(options))
}
