import GatewayCore

/// Decides which transfers may be on the wire: a number for each origin, a number in all, the rest waiting in a bounded
/// queue for each origin.
///
/// Within an origin the order is first come, first served. A transfer that is given back, to be stamped again, leaves its
/// place reserved; without a reservation it comes before those that have not been given back. If the limit in all holds
/// several origins back, they take turns, so that a busy one never starves the others. Pure: indices go in, indices come
/// out.
struct AdmissionQueue {
    /// What becomes of a transfer that comes in.
    enum Entry: Hashable {
        /// It may start.
        case start
        /// It waits.
        case wait
        /// Too many wait.
        case refuse
    }

    private struct OriginState {
        var origin: Origin?
        var active = 0
        /// The places of transfers that were given back and have not returned.
        var reserved = 0
        var waiting = LinkTable.List()
        /// Those that were given back; they come before `waiting`.
        var returning = LinkTable.List()
        var waitingCount = 0
        var isInTurn = false
    }

    private let perOrigin: Int
    private let inAll: Int
    private let waitingLimit: Int
    private var active = 0
    private var reserved = 0
    private var waiting = 0
    private var origins: [OriginState] = []
    private var indexOfOrigin: [Origin: Int] = [:]
    private var freeOrigins: [Int] = []
    private var lastPlace = 0
    private var links = LinkTable()
    private var originOf: [Int] = []
    private var isReturned: [Bool] = []
    /// Origins that could start a waiting transfer, in the order of their turns.
    private var turns = LinkTable.List()
    private var turnLinks = LinkTable()

    /// Makes a queue.
    ///
    /// - Parameters:
    ///   - perOrigin: how many may be active to one origin, 1 or more.
    ///   - inAll: how many may be active in all, 1 or more.
    ///   - waitingLimit: how many may wait in all, 0 or more.
    init(perOrigin: Int, inAll: Int, waitingLimit: Int) {
        self.perOrigin = max(1, perOrigin)
        self.inAll = max(1, inAll)
        self.waitingLimit = max(0, waitingLimit)
    }

    /// How many are active.
    var activeCount: Int { active }
    /// How many places are reserved.
    var reservedCount: Int { reserved }
    /// How many wait.
    var waitingCount: Int { waiting }
    /// How many origins are remembered.
    var originCount: Int { indexOfOrigin.count }

    /// The active and waiting transfers, by origin.
    var statistics: TransportStatistics {
        var statistics = TransportStatistics()
        for state in origins {
            guard let origin = state.origin, state.active > 0 || state.waitingCount > 0 else { continue }
            var counts = TransportStatistics.Counts()
            counts.active = state.active
            counts.waiting = state.waitingCount
            statistics.origins[origin] = counts
        }
        return statistics
    }

    /// Takes in a transfer.
    ///
    /// - Parameter isReturning: whether it was given back before. It is never refused.
    mutating func enter(_ index: Int, origin: Origin, isReturning: Bool = false) -> Entry {
        let place = place(of: origin)
        while originOf.count <= index {
            originOf.append(-1)
            isReturned.append(false)
        }
        let isReserved = isReturning && origins[place].reserved > 0
        if isReserved {
            reserved -= 1
            origins[place].reserved -= 1
        }
        if isReserved
            || hasRoom(place)
                && (isReturning ? origins[place].returning.isEmpty : hasNobodyWaiting(place))
        {
            active += 1
            origins[place].active += 1
            originOf[index] = place
            return .start
        }
        guard isReturning || waiting < waitingLimit else {
            forgetIfUnused(place)
            return .refuse
        }
        waiting += 1
        origins[place].waitingCount += 1
        originOf[index] = place
        isReturned[index] = isReturning
        if isReturning {
            links.append(index, to: &origins[place].returning)
        } else {
            links.append(index, to: &origins[place].waiting)
        }
        giveTurn(place)
        return .wait
    }

