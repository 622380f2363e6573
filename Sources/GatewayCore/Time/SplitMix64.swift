/// The generator of Steele, Lea and Flood (OOPSLA 2014): a counter, and a function that mixes it.
package enum SplitMix64 {
    /// The increment of the counter.
    package static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Mixes the bits of a counter.
    package static func scatter(_ counter: UInt64) -> UInt64 {
        var mixed = (counter ^ (counter >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
