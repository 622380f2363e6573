/// Reads what a ``ByteWriter`` wrote. Lengths in the bytes are never trusted.
package struct ByteReader {
    private let content: [UInt8]
    private var index = 0
    private var end: Int

    /// Begins to read; `nil` if the checksum does not match.
    package init?(_ bytes: [UInt8], salt: UInt64) {
        guard bytes.count >= 8 else { return nil }
        self.init(unchecked: bytes)
        index = bytes.count - 8
        guard number() == ByteWriter.checksum(of: bytes[..<(bytes.count - 8)], salt: salt) else { return nil }
        (index, end) = (0, bytes.count - 8)
    }

    /// Begins to read bytes without a checksum of their own.
    package init(unchecked bytes: [UInt8]) { (content, end) = (bytes, bytes.count) }

    /// Whether everything was read.
    package var isAtEnd: Bool { index == end }

    /// The next number; `nil` at the end.
    package mutating func number() -> UInt8? { number(of: 1).map { UInt8(truncatingIfNeeded: $0) } }

    /// The next number; `nil` at the end.
    package mutating func number() -> UInt16? { number(of: 2).map { UInt16(truncatingIfNeeded: $0) } }

    /// The next number; `nil` at the end.
    package mutating func number() -> UInt32? { number(of: 4).map { UInt32(truncatingIfNeeded: $0) } }

    /// The next number; `nil` at the end.
    package mutating func number() -> UInt64? { number(of: 8) }

    /// The next number; `nil` at the end.
    package mutating func number() -> Int64? { number(of: 8).map { Int64(bitPattern: $0) } }

    private mutating func number(of count: Int) -> UInt64? {
        guard count <= end - index else { return nil }
        var number: UInt64 = 0
        for place in 0..<count { number |= UInt64(content[index + place]) << (8 * UInt64(place)) }
        index += count
        return number
    }

    /// The next bytes with their length; `nil` if there are not that many.
    package mutating func bytes() -> [UInt8]? { slice().map { Array($0) } }

    /// Skips bytes if they are the next ones.
    package mutating func skip(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= end - index, content[index..<index + bytes.count].elementsEqual(bytes) else {
            return false
        }
        index += bytes.count
        return true
    }

    /// The bytes that were read since another reader of the same bytes was here.
    package func bytes(since other: ByteReader) -> [UInt8] { Array(content[other.index..<index]) }

    private mutating func slice() -> ArraySlice<UInt8>? {
        guard let count: UInt32 = number(), Int(count) <= end - index else { return nil }
        defer { index += Int(count) }
        return content[index..<index + Int(count)]
    }

    /// The next text; `nil` if it is not UTF-8.
    package mutating func text() -> String? {
        guard let slice = slice() else { return nil }
        // `String(validating:as:)` is generic, and takes several times as long. This one repairs what is not UTF-8.
        let text = unsafe String(unsafeUninitializedCapacity: slice.count) { buffer in
            unsafe buffer.initialize(fromContentsOf: slice)
        }
        return text.utf8.elementsEqual(slice) ? text : nil
    }

    /// The next optional text: `.some(nil)` for none, `nil` if it cannot be read.
    package mutating func optionalText() -> String?? {
        switch number() as UInt8? {
        case 0: .some(nil)
        case 1: text().map { .some($0) }
        default: nil
        }
    }
}
