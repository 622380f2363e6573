public import GatewayCore

/// The circuit breakers of an engine: one for each host, one for each operation of a host, and others by name.
///
/// ```swift
/// let breakers = try CircuitBreakerRegistry(hosts: .server, operations: .server)
/// configuration.protection.circuitBreakers = breakers
/// …
/// health.report(breakers.states)
/// ```
/// The breaker of a host counts failures to connect, and all failures of calls without an operation. Other failures of
/// calls with an operation are counted by the operation's breaker, so that one operation that fails does not stop the
/// others. A call whose options name a breaker is guarded by that one alone.
///
/// Several engines may share a registry. It keeps at most 1,024 breakers; beyond that it forgets closed ones, those
/// that were not used for the longest time first. If all are open, further hosts and operations are not guarded.
public final class CircuitBreakerRegistry: Sendable {
    /// What a breaker guards. A string literal is a name.
    public enum Key: Hashable, Sendable {
        /// A host.
        case host(Origin)
        /// An operation of a host, by its ID.
        case operation(Origin, String)
        /// Calls whose options name the breaker.
        case named(String)
    }

    /// The policies by the kind of the key.
    private struct Policies: Sendable {
        let hosts: CircuitBreakerPolicy?
        let operations: CircuitBreakerPolicy?
        let named: CircuitBreakerPolicy
        let keys: [Key: CircuitBreakerPolicy]

        subscript(key: Key) -> CircuitBreakerPolicy? {
            if let policy = keys[key] { return policy }
            return switch key {
            case .host: hosts
            case .operation: operations
            case .named: named
            }
        }

        func validate() throws(NetworkError) {
            try NetworkError.check("hosts", hosts?.validate)
            try NetworkError.check("operations", operations?.validate)
            try NetworkError.check("named", named.validate)
            for (key, policy) in keys { try NetworkError.check("policies[\(key)]", policy.validate) }
        }
    }

    private struct WaitingCalls {
        weak var bulkhead: Bulkhead?
    }

    static let capacity = 1_024

    private let policies: Policies
    let clock: any GatewayClock
    private let random: any RandomSource
    private let network: any NetworkConditionSource
    private let table = Locked(CircuitTable(capacity: capacity))
    private let outlets = EventOutlets()
    private let bulkheads = Locked<[WaitingCalls]>([])

    /// Makes a registry.
    ///
    /// - Parameters:
    ///   - hosts: the policy of hosts; `nil` for no breakers of hosts.
    ///   - operations: the policy of operations; `nil` for no breakers of operations. Their calls are then counted by
    ///     the host's breaker.
    ///   - named: the policy of breakers by name.
    ///   - policies: policies of single hosts, operations and names; they take precedence over the others.
    ///   - clock: the clock of time limits.
    ///   - random: the source of the jitter of open times.
    ///   - network: while this source says that there is no network, failures to connect are ignored.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property, such as
    ///   `hosts.openFor`.
    public convenience init(
        hosts: CircuitBreakerPolicy? = .standard, operations: CircuitBreakerPolicy? = .standard,
        named: CircuitBreakerPolicy = .standard, policies: [Key: CircuitBreakerPolicy] = [:],
        clock: any GatewayClock = SystemClock(), random: any RandomSource = FastRandomSource(),
        network: any NetworkConditionSource = AlwaysOnline()
    ) throws(NetworkError) {
        let all = Policies(hosts: hosts, operations: operations, named: named, keys: policies)
        try all.validate()
        self.init(all, clock: clock, random: random, network: network)
    }

    /// Makes a registry with one preset for all breakers.
    package convenience init(
        preset: CircuitBreakerPolicy, network: any NetworkConditionSource = AlwaysOnline()
    ) {
        self.init(
            Policies(hosts: preset, operations: preset, named: preset, keys: [:]), clock: SystemClock(),
            random: FastRandomSource(), network: network)
    }

    private init(
        _ policies: Policies, clock: any GatewayClock, random: any RandomSource,
        network: any NetworkConditionSource
    ) {
        self.policies = policies
        self.clock = clock
        self.random = random
        self.network = network
    }

    // MARK: Breakers

    /// The breaker of a key. If there is none, it is made with the policy of the key.
    public func breaker(for key: Key) -> CircuitBreaker {
        table.withLock { find(key, policies[key] ?? policies.named, &$0).breaker }
    }

    /// The breaker of a key. If there is none, it is made with this policy; an existing breaker keeps its
    /// policy.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured` if the policy is invalid.
    public func breaker(
        for key: Key, policy: CircuitBreakerPolicy
    ) throws(NetworkError) -> CircuitBreaker {
        try NetworkError.check("\(key)", policy.validate)
        return table.withLock { find(key, policy, &$0).breaker }
    }

