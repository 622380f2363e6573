/// The memory of large bodies, to be reused when their callers have released them. Without it, the system would have to
/// map new pages for each large body.
///
/// An array that is still referenced is never modified, because of copy on write. The kept memory is bounded, and released
/// after a second without use.
struct BodyRecycler {
    /// Smaller bodies the allocator has at hand, larger ones are rare.
    static let bytes = 64 << 10...4 << 20
    private static let mostBytes = 16 << 20
    private static let patience: Int64 = 1_000_000_000

    /// Oldest first.
    private var kept: [[UInt8]] = []
    private var keptBytes = 0
    private var lastUse: Int64 = 0

    /// When ``expire(at:)`` has something to do; `nil` where nothing is kept.
    var expiry: Int64? { kept.isEmpty ? nil : lastUse + Self.patience }

    /// An empty array with room for so many bytes.
    mutating func next(room: Int, now: Int64) -> [UInt8] {
        var body: [UInt8] = []
        if Self.bytes.contains(room), let place = kept.firstIndex(where: { Self.fits(room, in: $0.capacity) })
        {
            body = kept.remove(at: place)
            keptBytes -= body.capacity
            lastUse = now
            body.removeAll(keepingCapacity: true)
        }
        body.reserveCapacity(room)
        return body
    }

    /// A caller is handed a body.
    mutating func handsOut(_ body: [UInt8], now: Int64) {
        // The release is synchronised by the array's reference count, which the sanitizer cannot see.
        #if !THREAD_SANITIZER
            guard Self.bytes.contains(body.count), Self.fits(body.count, in: body.capacity) else { return }
            kept.append(body)
            keptBytes += body.capacity
            lastUse = now
            while keptBytes > Self.mostBytes { keptBytes -= kept.removeFirst().capacity }
        #endif
    }

    /// Releases the memory that has not been used for a second.
    mutating func expire(at now: Int64) {
        guard let expiry, expiry <= now else { return }
        kept = []
        keptBytes = 0
    }

    /// A small body in a large room would hold memory for nothing.
    private static func fits(_ count: Int, in capacity: Int) -> Bool {
        capacity >= count && capacity / 2 <= count
    }
}
