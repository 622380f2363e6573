import BenchmarkClients
import CommandArguments
import GatewayClient
import Glibc

/// `gateway-bench soak`: whether memory and descriptors stay flat.
struct SoakRun {
    static let options = [
        OptionSpec("--requests", nil, .text("N"), help: "requests (default: 1000000)"),
        OptionSpec(
            "--refused", nil, .text("N"),
            help: "requests to a port that refuses them (default: 100000)"),
        OptionSpec(
            "--streams", nil, .text("N"),
            help: "streamed responses that are cancelled (default: 1000)"),
    ]

    private static let concurrency = 64
    /// What the heap may grow by: one lost allocation of 16 bytes in every tenth request is more in a full run.
    private static let heapGrowthLimitKibibytes = 1024.0

    private var requests = 1_000_000
    private var refused = 100_000
    private var streams = 1_000

    init(_ arguments: ParsedArguments) throws(UsageError) {
        requests = try arguments.number("--requests", in: 1_000...1_000_000_000) ?? requests
        refused = try arguments.number("--refused", in: 1_000...1_000_000_000) ?? refused
        streams = try arguments.number("--streams", in: 100...1_000_000_000) ?? streams
    }

    /// Prints figures.
    ///
    /// - Returns: whether all stayed flat.
    func run() async throws -> Bool {
        Descriptors.raiseLimit()
        let areRequestsFlat = try await runRequests()
        let areRefusalsFlat = try await runRefusals()
        let areStreamsFlat = try await runStreams()
        return areRequestsFlat && areRefusalsFlat && areStreamsFlat
    }

    private func runRequests() async throws -> Bool {
        guard let url = BenchServer.url else { throw BenchmarkFailure.failed("the server does not start") }
        guard let job = ClientJob(["stack", url + "/small", "\(Self.concurrency)", "\(requests)"]) else {
            return false
        }
        let client = try StackClient(job)
        var errors = 0
        var first: Double?
        var last = 0.0
        for tenth in 1...10 {
            let (_, failed) = await LoadLoop.steady(
                concurrency: Self.concurrency, requests: requests / 10, client.send)
            errors += failed
            last = ProcessUsage.heapKibibytes
            first = first ?? last
            print("requests \(requests / 10 * tenth): heap \(Int(last)) KiB, \(errors) errors")
        }
        return judge("memory over \(requests) requests", grownBy: last - (first ?? 0), errors: errors)
    }

    private func runRefusals() async throws -> Bool {
        let transport = CurlTransport()
        let request = try HTTPRequest(.get, "http://127.0.0.1:\(LoopbackPort.free())/")
        return await compare(refused, "refused connections", warmup: refused / 10) {
            do {
                _ = try await transport.send(request, context: RequestContext())
                return false
            } catch {
                return (error as? NetworkError)?.code == .connectionRefused
            }
        }
    }

    private func runStreams() async throws -> Bool {
        guard let url = BenchServer.url else { throw BenchmarkFailure.failed("the server does not start") }
        let transport = CurlTransport()
        let request = try HTTPRequest(.get, url + "/1m")
        // Each handle that there will be has carried some.
        let warmup = max(4 * Self.concurrency, streams / 10)
        // A response that ended before its reader was cancelled leaves a connection, whose descriptor libcurl closes
        // with the next call that it could serve. There are never more of them than readers at once.
        return await compare(
            streams, "paused and cancelled streams", warmup: warmup, openedAtMost: Self.concurrency,
            settle: { await Self.settle(transport) }
        ) { await Self.pauseAndCancel(request, transport) }
    }

    /// Sends requests after some for warm-up. False if the heap or the number of descriptors has grown.
    private func compare(
        _ count: Int, _ what: String, warmup: Int, openedAtMost limit: Int = 0,
        settle: () async -> Void = {}, _ send: @escaping @Sendable () async -> Bool
    ) async -> Bool {
        var (_, errors) = await LoadLoop.steady(concurrency: Self.concurrency, requests: warmup, send)
        await settle()
        let (heap, descriptors) = (ProcessUsage.heapKibibytes, Descriptors.count)
        errors += await LoadLoop.steady(concurrency: Self.concurrency, requests: count, send).errors
        await settle()
        let opened = Descriptors.count - descriptors
        print("\(what) \(count): \(descriptors) descriptors before, \(opened) more after")
        let isFlat = judge(
            "memory over \(count) \(what)", grownBy: ProcessUsage.heapKibibytes - heap, errors: errors)
        print("\(opened <= limit ? "flat" : "GROWN"): descriptors over \(count) \(what)")
        return isFlat && opened <= limit
    }

    /// Reads the beginning of a response that is larger than the window, lets it stand still, and cancels the reader.
    private static func pauseAndCancel(_ request: HTTPRequest, _ transport: CurlTransport) async -> Bool {
        var context = RequestContext()
        context.response = .stream
        guard let body = try? await transport.send(request, context: context).body else { return false }
        // A sleep that is cancelled would keep its memory until its time is up.
        let (pause, end) = AsyncStream<Never>.makeStream()
        let reader = Task {
            for try await _ in body { for await _ in pause {} }
        }
        try? await Task.sleep(for: .milliseconds(10))
        reader.cancel()
        _ = await reader.result
        end.finish()
        return true
    }

    /// Waits until what was cancelled is gone on both sides of the loopback, and nothing is kept.
    private static func settle(_ transport: CurlTransport) async {
        try? await Task.sleep(for: .milliseconds(500))
        transport.dropIdleConnections()
        try? await Task.sleep(for: .milliseconds(500))
    }

    private func judge(_ what: String, grownBy kibibytes: Double, errors: Int) -> Bool {
        let isFlat = kibibytes <= Self.heapGrowthLimitKibibytes && errors == 0
        print("\(isFlat ? "flat" : "GROWN"): \(what), by \(Int(kibibytes)) KiB; \(errors) errors")
        return isFlat
    }
}
