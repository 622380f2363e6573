import GatewayCore

/// The token endpoint of a conformance suite: a transport that records its requests and their deadlines.
final class ConformanceEndpoint: Transport {
    enum Answer: Sendable {
        /// New tokens for the requested scopes.
        case grant
        /// A response.
        case response(Int, String, HTTPFields = HTTPFields())
        /// An error.
        case failure(NetworkError)
        /// No response until the deadline of the context or a cancellation.
        case silence
    }

    struct Exchange: Sendable {
        let request: HTTPRequest
        let deadline: Deadline?
        let parameters: [String: String]

        /// The parameters that determine the token, without those that are new in each request.
        var question: [String: String] {
            parameters.filter { !["assertion", "client_assertion"].contains($0.key) }
        }
    }

    private struct State {
        var exchanges: [Exchange] = []
        var scopes: [String: String] = [:]
        var issued: [String] = []
    }

    /// A text in responses that must not be printed.
    static let mark = "c0nf0rmance-b0dy"
    /// A placeholder in response bodies for the secrets of the request, because some servers repeat them in
    /// `error_description`.
    static let echo = "%ECHO%"
    /// The parameters of a request that contain secrets.
    private static let secretParameters = [
        "refresh_token", "client_secret", "assertion", "client_assertion", "subject_token", "actor_token",
        "code",
    ]

    private let answer: Answer
    private let clock: any GatewayClock
    private let state = Locked(State())
    /// Each request waits here before its response.
    let gate = Gate()

    init(_ answer: Answer, clock: any GatewayClock, isHeld: Bool = false) {
        self.answer = answer
        self.clock = clock
        if !isHeld { gate.open() }
    }

    /// The token requests so far.
    var exchanges: [Exchange] { state.withLock { $0.exchanges } }
    /// The secrets in the parameters of all requests.
    var received: [String] {
        exchanges.flatMap { exchange in Self.secretParameters.compactMap { exchange.parameters[$0] } }
            .filter { !$0.isEmpty }
    }
    /// All issued tokens.
    var issued: [String] { state.withLock { $0.issued } }
    /// The scopes that a token was issued for.
    func scopes(of token: String) -> String? { state.withLock { $0.scopes[token] } }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        try request.validate()
        guard !Task.isCancelled else { throw Self.cancelled }
        guard request.method == .post else { return response(404, "", request) }
        let parameters = Dictionary(
            URLEncodedForm.decode(request.body.bytes ?? []).map { ($0.name, $0.value) }
        ) { first, _ in first }
        let number = state.withLock { state in
            state.exchanges.append(
                Exchange(request: request, deadline: context.deadline, parameters: parameters))
            return state.exchanges.count
        }
        await gate.pass()
        switch answer {
        case .grant: return grant(number, parameters, request)
        case .response(let status, let body, let fields):
            let secrets = Self.secretParameters.compactMap { parameters[$0] }
            let echo = (secrets + [request.fields[.authorization] ?? ""]).joined(separator: " ")
            return response(status, body.replacing(Self.echo, with: echo), request, fields)
        case .failure(let error): throw error
        case .silence:
            let end = context.deadline?.instant ?? clock.now + .seconds(3600)
            do { try await clock.sleep(until: end) } catch { throw Self.cancelled }
            throw NetworkError(.timeout, "The exchange took too long.", mayHaveBeenSent: true)
        }
    }

    private static var cancelled: NetworkError {
        NetworkError(.cancelled, "The task was cancelled.", mayHaveBeenSent: true)
    }

    private func grant(_ number: Int, _ parameters: [String: String], _ request: HTTPRequest) -> HTTPResponse
    {
        let (access, refresh) = ("c0nf0rmance-access-\(number)", "c0nf0rmance-refresh-\(number)")
        let scope = parameters["scope"] ?? ""
        // A request with a proof gets a bound token (RFC 9449 §5).
        let type = request.fields.contains("DPoP") ? "DPoP" : "Bearer"
        // A token exchange response contains the issued type (RFC 8693 §2.2.1).
        let exchanged =
            parameters["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange"
            ? #","issued_token_type":"urn:ietf:params:oauth:token-type:access_token""# : ""
        state.withLock { state in
            state.scopes[access] = scope
            state.issued += [access, refresh]
        }
        return response(
            200,
            """
            {"access_token":"\(access)","token_type":"\(type)","expires_in":300,"refresh_token":"\(refresh)",\
            "scope":"\(scope)"\(exchanged)}
            """, request)
    }

    private func response(
        _ status: Int, _ body: String, _ request: HTTPRequest, _ fields: HTTPFields = HTTPFields()
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, fields: fields, body: .bytes(Array(body.utf8)),
            exchange: GatewayCore.Exchange(origin: request.origin))
    }
}
