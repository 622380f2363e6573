/// The content of a response: held in memory, or a stream to be read once.
public struct ResponseBody: Sendable {
    package enum Storage: Sendable {
        case bytes([UInt8])
        case stream(OneShot<HTTPBody.Chunks>)
    }

    package let storage: Storage

    /// No content.
    public static let empty = ResponseBody(storage: .bytes([]))

    /// These bytes.
    public static func bytes(_ bytes: [UInt8]) -> ResponseBody { ResponseBody(storage: .bytes(bytes)) }

    /// Pieces that are read once, as they arrive.
    public static func stream(_ chunks: HTTPBody.Chunks) -> ResponseBody {
        ResponseBody(storage: .stream(OneShot(chunks)))
    }

    /// The bytes of a collected body; `nil` for a stream (see ``collect(upToBytes:)``).
    public var bytes: [UInt8]? {
        if case .bytes(let bytes) = storage { return bytes }
        return nil
    }

    /// Whether it is a stream.
    package var isStream: Bool {
        if case .stream = storage { return true }
        return false
    }

    /// Gives up a stream that nobody will read, so that its connection can be used by others. It does nothing to
    /// collected bytes, nor to a stream that was read already.
    ///
    /// An engine that goes on after a response (a retry, a redirect, a replay) calls it before it waits.
    public func discard() {
        if case .stream(let once) = storage { _ = once.take() }
    }

    /// The whole content.
    ///
    /// - Parameter limit: the most bytes that are held.
    /// - Throws: ``NetworkError`` with code ``NetworkError/responseTooLarge`` past the limit, or whatever ended
    ///   the stream; ``NetworkError/invalidRequest`` when the stream was read before.
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
