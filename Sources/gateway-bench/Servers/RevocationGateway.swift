import BenchmarkClients
import FoundationEssentials
import GatewayClient
import GatewayTesting

/// An embedded gateway that a client in another process tells when to revoke tokens.
struct RevocationGateway {
    /// What the client has to know: the token endpoint, and who may ask it.
    struct Directions: Codable {
        let tokenURL: String
        let clientID: String
        let secret: String
    }

    /// What has been counted.
    struct Counts: Codable {
        let tokenRequests: Int
        let unauthorized: Int
    }

    static let path = "/bench/storm"
    private static let secret = "a secret that opens nothing but a benchmark"
    private let gateway: EmbeddedGateway

    var url: String { "\(gateway.origin)" }

    init() throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.journalLimit = 0
        configuration.clients = [EmbeddedGateway.Client(secret: Secret(Self.secret))]
        gateway = try EmbeddedGateway.start(configuration)
        gateway.route(.get, Self.path, access: .anyToken) { _ in .text(Workload.content) }
        let directions = try Self.json(
            Directions(
                tokenURL: gateway.tokenURL, clientID: gateway.client.id,
                secret: Self.secret))
        gateway.route(.get, "/bench/directions") { _ in directions }
        let held = Locked<EmbeddedGateway.Hold?>(nil)
        gateway.route(.post, "/bench/hold") { [weak gateway] _ in
            let hold = gateway?.hold(.path(Self.path))
            held.withLock { $0 = hold }
            return .text("held")
        }
        gateway.route(.post, "/bench/release") { _ in
            held.withLock { $0 }?.release()
            return .text("released")
        }
        gateway.route(.post, "/bench/revoke") { [weak gateway] _ in
            gateway?.revokeCurrentTokens()
            return .text("revoked")
        }
        gateway.route(.get, "/bench/counts") { [weak gateway] _ in
            let statistics = gateway?.statistics
            let counts = Counts(
                tokenRequests: statistics?.tokenRequestCount ?? 0,
                unauthorized: statistics?.unauthorized ?? 0)
            return (try? Self.json(counts)) ?? .status(500)
        }
    }

    func stop() { gateway.shutdown() }

    private static func json(_ value: some Encodable) throws -> EmbeddedGateway.Reply {
        EmbeddedGateway.Reply(
            fields: [.contentType: "application/json"], body: Array(try JSONEncoder().encode(value)))
    }
}
