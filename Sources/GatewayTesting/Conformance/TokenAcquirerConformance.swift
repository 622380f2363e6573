public import GatewayAuth
public import GatewayCore

/// Checks that a ``GatewayAuth/TokenAcquirer`` meets its requirements.
///
/// ```swift
/// @Test func conforms() async {
///     var suite = TokenAcquirerConformance { transport in
///         ClientCredentials(endpoint: try TokenEndpoint(
///             "https://login.example.com/token", client: .basic(clientID: "id", secret: secret),
///             transport: transport))
///     }
///     suite.secrets = [secret]
///     #expect(await suite.failures() == [])
/// }
/// ```
/// The transport acts as a token endpoint (RFC 6749 §3.2) at any URL: it responds to every POST with a grant or an
/// error, as the check requires, and with a bound token if the request has a proof (RFC 9449 §5). For an acquirer that
/// wraps another one, run the suite a second time with a bound acquirer inside, to check that the binding is forwarded.
/// Failures are returned as values, so the suite works inside and outside of a test run. They contain no secrets and no
/// messages of errors.
public struct TokenAcquirerConformance: Sendable {
    /// Creates an acquirer whose token requests use a transport.
    public typealias Make = @Sendable (_ transport: any Transport) async throws -> any TokenAcquirer

    /// Whether the acquirer uses the refresh token of the previous grant (RFC 6749 §6).
    public var usesRefreshToken = false
    /// Additional secrets that must not be printed: client secrets, private keys, initial refresh tokens.
    public var secrets: [Secret] = []
    /// The maximum duration of a call before it counts as endless. Default: 10 s.
    public var patience: Duration = .seconds(10)
    /// The clock for deadlines and ``patience``. It must run by itself.
    public var clock: any GatewayClock = SystemClock()

    let make: Make
    private let asksEndpoint: Bool

    /// Creates a suite for an acquirer that uses a token endpoint.
    public init(_ make: @escaping Make) {
        self.make = make
        asksEndpoint = true
    }

    /// Creates a suite for an acquirer without a token endpoint. It makes fewer checks, because its requests are not
    /// visible.
    public init(withoutEndpoint make: @escaping @Sendable () async throws -> any TokenAcquirer) {
        self.make = { _ in try await make() }
        asksEndpoint = false
    }

    /// Runs all checks, in some tenths of a second.
    ///
    /// - Returns: the failures, each with the name of its check; empty if there are none.
    public func failures() async -> [String] {
        let checks: [(String, @Sendable (inout Findings) async throws -> Void)] =
            asksEndpoint
            ? [
                ("grant", grant), ("no cache", noCache), ("no memory", noMemory),
                ("refresh token", refreshToken), ("single use", singleUse), ("one request", oneRequest),
                ("no probing", noProbing),
                ("failures for good", failuresForGood), ("failures in passing", failuresInPassing),
                ("lost answer", lostAnswer), ("unusable answers", unusableAnswers), ("deadline", deadline),
                ("cancelled", cancelled), ("no lock", noLock), ("keys apart", keysApart),
                ("binding", binding), ("no secrets", noSecrets),
            ] : [("grant", lonelyGrant), ("concurrent calls", lonelyCalls), ("no secrets", lonelySecrets)]
        return await ConformanceFindings.failures(checks)
    }

    // MARK: Requests

    static let previousRefreshToken = "c0nf0rmance-previous-refresh"
    static let key = TokenKey(
        issuer: "https://login.example.com", client: "conformance", scopes: ["books:read"])

    /// The previous grant, as the coordinator would pass it.
    static var previous: TokenGrant {
        TokenGrant(
            accessToken: Secret("c0nf0rmance-previous-access"), expiresIn: .seconds(300),
            refreshToken: Secret(previousRefreshToken), scopes: ["books:read"])
    }

    struct NeverEnds: Error {}

    func request(_ key: TokenKey = key, within limit: Duration = .seconds(30)) -> TokenRequest {
        TokenRequest(
            key: key, previous: Self.previous, previousWasRejected: true,
            deadline: .after(limit, clock: clock))
    }

    func endpoint(_ answer: ConformanceEndpoint.Answer, isHeld: Bool = false) -> ConformanceEndpoint {
        ConformanceEndpoint(answer, clock: clock, isHeld: isHeld)
    }

    /// Makes an acquisition that may be endless.
    func acquire(_ acquirer: any TokenAcquirer, _ request: TokenRequest? = nil) async throws -> TokenGrant {
        let request = request ?? self.request()
        guard
            let result = await Trial({ try await acquirer.acquire(request) })
                .result(within: patience, clock: clock)
        else { throw NeverEnds() }
        return try result.get()
    }

    /// The error of an acquisition with a new acquirer; `nil` if it succeeds.
    func failure(of endpoint: ConformanceEndpoint) async throws -> (any Error)? {
        let acquirer = try await make(endpoint)
        do {
            _ = try await acquire(acquirer)
            return nil
        } catch { return error }
    }

    // MARK: Without an endpoint

    private func lonelyGrant(_ found: inout Findings) async throws {
        let acquirer = try await make(endpoint(.silence))
        let grant = try await acquire(acquirer)
        found.expect(ConformanceFindings.isToken(grant.accessToken.exposed), "its token is none")
        found.expect(grant.accessToken != Self.previous.accessToken, "the rejected token comes again")
        found.expect((grant.type == .dpop) == (acquirer.binding != nil), "its binding is not told")
    }

    private func lonelyCalls(_ found: inout Findings) async throws {
        let acquirer = try await make(endpoint(.silence))
        let requests = (0..<8).map { request(TokenKey(scopes: ["scope-\($0)"])) }
        let trials = requests.map { request in Trial { try await acquirer.acquire(request) } }
        for trial in trials {
            switch await trial.result(within: patience, clock: clock) {
            case nil: found.add("a call never ends")
            case .failure(let error): found.add("a call fails: \(ConformanceFindings.name(error))")
            case .success: break
            }
        }
    }

    private func lonelySecrets(_ found: inout Findings) async throws {
        let acquirer = try await make(endpoint(.silence))
        let grant = try await acquire(acquirer)
        let secrets = self.secrets.map(\.exposed) + [grant.accessToken.exposed]
        found.addLeaks(of: secrets, in: ConformanceFindings.printed(acquirer), from: "the acquirer")
    }
}
