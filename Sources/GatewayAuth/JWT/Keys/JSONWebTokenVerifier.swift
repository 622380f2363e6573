public import GatewayCore

/// Verifies tokens from end to end: form, kind, claims, and the signature by one of the issuer's keys.
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

    /// So many keys of one name are tried at most: each costs time, and names should not repeat (RFC 7517 §4.5).
    private static let maximumCandidates = 4

    /// What a token must say.
    public let requirements: JSONWebTokenRequirements
    /// The algorithms that will do.
    public let algorithms: Set<JSONWebTokenAlgorithm>
    private let keys: Keys
    private let clock: any GatewayClock

    /// Verifies with the keys that an issuer publishes.
    ///
    /// - Parameters:
    ///   - source: the keys.
    ///   - requirements: what a token must say.
    ///   - algorithms: those that will do; shared secrets are never among published keys.
    ///   - clock: where time comes from.
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

    /// Verifies with keys at hand. See ``init(source:requirements:algorithms:clock:)``.
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
    /// What can be refused without a key is refused first, so that such tokens cause no request.
    ///
    /// - Returns: the token, genuine and valid here and now.
    /// - Throws: ``JSONWebTokenError``. With the code `keysUnavailable` the token may be good: answer 503, not 401.
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
