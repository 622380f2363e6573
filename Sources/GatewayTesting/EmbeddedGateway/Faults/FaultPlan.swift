import GatewayCore

/// The injected faults and the remaining number of requests that they affect. Pure state: no clock, no locks.
///
/// Faults are applied in the order of injection. Latencies are added. Of the other effects only the first that applies
/// is used; later faults are not counted.
struct FaultPlan {
    /// The faults for one request.
    struct Decision {
        var latency = Duration.zero
        var effect: EmbeddedGateway.Fault.Effect?
    }

    private struct Entry {
        let id: UInt64
        let fault: EmbeddedGateway.Fault
        let scope: EmbeddedGateway.Scope
        let probability: Double
        var skipping: Int
        var remaining: Int?
        var hits = 0
    }

    private var entries: [Entry] = []
    private var hitsOfFinished: [UInt64: Int] = [:]
    private var nextID: UInt64 = 0

    /// Adds a fault.
    ///
    /// - Parameters:
    ///   - skipping: the number of matching requests that are not affected first.
    ///   - times: the maximum number of affected requests; `nil` for no limit.
    ///   - probability: the probability for each request, from 0 to 1.
    /// - Returns: the ID of the fault.
    mutating func add(
        _ fault: EmbeddedGateway.Fault, scope: EmbeddedGateway.Scope, skipping: Int, times: Int?,
        probability: Double
    ) -> UInt64 {
        nextID += 1
        entries.append(
            Entry(
                id: nextID, fault: fault, scope: scope, probability: probability, skipping: skipping,
                remaining: times.map { max(0, $0) }))
        return nextID
    }

    /// Removes a fault.
    mutating func remove(_ id: UInt64) {
        for entry in entries where entry.id == id { hitsOfFinished[id] = entry.hits }
        entries.removeAll { $0.id == id }
    }

    /// Removes all faults.
    mutating func removeAll() { for entry in entries { remove(entry.id) } }

    /// The number of requests that a fault has affected.
    func hits(_ id: UInt64) -> Int { entries.first { $0.id == id }?.hits ?? hitsOfFinished[id] ?? 0 }

    /// Whether there are no faults.
    var isEmpty: Bool { entries.isEmpty }

    /// The scope of each fault.
    var scopes: [(id: UInt64, scope: EmbeddedGateway.Scope)] { entries.map { ($0.id, $0.scope) } }

    /// Selects the faults for a request.
    ///
    /// - Parameters:
    ///   - matching: the faults whose scope contains the request.
    ///   - random: returns a uniformly distributed number in `[0, 1)`.
    mutating func decide(matching: [UInt64], random: () -> Double) -> Decision {
        var decision = Decision()
        for index in entries.indices where entries[index].remaining != 0 {
            guard matching.contains(entries[index].id) else { continue }
            if entries[index].skipping > 0 {
                entries[index].skipping -= 1
                continue
            }
            guard entries[index].probability >= 1 || random() < entries[index].probability else { continue }
            entries[index].hits += 1
            if let remaining = entries[index].remaining { entries[index].remaining = remaining - 1 }
            if case .latency(let range) = entries[index].fault.effect {
                let least = range.lowerBound.bounded
                let spread = range.upperBound.bounded - least
                let latency = least + (spread == .zero ? .zero : spread * random())
                decision.latency = (decision.latency + latency).bounded
            } else {
                decision.effect = entries[index].fault.effect
                break
            }
        }
        return decision
    }
}
