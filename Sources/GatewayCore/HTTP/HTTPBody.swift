/// What a request carries.
///
/// A body that can be produced again (bytes, a file, a replayable stream) lets a call be retried or replayed
/// after a 401; a one-shot stream is sent once at most.
public struct HTTPBody: Sendable {
    /// A piece of a body.
    public typealias Chunk = ArraySlice<UInt8>
    /// A body in pieces.
    public typealias Chunks = any AsyncSequence<Chunk, any Error> & Sendable

    package enum Storage: Sendable {
        case bytes([UInt8])
        indirect case file(path: String, range: Range<Int64>?)
        indirect case replayable(length: Int64?, @Sendable () async throws -> Chunks)
        indirect case once(length: Int64?, OneShot<Chunks>)
    }

    package let storage: Storage

    package init(_ storage: Storage) { self.storage = storage }

    /// No body at all.
    public static let empty = HTTPBody(.bytes([]))

    /// These bytes.
    public static func bytes(_ bytes: [UInt8]) -> HTTPBody { HTTPBody(.bytes(bytes)) }

    /// The text in UTF-8.
    public static func text(_ text: String) -> HTTPBody { HTTPBody(.bytes(Array(text.utf8))) }

    /// A file, read while it is sent.
    ///
    /// - Parameters:
    ///   - path: the file's path.
    ///   - range: the bytes of it to send; `nil` for all.
    public static func file(_ path: String, range: Range<Int64>? = nil) -> HTTPBody {
        HTTPBody(.file(path: path, range: range))
    }

    /// A stream that can be produced again for every attempt.
    ///
    /// - Parameters:
    ///   - length: the number of bytes, where known; otherwise, and where it is negative, the body goes out chunked.
    ///   - make: gives the same bytes each time it is called.
    public static func replayable(
        length: Int64? = nil, _ make: @escaping @Sendable () async throws -> Chunks
    ) -> HTTPBody {
        HTTPBody(.replayable(length: length.flatMap { $0 < 0 ? nil : $0 }, make))
    }

    /// A stream that exists once. A call with it is never retried or replayed after its first byte was read.
    ///
    /// - Parameters:
    ///   - length: the number of bytes, where known; otherwise, and where it is negative, the body goes out chunked.
    ///   - chunks: the stream.
    public static func once(length: Int64? = nil, _ chunks: Chunks) -> HTTPBody {
        HTTPBody(.once(length: length.flatMap { $0 < 0 ? nil : $0 }, OneShot(chunks)))
    }

    /// Whether the body can be sent (again) from its first byte. A one-shot stream that nobody has touched
    /// still can.
    public var isReplayable: Bool {
        switch storage {
        case .bytes, .file, .replayable: true
        case .once(_, let stream): !stream.isTaken
        }
    }

    /// Whether there is nothing to send.
    public var isEmpty: Bool {
        if case .bytes(let bytes) = storage { return bytes.isEmpty }
        return false
    }

    /// The bytes of a body that is held in memory; `nil` for files and streams.
    public var bytes: [UInt8]? {
        if case .bytes(let bytes) = storage { return bytes }
        return nil
    }
}
