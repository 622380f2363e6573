/// Writes fields of protocol buffers. Fields are written even where they have their default value: the schema of Prometheus is
/// proto2.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    /// A base-128 varint.
    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func tag(_ field: UInt64, _ wireType: UInt64) { varint(field << 3 | wireType) }

    /// A field of type `uint64`, `uint32`, `int64`, `int32` (not negative), or an enum.
    mutating func unsigned(_ field: UInt64, _ value: UInt64) {
        tag(field, 0)
        varint(value)
    }

    /// A field of type `sint64` or `sint32`, in ZigZag form.
    mutating func signed(_ field: UInt64, _ value: Int64) {
        tag(field, 0)
        varint(UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    /// A field of type `double`.
    mutating func double(_ field: UInt64, _ value: Double) { fixed64(field, value.bitPattern) }

    /// A field of type `fixed64`.
    mutating func fixed64(_ field: UInt64, _ value: UInt64) {
        tag(field, 1)
        fixed64(value)
    }

    /// A field of type `bytes` with an ID of 8 bytes, the highest first.
    mutating func id(_ field: UInt64, _ id: UInt64) {
        tag(field, 2)
        varint(8)
        fixed64(id.byteSwapped)
    }

    /// A field of type `bytes` with an ID of 16 bytes, the highest first.
    mutating func id(_ field: UInt64, _ high: UInt64, _ low: UInt64) {
        tag(field, 2)
        varint(16)
        fixed64(high.byteSwapped)
        fixed64(low.byteSwapped)
    }

    /// 8 bytes, the lowest first.
    mutating func fixed64(_ value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// A field of type `fixed32`.
    mutating func fixed32(_ field: UInt64, _ value: UInt32) {
        tag(field, 5)
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// A field of type `string`.
    mutating func string(_ field: UInt64, _ value: String) { bytes(field, value.utf8) }

    /// A field of type `bytes`.
    mutating func bytes(_ field: UInt64, _ value: some Collection<UInt8>) {
        tag(field, 2)
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// A field with a message.
    mutating func message(_ field: UInt64, _ write: (inout ProtobufWriter) -> Void) {
        tag(field, 2)
        delimited(write)
    }

    /// A message after its length.
    mutating func delimited(_ write: (inout ProtobufWriter) -> Void) {
        // Most messages are short: their length takes the byte that is left for it, and they are not moved.
        let start = bytes.count
        bytes.append(0)
        write(&self)
        let length = bytes.count - start - 1
        if length < 0x80 {
            bytes[start] = UInt8(length)
        } else {
            var prefix = ProtobufWriter()
            prefix.varint(UInt64(length))
            bytes.replaceSubrange(start...start, with: prefix.bytes)
        }
    }
}
