/// Randomness that a seed repeats (SplitMix64).
struct SeededRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A sequence of its own, by number.
    func branch(_ number: UInt64) -> SeededRandom {
        var other = SeededRandom(seed: state ^ number &* 0xD6E8_FEB8_6659_FD93)
        return SeededRandom(seed: other.next())
    }

    /// A uniform number in `[0, 1)`.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
