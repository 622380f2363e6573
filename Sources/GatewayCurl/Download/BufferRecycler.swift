/// The buffers of chunks that were passed to a reader, to be reused after the reader has released them.
///
/// An array that is still referenced is never modified, because arrays are copy-on-write. A reader may
/// therefore keep a chunk for any time.
struct BufferRecycler {
    /// The minimum size of a buffer to keep. Idle event streams, of which there may be many, must not hold memory.
    static let smallestBytes = 32 << 10

    /// The chunk before the last one. The reader has usually released it when the next one is filled.
    private var older: [UInt8] = []
    private var newer: [UInt8] = []

    /// Records a chunk that is passed to the reader.
    mutating func handsOut(_ bytes: [UInt8]) {
        // The reference count of the array synchronises the release, which the sanitizer cannot see.
        #if !THREAD_SANITIZER
            guard bytes.count >= Self.smallestBytes else { return }
            older = newer
            newer = bytes
        #endif
    }

    /// Returns an empty array with a capacity.
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
