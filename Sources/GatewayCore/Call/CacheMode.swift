/// How a call uses stored responses (the request cache modes of the Fetch Standard).
///
/// For an engine without a cache, the mode only controls caches between client and server, and whether the call may
/// share the response of an equal call in progress.
@nonexhaustive
public enum CacheMode: String, Hashable, Sendable {
    /// A fresh stored response is used, a stale one is validated (RFC 9111).
    case standard = "default"
    /// Stored responses are not used, and the response is not stored.
    case noStore = "no-store"
    /// Stored responses are not used, and the response is stored.
    case reload
    /// A stored response is used after the server has validated it.
    case noCache = "no-cache"
    /// A stored response is used even if it is stale; otherwise the call is sent.
    case forceCache = "force-cache"
    /// A stored response is used even if it is stale; otherwise the call fails with ``NetworkError/notCached``, and
    /// nothing is sent.
    case onlyIfCached = "only-if-cached"
    /// The call is sent. If it fails, or its status is 500, 502, 503 or 504, a stored response is used, even if it is
    /// stale. Not a mode of the Fetch Standard.
    case networkFirst = "network-first"

    /// The mode of a name: that of the Fetch Standard, or `cache-first`, `network-first`, `cache-only`, `network-only`
    /// and `revalidate`, which mean ``forceCache``, ``networkFirst``, ``onlyIfCached``, ``noStore`` and ``noCache``.
    /// `standard` is a name of ``standard``, too.
    public init?(name: String) {
        switch name {
        case "standard": self = .standard
        case "cache-first": self = .forceCache
        case "cache-only": self = .onlyIfCached
        case "network-only": self = .noStore
        case "revalidate": self = .noCache
        default: self.init(rawValue: name)
        }
    }

    /// The value of `Cache-Control` that makes intermediate caches follow the mode; `nil` for none.
    fileprivate var cacheControl: String? {
        switch self {
        case .standard, .forceCache, .onlyIfCached: nil
        case .noStore: "no-cache, no-store"
        case .reload: "no-cache"
        case .noCache, .networkFirst: "max-age=0"
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
