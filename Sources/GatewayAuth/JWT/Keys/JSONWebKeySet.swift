public import GatewayCore
import GatewayJSON

/// The keys that an issuer signs its tokens with (RFC 7517 §5). Whatever in it cannot be used is left out and told of.
public struct JSONWebKeySet: Sendable {
    /// Where a set comes from, which decides about keys that others must not see.
    public enum Provenance: Sendable {
        /// Everybody can read it: private keys and shared secrets in it are no secrets any more, and are left out.
        case published
        /// It stays with those who trust each other: shared secrets are used, and of private keys the public half.
        case confidential
    }

    /// A key that was left out.
    public struct Omission: Hashable, Sendable {
        /// Its position in the set.
        public let index: Int
        /// Why.
        public let error: JSONWebKeyError
    }

    /// No set has more keys: more of them only take time.
    public static let maximumKeys = 100

    /// The keys, in the order of the set.
    public let keys: [JSONWebKey]
    /// The keys that were left out.
    public let omissions: [Omission]

    /// Reads a set.
    ///
    /// - Parameters:
    ///   - bytes: a JSON object with the member `keys`, a list of ``maximumKeys`` at most. Members that are not known
    ///     are ignored.
    ///   - provenance: whether everybody can read the set.
    /// - Throws: ``JSONWebKeyError`` with code `malformed`, where it is no set at all.
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

    /// The keys that may have signed a token: those of its `kid`, compared byte by byte. A token without `kid` is only
    /// verified where a single key will do (OpenID Connect Core §10.1).
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
    /// How many keys there are.
    public var description: String { "\(keys.count) keys, \(omissions.count) left out" }
}
