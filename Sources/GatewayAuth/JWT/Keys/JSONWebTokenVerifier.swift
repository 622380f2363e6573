public import GatewayCore

/// Verifies tokens completely: form, type, claims, and the signature with one of the issuer's keys.
///
/// ```swift
/// let keys = try JSONWebKeySetSource("https://login.example.com/jwks.json", transport: engine.tokenTransport)
/// let verifier = JSONWebTokenVerifier(
///     source: keys,
///     requirements: JSONWebTokenRequirements(
///         issuer: "https://login.example.com", audience: "https://api.example.com", type: .accessToken))
/// let token = try await verifier.verify(bearer)
/// ```
public struct JSONWebTokenVerifier: Sendable {
    private enum Keys: Sendable {
        case fixed(JSONWebKeySet)
        case source(JSONWebKeySetSource)
    }

    /// The maximum number of keys with the same identifier to try. Identifiers should be unique (RFC 7517 §4.5).
    private static let maximumCandidates = 4

    /// The requirements for the claims.
    public let requirements: JSONWebTokenRequirements
    /// The accepted algorithms.
    public let algorithms: Set<JSONWebTokenAlgorithm>
    private let keys: Keys
    private let clock: any GatewayClock

    /// Creates a verifier with the keys that an issuer publishes.
    ///
    /// - Parameters:
    ///   - source: the source of the keys.
    ///   - requirements: the requirements for the claims.
    ///   - algorithms: the accepted algorithms. Published sets never contain shared secrets.
    ///   - clock: the source of time.
    public init(
        source: JSONWebKeySetSource, requirements: JSONWebTokenRequirements,
        algorithms: Set<JSONWebTokenAlgorithm> = JSONWebTokenAlgorithm.asymmetric,
        clock: any GatewayClock = SystemClock()
    ) {
        keys = .source(source)
        self.requirements = requirements
        self.algorithms = algorithms
        self.clock = clock
    }

    /// Creates a verifier with fixed keys. See ``init(source:requirements:algorithms:clock:)``.
    public init(
        keys: JSONWebKeySet, requirements: JSONWebTokenRequirements,
        algorithms: Set<JSONWebTokenAlgorithm> = JSONWebTokenAlgorithm.asymmetric,
        clock: any GatewayClock = SystemClock()
    ) {
        self.keys = .fixed(keys)
        self.requirements = requirements
        self.algorithms = algorithms
        self.clock = clock
    }

    /// Verifies a token.
    ///
    /// Everything that does not need a key is checked first, so that invalid tokens cause no request.
    ///
    /// - Returns: the verified token.
    /// - Throws: ``JSONWebTokenError``. With the code `keysUnavailable` the token may be valid: respond with 503, not
    ///   with 401.
    public func verify(_ token: Secret) async throws(JSONWebTokenError) -> JSONWebToken {
        let compact = try CompactToken(token)
        let read = try JSONWebToken(compact)
        guard let algorithm = compact.algorithm.flatMap(JSONWebTokenAlgorithm.init(rawValue:)),
            algorithms.contains(algorithm)
        else {
            throw JSONWebTokenError(.unsupported, "The token's signature algorithm is not allowed.")
        }
        try read.check(requirements, unixTime: clock.unixTime)
        let candidates: [JSONWebTokenKey]
        switch keys {
        case .fixed(let set): candidates = set.candidates(keyID: read.keyID, algorithm: algorithm)
        case .source(let source):
            candidates = try await source.candidates(keyID: read.keyID, algorithm: algorithm)
        }
        var failure = JSONWebTokenError(.unknownKey, "No key matches the token's key ID (`kid`).")
        for key in candidates.prefix(Self.maximumCandidates) {
            do throws(JSONWebTokenError) {
                return try JSONWebToken.verify(compact, key: key, type: requirements.type)
            } catch { failure = error }
        }
        throw failure
    }
}
