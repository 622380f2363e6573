internal import GatewayCore

/// Writes values one after the other, little-endian and with their lengths, and a checksum after them.
package struct ByteWriter {
    /// What was written.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    // A generic function would not be specialised for callers in other modules, and take ten times as long.

    /// Appends a number.
    package mutating func append(_ number: UInt8) { bytes.append(number) }

    /// Appends a number.
    package mutating func append(_ number: UInt16) { append(UInt64(number), count: 2) }

    /// Appends a number.
    package mutating func append(_ number: UInt32) { append(UInt64(number), count: 4) }

    /// Appends a number.
    package mutating func append(_ number: UInt64) { append(number, count: 8) }

    /// Appends a number.
    package mutating func append(_ number: Int64) { append(UInt64(bitPattern: number), count: 8) }

    private mutating func append(_ number: UInt64, count: Int) {
        for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
    }

    /// Appends the length (4 bytes) and the bytes.
    package mutating func append(_ value: [UInt8]) {
        append(UInt32(clamping: value.count))
        bytes.append(contentsOf: value)
    }

    /// Appends the length (4 bytes) and the UTF-8 of a text.
    package mutating func append(_ text: String) {
        append(UInt32(clamping: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends 1 and the text, or 0 for `nil`.
    package mutating func append(optional text: String?) {
        append(UInt8(text == nil ? 0 : 1))
        if let text { append(text) }
    }

    /// The bytes, and the checksum of the bytes and of the salt.
    package consuming func finished(salt: UInt64) -> [UInt8] {
        append(Self.checksum(of: bytes, salt: salt))
        return bytes
    }

    /// A checksum that finds damage, the same in all processes and versions. It is no protection against somebody who changes
    /// the file on purpose.
    package static func checksum(of bytes: [UInt8], salt: UInt64) -> UInt64 {
        checksum(of: bytes[...], salt: salt)
    }

    static func checksum(of bytes: ArraySlice<UInt8>, salt: UInt64) -> UInt64 {
        var checksum = WordDigest(
            state: 0x243F_6A88_85A3_08D3, key: 0xA076_1D64_78BD_642F, multiplier: 0xE703_7ED1_A0B4_28DB)
        checksum.combine(salt)
        checksum.combine(bytes)
        return checksum.value
    }
}
