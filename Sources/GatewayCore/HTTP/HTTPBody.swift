/// The body of a request.
///
/// A replayable body (bytes, a file, a replayable stream) allows a call to be retried, or replayed after a 401. A
/// one-shot stream is sent at most once.
public struct HTTPBody: Sendable {
    /// A chunk of a body.
    public typealias Chunk = ArraySlice<UInt8>
    /// A body as a sequence of chunks.
    public typealias Chunks = any AsyncSequence<Chunk, any Error> & Sendable

    package enum Storage: Sendable {
        case bytes([UInt8])
        indirect case file(path: String, range: Range<Int64>?)
        indirect case replayable(length: Int64?, @Sendable () async throws -> Chunks)
        indirect case once(length: Int64?, OneShot<Chunks>)
    }

    package let storage: Storage

    package init(_ storage: Storage) { self.storage = storage }

    /// No body.
    public static let empty = HTTPBody(.bytes([]))

    /// A body of bytes.
    public static func bytes(_ bytes: [UInt8]) -> HTTPBody { HTTPBody(.bytes(bytes)) }

    /// A body of text, in UTF-8.
    public static func text(_ text: String) -> HTTPBody { HTTPBody(.bytes(Array(text.utf8))) }

    /// A body from a file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - path: the file's path.
    ///   - range: the byte range to send; `nil` for the whole file.
    public static func file(_ path: String, range: Range<Int64>? = nil) -> HTTPBody {
        HTTPBody(.file(path: path, range: range))
    }

    /// A body from a stream that can be created again for each attempt.
    ///
    /// - Parameters:
    ///   - length: the number of bytes, if known. If it is `nil` or negative, the body is sent with chunked encoding.
    ///   - make: creates the stream. It must return the same bytes each time.
    public static func replayable(
        length: Int64? = nil, _ make: @escaping @Sendable () async throws -> Chunks
    ) -> HTTPBody {
        HTTPBody(.replayable(length: length.flatMap { $0 < 0 ? nil : $0 }, make))
    }

    /// A body from a stream that can be read once. A call with it is never retried or replayed after its first byte was
    /// read.
    ///
    /// - Parameters:
    ///   - length: the number of bytes, if known. If it is `nil` or negative, the body is sent with chunked encoding.
    ///   - chunks: the stream.
    public static func once(length: Int64? = nil, _ chunks: Chunks) -> HTTPBody {
        HTTPBody(.once(length: length.flatMap { $0 < 0 ? nil : $0 }, OneShot(chunks)))
    }

    /// Whether the body can be sent (again) from its first byte. A one-shot stream can be sent until reading starts.
    public var isReplayable: Bool {
        switch storage {
        case .bytes, .file, .replayable: true
        case .once(_, let stream): !stream.isTaken
        }
    }

    /// Whether the body is known to be empty.
    public var isEmpty: Bool {
        if case .bytes(let bytes) = storage { return bytes.isEmpty }
        return false
    }

    /// The bytes of a body in memory; `nil` for files and streams.
    public var bytes: [UInt8]? {
        if case .bytes(let bytes) = storage { return bytes }
        return nil
    }
}
