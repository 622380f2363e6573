public import GatewayCore
import GatewayJSON

/// A JSON Web Key Set: the keys with which an issuer signs tokens (RFC 7517 §5). Unusable keys are omitted and listed
/// in ``omissions``.
public struct JSONWebKeySet: Sendable {
    /// The source of a set. It determines whether secret keys are accepted.
    public enum Provenance: Sendable {
        /// The set is public. Private keys and shared secrets are omitted, because they are compromised.
        case published
        /// The set is known only to trusted parties. Shared secrets are used, and the public key of private keys.
        case confidential
    }

    /// A key that was omitted.
    public struct Omission: Hashable, Sendable {
        /// Its position in the set.
        public let index: Int
        /// The reason.
        public let error: JSONWebKeyError
    }

    /// The maximum number of keys in a set.
    public static let maximumKeys = 100

    /// The keys, in the order of the set.
    public let keys: [JSONWebKey]
    /// The keys that were omitted.
    public let omissions: [Omission]

    /// Reads a set.
    ///
    /// - Parameters:
    ///   - bytes: a JSON object with the member `keys`, an array of at most ``maximumKeys`` elements. Unknown members
    ///     are ignored.
    ///   - provenance: whether the set is public.
    /// - Throws: ``JSONWebKeyError`` with code `malformed` if it is not a key set.
    public init(
        jsonBytes bytes: [UInt8], provenance: Provenance = .published
    ) throws(JSONWebKeyError) {
        let limits = JSONLimits(depth: 16, bytes: 1 << 20)
        guard let elements = (try? JSONValue(jsonBytes: bytes, limits: limits))?["keys"]?.array else {
            throw JSONWebKeyError(.malformed, "A set is a JSON object with a list of keys.")
        }
        guard elements.count <= Self.maximumKeys else {
            throw JSONWebKeyError(.malformed, "The set has more than \(Self.maximumKeys) keys.")
        }
        var keys: [JSONWebKey] = []
        var omissions: [Omission] = []
        for (index, element) in elements.enumerated() {
            do throws(JSONWebKeyError) {
                let key = try JSONWebKey(element)
                guard provenance == .confidential || key.kind != .secret && !key.isPrivate else {
                    throw JSONWebKeyError(.notPublic, "The key must not be published: replace it.")
                }
                keys.append(key)
            } catch { omissions.append(Omission(index: index, error: error)) }
        }
        self.keys = keys
        self.omissions = omissions
    }

    /// The keys that can verify a token: those with its `kid`, compared byte by byte. A token without `kid` is accepted
    /// only if exactly one key is suitable (OpenID Connect Core §10.1).
    ///
    /// - Parameters:
    ///   - keyID: the `kid` of the token's header.
    ///   - algorithm: the `alg` of the token's header.
    public func candidates(keyID: String?, algorithm: JSONWebTokenAlgorithm) -> [JSONWebTokenKey] {
        guard let keyID else {
            let suitable = keys.compactMap { $0.key(for: algorithm) }
            return suitable.count == 1 ? suitable : []
        }
        return keys.filter { $0.keyID?.hasSameBytes(as: keyID) == true }.compactMap { $0.key(for: algorithm) }
    }
}

extension JSONWebKeySet: Redacted {
    /// The number of keys.
    public var description: String { "\(keys.count) keys, \(omissions.count) omitted" }
}
