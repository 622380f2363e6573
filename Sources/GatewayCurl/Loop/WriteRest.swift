/// The sockets that are not asked for a while whether they can be written to. Pure: instants go in.
struct WriteRest {
    /// So often in a row a socket is written to before it rests: 256 KiB, in frames of 16 KiB.
    static let mostInARow = 16
    private static let shortest: Int64 = 1_000_000
    /// 16 ms: a stalled upload takes a fiftieth of the processor's time, and goes on as soon as something comes in.
    private static let longest: Int64 = 16_000_000

    private var sockets: [Int32] = []
    private var until = LoopClock.never
    private var length = shortest

    var isEmpty: Bool { sockets.isEmpty }

    /// Something was written or read: the next rest is short again.
    mutating func noteProgress() { length = Self.shortest }

    /// A socket rests. Each time without progress is twice as long as the one before.
    mutating func begin(_ descriptor: Int32, now: Int64) {
        sockets.append(descriptor)
        until = min(until, now + length)
        length = min(length * 2, Self.longest)
    }

    /// How long it takes until a socket has rested.
    func nanosecondsLeft(now: Int64) -> Int64 { max(0, until - now) }

    /// The sockets that have rested, if any.
    mutating func end(at now: Int64) -> [Int32] {
        guard now >= until else { return [] }
        until = LoopClock.never
        defer { sockets = [] }
        return sockets
    }
}
