import GatewayCore
import Testing

/// The digest that checksums of stored responses and the keys of calls in progress are made by.
@Suite struct WordDigestTests {
    /// The numbers of the checksum of the disk cache, whose values are in files.
    private func digest(_ combine: (inout WordDigest) -> Void = { _ in }) -> UInt64 {
        var digest = WordDigest(
            state: 0x243F_6A88_85A3_08D3, key: 0xA076_1D64_78BD_642F, multiplier: 0xE703_7ED1_A0B4_28DB)
        combine(&digest)
        return digest.value
    }

    @Test func valuesAreTheSameInAllVersions() {
        #expect(digest() == 0xE184_8576_4BA0_3644)
        let value = digest {
            $0.combine("http cache")
            $0.combine(7)
        }
        #expect(value == 0x2F77_63FB_8692_C36E)
    }

    @Test func textAndBytesAreTheSame() {
        let text = "https://api.example.com/ä"
        #expect(digest { $0.combine(text) } == digest { $0.combine(Array(text.utf8)) })
    }

    @Test func valuesNextToEachOtherAreKeptApart() {
        func of(_ parts: String...) -> UInt64 { digest { for part in parts { $0.combine(part) } } }
        let all = [of("ab", "c"), of("a", "bc"), of("abc"), of("abc", ""), of("", "abc"), of("abc\0")]
        #expect(Set(all).count == all.count)
    }

    @Test func eachBitCounts() {
        for count in 0...20 {
            let bytes = [UInt8](repeating: 0, count: count)
            var values: Set<UInt64> = [digest { $0.combine(bytes) }]
            for bit in 0..<count * 8 {
                var changed = bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                values.insert(digest { $0.combine(changed) })
            }
            #expect(values.count == count * 8 + 1)
        }
    }
}
