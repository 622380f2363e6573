public import GatewayCore

/// The hosts that want to be called over TLS alone, as they said themselves (HTTP Strict Transport Security,
/// RFC 6797).
///
/// ```swift
/// configuration.strictTransport = HSTSPolicyStore()
/// ```
/// - A host becomes known by a `Strict-Transport-Security` field on a response over https, and by nothing else. The
///   last such response counts; `max-age=0` makes it forgotten.
/// - A request to `http` at a known host, or with `includeSubDomains` below one, goes to `https` instead, before
///   credentials, limits and connections are chosen for it.
/// - Addresses are never known: the RFC is for names.
///
/// It is in memory alone, and bounded: when it is full, whatever host was heard of longest ago makes room. Engines
/// may share one.
public final class HSTSPolicyStore: Sendable {
    private struct Entry {
        /// What the host said, so that the same words need not be understood twice.
        var value: String
        var policy: StrictTransportPolicy
        var expiry: ContinuousClock.Instant
        /// A number that grows with each time that the host is heard of.
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
    ///   - capacity: how many hosts are remembered at most, 1 or more. A thousand: more than a service calls.
    ///   - clock: what `max-age` is counted on.
    public init(capacity: Int = 1000, clock: any GatewayClock = SystemClock()) {
        self.capacity = max(1, capacity)
        self.clock = clock
    }

    /// How many hosts are remembered, those whose time is up included.
    public var count: Int { state.withLock { $0.entries.count } }

    /// Forgets every host.
    public func removeAll() { state.withLock { $0.entries = [:] } }

    /// Where a request to this origin goes: to `https` where that is what the host wants (RFC 6797 §8.3), else where
    /// it was to go.
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

    /// Learns what a response says of its host. Over `http`, where anybody on the way could have said it, and of
    /// addresses nothing is learned (RFC 6797 §8.1).
    ///
    /// - Parameters:
    ///   - fields: the response's fields. Of several `Strict-Transport-Security` the first counts; one that does not
    ///     conform counts for nothing.
    ///   - origin: who answered.
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

    /// The host without the dot that may end it: both mean the same.
    private static func name(_ origin: Origin) -> String {
        origin.host.hasSuffix(".") ? String(origin.host.dropLast()) : origin.host
    }

    private static let field: HTTPField.Name = "Strict-Transport-Security"
}
