import GatewayCore

/// The common properties of the gates of a call.
struct RateGateKey: Hashable {
    let origin: Origin
    let identity: CredentialIdentity?
    /// A digest of the credentials that the caller has set on the request; 0 for none.
    let credential: Int
    /// The operation, if the policy distinguishes operations.
    let operation: String?
}

/// One gate: a state machine, and the calls to which it applies.
struct RateGateEntry {
    /// Incremented for each gate.
    let serial: UInt64
    let name: RateLimitReport.Name
    var machine: RateGateStateMachine
    /// The number of closings of all gates when this one closed last.
    var closing: UInt64 = 0
    var lastUse: UInt64 = 0
    /// The operations whose responses name the limit. Before that, it limits no call.
    private(set) var operations: Set<String?> = []
    private var quota: Double?
    private var window: Duration?
    /// The longest time until a reset that was reported with the quota: the minimum length of the window.
    private var longestReset = Duration.zero

    private static let mostOperations = 256

    init(serial: UInt64, name: RateLimitReport.Name, machine: RateGateStateMachine) {
        self.serial = serial
        self.name = name
        self.machine = machine
    }

    /// Whether it applies to calls of an operation.
    func concerns(_ operation: String?) -> Bool {
        name == RateLimitReport.Name() || operations.contains(operation)
    }

    mutating func note(_ operation: String?) {
        if operations.count < Self.mostOperations { operations.insert(operation) }
    }

    /// Records a quota and its window.
    mutating func note(_ limit: RateLimitReport.Limit) {
        if let quota = limit.quota {
            if quota != self.quota { (window, longestReset) = (nil, .zero) }
            self.quota = quota
        }
        if let window = limit.window { self.window = window }
        if let reset = limit.reset { longestReset = max(longestReset, reset) }
    }

    /// The length of the window, or its known minimum.
    var knownWindow: Duration? { window ?? (longestReset > .zero ? longestReset : nil) }

    /// The quota of the server in calls per second.
    var knownQuota: RatePace.Quota? {
        guard let quota, let window = knownWindow else { return nil }
        return RatePace.Quota(perSecond: quota / (window / .seconds(1)), isExact: self.window != nil)
    }
}

/// The gates by key, at most 1,024. A gate that limits calls is never removed.
struct RateGateTable {
    private let capacity: Int
    private var sites: [RateGateKey: [RateGateEntry]] = [:]
    private var count = 0
    private var serial: UInt64 = 0
    private var uses: UInt64 = 0
    /// The number of gates that are not open.
    private(set) var limiting = 0
    /// The number of waiting calls.
    private(set) var waiting = 0

    /// - Parameter capacity: the maximum number of gates, 1 or more.
    init(capacity: Int) { self.capacity = capacity }

    /// All gates.
    var all: [RateGateKey: [RateGateEntry]] { sites }

    /// When the next gate is due; `nil` if no call waits.
    var alarm: ContinuousClock.Instant? {
        guard waiting > 0 else { return nil }
        return sites.values.lazy.flatMap { $0.lazy.compactMap(\.machine.alarm) }.min()
    }

    /// The serial numbers of the gates that apply to calls of an operation and are not open, in order.
    func limiting(_ key: RateGateKey, _ operation: String?) -> [UInt64] {
        sites[key]?.filter { $0.machine.state != .open && $0.concerns(operation) }.map(\.serial) ?? []
    }

    /// Changes a gate; `nil` if there is none.
    mutating func update<Result>(
        _ key: RateGateKey, _ serial: UInt64, _ change: (inout RateGateEntry) -> Result
    ) -> Result? {
        guard let site = sites.index(forKey: key),
            let index = sites.values[site].firstIndex(where: { $0.serial == serial })
        else { return nil }
        uses &+= 1
        sites.values[site][index].lastUse = uses
        return mutate(at: site, index, change)
    }

    /// The gates that match a condition.
    func gates(where condition: (RateGateEntry) -> Bool) -> [(key: RateGateKey, serial: UInt64)] {
        sites.flatMap { key, gates in gates.filter(condition).map { (key, $0.serial) } }
    }

    /// The serial number of the gate of a limit. It is created if there is none; `nil` if the table is full.
    mutating func gate(
        _ key: RateGateKey, _ name: RateLimitReport.Name, at now: ContinuousClock.Instant,
        make: () -> RateGateStateMachine
    ) -> UInt64? {
        if let known = sites[key]?.first(where: { $0.name == name }) { return known.serial }
        if count >= capacity { removeUnused(at: now) }
        guard count < capacity else { return nil }
        serial += 1
        count += 1
        sites[key, default: []].append(RateGateEntry(serial: serial, name: name, machine: make()))
        return serial
    }

    private mutating func mutate<Result>(
        at site: Dictionary<RateGateKey, [RateGateEntry]>.Index, _ index: Int,
        _ change: (inout RateGateEntry) -> Result
    ) -> Result {
        let (state, waiting) = Self.load(sites.values[site][index])
        defer {
            let (newState, newWaiting) = Self.load(sites.values[site][index])
            limiting += newState - state
            self.waiting += newWaiting - waiting
        }
        return change(&sites.values[site][index])
    }

    private static func load(_ entry: RateGateEntry) -> (limiting: Int, waiting: Int) {
        (entry.machine.state == .open ? 0 : 1, entry.machine.waiting)
    }

    /// Removes an eighth of the gates, so that not every new one needs a search of all of them.
    private mutating func removeUnused(at now: ContinuousClock.Instant) {
        for site in sites.indices {
            for index in sites.values[site].indices {
                mutate(at: site, index) { if $0.machine.waiting == 0 { $0.machine.advance(to: now) } }
            }
        }
        let unused = sites.flatMap { key, entries in
            entries.filter { $0.machine.state == .open }.map { (key, $0.serial, $0.lastUse) }
        }
        for (key, serial, _) in unused.sorted(by: { $0.2 < $1.2 }).prefix(max(1, capacity / 8)) {
            sites[key]?.removeAll { $0.serial == serial }
            if sites[key]?.isEmpty == true { sites[key] = nil }
            count -= 1
        }
    }
}
