import GatewayCore

/// The content of a streamed response whose exchange failed after the head: it throws the error.
struct FailedContent: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = HTTPBody.Chunk
    typealias Failure = any Error

    let error: NetworkError

    func makeAsyncIterator() -> FailedContent { self }

    mutating func next() async throws -> HTTPBody.Chunk? { throw error }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> HTTPBody.Chunk? {
        throw error
    }
}
