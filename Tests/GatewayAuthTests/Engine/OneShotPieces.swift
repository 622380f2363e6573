import GatewayCore

/// A body in one piece, by default of three bytes, that is there once.
struct OneShotPieces: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        let piece: HTTPBody.Chunk
        var isOver = false
        mutating func next() async throws -> HTTPBody.Chunk? {
            defer { isOver = true }
            return isOver ? nil : piece
        }
    }

    var piece: HTTPBody.Chunk = [1, 2, 3]

    func makeAsyncIterator() -> Iterator { Iterator(piece: piece) }
}
