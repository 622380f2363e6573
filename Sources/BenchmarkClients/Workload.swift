/// The requests of a measurement and the server that they are sent to.
package struct Workload: Sendable {
    /// The order of the requests.
    package enum Shape: Hashable, Sendable {
        /// A constant number in flight.
        case steady
        /// All at once.
        case burst
        /// A constant number in flight, while this number of other requests waits for responses that do not come.
        case besideIdle(Int)
        /// All at once, with a token that is revoked when they are on the wire or wait for a connection.
        case revocation
    }

    /// The server.
    package enum Server: Hashable, Sendable {
        /// nginx, or ``BenchServer`` without it.
        case plain
        /// nginx with TLS; the workload is skipped without it.
        case tls
        /// ``BenchServer``.
        case own
        /// The embedded gateway.
        case gateway
    }

    package let name: String
    package var path = "/small"
    package var shape = Shape.steady
    package var server = Server.plain
    /// Requests in flight, or connections of a burst.
    package var concurrencies = [64]
    package var requests = 40_000
    package var uploadBytes = 0
    /// The content of one request or response, if throughput is measured.
    package var bulkBytes = 0
    package var isHTTP2 = false
    package var clients: [ClientName] = [.baseline, .transport, .stack, .urlSession]

    /// A small response: 126 bytes of JSON.
    package static let content =
        #"{"id":7,"name":"The Left Hand of Darkness","author":"Ursula K. Le Guin","price":{"amount":"12.90","currency":"EUR"},"stock":3}"#

    /// Foundation's client cannot trust a certificate of the benchmark, and some workloads would take minutes with it.
    private static let withoutURLSession: [ClientName] = [.baseline, .transport, .stack]

    /// All workloads.
    package static let all = [
        Workload(name: "small", concurrencies: [1, 64, 256], clients: ClientName.measured),
        Workload(
            name: "download-1m", path: "/1m", concurrencies: [8], requests: 2_000, bulkBytes: 1 << 20),
        Workload(
            name: "upload-64k", server: .own, requests: 10_000, uploadBytes: 64 << 10, bulkBytes: 64 << 10),
        Workload(
            name: "tls-cold", path: "/cold", server: .tls, concurrencies: [16], requests: 2_000,
            clients: withoutURLSession),
        Workload(
            name: "h2", server: .tls, isHTTP2: true,
            clients: [.baseline, .bearerBaseline, .transport, .stack]),
        Workload(name: "burst-10k", shape: .burst, concurrencies: [256], requests: 10_000),
        Workload(
            name: "storm-401", path: "/bench/storm", shape: .revocation, server: .gateway,
            concurrencies: [256], requests: 10_000, clients: [.stack]),
        Workload(
            name: "idle-1000", shape: .besideIdle(1000), server: .own, requests: 20_000,
            clients: withoutURLSession),
        Workload(
            name: "idle-4000", shape: .besideIdle(4000), server: .own, requests: 20_000,
            clients: withoutURLSession),
    ]

    /// The default number of requests in a round.
    package func requests(concurrency: Int) -> Int { concurrency == 1 ? min(requests, 5_000) : requests }

    /// The number of them that Foundation's client makes, which is ten times slower. A burst is not divided.
    package func requestsOfURLSession(_ requests: Int) -> Int {
        shape == .burst ? requests : max(1, requests / 10)
    }
}

/// A client that is measured.
package enum ClientName: String, Codable, CodingKeyRepresentable {
    case baseline = "c-libcurl"
    case bearerBaseline = "c-bearer"
    case transport
    case stack
    case urlSession = "urlsession"

    /// In the order of the table.
    package static let measured: [ClientName] = [.baseline, .bearerBaseline, .transport, .stack, .urlSession]

    /// The processes that measure it: the faster one counts.
    package var processes: [String] {
        switch self {
        case .baseline: ["c-libcurl-poll", "c-libcurl-epoll"]
        case .bearerBaseline: ["c-bearer-poll", "c-bearer-epoll"]
        default: [rawValue]
        }
    }
}
