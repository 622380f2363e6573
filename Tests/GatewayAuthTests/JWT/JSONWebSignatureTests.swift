import GatewayCore
import GatewayJSON
import Testing

@testable import GatewayAuth

/// What libcrypto is told, against what the standards print.
@Suite struct JSONWebSignatureTests {
    @Test func integersHaveTheFewestBytes() {
        #expect(DER.integer([0, 0, 1]) == [2, 1, 1])
        #expect(DER.integer([0x80]) == [2, 2, 0, 0x80])
        #expect(DER.integer([0, 0]) == [2, 1, 0])
        #expect(DER.integer([UInt8]()) == [2, 1, 0])
        let long = DER.sequence([Array(repeating: 7, count: 300)])
        #expect(long.prefix(4) == [0x30, 0x82, 1, 44])
        #expect(DER.sequence([Array(repeating: 7, count: 128)]).prefix(3) == [0x30, 0x81, 128])
    }

    @Test func twoIntegersAreReadBack() {
        let pairs: [([UInt8], [UInt8])] = [
            (Array(repeating: 255, count: 66), [1]), ([0], [0x80]), ([1, 2], [3]),
        ]
        for (first, second) in pairs {
            let der = DER.sequence([DER.integer(first), DER.integer(second)])
            guard let read = DER.integers(der, width: 66) else {
                Issue.record("not read")
                continue
            }
            #expect(read.first == [UInt8](repeating: 0, count: 66 - first.count) + first)
            #expect(read.second == [UInt8](repeating: 0, count: 66 - second.count) + second)
        }
        for bytes: [UInt8] in [
            [], [0x30], [0x30, 5], [0x30, 0], [0x30, 3, 2, 1, 1], [0x30, 6, 2, 1, 1, 2, 1], [0x30, 0x81],
            [0x30, 6, 2, 1, 1, 2, 1, 1, 0], [0x30, 7, 2, 1, 1, 2, 1, 1, 0], [0x31, 6, 2, 1, 1, 2, 1, 1],
            [0x30, 7, 2, 2, 1, 1, 2, 1, 1],
        ] {
            #expect(DER.integers(bytes, width: 1) == nil)
        }
    }
}