    /// The states of all breakers now.
    public var states: [Key: CircuitBreaker.State] {
        table.withLock { $0.breakers }.mapValues(\.state)
    }

    /// Closes all circuits, including isolated ones, and resets their counts.
    public func resetAll() {
        for breaker in table.withLock({ $0.breakers.values }) { breaker.reset() }
    }

    /// Lets the open circuits of hosts probe immediately. An engine calls it when its network returns.
    public func halfOpenHosts() {
        let hosts = table.withLock {
            $0.breakers.filter { if case .host = $0.key { true } else { false } }.values
        }
        for breaker in hosts { breaker.halfOpen() }
    }

    /// Lets all open circuits probe immediately.
    public func halfOpenAll() {
        for breaker in table.withLock({ $0.breakers.values }) { breaker.halfOpen() }
    }

    /// The breaker that guards an attempt; `nil` if none does. A breaker of an operation refers to that of its host.
    func breaker(guarding origin: Origin, _ context: RequestContext) -> CircuitBreaker? {
        let key: Key
        switch context.circuitBreaker {
        case .off: return nil
        case .named(let name): key = .named(name)
        case .engine: key = context.operation.map { .operation(origin, $0.id) } ?? .host(origin)
        }
        return table.withLock { table in
            if let known = table.use(key) { return known }
            if let policy = policies[key] { return registered(key, policy, &table) }
            // Breakers of operations are disabled.
            guard case .operation = key else { return nil }
            let host = Key.host(origin)
            if let known = table.use(host) { return known }
            return policies[host].flatMap { registered(host, $0, &table) }
        }
    }

    private func registered(
        _ key: Key, _ policy: CircuitBreakerPolicy, _ table: inout CircuitTable
    ) -> CircuitBreaker? {
        let (breaker, isRegistered) = find(key, policy, &table)
        return isRegistered ? breaker : nil
    }

    private func find(
        _ key: Key, _ policy: CircuitBreakerPolicy, _ table: inout CircuitTable
    ) -> (breaker: CircuitBreaker, isRegistered: Bool) {
        if let known = table.use(key) { return (known, true) }
        var host: CircuitBreaker?
        if case .operation(let origin, _) = key, let policy = policies[.host(origin)] {
            host = find(.host(origin), policy, &table).breaker
        }
        let breaker = CircuitBreaker(
            key.description, policy, host: host, origin: key.origin, clock: clock, random: random,
            network: network)
        breaker.onStateChange { [weak self, weak breaker] transition in
            guard let breaker else { return }
            self?.report(transition, breaker.name, breaker.origin)
            if transition.to == .open || transition.to == .isolated { self?.turnAwayWaiters(of: breaker) }
        }
        return (breaker, table.insert(breaker, for: key))
    }

    // MARK: Bulkheads

    /// When a breaker opens, rejects the calls in a bulkhead's queue that it guards.
    func turnAwayWaiters(in bulkhead: Bulkhead) {
        bulkheads.withLock { bulkheads in
            bulkheads.removeAll { $0.bulkhead == nil }
            bulkheads.append(WaitingCalls(bulkhead: bulkhead))
        }
    }

    private func turnAwayWaiters(of breaker: CircuitBreaker) {
        for bulkhead in bulkheads.withLock({ $0.compactMap(\.bulkhead) }) {
            bulkhead.turnAway(guardedBy: breaker)
        }
    }

    // MARK: Events

    /// Reports changes of states to an engine's sink from now on.
    package func report(to outlet: EventOutlet) { outlets.add(outlet) }

    private func report(_ transition: CircuitBreaker.Transition, _ name: String, _ origin: Origin?) {
        let kind: StateEvent.Kind =
            switch transition.to {
            case .closed: .circuitClosed(name)
            case .open: .circuitOpened(name, for: transition.openFor ?? .zero)
            case .halfOpen: .circuitHalfOpened(name)
            case .isolated: .circuitIsolated(name)
            }
        outlets.record([StateEvent(instant: transition.instant, origin: origin, kind: kind)])
    }
}

extension CircuitBreakerRegistry.Key: CustomStringConvertible, ExpressibleByStringLiteral {
    /// Makes the key of a name.
    public init(stringLiteral name: String) { self = .named(name) }

    /// The origin, the origin and the operation's ID, or the name.
    public var description: String {
        switch self {
        case .host(let origin): "\(origin)"
        case .operation(let origin, let id): "\(origin) \(id)"
        case .named(let name): name
        }
    }

    /// The origin; `nil` for a name.
    var origin: Origin? {
        switch self {
        case .host(let origin), .operation(let origin, _): origin
        case .named: nil
        }
    }
}

extension CircuitBreakerRegistry: Redacted {}
