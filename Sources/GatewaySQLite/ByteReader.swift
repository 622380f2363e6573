/// Reads what a ``ByteWriter`` wrote. Lengths in the bytes are never trusted.
package struct ByteReader {
    private let content: [UInt8]
    private var index = 0

    /// Begins to read; `nil` if the checksum does not match.
    package init?(_ bytes: [UInt8], salt: UInt64) {
        guard bytes.count >= 8 else { return nil }
        let content = Array(bytes.dropLast(8))
        var end = ByteReader(unchecked: Array(bytes.suffix(8)))
        guard end.number() == ByteWriter.checksum(of: content, salt: salt) else { return nil }
        self.init(unchecked: content)
    }

    /// Begins to read bytes without a checksum of their own.
    package init(unchecked bytes: [UInt8]) { content = bytes }

    /// Whether everything was read.
    package var isAtEnd: Bool { index == content.count }

    /// The next number; `nil` at the end.
    package mutating func number<Number: FixedWidthInteger>() -> Number? {
        let count = Number.bitWidth / 8
        guard count <= content.count - index else { return nil }
        var number: Number = 0
        for place in 0..<count {
            number |= Number(truncatingIfNeeded: content[index + place]) << (8 * place)
        }
        index += count
        return number
    }

    /// The next bytes with their length; `nil` if there are not that many.
    package mutating func bytes() -> [UInt8]? {
        guard let count: UInt32 = number(), Int(count) <= content.count - index else { return nil }
        defer { index += Int(count) }
        return Array(content[index..<index + Int(count)])
    }

    /// The next text; `nil` if it is not UTF-8.
    package mutating func text() -> String? { bytes().flatMap { String(validating: $0, as: UTF8.self) } }

    /// The next optional text: `.some(nil)` for none, `nil` if it cannot be read.
    package mutating func optionalText() -> String?? {
        switch number() as UInt8? {
        case 0: .some(nil)
        case 1: text().map { .some($0) }
        default: nil
        }
    }
}
