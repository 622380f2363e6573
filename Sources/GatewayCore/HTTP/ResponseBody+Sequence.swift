extension ResponseBody: AsyncSequence {
    /// A piece of the content, as large as what had arrived; never empty.
    public typealias Element = HTTPBody.Chunk
    /// Why the content ended before its end.
    public typealias Failure = NetworkError

    /// Reads the content. A collected body is one piece, as often as one likes; a stream is read once, and giving
    /// up its iterator ends it.
    ///
    /// Generic code that is optimized without being specialized keeps an optional iterator that it sets to `nil` after an
    /// `await` (a defect of Swift 6.3), and the connection with it until the call's deadline. A `for` loop does not.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate enum Source {
            case bytes([UInt8])
            case stream(Stream)
            case taken
            case ended
        }

        /// A stream's iterator, by reference: an optional variable of a type that holds an existential by value is never
        /// released in optimized code once it is set to `nil` (Swift 6.3), and the connection would stay taken.
        fileprivate final class Stream {
            var iterator: any AsyncIteratorProtocol<HTTPBody.Chunk, any Error>

            init(_ iterator: any AsyncIteratorProtocol<HTTPBody.Chunk, any Error>) {
                self.iterator = iterator
            }
        }

        private var source: Source

        fileprivate init(_ source: Source) { self.source = source }

        /// The next piece; `nil` at the content's end.
        ///
        /// - Throws: ``NetworkError`` that ended the content, ``NetworkError/truncated`` or
        ///   ``NetworkError/connectionLost`` where it was cut off, ``NetworkError/timeout``,
        ///   ``NetworkError/cancelled``; ``NetworkError/invalidRequest`` when the stream was read before.
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
                // A copy: two iterators of one stream must not access it at the same time, which is a crash.
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

        /// The next piece; `nil` at the content's end.
        public mutating func next() async throws(NetworkError) -> HTTPBody.Chunk? {
            try await next(isolation: nil)
        }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        switch storage {
        case .bytes(let bytes): Iterator(.bytes(bytes))
        case .stream(let once): Iterator(once.take().map { .stream(.init($0.makeAsyncIterator())) } ?? .taken)
        }
    }
}
