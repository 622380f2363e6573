import GatewayCore

/// A source of the bytes of a request body. Only the loop reads it.
protocol UploadSource: AnyObject, Sendable {
    /// The number of bytes, if known; otherwise the body is sent with chunked encoding.
    var length: Int64? { get }

    /// Fills a buffer without blocking.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> UploadRead

    /// The transfer has ended; nothing more will be read.
    func close()
}

/// The result of a read.
enum UploadRead: Sendable {
    /// The number of bytes written to the buffer, at least 1.
    case bytes(Int)
    /// No bytes are available yet. The loop is woken when there are.
    case pause
    /// The body has ended.
    case end
    /// The body cannot be produced.
    case failed(NetworkError)
}

/// A request body, prepared for the loop.
enum Upload: Sendable {
    /// No body.
    case none
    /// A body that is small enough to be sent with the header in one write.
    case small([UInt8])
    /// Any other body.
    case source(any UploadSource)

    /// libcurl sends a body of at most 64 KiB together with the header.
    static let smallLimit = 64 * 1024 - 1

    /// Prepares a body, and opens its file if it has one. Nothing is read yet.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/bodyFailed`` or ``NetworkError/bodyNotReplayable``.
    init(_ body: HTTPBody, origin: Origin) throws(NetworkError) {
        switch body.storage {
        case .bytes(let bytes) where bytes.isEmpty: self = .none
        case .bytes(let bytes) where bytes.count <= Self.smallLimit: self = .small(bytes)
        case .bytes(let bytes): self = .source(BytesUpload(bytes))
        case .file(let path, let range):
            self = .source(try FileUpload(path: path, range: range, origin: origin))
        case .replayable(let length, let make):
            self = .source(StreamUpload(length: length, origin: origin, make))
        case .once(let length, let stream):
            guard !stream.isTaken else {
                throw NetworkError(
                    .bodyNotReplayable,
                    "The request body is a stream that has already been read: make a new one for each call.",
                    origin: origin)
            }
            self = .source(
                StreamUpload(length: length, origin: origin) {
                    guard let chunks = stream.take() else {
                        throw NetworkError(
                            .bodyNotReplayable,
                            "The request body is a stream that has already been read: make a new one for each call.",
                            origin: origin)
                    }
                    return chunks
                })
        }
    }
}
