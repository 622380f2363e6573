import GatewayCore

/// Where the bytes of a request's body come from while it is sent. Read by the loop alone.
protocol UploadSource: AnyObject, Sendable {
    /// The number of bytes, where known; otherwise the body goes out chunked.
    var length: Int64? { get }

    /// Fills a buffer, never waiting.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> UploadRead

    /// The transfer is over; nothing will be read any more.
    func close()
}

/// What became of a read.
enum UploadRead: Sendable {
    /// So many bytes were put into the buffer, 1 or more.
    case bytes(Int)
    /// Nothing is there yet; the loop is told when there is.
    case pause
    /// The body has ended.
    case end
    /// The body cannot be produced.
    case failed(NetworkError)
}

/// A request's body, made ready for the loop.
enum Upload: Sendable {
    /// No body.
    case none
    /// Few enough bytes to go out with the header in one write.
    case small([UInt8])
    /// Anything else.
    case source(any UploadSource)

    /// libcurl sends a body of at most 64 KiB together with the header.
    static let smallLimit = 64 * 1024 - 1

    /// Makes a body ready; opens its file, if it is one. Reads nothing yet.
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
                    .bodyNotReplayable, "The request's body is a stream that was read already.",
                    origin: origin)
            }
            self = .source(
                StreamUpload(length: length, origin: origin) {
                    guard let chunks = stream.take() else {
                        throw NetworkError(
                            .bodyNotReplayable, "The request's body is a stream that was read already.",
                            origin: origin)
                    }
                    return chunks
                })
        }
    }
}
