import GatewayCore

extension ResponseBody {
    /// A stream that is passed to a function once it has been read to its end, unless it exceeds a limit or
    /// fails.
    func stored(
        upToBytes limit: Int, _ store: @escaping @Sendable ([UInt8]) async -> Void
    ) -> ResponseBody {
        guard case .stream(let once) = storage, let chunks = once.take() else { return self }
        return .stream(StoredChunks(chunks: chunks, limit: limit, store: store))
    }
}

/// The chunks of a body that is stored while it is read.
private struct StoredChunks: AsyncSequence, Sendable {
    let chunks: HTTPBody.Chunks
    let limit: Int
    let store: @Sendable ([UInt8]) async -> Void

    struct Iterator: AsyncIteratorProtocol {
        var chunks: any AsyncIteratorProtocol<HTTPBody.Chunk, any Error>
        let limit: Int
        let store: @Sendable ([UInt8]) async -> Void
        /// `nil` if the body is too large, or was stored.
        var read: [UInt8]? = []

        mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(any Error) -> HTTPBody.Chunk? {
            let chunk: HTTPBody.Chunk?
            do { chunk = try await chunks.next(isolation: actor) } catch {
                read = nil
                throw error
            }
            if let chunk {
                if let read, chunk.count > limit - read.count {
                    self.read = nil
                } else {
                    read?.append(contentsOf: chunk)
                }
            } else if let body = read {
                read = nil
                await store(body)
            }
            return chunk
        }

        mutating func next() async throws -> HTTPBody.Chunk? { try await next(isolation: nil) }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(chunks: chunks.makeAsyncIterator(), limit: limit, store: store)
    }
}
