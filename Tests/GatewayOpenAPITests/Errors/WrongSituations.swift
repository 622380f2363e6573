import Foundation
import GatewayClient
import GatewayTesting

/// A gateway, a client of it, and what goes wrong between them.
final class WrongSituation: Sendable {
    /// What one situation does. It ends by throwing.
    typealias Body = @Sendable (WrongSituation) async throws -> Void

    let gateway: EmbeddedGateway
    let folder: String

    init(_ configuration: EmbeddedGateway.Configuration = EmbeddedGateway.Configuration()) throws {
        gateway = try EmbeddedGateway.start(configuration)
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        gateway.shutdown()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The credential of the gateway's client.
    var credential: OAuthCredential {
        .clientCredentials(
            id: gateway.client.id, secret: gateway.client.secret, tokenURL: gateway.tokenURL)
    }

    /// A client of the bookshop.
    func api(
        _ credential: OAuthCredential? = nil, at server: String? = nil, anonymous: Bool = false,
        limit: Duration = .seconds(20), _ change: (inout GatewayConfiguration) -> Void = { _ in }
    ) -> BookshopClient {
        var configuration = GatewayConfiguration()
        configuration.retry.policy = .immediate(attempts: 3)
        change(&configuration)
        return BookshopClient(
            server: .init(url: server ?? gateway.apiURL),
            credentials: .init(bookshopAuth: anonymous ? nil : credential ?? self.credential),
            defaults: CallOptions(deadline: limit), engine: GatewayEngine(configuration: configuration))
    }

    /// Fetches a book.
    func fetch(_ api: BookshopClient) async throws { _ = try await api.books.get(bookId: "bk-1") }

    /// Fetches a book from a gateway that does not answer. Once the request is there, the client's clock moves by a time.
    func fetchUnanswered(
        for time: Duration, limit: Duration = .seconds(20),
        _ change: (inout GatewayConfiguration) -> Void = { _ in }
    ) async throws {
        let (clock, hold) = (ManualClock(), gateway.hold(.api))
        defer { hold.release() }
        let api = api(.token("t"), limit: limit) {
            $0.clock = clock
            $0.transport.clock = clock
            change(&$0)
        }
        let call = Task { try await fetch(api) }
        await hold.waitForArrivals(1)
        clock.advance(by: time)
        try await call.value
    }

    /// A reply of the API in place of a book.
    func answer(_ reply: EmbeddedGateway.Reply) { gateway.inject(.reply(reply), into: .api) }

    /// A reply of the token endpoint in place of a token.
    func answerTokens(_ reply: EmbeddedGateway.Reply) { gateway.inject(.reply(reply), into: .token) }
}

/// A provider that can do nothing but return the same token.
struct StubbornProvider: TokenProvider {
    func currentToken() async throws -> String? { "stale" }
    func refreshToken() async throws -> String { "stale" }
}
