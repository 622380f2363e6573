import GatewayCore

extension WordDigest {
    /// A checksum that detects damage, equal in all processes and versions. It does not protect against
    /// intentional changes of the file.
    static var checksum: WordDigest {
        WordDigest(
            state: 0x243F_6A88_85A3_08D3, key: 0xA076_1D64_78BD_642F, multiplier: 0xE703_7ED1_A0B4_28DB)
    }
}
