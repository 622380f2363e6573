/// The part of the Distinguished Encoding Rules (X.690 §8, §10) that keys and signatures need.
enum DER {
    /// Encodes a value with its tag and length.
    static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count > 127 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    /// Encodes a `SEQUENCE`.
    static func sequence(_ elements: [[UInt8]]) -> [UInt8] { value(0x30, elements.flatMap { $0 }) }

    /// Encodes a non-negative `INTEGER` with the minimum number of bytes and the highest bit of the first byte clear.
    static func integer(_ magnitude: some Collection<UInt8>) -> [UInt8] {
        let digits = Array(magnitude.drop { $0 == 0 })
        return value(0x02, (digits.first.map { $0 > 127 } ?? true ? [0] : []) + digits)
    }

    /// Encodes a `BIT STRING` of whole bytes.
    static func bitString(_ bytes: [UInt8]) -> [UInt8] { value(0x03, [0] + bytes) }

    /// Decodes a `SEQUENCE` of two `INTEGER`s, each shorter than 128 bytes, and pads them with zeros to a width; `nil`
    /// for anything else.
    static func integers(_ der: [UInt8], width: Int) -> (first: [UInt8], second: [UInt8])? {
        var rest = der[...]
        func take(_ tag: UInt8) -> ArraySlice<UInt8>? {
            guard rest.popFirst() == tag, var length = rest.popFirst().map(Int.init) else { return nil }
            if length == 0x81, let long = rest.popFirst() { length = Int(long) }
            guard length <= rest.count else { return nil }
            defer { rest = rest.dropFirst(length) }
            return rest.prefix(length)
        }
        func filled(_ content: ArraySlice<UInt8>) -> [UInt8]? {
            let digits = content.drop { $0 == 0 }
            guard digits.count <= width else { return nil }
            return Array(repeating: 0, count: width - digits.count) + digits
        }
        guard let content = take(0x30), rest.isEmpty else { return nil }
        rest = content
        guard let first = take(0x02).flatMap(filled), let second = take(0x02).flatMap(filled), rest.isEmpty
        else { return nil }
        return (first, second)
    }
}
