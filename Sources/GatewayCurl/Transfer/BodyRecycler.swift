/// The memory of large bodies, to be reused after their callers have released them. Why: otherwise the system has to
/// map new pages for each large body.
///
/// An array that is still referenced is never modified, because arrays are copy-on-write. The kept memory is limited,
/// and released after one second without use.
struct BodyRecycler {
    /// The sizes of bodies to keep. The allocator caches smaller ones, and larger ones are rare.
    static let bytes = 64 << 10...4 << 20
    private static let mostBytes = 16 << 20
    private static let patience: Int64 = 1_000_000_000

    /// The kept bodies, oldest first.
    private var kept: [[UInt8]] = []
    private var keptBytes = 0
    private var lastUse: Int64 = 0

    /// The time of the next ``expire(at:)``, in nanoseconds; `nil` if nothing is kept.
    var expiry: Int64? { kept.isEmpty ? nil : lastUse + Self.patience }

    /// Returns an empty array with a capacity of at least `room` bytes.
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

    /// Records a body that is passed to a caller.
    mutating func handsOut(_ body: [UInt8], now: Int64) {
        // The reference count of the array synchronises the release, which the sanitizer cannot see.
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

    /// Whether a capacity is suitable for a number of bytes. A much larger capacity would waste memory.
    private static func fits(_ count: Int, in capacity: Int) -> Bool {
        capacity >= count && capacity / 2 <= count
    }
}
