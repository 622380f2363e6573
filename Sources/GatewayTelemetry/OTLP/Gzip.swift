import CZlib

/// Compresses requests (RFC 1952).
enum Gzip {
    /// The window of 32 KiB, with the header of gzip.
    private static let windowBits: Int32 = 15 + 16

    /// The compressed content; `nil` if zlib cannot be initialised.
    static func compressed(_ content: [UInt8]) -> [UInt8]? {
        // zlib's state has a pointer to the stream, which must not be moved.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        defer { unsafe stream.deallocate() }
        guard unsafe gateway_deflate_init(stream, windowBits) == Z_OK else { return nil }
        defer { _ = unsafe deflateEnd(stream) }
        let bound = Int(unsafe deflateBound(stream, UInt(content.count)))
        var isComplete = false
        let compressed = unsafe content.withUnsafeBufferPointer { source in
            unsafe [UInt8](unsafeUninitializedCapacity: bound) { target, count in
                // zlib does not write to its input.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(clamping: source.count)
                unsafe stream.pointee.next_out = target.baseAddress
                unsafe stream.pointee.avail_out = UInt32(clamping: target.count)
                isComplete = unsafe deflate(stream, Z_FINISH) == Z_STREAM_END
                count = target.count - Int(unsafe stream.pointee.avail_out)
            }
        }
        return isComplete ? compressed : nil
    }
}
