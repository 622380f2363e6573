/// The buffers of pieces that a reader was handed, to be filled again once he has let go of them.
///
/// An array that somebody else still holds is never touched: to empty it makes another. So nobody has to give anything
/// back, and a reader may keep a piece for as long as he likes.
struct BufferRecycler {
    /// Smaller pieces are not worth it: streams of events, of which there may be many, shall hold nothing at rest.
    static let smallestBytes = 32 << 10

    /// Of two pieces the reader has let go of the older when the one after the newer is filled.
    private var older: [UInt8] = []
    private var newer: [UInt8] = []

    /// The reader is handed a piece.
    mutating func handsOut(_ bytes: [UInt8]) {
        // Letting go is synchronised by the array's count of references, which the sanitizer cannot see.
        #if !THREAD_SANITIZER
            guard bytes.count >= Self.smallestBytes else { return }
            older = newer
            newer = bytes
        #endif
    }

    /// An empty array with room for so many bytes.
    mutating func next(room: Int) -> [UInt8] {
        var bytes = older
        older = []
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(room)
        return bytes
    }

    /// No further piece is coming.
    mutating func clear() {
        older = []
        newer = []
    }
}
