import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

/// A proof as it went out, read and verified by the key in it.
struct ReadProof {
    let token: JSONWebToken
    let key: JSONWebKey

    /// - Returns: `nil` where the request carries none.
    init?(_ request: HTTPRequest) throws {
        let values = request.fields.values(for: "DPoP")
        guard !values.isEmpty else { return nil }
        let text = Secret(try #require(values.first))
        #expect(values.count == 1)
        let claimed = try JSONWebToken(decoding: text)
        let jwk = try #require(claimed.header["jwk"])
        key = try JSONWebKey(jwk)
        #expect(!key.isPrivate)
        token = try JSONWebToken.verify(
            text, key: #require(key.key(for: .es256)), type: JSONWebTokenType("dpop+jwt"))
    }

    subscript(_ name: String) -> String? { token.claims[name]?.string }
}

/// An API and a token endpoint at two origins, with nonces of their own and bound tokens.
final class NoncePlaces: Transport {
    struct State {
        var requests: [HTTPRequest] = []
        var tokenNonce: String?
        var apiNonce: String?
        var tokens = 0
        /// What the API answers with, in turn, before it looks at anything.
        var statuses: [Int] = []
        var type = "DPoP"
        /// Whether the same nonce is demanded whatever the proof holds.
        var isStubborn = false
        /// Tokens that are not accepted.
        var revoked: Set<String> = []
    }

    static let api = "https://api.example.com"
    static let login = "https://login.example.com"
    let state = Locked(State())

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var tokenRequests: [HTTPRequest] { requests.filter { $0.origin.description == Self.login } }
    var calls: [HTTPRequest] { requests.filter { $0.origin.description == Self.api } }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        let isToken = request.origin.description == Self.login
        let claimed = request.fields["DPoP"].flatMap { try? JSONWebToken(decoding: Secret($0)) }
        let nonce = claimed?.claims["nonce"]?.string
        if case .once(_, let stream) = request.body.storage { _ = stream.take() }
        return state.withLock { state in
            state.requests.append(request)
            var response = HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))
            let demanded = isToken ? state.tokenNonce : state.apiNonce
            if let demanded { response.fields["DPoP-Nonce"] = demanded }
            let lacksNonce = state.isStubborn || demanded != nil && nonce != demanded
            if isToken {
                guard !lacksNonce else {
                    response.status = 400
                    response.body = .bytes(Array(#"{"error":"use_dpop_nonce"}"#.utf8))
                    return response
                }
                state.tokens += 1
                response.body = .bytes(
                    Array(
                        #"{"access_token":"token-\#(state.tokens)","token_type":"\#(state.type)","expires_in":3600}"#
                            .utf8))
                return response
            }
            if !state.statuses.isEmpty {
                response.status = state.statuses.removeFirst()
                return response
            }
            if lacksNonce {
                response.status = 401
                response.fields[.wwwAuthenticate] = #"Bearer, DPoP error="use_dpop_nonce", algs="ES256""#
            } else if let field = request.fields[.authorization],
                state.revoked.contains(String(field.dropFirst("DPoP ".count)))
            {
                response.status = 401
                response.fields[.wwwAuthenticate] = #"DPoP error="invalid_token""#
            }
            return response
        }
    }
}

/// An engine over those places.
struct BoundRig {
    let places = NoncePlaces()
    let clock = ManualClock()
    let binding: DPoPBinding
    let coordinator: TokenRefreshCoordinator
    let key: TokenKey
    let engine: AuthenticatedRequestEngine

    init(
        random: any RandomSource = SystemRandomSource(), tokenClock: (any GatewayClock)? = nil,
        below: (any Transport) -> (any RequestEngine)? = { _ in nil }
    ) throws {
        binding = try DPoPBinding(clock: clock, random: random)
        let endpoint = try TokenEndpoint(
            NoncePlaces.login + "/token", client: .publicClient(clientID: "app"), others: .init(),
            binding: binding, transport: places, clock: clock)
        var times: any GatewayClock = clock
        if let tokenClock { times = tokenClock }
        coordinator = TokenRefreshCoordinator(
            acquirer: ClientCredentials(endpoint: endpoint), policy: .impatient, clock: times,
            random: SeededRandomSource(seed: 1))
        key = endpoint.key()
        let scope = try CredentialScope([NoncePlaces.api], key: key)
        engine =
            if let below = below(places) {
                AuthenticatedRequestEngine(
                    below: below, coordinator: coordinator, scope: scope, clock: clock)
            } else {
                AuthenticatedRequestEngine(
                    transport: places, coordinator: coordinator, scope: scope, clock: clock)
            }
    }

    func send(
        _ path: String = "/books", _ method: HTTPMethod = .get, body: HTTPBody = .empty
    ) async throws(NetworkError) -> HTTPResponse {
        try await engine.send(try HTTPRequest(method, NoncePlaces.api + path, body: body))
    }
}
