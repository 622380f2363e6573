/// The sockets whose writability is temporarily not watched. Pure state; the caller passes the time.
struct WriteRest {
    /// The number of consecutive writable events before a socket rests: 256 KiB in frames of 16 KiB.
    static let mostInARow = 16
    private static let shortest: Int64 = 1_000_000
    /// 16 ms, in nanoseconds: a stalled upload takes about 2 % of a core, and continues as soon as something is
    /// received.
    private static let longest: Int64 = 16_000_000

    private var sockets: [Int32] = []
    private var until = LoopClock.never
    private var length = shortest

    var isEmpty: Bool { sockets.isEmpty }

    /// Called after progress: the next rest is short again.
    mutating func noteProgress() { length = Self.shortest }

    /// Begins the rest of a socket. Without progress each rest is twice as long as the previous one.
    mutating func begin(_ descriptor: Int32, now: Int64) {
        sockets.append(descriptor)
        until = min(until, now + length)
        length = min(length * 2, Self.longest)
    }

    /// The time until the next rest ends.
    func nanosecondsLeft(now: Int64) -> Int64 { max(0, until - now) }

    /// The sockets that have rested, if any.
    mutating func end(at now: Int64) -> [Int32] {
        guard now >= until else { return [] }
        until = LoopClock.never
        defer { sockets = [] }
        return sockets
    }
}
