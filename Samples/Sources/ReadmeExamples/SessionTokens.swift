import BookshopAPI
import GatewayClient

/// Whatever signs people in.
struct Login {
    /// A session with a fresh token.
    func renew(_ session: Session) async throws -> Session { session }
}

/// Somebody's session.
struct Session {
    var accessToken: String
}

private let login = Login()

actor SessionTokens: TokenProvider {
    private var session: Session

    init(session: Session) { self.session = session }

    func currentToken() async throws -> String? { session.accessToken }

    func refreshToken() async throws -> String {
        session = try await login.renew(session)
        return session.accessToken
    }
}

/// A client with the provider above.
func client(session: Session) -> BookshopClient {
    let api = BookshopClient(credentials: .init(partnerToken: .provider(SessionTokens(session: session))))
    return api
}
