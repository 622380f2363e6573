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
        case .uuid: return random.uuid()
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
}
