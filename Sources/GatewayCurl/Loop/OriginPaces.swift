import GatewayCore

/// The recent speed of origins, which decides whether an exchange runs on its caller's thread.
///
/// An origin is quick after several quick exchanges in a row, each the only one in progress. A slow exchange resets the
/// count. Pure: durations are passed in.
struct OriginPaces {
    private struct Pace {
        let origin: Origin
        /// The number of quick exchanges in a row.
        var quickInARow = 0
        /// The required number of quick exchanges in a row.
        var needed: Int
        /// The number of fast visits since the last slow one.
        var goodVisits = 0
    }

    /// The maximum number of origins.
    static let capacity = 64

    private let limits: VisitLimits
    private var paces: [Pace] = []
    private var last = 0

    init(limits: VisitLimits) { self.limits = limits }

    /// Whether the next exchange is expected to be quick.
    mutating func isQuick(_ origin: Origin) -> Bool {
        guard let index = find(origin) else { return false }
        return paces[index].quickInARow >= paces[index].needed
    }

    /// Records the duration of an exchange.
    ///
    /// - Parameters:
    ///   - nanoseconds: the duration.
    ///   - isAlone: whether it was the only one in progress.
    mutating func learn(_ origin: Origin, took nanoseconds: Int64, isAlone: Bool) {
        let index = find(origin) ?? add(origin)
        if nanoseconds <= limits.quick, isAlone {
            paces[index].quickInARow += 1
        } else {
            paces[index].quickInARow = 0
        }
    }

    /// Records an exchange that ended on its caller's thread. As many of them as quick exchanges are required halve the
    /// required number.
    mutating func recordFastExchange(_ origin: Origin) {
        guard let index = find(origin) else { return }
        paces[index].goodVisits += 1
        guard paces[index].goodVisits >= paces[index].needed else { return }
        paces[index].goodVisits = 0
        paces[index].needed = max(limits.proof, paces[index].needed / 2)
    }

    /// Records an exchange that took too long on its caller's thread. Doubles the required number of quick exchanges, up to
    /// a limit.
    mutating func recordSlowExchange(_ origin: Origin) {
        guard let index = find(origin) else { return }
        paces[index].goodVisits = 0
        paces[index].quickInARow = 0
        paces[index].needed = min(paces[index].needed * 2, limits.proof * 128)
    }

    private mutating func find(_ origin: Origin) -> Int? {
        if last < paces.count,
            paces[last].origin.isIdentical(to: origin) || paces[last].origin == origin
        {
            return last
        }
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
