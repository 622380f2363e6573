/// A checksum of 64 bits that finds damage, the same in all processes. Words of eight bytes are folded in by a full
/// multiplication, as in wyhash (Wang Yi, 2019). It is no protection against somebody who changes the file on purpose.
struct Checksum {
    private var state: UInt64 = 0x243F_6A88_85A3_08D3

    /// The checksum of the combined values.
    var value: UInt64 { Self.fold(state, 0x9E37_79B9_7F4A_7C15) }

    mutating func combine(_ word: UInt64) {
        state = Self.fold(state ^ word ^ 0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB) &+ word
    }

    mutating func combine(_ bytes: [UInt8]) {
        combine(UInt64(bytes.count))
        unsafe bytes.withUnsafeBytes { bytes in
            var index = 0
            while index + 8 <= bytes.count {
                combine(
                    UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
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
    }

    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let (high, low) = a.multipliedFullWidth(by: b)
        return high ^ low
    }
}
