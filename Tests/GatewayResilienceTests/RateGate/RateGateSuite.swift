import GatewayCore
import GatewayTesting
import Synchronization
import Testing

@testable import GatewayResilience

/// Replies as a script says, and notes when each request was sent.
final class RateGateServer: Transport {
    private let clock: ManualClock
    private let start: ContinuousClock.Instant
    private let script: @Sendable (HTTPRequest, Int) -> ScriptedTransport.Reply
    private let sent = Locked<[(target: String, time: Duration)]>([])

    init(
        _ clock: ManualClock, _ script: @escaping @Sendable (HTTPRequest, Int) -> ScriptedTransport.Reply
    ) {
        self.clock = clock
        self.script = script
        start = clock.now
    }

    var times: [Duration] { sent.withLock { $0.map(\.time) } }
    var targets: [String] { sent.withLock { $0.map(\.target) } }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        let time = start.duration(to: clock.now)
        let index = sent.withLock { sent in
            sent.append((request.target, time))
            return sent.count - 1
        }
        let reply = script(request, index)
        return try await ScriptedTransport(reply).send(request, context: context)
    }
}

/// A counter that tasks share.
final class SharedCount: Sendable {
    private let count: Atomic<Int>
    init(_ count: Int) { self.count = Atomic(count) }
    var value: Int { count.load(ordering: .relaxed) }
    func add(_ number: Int) { count.add(number, ordering: .relaxed) }
}

/// Tests of a rate gate in an engine, on a clock that they move.
protocol RateGateSuite: Sendable {
    var clock: ManualClock { get }
    var events: EventRecorder { get }
}

extension RateGateSuite {
    func engine(
        _ transport: some Transport, _ policy: RateGatePolicy = .standard, seed: UInt64 = 1,
        _ change: (inout AsyncRequestEngine.Configuration) -> Void = { _ in }
    ) throws -> (engine: AsyncRequestEngine, gate: RateGate) {
        let gate = try RateGate(policy, clock: clock, random: SeededRandomSource(seed: seed))
        var configuration = AsyncRequestEngine.Configuration()
        configuration.protection.rateGate = gate
        configuration.retry.policy = .never
        configuration.coalescing = nil
        configuration.deadline = nil
        configuration.clock = clock
        configuration.events = events
        change(&configuration)
        return (AsyncRequestEngine(transport: transport, configuration: configuration), gate)
    }

    func request(_ target: String = "/x", _ host: String = "h") throws -> HTTPRequest {
        try HTTPRequest(.get, "http://\(host)\(target)")
    }

    /// The result of a call: its status, or the code of its error.
    func call(
        _ engine: AsyncRequestEngine, _ target: String = "/x", host: String = "h",
        operation: GatewayCore.Operation? = nil, options: CallOptions = CallOptions()
    ) async throws -> String {
        let request = try request(target, host)
        do throws(NetworkError) {
            return "\(try await engine.send(request, options: options, operation: operation).status)"
        } catch {
            return error.code.name
        }
    }

    /// The error of a call.
    func failure(
        _ engine: AsyncRequestEngine, _ options: CallOptions = CallOptions()
    ) async throws -> NetworkError? {
        let request = try request()
        do throws(NetworkError) {
            _ = try await engine.send(request, options: options)
            return nil
        } catch {
            return error
        }
    }

    /// Moves the clock on until a condition holds, one sleeper after the other.
    ///
    /// - Parameter isSettled: whether all that was released has been sent.
    func advance(
        until condition: @escaping () -> Bool, when isSettled: () -> Bool = { true }
    ) async {
        await eventually {
            if condition() { return true }
            if clock.sleeperCount > 0, isSettled() { clock.advanceToNextSleeper() }
            return false
        }
    }

    static func limited(
        _ status: Int = 429, _ fields: HTTPFields = ["Retry-After": "10"]
    ) -> ScriptedTransport.Reply {
        .status(status, fields: fields)
    }

    /// Makes calls at the same time, in this order, and returns their results. Each waits when the next begins.
    func results(
        of calls: [(target: String, options: CallOptions)], _ engine: AsyncRequestEngine, _ gate: RateGate
    ) async throws -> [String] {
        var tasks: [Task<String, any Error>] = []
        let done = SharedCount(0)
        for (index, (target, options)) in calls.enumerated() {
            tasks.append(
                Task {
                    defer { done.add(1) }
                    return try await call(engine, target, options: options)
                })
            await eventually { (gate.limits.first?.waiting ?? 0) + done.value >= index + 1 }
        }
        await advance(until: { done.value == calls.count }) {
            (gate.limits.first?.waiting ?? 0) + done.value == calls.count
        }
        var results: [String] = []
        for task in tasks { results.append(try await task.value) }
        return results
    }
}
