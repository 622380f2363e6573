import GatewayCore

/// Decides which requests may be active: a maximum per origin and in total. The others wait in a queue per origin; the
/// number of waiting requests is limited.
///
/// Within an origin the order is FIFO. Replays come before other requests and are not limited in number:
/// each was active before, so there are few. If the total limit delays several origins, they take turns, so
/// that a busy origin does not starve the others. Pure state: a waiting request is an index, an active one
/// is the place of its origin.
struct AdmissionQueue {
    private struct OriginState {
        var origin: Origin?
        var active = 0
        var waiting = LinkTable.List()
        /// Calls whose credential was rejected; they come before `waiting`.
        var replays = LinkTable.List()
        var waitingCount = 0
        var isInTurn = false
    }

    private let perOrigin: Int
    private let inAll: Int
    private let waitingLimit: Int
    private var active = 0
    private var waiting = 0
    /// The number of waiting replays.
    private var waitingReplays = 0
    private var origins: [OriginState] = []
    private var indexOfOrigin: [Origin: Int] = [:]
    private var freeOrigins: [Int] = []
    private var lastPlace = 0
    private var links = LinkTable()
    private var originOf: [Int] = []
    private var isReplay: [Bool] = []
    /// Origins that could start a waiting request, in the order of their turns.
    private var turns = LinkTable.List()
    private var turnLinks = LinkTable()

    /// Makes a queue.
    ///
    /// - Parameters:
    ///   - perOrigin: the maximum number of active requests per origin, 1 or more.
    ///   - inAll: the maximum number of active requests in total, 1 or more.
    ///   - waitingLimit: the maximum number of waiting requests in total, without replays, 0 or more.
    init(perOrigin: Int, inAll: Int, waitingLimit: Int) {
        self.perOrigin = max(1, perOrigin)
        self.inAll = max(1, inAll)
        self.waitingLimit = max(0, waitingLimit)
    }

    /// The number of active requests.
    var activeCount: Int { active }
    /// The number of waiting requests.
    var waitingCount: Int { waiting }
    /// The number of stored origins.
    var originCount: Int { indexOfOrigin.count }

    /// The number of waiting requests, by origin.
    var waitingByOrigin: [Origin: Int] {
        origins.reduce(into: [:]) { counts, state in
            if let origin = state.origin, state.waitingCount > 0 { counts[origin] = state.waitingCount }
        }
    }

    /// Lets a request start if the limits allow it and no other request waits for the origin.
    ///
    /// - Returns: the place of its origin, for ``leave(_:)``; `nil` if it must wait.
    mutating func enterNow(_ origin: Origin) -> Int? {
        let place = place(of: origin)
        guard active < inAll, origins[place].active < perOrigin, hasNobodyWaiting(place) else { return nil }
        count(place)
        return place
    }

    /// Lets a request wait. Called when ``enterNow(_:)`` has returned `nil`.
    ///
    /// - Returns: `false` if too many requests wait.
    mutating func wait(_ index: Int, origin: Origin, isReplay: Bool = false) -> Bool {
        let place = place(of: origin)
        guard isReplay || waiting - waitingReplays < waitingLimit else {
            forgetIfUnused(place)
            return false
        }
        while originOf.count <= index {
            originOf.append(-1)
            self.isReplay.append(false)
        }
        waiting += 1
        origins[place].waitingCount += 1
        originOf[index] = place
        self.isReplay[index] = isReplay
        if isReplay {
            waitingReplays += 1
            links.append(index, to: &origins[place].replays)
        } else {
            links.append(index, to: &origins[place].waiting)
        }
        giveTurn(place)
        return true
    }

    /// Counts an active request, even above the limits: its exchange continues without the request that entered.
    ///
    /// - Returns: the place of its origin, for ``leave(_:)``.
    mutating func keep(_ origin: Origin) -> Int {
        let place = place(of: origin)
        count(place)
        return place
    }

    /// Called when an active request has ended.
    ///
    /// - Parameter place: the place of its origin.
    mutating func leave(_ place: Int) {
        active -= 1
        origins[place].active -= 1
        giveTurn(place)
        forgetIfUnused(place)
    }

    /// Removes a waiting request.
    mutating func withdraw(_ index: Int) {
        let place = originOf[index]
        originOf[index] = -1
        waiting -= 1
        origins[place].waitingCount -= 1
        if isReplay[index] {
            waitingReplays -= 1
            links.remove(index, from: &origins[place].replays)
        } else {
            links.remove(index, from: &origins[place].waiting)
        }
        if hasNobodyWaiting(place) { takeTurn(place) }
        forgetIfUnused(place)
    }

    /// The next waiting request that may start, and the place of its origin; it counts as active from now on.
    mutating func next() -> (index: Int, place: Int)? {
        while active < inAll, let place = turnLinks.popFirst(from: &turns) {
            origins[place].isInTurn = false
            // The limit may be exceeded temporarily.
            guard origins[place].active < perOrigin,
                let index = links.popFirst(from: &origins[place].replays)
                    ?? links.popFirst(from: &origins[place].waiting)
            else { continue }
            originOf[index] = -1
            waiting -= 1
            if isReplay[index] { waitingReplays -= 1 }
            origins[place].waitingCount -= 1
            count(place)
            giveTurn(place)
            return (index, place)
        }
        return nil
    }

    private mutating func count(_ place: Int) {
        active += 1
        origins[place].active += 1
    }

    // By index, because a property of the element would copy it.
    private func hasNobodyWaiting(_ place: Int) -> Bool {
        origins[place].waiting.isEmpty && origins[place].replays.isEmpty
    }

    /// Appends an origin that can start a request to the turns.
    private mutating func giveTurn(_ place: Int) {
        guard !origins[place].isInTurn, !hasNobodyWaiting(place), origins[place].active < perOrigin
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
        // Most requests have the origin of the previous one, and comparing a host is cheaper than hashing it.
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

    /// Removes an origin without requests if there are many. Why: a few are kept for fast lookup, but memory must not
    /// grow with every host ever called.
    private mutating func forgetIfUnused(_ place: Int) {
        guard indexOfOrigin.count > 256, origins[place].active == 0, hasNobodyWaiting(place),
            let origin = origins[place].origin
        else { return }
        indexOfOrigin[origin] = nil
        origins[place].origin = nil
        freeOrigins.append(place)
    }
}
