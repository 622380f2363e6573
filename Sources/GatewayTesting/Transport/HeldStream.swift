public import GatewayCore

/// The body of a response as a stream that never ends, and that knows whether somebody still holds it: what a
/// connection would be occupied by.
public final class HeldStream: Sendable {
    private let held = Locked(0)

    /// Makes one.
    public init() {}

    /// How many of the streams that ``chunks()`` returned are still held.
    public var holders: Int { held.withLock { $0 } }

    /// A new stream.
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
