/// The bytes of one direction of a connection between being read and being written. Pure: instants are passed in.
struct Pump {
    /// Nothing is read while so many bytes wait: the memory of a connection is bounded, and the sender is slowed down.
    static let capacity = 256 << 10
    /// Or so many pieces, however small.
    private static let mostPieces = 1024
    /// The time until a lost piece is sent again; it doubles with each further loss.
    private static let retransmission: UInt64 = 200_000_000

    private struct Piece {
        var bytes: ArraySlice<UInt8>
        /// When it may be written.
        let due: UInt64
    }

    private var pieces: [Piece] = []
    private var first = 0
    private var latestDue: UInt64 = 0
    /// When the rate allows the next byte.
    private var freeAt: UInt64 = 0

    /// The bytes that wait.
    private(set) var buffered = 0
    /// The bytes that were written.
    private(set) var written: UInt64 = 0
    /// Whether the sender has ended its side.
    private(set) var hasEnded = false
    /// Whether the end was passed on.
    private(set) var isFinished = false

    /// Whether more may be read.
    var hasRoom: Bool { buffered < Self.capacity && pieces.count - first < Self.mostPieces && !hasEnded }

    /// Takes what was read; empty for the end.
    mutating func take(
        _ bytes: ArraySlice<UInt8>, _ settings: Settings.Direction, now: UInt64, random: inout SeededRandom
    ) {
        var delay = settings.delay + UInt64(Double(settings.jitter) * random.unit())
        var wait = Self.retransmission
        // At most 6 s in a row.
        for _ in 0..<5 where settings.loss > 0 {
            guard random.unit() < settings.loss else { break }
            delay += wait
            wait *= 2
        }
        // TCP keeps the order: a late piece holds back those behind it.
        latestDue = max(latestDue, now + delay)
        pieces.append(Piece(bytes: bytes, due: latestDue))
        buffered += bytes.count
        if bytes.isEmpty { hasEnded = true }
    }

    /// What may be written now: bytes, or the end.
    enum Next {
        case bytes(ArraySlice<UInt8>)
        case end
        /// The connection is to be cut.
        case cut
        /// Nothing before an instant; `nil` for nothing until something changes.
        case wait(until: UInt64?)
    }

    func next(_ settings: Settings.Direction, now: UInt64) -> Next {
        if let cut = settings.cut, written >= cut { return .cut }
        guard first < pieces.count, !settings.isStalled else { return .wait(until: nil) }
        let piece = pieces[first]
        guard piece.due <= now else { return .wait(until: piece.due) }
        guard !piece.bytes.isEmpty else { return .end }
        var count = UInt64(piece.bytes.count)
        if let rate = settings.rate {
            guard freeAt <= now else { return .wait(until: freeAt) }
            // A twentieth of a second at once.
            count = min(count, max(1, rate / 20))
        }
        if let cut = settings.cut { count = min(count, cut - written) }
        return .bytes(piece.bytes.prefix(Int(count)))
    }

    /// Notes that bytes were written.
    mutating func wrote(_ count: Int, _ settings: Settings.Direction, now: UInt64) {
        written += UInt64(count)
        buffered -= count
        pieces[first].bytes.removeFirst(count)
        if pieces[first].bytes.isEmpty { removeFirst() }
        if let rate = settings.rate {
            freeAt = max(freeAt, now) + UInt64(Double(count) / Double(rate) * 1e9)
        }
    }

    /// Notes that the end was passed on.
    mutating func finish() {
        removeFirst()
        isFinished = true
    }

    private mutating func removeFirst() {
        first += 1
        if first == pieces.count || first >= Self.mostPieces {
            pieces.removeSubrange(..<first)
            first = 0
        }
    }
}
