/// How a call uses stored responses (the request cache modes of the Fetch Standard).
///
/// An engine without a cache stores nothing; there the modes decide what caches on the way to the server may do, and
/// whether the call may share the response of an equal call in progress.
@nonexhaustive
public enum CacheMode: String, Hashable, Sendable {
    /// As RFC 9111 says: a fresh response is used, a stale one is validated.
    case standard = "default"
    /// Stored responses are not used, and the response is not stored.
    case noStore = "no-store"
    /// Stored responses are not used, and the response is stored.
    case reload
    /// A stored response is used after the server has validated it.
    case noCache = "no-cache"
    /// A stored response is used even if it is stale; otherwise the call is sent.
    case forceCache = "force-cache"
    /// A stored response is used even if it is stale; otherwise the call fails with ``NetworkError/notCached``, and nothing
    /// is sent.
    case onlyIfCached = "only-if-cached"

    /// Whether a call may share the response of an equal call that began before it.
    package var allowsSharing: Bool { self == .standard || self == .forceCache }

    /// The value of `Cache-Control` that makes caches on the way to the server follow the mode; `nil` for none.
    fileprivate var cacheControl: String? {
        switch self {
        case .standard, .forceCache, .onlyIfCached: nil
        case .noStore: "no-cache, no-store"
        case .reload: "no-cache"
        case .noCache: "max-age=0"
        }
    }
}

extension HTTPRequest {
    /// Sets `Cache-Control` for a mode, unless the request has the field.
    mutating func apply(_ mode: CacheMode?) {
        guard let value = mode?.cacheControl, !fields.contains("Cache-Control") else { return }
        fields["Cache-Control"] = value
    }
}
