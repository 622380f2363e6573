import Foundation
import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayJSON
import GatewayTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A client that is registered at an OpenID Connect provider for one test (RFC 7591).
struct ProviderClient: Sendable {
    let provider: OpenIDProvider
    let id: String
    let secret: Secret?
    /// Providers compare redirect URIs exactly, so the port is fixed.
    private let redirectURI: String

    static let deadline = Duration.seconds(60)

    /// Registers a client.
    ///
    /// - Parameters:
    ///   - provider: where.
    ///   - method: its `token_endpoint_auth_method`. For `private_key_jwt` the key ES256 is registered.
    ///   - grants: its `grant_types`.
    init(
        _ provider: OpenIDProvider, method: String = "client_secret_basic",
        grants: [String] = ["authorization_code", "refresh_token"]
    ) async throws {
        self.provider = provider
        redirectURI = "http://127.0.0.1:\(try Self.freePort())/callback"
        var metadata: [String: JSONValue] = [
            "client_name": "test", "redirect_uris": [.string(redirectURI)], "response_types": ["code"],
            "grant_types": .array(grants.map { .string($0) }),
            "token_endpoint_auth_method": .string(method),
        ]
        metadata.merge(provider.clientMetadata) { $1 }
        if method == "private_key_jwt" { metadata["jwks"] = try Self.keys() }
        let response = try await Browser().send(
            .post, provider.registrationURL, json: .object(metadata))
        try #require(response.status == 200 || response.status == 201, "status \(response.status)")
        let client = try JSONValue(jsonBytes: response.body.bytes ?? [])
        id = try #require(client["client_id"]?.string)
        secret = client["client_secret"]?.string.map { Secret($0) }
        if let secret { SecretLedger.note(secret, .clientSecret) }
    }

    /// The public key that verifies the client's assertions. One key: canaille does not choose among several.
    private static func keys() throws -> JSONValue {
        let set = try JSONValue(jsonBytes: try TokenCounterparts.file("keys.json"))
        guard let keys = set["keys"]?.array else { return ["keys": []] }
        return ["keys": .array(keys.filter { $0["kid"]?.string == "ES256" })]
    }

    /// A port of 127.0.0.1 that is free, outside the range from which the system chooses ports of connections.
    private static func freePort() throws -> UInt16 {
        for port in (UInt16(20_000)..<30_000).shuffled() {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if status == 0 { return port }
        }
        throw NetworkError(.redirectUnavailable, "No port is free.")
    }

    // MARK: Client authentication

