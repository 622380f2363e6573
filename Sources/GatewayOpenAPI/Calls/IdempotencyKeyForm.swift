internal import GatewayCore

/// The format of the idempotency keys that a client generates, as the document requires it.
@_spi(Generated) public enum IdempotencyKeyForm: Sendable {
    /// A random UUID (RFC 9562, version 4), in lower case.
    case uuid
    /// A number of random characters from an alphabet of ASCII characters.
    case text(StaticString, Int)

    /// 32 hexadecimal digits: 128 bits.
    static let hexadecimal = IdempotencyKeyForm.text("0123456789abcdef", 32)

    /// A new key.
    func key(_ random: any RandomSource) -> String {
        switch self {
        case .uuid: return Self.uuid(random.next(), random.next())
        case .text(let alphabet, let count):
            let characters = Array("\(alphabet)".utf8)
            guard !characters.isEmpty else { return "" }
            var key: [UInt8] = []
            for _ in 0..<count {
                // The remainder of 64 random bits by at most 64 characters is uniform to one part in 10^17.
                let index = random.next() % UInt64(characters.count)
                key.append(characters[Int(truncatingIfNeeded: index)])
            }
            return String(decoding: key, as: UTF8.self)
        }
    }

    private static func uuid(_ high: UInt64, _ low: UInt64) -> String {
        // The version is in bits 48 to 51, the variant in bits 64 and 65.
        let all =
            digits(high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000) + digits(low & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63)
        var text: [UInt8] = []
        for (offset, digit) in all.enumerated() {
            if [8, 12, 16, 20].contains(offset) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digits(_ half: UInt64) -> [UInt8] {
        let text = String(half, radix: 16)
        return Array((String(repeating: "0", count: 16 - text.utf8.count) + text).utf8)
    }
}
