/// Reads fields of protocol buffers: written apart from the writer, from the specification of the encoding.
struct ProtobufReader {
    enum Value: Equatable {
        case varint(UInt64)
        case fixed64(UInt64)
        case fixed32(UInt32)
        case bytes([UInt8])
    }

    struct Malformed: Error {}

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func varint() throws -> UInt64 {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while let byte = rest.popFirst() {
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
            guard shift < 64 else { throw Malformed() }
        }
        throw Malformed()
    }

    mutating func delimited() throws -> [UInt8] {
        let count = Int(try varint())
        guard count <= rest.count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// The fields of a message by their numbers.
    static func fields(_ bytes: [UInt8]) throws -> [UInt64: [Value]] {
        var reader = ProtobufReader(bytes)
        var fields: [UInt64: [Value]] = [:]
        while !reader.isAtEnd {
            let tag = try reader.varint()
            let value: Value
            switch tag & 7 {
            case 0: value = .varint(try reader.varint())
            case 1:
                var number: UInt64 = 0
                for shift in stride(from: UInt64(0), to: 64, by: 8) {
                    guard let byte = reader.rest.popFirst() else { throw Malformed() }
                    number |= UInt64(byte) << shift
                }
                value = .fixed64(number)
            case 2: value = .bytes(try reader.delimited())
            case 5:
                guard reader.rest.count >= 4 else { throw Malformed() }
                value = .fixed32(
                    reader.rest.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
                reader.rest = reader.rest.dropFirst(4)
            default: throw Malformed()
            }
            fields[tag >> 3, default: []].append(value)
        }
        return fields
    }
}

extension ProtobufReader.Value {
    var unsigned: UInt64 { if case .varint(let number) = self { number } else { .max } }
    var signed: Int64 {
        Int64(bitPattern: unsigned >> 1) ^ -Int64(bitPattern: unsigned & 1)
    }
    var double: Double { if case .fixed64(let bits) = self { Double(bitPattern: bits) } else { .nan } }
    var bytes: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
