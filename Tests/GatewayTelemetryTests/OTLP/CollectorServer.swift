import Foundation
import GatewayClient
import Testing

/// The collector that scripts/servers.sh has started, scripts/collector/server.py.
struct CollectorServer {
    static let url = value("GATEWAY_TEST_COLLECTOR")
    /// Rotel, a collector that passes everything on to the run `rotel`.
    static let real = value("GATEWAY_TEST_REAL_COLLECTOR")
    /// The descriptors of the protocol, for protoc.
    static let descriptors = value("GATEWAY_TEST_COLLECTOR_DESCRIPTORS")

    private static func value(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What a run has received.
    struct Report: Decodable {
        struct Request: Decodable {
            /// Seconds since 1970.
            let at: Double
            /// When the request may be repeated; `nil` if the response did not say so.
            let earliest: Double?
            /// Of the message, whatever its form; `nil` if it is not valid.
            let digest: String?
        }

        let requests: [Request]
        /// The IDs of the spans that were taken.
        let spans: [String]
        /// What does not follow the protocol or the semantic conventions.
        let problems: [String]
    }

    let run: String
    let transport = CurlTransport()
    private let url: String

    /// A run with a name of its own, so that tests can be repeated with one collector.
    init(_ name: String) throws { try self.init(run: "\(name)-\(UUID().uuidString)") }

    init(run: String) throws {
        url = try #require(Self.url)
        self.run = run
    }

    /// The URL for a signal, `traces`, `metrics` or `logs`.
    ///
    /// - Parameter fault: what the first request of the run meets, a name in scripts/collector/server.py.
    func url(_ signal: String = "traces", fault: String = "none") -> String {
        "\(url)/\(run)/\(fault)/v1/\(signal)"
    }

    func report() async throws -> Report {
        let response = try await transport.send(
            try HTTPRequest(.get, "\(url)/\(run)"), context: RequestContext())
        return try JSONDecoder().decode(Report.self, from: Data(try #require(response.body.bytes)))
    }
}
