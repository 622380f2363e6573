import Synchronization

/// A source of randomness for jitter, trace IDs and idempotency keys. A seeded source makes a run repeatable.
public protocol RandomSource: Sendable {
    /// 64 uniformly distributed random bits.
    func next() -> UInt64
}

extension RandomSource {
    /// A uniformly distributed number in `[0, 1)`.
    public func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Random bytes, eight for each word.
    package func bytes(words: Int) -> [UInt8] {
        (0..<words).flatMap { _ in
            let word = next()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
    }

    /// Random hexadecimal digits, 16 for each word.
    package func hexadecimal(words: Int) -> String { (0..<words).map { _ in next().hexadecimal }.joined() }

    /// A random UUID (RFC 9562 §5.4) in lower case.
    package func uuid() -> String {
        let high = next() & ~0xF000 | 0x4000
        let low = next() & ~(0b11 << 62) | 0b10 << 62
        var text = ""
        for (index, digit) in (high.hexadecimal + low.hexadecimal).enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }
}

/// A fast source for jitter and unique identifiers, not for secrets: SplitMix64 with a random initial state.
public struct FastRandomSource: RandomSource {
    private static let state = Atomic<UInt64>(SystemRandomSource().next())

    /// Creates a source. All instances share one sequence.
    public init() {}

    /// The next number of the sequence.
    public func next() -> UInt64 {
        SplitMix64.scatter(Self.state.wrappingAdd(SplitMix64.increment, ordering: .relaxed).newValue)
    }
}

/// The cryptographic random generator of the system.
public struct SystemRandomSource: RandomSource {
    /// Creates a source. All instances are equivalent.
    public init() {}

    /// 64 random bits.
    public func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
