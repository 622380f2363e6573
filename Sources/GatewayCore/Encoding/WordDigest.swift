/// A fast, non-cryptographic digest of words and bytes. Words of eight bytes are folded with a full multiplication, as
/// in wyhash (Wang Yi, 2019). It does not protect against an attacker who knows its parameters.
package struct WordDigest {
    @usableFromInline var state: UInt64
    @usableFromInline let key: UInt64
    @usableFromInline let multiplier: UInt64

    /// - Parameters:
    ///   - state: the initial state.
    ///   - key: is combined with each word.
    ///   - multiplier: folds the words; an odd number.
    @inlinable
    package init(state: UInt64, key: UInt64, multiplier: UInt64) {
        self.state = state
        self.key = key
        self.multiplier = multiplier
    }

    /// The digest of the combined values.
    @inlinable package var value: UInt64 { Self.fold(state, 0x9E37_79B9_7F4A_7C15) }

    /// Adds a word.
    @inlinable
    package mutating func combine(_ word: UInt64) {
        // The word is also added, so that a state of zero does not absorb it.
        state = Self.fold(state ^ word ^ key, multiplier) &+ word
    }

    /// Adds bytes.
    @inlinable
    package mutating func combine(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe combine($0) }
    }

    /// Adds bytes.
    @inlinable
    package mutating func combine(_ bytes: ArraySlice<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe combine($0) }
    }

    /// Adds the UTF-8 of a text.
    @inlinable
    package mutating func combine(_ text: String) {
        var text = text
        text.withUTF8 { bytes in unsafe combine(UnsafeRawBufferPointer(bytes)) }
    }

    @usableFromInline
    mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        // The length comes first, so that adjacent values cannot be confused.
        combine(UInt64(bytes.count))
        var index = 0
        while index + 8 <= bytes.count {
            combine(UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
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

    @inlinable
    static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let (high, low) = a.multipliedFullWidth(by: b)
        return high ^ low
    }
}
