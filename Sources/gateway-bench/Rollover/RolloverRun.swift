import BenchmarkClients
import CommandArguments
import FoundationEssentials
import GatewayClient
import GatewayTesting
import Glibc

/// `gateway-bench rollover`: whether tokens that end under load are followed without a call's noticing.
///
/// The gateway with its token endpoint is in this process, the clients are in processes of their own.
struct RolloverRun {
    static let options = [
        OptionSpec("--json", help: "print JSON instead of lines"),
        OptionSpec(
            "--lifetimes", nil, .text("N"),
            help: "how many tokens follow one another (default: 60)"),
        OptionSpec("--seconds", nil, .text("N"), help: "how long each token lives (default: 3)"),
        OptionSpec("--processes", nil, .text("N"), help: "processes that make the calls (default: 1)"),
        OptionSpec(
            "--store", nil, .text("STORE"),
            help: "what they share: none (one process only), file, or redis:PORT (default: none)"),
        OptionSpec("--concurrency", nil, .text("N"), help: "calls in flight in each process (default: 32)"),
        OptionSpec("--revoke", help: "the server ends its tokens early: shows what a failure looks like"),
        OptionSpec(
            "--rate", nil, .text("N"),
            help: "calls a second over all processes, at most (default: as many as there can be)"),
    ]

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

    init(_ arguments: ParsedArguments) throws(UsageError) {
        isJSON = arguments.has("--json")
        lifetimes = try arguments.number("--lifetimes", in: 1...100_000) ?? lifetimes
        lifetimeSeconds = try arguments.number("--seconds", in: 2...86_400) ?? lifetimeSeconds
        processes = try arguments.number("--processes", in: 1...64) ?? processes
        concurrency = try arguments.number("--concurrency", in: 1...1_000) ?? concurrency
        rate = try arguments.number("--rate", in: 1...1_000_000) ?? rate
        revokes = arguments.has("--revoke")
        store = arguments.value("--store") ?? store
        let port = store.hasPrefix("redis:") ? UInt16(store.dropFirst(6)) : nil
        guard ["none", "file"].contains(store) || port != nil else {
            throw arguments.error("unknown store \"\(store)\"")
        }
        guard processes == 1 || store != "none" else {
            throw arguments.error("several processes need a shared store")
        }
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
        print(isJSON ? try jsonText(report) : report.lines)
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
