public import GatewayCore

/// A store of known HSTS hosts (HTTP Strict Transport Security, RFC 6797), which are called only over TLS.
///
/// ```swift
/// configuration.strictTransport = HSTSPolicyStore()
/// ```
/// - A host is added by a `Strict-Transport-Security` field on a response over https. The latest response counts;
///   `max-age=0` removes the host.
/// - A request to `http` at a known host, or at a subdomain of one with `includeSubDomains`, goes to `https`, before its
///   credential, limits and connection are chosen.
/// - IP addresses are never added (RFC 6797 §8.1.1).
///
/// The store is in memory and bounded: when it is full, the host with the oldest response is removed. Engines may share
/// one.
public final class HSTSPolicyStore: Sendable {
    private struct Entry {
        /// The field value, so that the same value is not parsed again.
        var value: String
        var policy: StrictTransportPolicy
        var expiry: ContinuousClock.Instant
        /// The number of the latest response with the field.
        var heard: UInt64
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var heard: UInt64 = 0
    }

    private let capacity: Int
    private let clock: any GatewayClock
    private let state = Locked(State())

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of hosts, 1 or more. Defaults to 1,000.
    ///   - clock: the clock of `max-age`.
    public init(capacity: Int = 1000, clock: any GatewayClock = SystemClock()) {
        self.capacity = max(1, capacity)
        self.clock = clock
    }

    /// The number of hosts, including expired ones.
    public var count: Int { state.withLock { $0.entries.count } }

    /// Removes all hosts.
    public func removeAll() { state.withLock { $0.entries = [:] } }

    /// The request with its origin upgraded.
    func upgraded(_ request: HTTPRequest) -> HTTPRequest {
        guard request.origin.scheme == .http else { return request }
        var request = request
        request.origin = upgraded(request.origin)
        return request
    }

    /// The origin to call in place of an origin: the one over `https` for a known host (RFC 6797 §8.3), otherwise the same.
    public func upgraded(_ origin: Origin) -> Origin {
        guard origin.scheme == .http, !origin.isIPAddress else { return origin }
        let now = clock.now
        let host = Self.name(origin)
        let isKnown = state.withLock { state in
            guard !state.entries.isEmpty else { return false }
            if let entry = state.entries[host], entry.expiry > now { return true }
            var rest = host[...]
            while let dot = rest.firstIndex(of: ".") {
                rest = rest[rest.index(after: dot)...]
                if let entry = state.entries[String(rest)], entry.policy.includesSubdomains,
                    entry.expiry > now
                {
                    return true
                }
            }
            return false
        }
        return isKnown ? origin.secured : origin
    }

    /// Records the policy in a response. Responses over `http`, which anyone on the path can forge, and from IP addresses
    /// are ignored (RFC 6797 §8.1).
    ///
    /// - Parameters:
    ///   - fields: the response's fields. The first `Strict-Transport-Security` field is used; it is ignored
    ///     if it does not conform.
    ///   - origin: the origin of the response.
    public func record(_ fields: HTTPFields, from origin: Origin) {
        guard origin.scheme == .https, let value = fields.first(where: { $0.name == Self.field })?.value,
            !origin.isIPAddress
        else { return }
        let now = clock.now
        let host = Self.name(origin)
        state.withLock { state in
            let known = state.entries[host]
            guard let policy = known?.value == value ? known?.policy : StrictTransportPolicy(value) else {
                return
            }
            guard policy.maxAge > .zero else {
                state.entries[host] = nil
                return
            }
            if known == nil { Self.makeRoom(in: &state, for: capacity, now: now) }
            state.heard += 1
            state.entries[host] = Entry(
                value: value, policy: policy, expiry: now.adding(policy.maxAge), heard: state.heard)
        }
    }

    private static func makeRoom(in state: inout State, for capacity: Int, now: ContinuousClock.Instant) {
        guard state.entries.count >= capacity else { return }
        state.entries = state.entries.filter { $0.value.expiry > now }
        guard state.entries.count >= capacity,
            let oldest = state.entries.min(by: { $0.value.heard < $1.value.heard })?.key
        else { return }
        state.entries[oldest] = nil
    }

    /// The host without a trailing dot, which does not change its meaning.
    private static func name(_ origin: Origin) -> String {
        origin.host.hasSuffix(".") ? String(origin.host.dropLast()) : origin.host
    }

    private static let field: HTTPField.Name = "Strict-Transport-Security"
}
