public import GatewayAuth
public import GatewayCore

/// What every ``GatewayAuth/TokenAcquirer`` must do, checked.
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
/// The transport stands for a token endpoint (RFC 6749 §3.2) at any address: it answers every POST, well or badly as
/// the check demands, with a bound token where the request carries a proof (RFC 9449 §5). Whoever wraps another acquirer
/// runs the suite a second time around a bound one, so that a binding that is not passed on is found. Failures are values, so that the suite says the same inside a test run and outside of one; none
/// of them repeats a secret or an error's own words.
public struct TokenAcquirerConformance: Sendable {
    /// Makes an acquirer whose token requests go through a transport.
    public typealias Make = @Sendable (_ transport: any Transport) async throws -> any TokenAcquirer

    /// Whether it trades the refresh token of the grant before (RFC 6749 §6).
    public var usesRefreshToken = false
    /// What nothing may print: client secrets, private keys, first refresh tokens.
    public var secrets: [Secret] = []
    /// How long a call may take before it counts as one that never ends.
    public var patience: Duration = .seconds(10)
    /// What deadlines and patience are counted on; it must go by itself.
    public var clock: any GatewayClock = SystemClock()

    let make: Make
    private let asksEndpoint: Bool

    /// Prepares the checks of an acquirer that asks a token endpoint.
    public init(_ make: @escaping Make) {
        self.make = make
        asksEndpoint = true
    }

    /// Prepares the checks of an acquirer that gets its tokens otherwise: fewer, since nobody sees whom it asks.
    public init(withoutEndpoint make: @escaping @Sendable () async throws -> any TokenAcquirer) {
        self.make = { _ in try await make() }
        asksEndpoint = false
    }

    /// Runs all checks, which takes some tenths of a second.
    ///
    /// - Returns: what went wrong, each with the name of its check; empty when all is well.
    public func failures() async -> [String] {
        let checks: [(String, @Sendable () async throws -> [String])] =
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
        var failures: [String] = []
        for (name, check) in checks {
            do {
                failures += try await check().map { "\(name): \($0)" }
            } catch {
                failures.append("\(name): threw \(ConformanceFindings.name(error))")
            }
        }
        return failures
    }

    // MARK: Asking

    static let previousRefreshToken = "c0nf0rmance-previous-refresh"
    static let key = TokenKey(
        issuer: "https://login.example.com", client: "conformance", scopes: ["books:read"])

    /// The grant before, as the coordinator hands it over.
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

    /// One acquisition that may never end.
    func acquire(_ acquirer: any TokenAcquirer, _ request: TokenRequest? = nil) async throws -> TokenGrant {
        let request = request ?? self.request()
        guard
            let result = await Trial({ try await acquirer.acquire(request) })
                .result(within: patience, clock: clock)
        else { throw NeverEnds() }
        return try result.get()
    }

    /// How one acquisition fails, by an acquirer of its own; `nil` where it does not.
    func failure(of endpoint: ConformanceEndpoint) async throws -> (any Error)? {
        let acquirer = try await make(endpoint)
        do {
            _ = try await acquire(acquirer)
            return nil
        } catch { return error }
    }

    func check(_ isSo: Bool, _ text: @autoclosure () -> String) -> [String] {
        ConformanceFindings.check(isSo, text())
    }

    // MARK: Without an endpoint

    private func lonelyGrant() async throws -> [String] {
        let acquirer = try await make(endpoint(.silence))
        let grant = try await acquire(acquirer)
        return check(ConformanceFindings.isToken(grant.accessToken.exposed), "its token is none")
            + check(grant.accessToken != Self.previous.accessToken, "the rejected token comes again")
            + check((grant.type == .dpop) == (acquirer.binding != nil), "its binding is not told")
    }

    private func lonelyCalls() async throws -> [String] {
        let acquirer = try await make(endpoint(.silence))
        let requests = (0..<8).map { request(TokenKey(scopes: ["scope-\($0)"])) }
        let trials = requests.map { request in Trial { try await acquirer.acquire(request) } }
        var failures: [String] = []
        for trial in trials {
            switch await trial.result(within: patience, clock: clock) {
            case nil: failures.append("a call never ends")
            case .failure(let error): failures.append("a call fails: \(ConformanceFindings.name(error))")
            case .success: break
            }
        }
        return failures
    }

    private func lonelySecrets() async throws -> [String] {
        let acquirer = try await make(endpoint(.silence))
        let grant = try await acquire(acquirer)
        let secrets = self.secrets.map(\.exposed) + [grant.accessToken.exposed]
        return ConformanceFindings.leaks(
            of: secrets, in: ConformanceFindings.printed(acquirer), from: "the acquirer")
    }
}
