import GatewayCore

/// A body in memory that is too large to be sent together with the header.
final class BytesUpload: UploadSource {
    private let bytes: [UInt8]
    private let position = Locked(0)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var length: Int64? { Int64(bytes.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> UploadRead {
        position.withLock { position in
            let count = min(buffer.count, bytes.count - position)
            guard count > 0 else { return .end }
            unsafe bytes.withUnsafeBytes { source in
                unsafe buffer.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: source[position..<(position + count)]))
            }
            position += count
            return .bytes(count)
        }
    }

    func close() {}
}
