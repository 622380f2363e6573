import GatewayCore
import Synchronization
import Testing

@testable import GatewayCurl

/// A response with a body and its length.
func ok(_ body: String = "ok", status: String = "200 OK", fields: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
}

extension CurlTransport {
    /// Sends with defaults.
    func send(
        _ method: HTTPMethod = .get, _ url: String, fields: HTTPFields = HTTPFields(),
        body: HTTPBody = .empty,
        deadline: Duration? = nil, clock: any GatewayClock = SystemClock(), limit: Int = 8 << 20
    ) async throws(NetworkError) -> HTTPResponse {
        var context = RequestContext(options: CallOptions(deadline: deadline), clock: clock)
        context.response = .collect(upToBytes: limit)
        return try await send(try HTTPRequest(method, url, fields: fields, body: body), context: context)
    }

    /// Returns when the exchanges are at these stages, in any order.
    func waitForStages(
        _ expected: TransferTiming.Stage..., sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let expected = Self.counts(expected)
        await eventually({ Self.counts(await stages()) == expected }, sourceLocation: sourceLocation)
    }

    private static func counts(_ stages: [TransferTiming.Stage]) -> [TransferTiming.Stage: Int] {
        stages.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Returns when the statistics fulfil a condition.
    func waitForStatistics(
        sourceLocation: SourceLocation = #_sourceLocation, _ condition: (TransportStatistics) -> Bool
    ) async {
        await eventually({ condition(await statistics()) }, sourceLocation: sourceLocation)
    }

    /// Returns when the loop has looked at the clock and at what its sockets hold by now.
    func settle() async {
        // A question is answered at the beginning of a turn, so that a whole turn is between two of them.
        for _ in 0..<2 { _ = await stages() }
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body.bytes ?? [], as: UTF8.self) }
}

/// The error that something throws; `nil` where it throws none.
func failure<Success>(
    _ body: () async throws(NetworkError) -> Success
) async -> NetworkError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}

/// A transport with short limits of time.
func transport(_ change: (inout CurlConfiguration) -> Void = { _ in }) -> CurlTransport {
    var configuration = CurlConfiguration()
    change(&configuration)
    return CurlTransport(configuration: configuration)
}

extension CurlConfiguration {
    init(_ change: (inout CurlConfiguration) -> Void) {
        self.init()
        change(&self)
    }
}

/// A repeatable source of random numbers (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}

/// Opens once; whoever waits goes on.
final class Latch: Sendable {
    private let state = Locked<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// Counts.
final class Tally: Sendable {
    private let value = Atomic<Int>(0)
    var count: Int { value.load(ordering: .sequentiallyConsistent) }
    func add() { value.add(1, ordering: .sequentiallyConsistent) }
}
