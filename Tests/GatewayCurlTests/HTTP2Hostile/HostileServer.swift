import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// A port of the server in `scripts/hostile`, which breaks HTTP/2 as a request's path tells it to.
struct HostileServer {
    /// What the port has seen.
    struct Journal: Decodable {
        struct Request: Decodable {
            let connection: Int
            let stream: Int
            let method: String
            let path: String
        }

        let connections: Int
        /// How many requests that were held back were let go on.
        let released: Int
        let requests: [Request]
        /// The codes of the client's RST_STREAM and GOAWAY frames.
        let resets: [Int]
        let departures: [Int]
        /// How many of the server's SETTINGS frames were acknowledged.
        let acknowledged: Int
        /// Bytes of content that came in.
        let received: Int
        /// Bytes that floods have sent.
        let pushed: Int

        /// How often a request arrived.
        func arrivals(_ name: String) -> Int { requests.count { $0.path.hasPrefix("/\(name)") } }
    }

    private struct Port: Decodable {
        let port: Int
    }

    static let control = ProcessInfo.processInfo.environment["GATEWAY_TEST_HOSTILE"].flatMap {
        $0.isEmpty ? nil : $0
    }
    private static let client = transport()

    private let port: Int

    /// Opens a port.
    ///
    /// - Parameter greeting: how its connections begin; `plain` is without fault.
    init(_ greeting: String = "plain") async throws {
        port = try await Self.ask(Port.self, "/listen?greeting=\(greeting)").port
    }

    func url(_ attack: String) -> String { "https://127.0.0.1:\(port)/\(attack)" }

    func journal() async throws -> Journal { try await Self.ask(Journal.self, "/journal?port=\(port)") }

    /// Does what was held back: answers the requests for `held`.
    func release() async throws { try await ask("release") }

    /// Ends its connections.
    func close() async throws { try await ask("close") }

    /// Returns when the journal says so.
    func await(_ condition: (Journal) -> Bool) async {
        await eventually { (try? await journal()).map(condition) == true }
    }

    private func ask(_ command: String) async throws {
        _ = try await Self.client.send(.get, "\(Self.control ?? "")/\(command)?port=\(port)")
    }

    private static func ask<Answer: Decodable>(_: Answer.Type, _ target: String) async throws -> Answer {
        let response = try await client.send(.get, (control ?? "") + target)
        return try JSONDecoder().decode(Answer.self, from: Data(response.body.bytes ?? []))
    }
}

extension Trait where Self == ConditionTrait {
    static var needsHostileServer: Self {
        .enabled(if: HostileServer.control != nil, "scripts/test.sh starts the hostile server")
    }
}

/// A transport that speaks HTTP/2 with the hostile server.
func speakingHTTP2(_ change: (inout CurlConfiguration) -> Void = { _ in }) -> CurlTransport {
    trusting {
        $0.httpVersion = .http2
        change(&$0)
    }
}

/// How a call ended: its text, or its error's code.
enum Ending: Equatable, Sendable {
    case response(String)
    case error(NetworkError.Code)

    /// Whether the server's doing ended it, not its deadline.
    var isFailure: Bool {
        if case .error(let code) = self { return code != .timeout }
        return false
    }
}

extension CurlTransport {
    /// Sends, and returns how it ended. A call that the transport does not end meets the time limit of its suite, not its
    /// deadline.
    func ending(
        _ method: HTTPMethod = .get, _ url: String, body: HTTPBody = .empty,
        deadline: Duration = .seconds(3600), clock: any GatewayClock = SystemClock(),
        events: (any RequestEventSink)? = nil
    ) async -> Ending {
        var context = RequestContext(options: CallOptions(deadline: deadline), clock: clock)
        context.events = events
        do throws(NetworkError) {
            let request = try HTTPRequest(method, url, body: body)
            return .response(try await send(request, context: context).text)
        } catch {
            return .error(error.code)
        }
    }
}

/// What the process uses.
enum Usage {
    /// Bytes of memory that are resident.
    static func memory() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return (Int(text.split(separator: " ")[1]) ?? 0) * Int(getpagesize())
    }

    /// How often a thread of the process waited so far.
    static var waits: Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.ru_nvcsw
    }
}

/// Stands still until it is moved, and counts how often it is read: a loop reads it in each turn.
final class CountingClock: GatewayClock {
    private let manual = ManualClock()
    private let tally = Tally()

    var reads: Int { tally.count }
    var now: ContinuousClock.Instant {
        tally.add()
        return manual.now
    }
    var unixTime: Duration { manual.unixTime }

    func advance(by duration: Duration) { manual.advance(by: duration) }

    func sleep(until instant: ContinuousClock.Instant) async throws(CancellationError) {
        try await manual.sleep(until: instant)
    }
}
