extension ResponseBody: AsyncSequence {
    /// A chunk of the content, as large as the data that was received; never empty.
    public typealias Element = HTTPBody.Chunk
    /// Why the content ended early.
    public typealias Failure = NetworkError

    /// Reads the content. A collected body is a single chunk and can be read any number of times. A stream can be read
    /// once, and ends when its iterator is released.
    ///
    /// Note: in optimized, unspecialized generic code, Swift 6.3 does not release an optional iterator that is set to
    /// `nil` after an `await`. Its connection remains in use until the deadline of the call. A `for` loop is not
    /// affected.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate enum Source {
            case bytes([UInt8])
            case stream(Stream)
            case taken
            case ended
        }

        /// The iterator of a stream, stored by reference. Why: optimized code of Swift 6.3 never releases an optional
        /// variable with an inline existential that is set to `nil`, so the connection would remain in use.
        fileprivate final class Stream {
            var iterator: any AsyncIteratorProtocol<HTTPBody.Chunk, any Error>

            init(_ iterator: any AsyncIteratorProtocol<HTTPBody.Chunk, any Error>) {
                self.iterator = iterator
            }
        }

        private var source: Source

        fileprivate init(_ source: Source) { self.source = source }

        /// The next chunk; `nil` at the end of the content.
        ///
        /// - Throws: ``NetworkError``: ``NetworkError/truncated`` or ``NetworkError/connectionLost`` if the content is
        ///   incomplete, ``NetworkError/timeout``, ``NetworkError/cancelled``, or ``NetworkError/invalidRequest`` if
        ///   the stream was read before.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkError) -> HTTPBody.Chunk? {
            switch source {
            case .ended: return nil
            case .taken:
                source = .ended
                throw NetworkError(.invalidRequest, "The response stream can be read only once.")
            case .bytes(let bytes):
                source = .ended
                return bytes.isEmpty ? nil : bytes[...]
            case .stream(let stream):
                source = .ended
                // Work on a copy: a simultaneous access by a second iterator of the same stream would be an exclusivity
                // violation.
                var iterator = stream.iterator
                do {
                    guard let chunk = try await iterator.next(isolation: actor) else { return nil }
                    stream.iterator = iterator
                    source = .stream(stream)
                    return chunk
                } catch {
                    throw NetworkError(wrapping: error)
                }
            }
        }

        /// The next chunk; `nil` at the end of the content.
        public mutating func next() async throws(NetworkError) -> HTTPBody.Chunk? {
            try await next(isolation: nil)
        }
    }

    /// Starts reading. A second iterator of a stream throws.
    public func makeAsyncIterator() -> Iterator {
        switch storage {
        case .bytes(let bytes): Iterator(.bytes(bytes))
        case .stream(let once): Iterator(once.take().map { .stream(.init($0.makeAsyncIterator())) } ?? .taken)
        }
    }
}
