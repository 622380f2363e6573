import GatewayAuth
import GatewayCore
import GatewayTesting

/// An API whose paths are the scopes that they need. A token tells its scopes.
final class GuardedAPI: Transport {
    private struct State {
        var sent: [String] = []
        var tokens: [String] = []
        var bodies: [[UInt8]] = []
        var revoked: Set<String> = []
    }
    private let state = Locked(State())
    let gate: Gate?
    /// What stands in the challenge beside the scope.
    let challenge: @Sendable (_ scope: String) -> String

    init(
        gate: Gate? = nil,
        challenge: @escaping @Sendable (String) -> String = {
            "Bearer realm=\"api\", error=\"insufficient_scope\", scope=\"\($0)\""
        }
    ) {
        self.gate = gate
        self.challenge = challenge
    }

    var sent: [String] { state.withLock { $0.sent } }
    var tokens: [String] { state.withLock { $0.tokens } }
    var bodies: [[UInt8]] { state.withLock { $0.bodies } }
    func revoke(_ token: String) { state.withLock { _ = $0.revoked.insert(token) } }

    func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        if case .once(_, let stream) = request.body.storage { _ = stream.take() }
        let token = String((request.fields[.authorization] ?? "").dropFirst("Bearer ".count))
        let needed = String(request.target.dropFirst())
        let isRevoked = state.withLock { state in
            state.sent.append(request.target)
            state.tokens.append(token)
            if let bytes = request.body.bytes { state.bodies.append(bytes) }
            return state.revoked.contains(token)
        }
        if let gate { await gate.pass() }
        var response = HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))
        if isRevoked {
            response.status = 401
        } else if !token.split(separator: ".").contains(Substring(needed)) {
            response.status = 403
            response.fields[.wwwAuthenticate] = challenge(needed)
        }
        return response
    }
}

/// An engine over an API, with what the API's origin may ask for.
struct StepUpRig {
    static let origin = "https://api.example.com"
    static let key = TokenKey(client: "app", scopes: ["read"])

    let engine: AuthenticatedRequestEngine
    let coordinator: TokenRefreshCoordinator

    init(
        _ api: any Transport, _ acquirer: any TokenAcquirer,
        allowing scopes: Set<String> = ["write", "admin"],
        store: (any TokenStore)? = nil, clock: ManualClock = ManualClock()
    ) throws {
        coordinator = TokenRefreshCoordinator(
            acquirer: acquirer, store: store, policy: .impatient, clock: clock,
            random: SeededRandomSource(seed: 1))
        var scope = try CredentialScope([Self.origin, "https://other.example.com"], key: Self.key)
        scope.stepUpScopes[try Origin(Self.origin)] = scopes
        engine = AuthenticatedRequestEngine(
            transport: api, coordinator: coordinator, scope: scope, clock: clock)
    }

    func send(
        _ path: String, _ method: HTTPMethod = .get, body: HTTPBody = .empty
    ) async throws(NetworkError) -> HTTPResponse {
        try await engine.send(try HTTPRequest(method, Self.origin + path, body: body))
    }
}

extension ScriptedAcquirer {
    /// Tokens that tell their scopes, all of which are granted.
    static func grantingAll() -> ScriptedAcquirer {
        ScriptedAcquirer { request, _ in
            TokenGrant(
                accessToken: Secret((request.key.scopes + ["token"]).joined(separator: ".")),
                expiresIn: .seconds(3600), scopes: request.key.scopes)
        }
    }

    /// Tokens that tell their scopes; those of more than one come when the gate opens.
    static func holdingFurtherScopes(at gate: Gate) -> ScriptedAcquirer {
        ScriptedAcquirer { request, _ in
            if request.key.scopes.count > 1 { await gate.pass() }
            return TokenGrant(accessToken: Secret((request.key.scopes + ["t"]).joined(separator: ".")))
        }
    }

    /// Tokens that tell their scopes and their number, of grants that tell nothing.
    static func numbering() -> ScriptedAcquirer {
        ScriptedAcquirer { request, index in
            TokenGrant(
                accessToken: Secret((request.key.scopes + ["\(index)"]).joined(separator: ".")),
                expiresIn: .seconds(3600))
        }
    }
}