    var basic: ClientAuthentication {
        get throws { .basic(clientID: id, secret: try #require(secret)) }
    }
    var post: ClientAuthentication {
        get throws { .post(clientID: id, secret: try #require(secret)) }
    }

    /// The authentication of a method's registered name.
    ///
    /// - Parameter audience: the audience of assertions; `nil` for the token endpoint.
    func authentication(_ method: String, audience: String? = nil) throws -> ClientAuthentication {
        switch method {
        case "client_secret_post": try post
        case "private_key_jwt":
            try .privateKeyJWT(
                clientID: id, key: TokenCounterparts.signer(.es256), keyID: "ES256", audience: audience)
        default: try basic
        }
    }

    // MARK: The provider

    func metadata() async throws -> AuthorizationServerMetadata {
        try await AuthorizationServerDiscovery(
            issuer: provider.issuer, convention: provider.convention, transport: CurlTransport()
        ).metadata(deadline: .after(Self.deadline))
    }

    func endpoint(
        _ client: ClientAuthentication? = nil, binding: DPoPBinding? = nil,
        clock: any GatewayClock = SystemClock()
    ) async throws -> TokenEndpoint {
        try TokenEndpoint(
            try await metadata(), client: try client ?? basic, binding: binding, transport: CurlTransport(),
            clock: clock)
    }

    /// Signs in by a browser, with all that the provider's metadata says. The signature of an ID token is validated.
    func signIn(_ endpoint: TokenEndpoint, for key: TokenKey) async throws -> TokenGrant {
        let metadata = try await metadata()
        let options = AuthorizationCode.Options(
            redirect: try LoopbackRedirect(redirectURI), parameters: provider.parameters,
            idTokenKeys: try JSONWebKeySetSource(
                try #require(try metadata.url(of: .keys)), transport: CurlTransport()))
        let flow = try AuthorizationCode(endpoint: endpoint, metadata: metadata, options: options)
        let grant = try await flow.grant(for: key, deadline: .after(Self.deadline)) { url in
            let page = try await provider.signIn(url)
            #expect(page.hasPrefix(redirectURI + "?"))
            #expect(try await Browser().get(page).status == 200)
        }
        NotingAcquirer.note(grant)
        return grant
    }

    /// Exchanges a code with another verifier than that of its authorization request (RFC 7636 §4.6).
    func exchangeWithOtherVerifier(
        at endpoint: TokenEndpoint, scope: String
    ) async throws -> Result<TokenGrant, NetworkError> {
        let page = try #require(try await metadata().url(of: .authorization))
        let parameters = [
            "response_type=code", "client_id=\(id)", "redirect_uri=\(redirectURI)", "scope=\(scope)",
            "state=state",
            // The challenge of RFC 7636, appendix B.
            "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method=S256",
        ]
        let url = page + "?" + (parameters + provider.parameters.map { "\($0)=\($1)" }).joined(separator: "&")
        let code = try Browser.parameter("code", of: try await provider.signIn(url))
        return await outcome { () throws(NetworkError) in
            let grant = try await endpoint.grant(
                [
                    ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
                    ("code_verifier", String(repeating: "x", count: 43)),
                ], spends: true, deadline: .after(Self.deadline))
            NotingAcquirer.note(grant)
            return grant
        }
    }

    /// Exchanges a refresh token, as a thief of the whole client would.
    func trade(_ refreshToken: Secret?, at endpoint: TokenEndpoint) async throws -> Result<
        TokenGrant, NetworkError
    > {
        let token = try #require(refreshToken)
        return await outcome { () throws(NetworkError) in
            let grant = try await endpoint.grant(
                [("grant_type", "refresh_token"), ("refresh_token", token.exposed)], spends: true,
                deadline: .after(Self.deadline))
            NotingAcquirer.note(grant)
            return grant
        }
    }

    /// Checks what an ID token says, beyond what the sign-in has validated.
    func check(_ idToken: Secret?) throws {
        let token = try JSONWebToken(decoding: try #require(idToken))
        #expect(token.issuer == provider.issuer && token.audiences == [id])
        #expect(token.claims["nonce"]?.string?.utf8.count == 43)
    }

    func session(
        _ endpoint: TokenEndpoint, key: TokenKey, grant: TokenGrant
    ) throws -> ProviderSession {
        let acquirer = RecordingAcquirer(RefreshTokenGrant(endpoint: endpoint))
        return ProviderSession(
            stack: try CounterpartStack(provider.origin, acquirer, key: key, grant: grant),
            userInfo: provider.userInfo, acquirer: acquirer)
    }

    /// The first request for a token.
    func request(_ key: TokenKey) -> TokenRequest {
        TokenRequest(
            key: key, previous: nil, previousWasRejected: false, deadline: .after(Self.deadline))
    }

    /// The code of the error of a request that must fail.
    static func failure(
        _ body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> NetworkError.Code? {
        await #expect(throws: NetworkError.self, sourceLocation: sourceLocation) { try await body() }?.code
    }
}

/// The calls of a person who signed in, and the grants that they have led to.
struct ProviderSession: Sendable {
    let stack: CounterpartStack
    let userInfo: String
    let acquirer: RecordingAcquirer

    func call() async throws -> HTTPResponse { try await stack.get(userInfo) }

    /// So many calls at the same time, each of which must succeed after at most one replay.
    func calls(_ count: Int) async throws {
        try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            for _ in 0..<count { group.addTask { try await call() } }
            for try await response in group {
                #expect(response.status == 200 && response.exchange.attempts <= 2)
            }
        }
    }
}

/// Keeps the grants that it passes on.
final class RecordingAcquirer: TokenAcquirer {
    private let acquirer: any TokenAcquirer
    private let recorded = Locked<[TokenGrant]>([])

    init(_ acquirer: any TokenAcquirer) { self.acquirer = acquirer }

    var grants: [TokenGrant] { recorded.withLock { $0 } }
    var canStepUp: Bool { acquirer.canStepUp }
    var binding: DPoPBinding? { acquirer.binding }

    func isSingleUse(after previous: TokenGrant?) -> Bool { acquirer.isSingleUse(after: previous) }

    func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        let grant = try await acquirer.acquire(request)
        recorded.withLock { $0.append(grant) }
        return grant
    }

    func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {
        try await acquirer.revoke(grant, deadline: deadline)
    }
}
