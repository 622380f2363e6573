import CZlib

/// Content as servers compress it.
enum Compressed {
    /// One member of gzip (RFC 1952).
    static func gzip(_ bytes: [UInt8]) -> [UInt8] { deflate(bytes, windowBits: 15 + 16) }
    /// `deflate` as RFC 9110 §8.4.1.2 defines it: in the format of zlib (RFC 1950).
    static func zlib(_ bytes: [UInt8]) -> [UInt8] { deflate(bytes, windowBits: 15) }
    /// `deflate` as some servers understand it: without the format of zlib (RFC 1951).
    static func raw(_ bytes: [UInt8]) -> [UInt8] { deflate(bytes, windowBits: -15) }

    private static func deflate(_ bytes: [UInt8], windowBits: Int32) -> [UInt8] {
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return [] }
        defer { deflateEnd(&stream) }
        var input = bytes
        let room = Int(deflateBound(&stream, UInt(bytes.count))) + 64
        return input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            return [UInt8](unsafeUninitializedCapacity: room) { output, count in
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(room)
                _ = CZlib.deflate(&stream, Z_FINISH)
                count = room - Int(stream.avail_out)
            }
        }
    }
}

/// Bytes that hardly get smaller.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
}