    /// Whether an active transfer is the only one of its origin.
    func isAlone(_ index: Int) -> Bool { origins[originOf[index]].active == 1 }

    /// A transfer that was active has ended.
    mutating func leave(_ index: Int) {
        let place = originOf[index]
        originOf[index] = -1
        active -= 1
        origins[place].active -= 1
        giveTurn(place)
        forgetIfUnused(place)
    }

    /// A transfer that was active is given back to its caller. Its place is reserved until it returns, or until
    /// ``releaseReservations()``.
    mutating func giveBack(_ index: Int) {
        let place = originOf[index]
        originOf[index] = -1
        active -= 1
        origins[place].active -= 1
        reserved += 1
        origins[place].reserved += 1
    }

    /// Lets others have the places of transfers that have not returned.
    mutating func releaseReservations() {
        guard reserved > 0 else { return }
        reserved = 0
        for place in origins.indices where origins[place].reserved > 0 {
            origins[place].reserved = 0
            giveTurn(place)
            forgetIfUnused(place)
        }
    }

    // By index: a property of the element would copy it.
    private func hasNobodyWaiting(_ place: Int) -> Bool {
        origins[place].waiting.isEmpty && origins[place].returning.isEmpty
    }

    private func hasRoom(_ place: Int) -> Bool {
        active + reserved < inAll && origins[place].active + origins[place].reserved < perOrigin
    }

    /// A transfer that waits is given up.
    mutating func withdraw(_ index: Int) {
        let place = originOf[index]
        originOf[index] = -1
        waiting -= 1
        origins[place].waitingCount -= 1
        if isReturned[index] {
            links.remove(index, from: &origins[place].returning)
        } else {
            links.remove(index, from: &origins[place].waiting)
        }
        if hasNobodyWaiting(place) { takeTurn(place) }
        forgetIfUnused(place)
    }

    /// The next waiting transfer that may start; it counts as active from now on.
    mutating func next() -> Int? {
        guard active + reserved < inAll, let place = turnLinks.popFirst(from: &turns) else { return nil }
        origins[place].isInTurn = false
        guard
            let index = links.popFirst(from: &origins[place].returning)
                ?? links.popFirst(from: &origins[place].waiting)
        else { return nil }
        waiting -= 1
        origins[place].waitingCount -= 1
        active += 1
        origins[place].active += 1
        giveTurn(place)
        return index
    }

    /// Puts an origin that could start something behind the others.
    private mutating func giveTurn(_ place: Int) {
        guard !origins[place].isInTurn, !hasNobodyWaiting(place),
            origins[place].active + origins[place].reserved < perOrigin
        else { return }
        origins[place].isInTurn = true
        turnLinks.append(place, to: &turns)
    }

    private mutating func takeTurn(_ place: Int) {
        guard origins[place].isInTurn else { return }
        origins[place].isInTurn = false
        turnLinks.remove(place, from: &turns)
    }

    private mutating func place(of origin: Origin) -> Int {
        // Most transfers go where the one before went, and hashing a host costs more than comparing it.
        if origins.indices.contains(lastPlace), let last = origins[lastPlace].origin,
            last.isIdentical(to: origin) || last == origin
        {
            return lastPlace
        }
        if let place = indexOfOrigin[origin] {
            lastPlace = place
            return place
        }
        let place = freeOrigins.popLast() ?? origins.count
        if place == origins.count { origins.append(OriginState()) }
        origins[place].origin = origin
        indexOfOrigin[origin] = place
        return place
    }

    /// Origins without transfers are kept while they are few: looking them up again is cheap, growing with
    /// every host ever called is not.
    private mutating func forgetIfUnused(_ place: Int) {
        guard indexOfOrigin.count > 256, origins[place].active == 0, origins[place].reserved == 0,
            hasNobodyWaiting(place),
            let origin = origins[place].origin
        else { return }
        indexOfOrigin[origin] = nil
        origins[place].origin = nil
        freeOrigins.append(place)
    }
}
