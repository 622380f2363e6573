/// Writes fields of protocol buffers. Fields are written even where they have their default value: the schema is proto2.
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
    mutating func double(_ field: UInt64, _ value: Double) {
        tag(field, 1)
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> shift))
        }
    }

    /// A field of type `string`.
    mutating func string(_ field: UInt64, _ value: String) {
        tag(field, 2)
        varint(UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    /// A field with a message.
    mutating func message(_ field: UInt64, _ write: (inout ProtobufWriter) -> Void) {
        tag(field, 2)
        delimited(write)
    }

    /// A message after its length.
    mutating func delimited(_ write: (inout ProtobufWriter) -> Void) {
        var message = ProtobufWriter()
        write(&message)
        varint(UInt64(message.bytes.count))
        bytes.append(contentsOf: message.bytes)
    }
}
