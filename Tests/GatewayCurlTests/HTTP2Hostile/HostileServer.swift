import Foundation
import GatewayCore
import GatewayCurl
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

    /// Answers the requests for `held`.
    func release() async throws { try await ask("release") }

    /// Ends its connections.
    func close() async throws { try await ask("close") }

    /// Returns when so many requests have arrived.
    func await(arrivals count: Int) async throws {
        for _ in 0..<500 {
            if try await journal().requests.count >= count { return }
            await elapse(milliseconds: 5)
        }
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

    var isError: Bool {
        if case .error = self { return true }
        return false
    }
}

extension CurlTransport {
    /// Sends, and tells how it ended and how long it took.
    func ending(
        _ method: HTTPMethod = .get, _ url: String, body: HTTPBody = .empty, deadline: Duration = .seconds(1)
    ) async -> (ending: Ending, took: Duration) {
        let start = ContinuousClock.now
        do throws(NetworkError) {
            let text = try await send(method, url, body: body, deadline: deadline).text
            return (.response(text), ContinuousClock.now - start)
        } catch {
            return (.error(error.code), ContinuousClock.now - start)
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

    /// Processor time so far.
    static var processor: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
