import GatewayCore

/// A body of three bytes that are there once.
struct OneShotPieces: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        var isOver = false
        mutating func next() async throws -> HTTPBody.Chunk? {
            defer { isOver = true }
            return isOver ? nil : [1, 2, 3]
        }
    }
    func makeAsyncIterator() -> Iterator { Iterator() }
}
