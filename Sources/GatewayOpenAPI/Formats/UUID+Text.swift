public import FoundationEssentials
internal import GatewayCore
public import GatewayJSON

extension UUID {
    /// Reads the text form of a UUID (RFC 9562, section 4); `nil` for any other text.
    private init?(_ text: ArraySlice<UInt8>) {
        guard text.count == 36 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var count = 0
        for (position, byte) in text.enumerated() {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = byte.hexadecimalValue.map(UInt64.init) else { return nil }
            if count < 16 { halves.0 = halves.0 << 4 | digit } else { halves.1 = halves.1 << 4 | digit }
            count += 1
        }
        func byte(_ half: UInt64, _ index: UInt64) -> UInt8 {
            UInt8(truncatingIfNeeded: half >> (56 - 8 * index))
        }
        let (a, b) = halves
        self.init(
            uuid: (
                byte(a, 0), byte(a, 1), byte(a, 2), byte(a, 3), byte(a, 4), byte(a, 5), byte(a, 6),
                byte(a, 7), byte(b, 0), byte(b, 1), byte(b, 2), byte(b, 3), byte(b, 4), byte(b, 5),
                byte(b, 6), byte(b, 7)
            ))
    }

    private var textBytes: TextBytes {
        let id = uuid
        var bytes = TextBytes(capacity: 36)
        bytes.append(hexadecimal: id.0, id.1)
        bytes.append(hexadecimal: id.2, id.3)
        bytes.append("-")
        bytes.append(hexadecimal: id.4, id.5)
        bytes.append("-")
        bytes.append(hexadecimal: id.6, id.7)
        bytes.append("-")
        bytes.append(hexadecimal: id.8, id.9)
        bytes.append("-")
        bytes.append(hexadecimal: id.10, id.11)
        bytes.append(hexadecimal: id.12, id.13)
        bytes.append(hexadecimal: id.14, id.15)
        return bytes
    }
}

extension UUID: JSONDecodable, JSONEncodable {
    /// Decodes the text form of a UUID (RFC 9562, section 4).
    public init(json: JSONElement) throws(JSONError) {
        guard let value = UUID(try json.stringBytes()) else { throw json.wrongFormat("a UUID") }
        self = value
    }
    /// Encodes a UUID in lower case.
    public func write(to writer: inout JSONWriter) { writer.string(plain: textBytes.bytes) }
}

extension UUID: ParameterValue {
    /// The UUID in lower case (RFC 9562, section 4).
    public var parameterText: String { textBytes.text }
    /// Reads a UUID; `nil` for any other text.
    public init?(parameterText: String) { self.init(Array(parameterText.utf8)[...]) }
}
