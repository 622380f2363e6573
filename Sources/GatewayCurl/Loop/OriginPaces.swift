import GatewayCore

/// How fast origins have been answering: whether it pays for a caller to wait for one on his own thread.
///
/// An origin is quick once several exchanges in a row were, each with nothing beside it; one that was not, and it has to
/// prove itself again. Pure: durations go in.
struct OriginPaces {
    private struct Pace {
        let origin: Origin
        /// How many quick exchanges there were in a row.
        var quickInARow = 0
        /// How many it takes.
        var needed: Int
        /// How many visits went well since the last that did not.
        var goodVisits = 0
    }

    /// How many origins are remembered.
    static let capacity = 64

    private let limits: VisitLimits
    private var paces: [Pace] = []
    private var last = 0

    init(limits: VisitLimits) { self.limits = limits }

    /// Whether the next exchange will probably be quick.
    mutating func isQuick(_ origin: Origin) -> Bool {
        guard let index = find(origin) else { return false }
        return paces[index].quickInARow >= paces[index].needed
    }

    /// An exchange has ended.
    ///
    /// - Parameters:
    ///   - nanoseconds: how long it took.
    ///   - isAlone: whether it was the only one under way.
    mutating func learn(_ origin: Origin, took nanoseconds: Int64, isAlone: Bool) {
        let index = find(origin) ?? add(origin)
        if nanoseconds <= limits.quick, isAlone {
            paces[index].quickInARow += 1
        } else {
            paces[index].quickInARow = 0
        }
    }

    /// A caller waited and was answered. So many good visits as proof was needed halve what is needed next.
    mutating func satisfied(_ origin: Origin) {
        guard let index = find(origin) else { return }
        paces[index].goodVisits += 1
        guard paces[index].goodVisits >= paces[index].needed else { return }
        paces[index].goodVisits = 0
        paces[index].needed = max(limits.proof, paces[index].needed / 2)
    }

    /// A caller waited in vain. Each time it takes twice as many quick exchanges until another tries, up to a
    /// thousand or so.
    mutating func disappointed(_ origin: Origin) {
        guard let index = find(origin) else { return }
        paces[index].goodVisits = 0
        paces[index].quickInARow = 0
        paces[index].needed = min(paces[index].needed * 2, limits.proof * 128)
    }

    private mutating func find(_ origin: Origin) -> Int? {
        if last < paces.count, paces[last].origin == origin { return last }
        guard let index = paces.firstIndex(where: { $0.origin == origin }) else { return nil }
        last = index
        return index
    }

    private mutating func add(_ origin: Origin) -> Int {
        if paces.count == Self.capacity { paces.removeFirst() }
        paces.append(Pace(origin: origin, needed: limits.proof))
        last = paces.count - 1
        return last
    }
}
