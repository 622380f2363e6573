internal import GatewayCore

/// The bytes of a form's parts in order. Files are read while they are sent.
struct MultipartStream: AsyncSequence, Sendable {
    typealias Element = HTTPBody.Chunk

    let segments: [MultipartWriter.Segment]

    /// A body with these segments: bytes if there is only one segment of bytes, otherwise a stream.
    static func body(_ segments: [MultipartWriter.Segment]) -> HTTPBody {
        if segments.count == 1, case .bytes(let bytes) = segments[0] { return .bytes(bytes) }
        let stream = MultipartStream(segments: segments.map(\.measured))
        let length = stream.length
        if stream.isOnce { return .once(length: length, stream) }
        return .replayable(length: length) { stream }
    }

    private var isOnce: Bool {
        segments.contains { segment in
            guard case .body(let body) = segment, case .once = body.storage else { return false }
            return true
        }
    }

    /// The number of bytes; `nil` if the length of a part is not known.
    private var length: Int64? {
        var total: Int64 = 0
        for segment in segments {
            switch segment {
            case .bytes(let bytes): total = total.addingClamped(Int64(bytes.count))
            case .body(let body):
                switch body.storage {
                case .bytes(let bytes): total = total.addingClamped(Int64(bytes.count))
                case .file(_, let range?):
                    total = total.addingClamped(range.upperBound.subtractingClamped(range.lowerBound))
                // A file whose size could not be read fails when it is read.
                case .file(_, nil): return nil
                case .replayable(let length?, _), .once(let length?, _): total = total.addingClamped(length)
                case .replayable(nil, _), .once(nil, _): return nil
                }
            }
        }
        return total
    }

    func makeAsyncIterator() -> Iterator { Iterator(segments: segments) }

    struct Iterator: AsyncIteratorProtocol {
        private enum Source {
            case file(FileChunks)
            case stream(any AsyncIteratorProtocol<HTTPBody.Chunk, any Error>)
        }

        private var segments: ArraySlice<MultipartWriter.Segment>
        private var source: Source?

        init(segments: [MultipartWriter.Segment]) { self.segments = segments[...] }

        mutating func next() async throws -> HTTPBody.Chunk? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> HTTPBody.Chunk? {
            while true {
                switch source {
                case .file(let file):
                    if let chunk = try file.next() { return chunk }
                    source = nil
                case .stream(var iterator):
                    source = nil
                    if let chunk = try await iterator.next(isolation: actor) {
                        source = .stream(iterator)
                        return chunk
                    }
                case nil: break
                }
                if source != nil { continue }
                guard let segment = segments.popFirst() else { return nil }
                switch segment {
                case .bytes(let bytes): if !bytes.isEmpty { return bytes[...] }
                case .body(let body):
                    switch body.storage {
                    case .bytes(let bytes): if !bytes.isEmpty { return bytes[...] }
                    case .file(let path, let range): source = .file(try FileChunks(path, range))
                    case .replayable(_, let make):
                        source = .stream(try await make().makeAsyncIterator())
                    case .once(_, let once):
                        guard let chunks = once.take() else {
                            throw NetworkError(
                                .invalidRequest, "A multipart part's stream can be sent once only.")
                        }
                        source = .stream(chunks.makeAsyncIterator())
                    }
                }
            }
        }
    }
}

extension MultipartWriter.Segment {
    /// Replaces a whole file by the range of its current size. Why: bytes that are appended while the file is sent
    /// would exceed the announced length.
    fileprivate var measured: Self {
        guard case .body(let body) = self, case .file(let path, nil) = body.storage,
            let size = FileHandleReader.size(ofFileAt: path)
        else { return self }
        return .body(.file(path, range: 0..<size))
    }
}

/// Reads a file in chunks of up to 64 KiB.
private final class FileChunks {
    private let handle: FileHandleReader
    private var rest: Int64?

    init(_ path: String, _ range: Range<Int64>?) throws {
        handle = try FileHandleReader(path, offset: range?.lowerBound ?? 0)
        rest = range.map { Int64($0.count) }
    }

    func next() throws -> HTTPBody.Chunk? {
        let count = min(rest ?? 65_536, 65_536)
        guard count > 0 else { return nil }
        let bytes = try handle.next(Int(count))
        if bytes.isEmpty {
            if let rest, rest > 0 {
                throw NetworkError(.invalidRequest, "A multipart part's file is shorter than it was.")
            }
            return nil
        }
        rest = rest.map { $0 - Int64(bytes.count) }
        return bytes[...]
    }
}
