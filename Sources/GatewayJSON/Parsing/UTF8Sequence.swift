/// The well-formed sequences of more than one byte (RFC 3629, section 4).
enum UTF8Sequence {
    /// How many bytes the sequence at a position has; 0 when it is not well-formed.
    static func length(in bytes: [UInt8], at position: Int) -> Int {
        let left = bytes.count - position
        let first = bytes[position]
        if first >= 0xC2 && first <= 0xDF {
            return left > 1 && isContinuation(bytes[position + 1]) ? 2 : 0
        }
        guard left > 2, isContinuation(bytes[position + 2]) else { return 0 }
        let second = bytes[position + 1]
        switch first {
        case 0xE0: return second >= 0xA0 && second <= 0xBF ? 3 : 0
        case 0xED: return second >= 0x80 && second <= 0x9F ? 3 : 0
        case 0xE1...0xEF: return isContinuation(second) ? 3 : 0
        default: break
        }
        guard left > 3, isContinuation(bytes[position + 3]) else { return 0 }
        switch first {
        case 0xF0: return second >= 0x90 && second <= 0xBF ? 4 : 0
        case 0xF1...0xF3: return isContinuation(second) ? 4 : 0
        case 0xF4: return second >= 0x80 && second <= 0x8F ? 4 : 0
        default: return 0
        }
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
