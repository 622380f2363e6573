public import GatewayCore

/// An endless response body that counts the references to its streams, to test whether a connection would remain in
/// use.
public final class HeldStream: Sendable {
    private let held = Locked(0)

    /// Creates a stream source.
    public init() {}

    /// The number of streams from ``chunks()`` that are still referenced.
    public var holders: Int { held.withLock { $0 } }

    /// Creates a stream.
    public func chunks() -> HTTPBody.Chunks {
        held.withLock { $0 += 1 }
        return Chunks(holder: Holder(self))
    }

    private final class Holder: Sendable {
        private let stream: HeldStream

        init(_ stream: HeldStream) { self.stream = stream }

        deinit { stream.held.withLock { $0 -= 1 } }
    }

    private struct Chunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
        typealias Element = HTTPBody.Chunk
        typealias Failure = any Error

        let holder: Holder

        func makeAsyncIterator() -> Self { self }

        func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            try await next()
        }

        func next() async throws -> Element? { Array("x".utf8)[...] }
    }
}
