/// The content of a response: bytes in memory, or a stream that can be read once.
public struct ResponseBody: Sendable {
    package enum Storage: Sendable {
        case bytes([UInt8])
        case stream(OneShot<HTTPBody.Chunks>)
    }

    package let storage: Storage

    /// No content.
    public static let empty = ResponseBody(storage: .bytes([]))

    /// Content of bytes.
    public static func bytes(_ bytes: [UInt8]) -> ResponseBody { ResponseBody(storage: .bytes(bytes)) }

    /// Content from a stream of chunks that can be read once.
    public static func stream(_ chunks: HTTPBody.Chunks) -> ResponseBody {
        ResponseBody(storage: .stream(OneShot(chunks)))
    }

    /// The bytes of a collected body; `nil` for a stream (see ``collect(upToBytes:)``).
    public var bytes: [UInt8]? {
        if case .bytes(let bytes) = storage { return bytes }
        return nil
    }

    /// Whether the content is a stream.
    package var isStream: Bool {
        if case .stream = storage { return true }
        return false
    }

    /// Discards a stream that will not be read, so that its connection can be reused. Does nothing for collected bytes,
    /// or for a stream that was read before.
    ///
    /// An engine that continues after a response (a retry, a redirect, a replay) calls it before it waits.
    public func discard() {
        if case .stream(let once) = storage { _ = once.take() }
    }

    /// Collects the whole content.
    ///
    /// - Parameter limit: the maximum number of bytes.
    /// - Throws: ``NetworkError`` with code ``NetworkError/responseTooLarge`` if the limit is exceeded,
    ///   ``NetworkError/invalidRequest`` if the stream was read before, or the error that ended the stream.
    public func collect(upToBytes limit: Int) async throws(NetworkError) -> [UInt8] {
        func tooLarge() -> NetworkError {
            NetworkError(
                .responseTooLarge, "The response is larger than the limit of \(limit) bytes.",
                mayHaveBeenSent: true)
        }
        switch storage {
        case .bytes(let bytes):
            guard bytes.count <= limit else { throw tooLarge() }
            return bytes
        case .stream(let once):
            guard let chunks = once.take() else {
                throw NetworkError(.invalidRequest, "The response stream can be read only once.")
            }
            do {
                return try await Self.collect(chunks, upToBytes: limit, tooLarge: tooLarge())
            } catch {
                throw NetworkError(wrapping: error)
            }
        }
    }

    private static func collect(
        _ chunks: some AsyncSequence<HTTPBody.Chunk, any Error>, upToBytes limit: Int, tooLarge: NetworkError
    ) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in chunks {
            guard chunk.count <= limit - bytes.count else { throw tooLarge }
            bytes += chunk
        }
        return bytes
    }
}
