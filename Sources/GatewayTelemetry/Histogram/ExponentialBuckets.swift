/// The buckets of the exponential histogram: base 2^(1/32), which is scale 5 of OpenTelemetry and schema 5 of Prometheus.
///
/// Bucket `i` holds the values in (2^(i/32), 2^((i+1)/32)] seconds. Any two values of a bucket differ by less than 2.2 %, so
/// that its middle is within 1.09 % of each. The buckets from 2^-20 s (about 1 µs) to 2^12 s (68 min) are kept; *slots* are
/// their numbers from 0. Smaller values are counted as zero, larger ones in the last slot.
enum ExponentialBuckets {
    /// The scale.
    static let scale = 5
    /// The buckets of an octave.
    static let perOctave = 32
    /// The number of octaves that are kept.
    static let octaveCount = 32
    /// The number of slots.
    static let slotCount = perOctave * octaveCount
    /// The exponent of the lower bound of slot 0.
    private static let lowestExponent = -20
    /// OpenTelemetry's index of slot 0.
    static let firstIndex = lowestExponent * perOctave
    /// Values up to this one are counted as zero, in seconds: 2^-20.
    static let zeroThreshold = 1.0 / 1_048_576

    /// The slot of a value in seconds; `nil` for zero, for less, and for what is not a number.
    static func slot(of seconds: Double) -> Int? {
        guard seconds > zeroThreshold else { return nil }
        let bits = seconds.bitPattern
        let mantissa = bits & 0xF_FFFF_FFFF_FFFF
        let exponent = Int(truncatingIfNeeded: bits >> 52) - 1023
        // The number of bounds of the octave that are less than the value, by bisection.
        var below = 0
        var width = 16
        while width > 0 {
            if mantissa > mantissas[below + width] { below += width }
            width /= 2
        }
        if mantissa > 0 { below += 1 }
        return min(slotCount - 1, (exponent - lowestExponent) * perOctave + below - 1)
    }

    /// The upper bound of a slot, in seconds.
    static func upperBound(of slot: Int) -> Double { bound(at: slot + 1) }

    /// The geometric middle of a slot, in seconds.
    static func middle(of slot: Int) -> Double {
        (bound(at: slot) * bound(at: slot + 1)).squareRoot()
    }

    /// 2^((firstIndex + position) / 32).
    private static func bound(at position: Int) -> Double {
        let (octave, step) = (position / perOctave, position % perOctave)
        return Double(
            sign: .plus, exponent: octave + lowestExponent,
            significand: Double(bitPattern: UInt64(1023) << 52 | mantissas[step]))
    }

    /// The fractions of 2^(k/32), in units of 2^-52 and rounded down. All but the first are irrational: a fraction is above
    /// the bound exactly if it is more than the number here.
    private static let mantissas: [32 of UInt64] = [
        0x0, 0x59B0D3158574, 0xB5586CF9890F, 0x11301D0125B50,
        0x172B83C7D517A, 0x1D4873168B9AA, 0x2387A6E756238, 0x29E9DF51FDEE1,
        0x306FE0A31B715, 0x371A7373AA9CA, 0x3DEA64C123422, 0x44E086061892D,
        0x4BFDAD5362A27, 0x5342B569D4F81, 0x5AB07DD485429, 0x6247EB03A5584,
        0x6A09E667F3BCC, 0x71F75E8EC5F73, 0x7A11473EB0186, 0x82589994CCE12,
        0x8ACE5422AA0DB, 0x93737B0CDC5E4, 0x9C49182A3F090, 0xA5503B23E255C,
        0xAE89F995AD3AD, 0xB7F76F2FB5E46, 0xC199BDD85529C, 0xCB720DCEF9069,
        0xD5818DCFBA487, 0xDFC97337B9B5E, 0xEA4AFA2A490D9, 0xF50765B6E4540,
    ]
}
