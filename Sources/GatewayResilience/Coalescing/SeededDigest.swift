/// A fast digest of strings and numbers, with a random seed for each process so that collisions cannot be chosen from
/// outside. Words of eight bytes are folded in by a full multiplication, as in wyhash (Wang Yi, 2019).
struct SeededDigest {
    private static let seed = UInt64.random(in: 1...UInt64.max) | 1
    private var state = SeededDigest.seed

    /// The digest of the combined values.
    var value: Int { Int(truncatingIfNeeded: Self.fold(state, 0x9E37_79B9_7F4A_7C15)) }

    mutating func combine(_ word: UInt64) {
        state = Self.fold(state ^ word, 0xA076_1D64_78BD_642F ^ Self.seed)
    }

    mutating func combine(_ string: String) {
        var string = string
        string.withUTF8 { bytes in unsafe combine(UnsafeRawBufferPointer(bytes)) }
    }

    mutating func combine(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe combine($0) } }

    private mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        // The length first, so that adjacent values cannot be confused.
        combine(UInt64(bytes.count))
        var index = 0
        while index + 8 <= bytes.count {
            combine(unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        guard index < bytes.count else { return }
        var rest: UInt64 = 0
        while index < bytes.count {
            rest = rest << 8 | UInt64(unsafe bytes[index])
            index += 1
        }
        combine(rest)
    }

    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let (high, low) = a.multipliedFullWidth(by: b)
        return high ^ low
    }
}
