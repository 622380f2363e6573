import BenchmarkClients
import FoundationEssentials
import GatewayClient
import GatewayTesting
import Glibc

/// `gateway-bench rollover`: whether tokens that end under load are followed without a call's noticing.
///
/// The gateway with its token endpoint is in this process, the clients are in processes of their own.
struct RolloverRun {
    /// Renewal begins in the last fifth of a lifetime. A token that follows another sooner than this part of it was
    /// asked for a second time, however late the one before was received on a busy machine.
    private static let shortestPart = 0.5

    private var isJSON = false
    private var lifetimes = 60
    private var lifetimeSeconds = 3
    private var processes = 1
    private var store = "none"
    private var concurrency = 32
    private var rate = 0
    /// Whether the server ends its tokens early, so that there is something to find.
    private var revokes = false

    init(_ arguments: [String]) throws(BenchmarkFailure) {
        var arguments = arguments[...]
        while let option = arguments.popFirst() {
            if option == "--json" {
                isJSON = true
                continue
            }
            if option == "--revoke" {
                revokes = true
                continue
            }
            guard let value = arguments.popFirst() else {
                throw .usage("'\(option)' is unknown or has no value")
            }
            switch option {
            case "--lifetimes": lifetimes = try Self.count(value, option, 1...100_000)
            case "--seconds": lifetimeSeconds = try Self.count(value, option, 2...86_400)
            case "--processes": processes = try Self.count(value, option, 1...64)
            case "--concurrency": concurrency = try Self.count(value, option, 1...1_000)
            case "--rate": rate = try Self.count(value, option, 1...1_000_000)
            case "--store":
                let port = value.hasPrefix("redis:") ? UInt16(value.dropFirst(6)) : 1
                guard ["none", "file"].contains(value) || (value.hasPrefix("redis:") && port != nil) else {
                    throw .usage("unknown store '\(value)'")
                }
                store = value
            default: throw .usage("unknown option '\(option)'")
            }
        }
        guard processes == 1 || store != "none" else {
            throw .usage("several processes need a shared store")
        }
    }

    private static func count(
        _ value: String, _ option: String, _ range: ClosedRange<Int>
    ) throws(BenchmarkFailure) -> Int {
        guard let count = Int(value), range.contains(count) else {
            throw .usage("'\(option)' must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return count
    }

    /// Prints what came of it.
    ///
    /// - Returns: whether nobody noticed.
    func run() async throws -> Bool {
        Children.stopOnSignals()
        Descriptors.raiseLimit()
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "gateway-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let gateway = try makeGateway()
        defer { gateway.shutdown() }
        let directions = try JSONEncoder().encode(
            RolloverClient.Directions(
                apiURL: "\(gateway.origin)", tokenURL: gateway.tokenURL, clientID: gateway.client.id,
                secret: gateway.client.secret.exposed,
                refreshToken: try gateway.signIn().refreshToken.exposed, store: place(folder),
                concurrency: concurrency, rate: Double(rate) / Double(processes)))
        let environment = [RolloverClient.variable: String(decoding: directions, as: UTF8.self)]
        let started = ProcessUsage.now
        let clients = try (0..<processes).map { _ in
            try BenchProcess(["client-rollover"], environment: environment)
        }
        await waitForTokens(gateway, lifetimes + 1)
        for client in clients { client.stop() }
        var outcome = RolloverClient.Outcome()
        for client in clients { outcome.add(try client.result(RolloverClient.Outcome.self)) }
        Terminal.endProgress()
        let report = RolloverReport(
            processes: processes, store: String(store.prefix { $0 != ":" }), lifetimes: lifetimes,
            lifetimeSeconds: lifetimeSeconds, seconds: ProcessUsage.now - started, outcome: outcome,
            statistics: gateway.statistics, shortestPart: Self.shortestPart)
        print(isJSON ? try report.json() : report.lines)
        return report.failures.isEmpty
    }

    private func makeGateway() throws -> EmbeddedGateway {
        var configuration = EmbeddedGateway.Configuration()
        configuration.journalLimit = 0
        configuration.accessTokenLifetime = .seconds(lifetimeSeconds)
        let gateway = try EmbeddedGateway.start(configuration)
        gateway.route(.get, RolloverClient.path, access: .anyToken) { _ in .text(Workload.content) }
        return gateway
    }

    private func place(_ folder: URL) -> String {
        switch store {
        case "none": "none"
        case "file": "file:\(folder.path)"
        default: "\(store)/\(folder.lastPathComponent):"
        }
    }

    /// Returns when the clients have got so many tokens and made calls with the last one, or take too long.
    private func waitForTokens(_ gateway: EmbeddedGateway, _ count: Int) async {
        let patience = Double(lifetimeSeconds * (count + 1)) * 1.5 + 10
        let end = ProcessUsage.now + patience
        var shown = 0
        while gateway.statistics.tokensGranted < count, ProcessUsage.now < end {
            try? await Task.sleep(for: revokes ? .milliseconds(700) : .milliseconds(20))
            let granted = gateway.statistics.tokensGranted
            if revokes { gateway.revokeCurrentTokens() }
            if granted / 10 > shown / 10 {
                Terminal.progress("\(granted) of \(count) tokens")
                shown = granted
            }
        }
        try? await Task.sleep(for: .milliseconds(200))
    }
}
