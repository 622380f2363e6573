/// Buffers of parts that a reader received, to be reused when the reader has released them.
///
/// An array that is still referenced is never modified, because of copy on write. A reader may keep a part for any time.
struct BufferRecycler {
    /// Smaller parts are not kept: event streams, of which there may be many, must hold no memory while idle.
    static let smallestBytes = 32 << 10

    /// The part before the last, which the reader has usually released when the next one is filled.
    private var older: [UInt8] = []
    private var newer: [UInt8] = []

    /// Notes a part that is passed to the reader.
    mutating func handsOut(_ bytes: [UInt8]) {
        // The release is synchronised by the array's reference count, which the sanitizer cannot see.
        #if !THREAD_SANITIZER
            guard bytes.count >= Self.smallestBytes else { return }
            older = newer
            newer = bytes
        #endif
    }

    /// An empty array with the given capacity.
    mutating func next(room: Int) -> [UInt8] {
        var bytes = older
        older = []
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(room)
        return bytes
    }

    /// Releases all buffers at the end of the body.
    mutating func clear() {
        older = []
        newer = []
    }
}
