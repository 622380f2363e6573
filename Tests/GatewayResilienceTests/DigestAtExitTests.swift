import Foundation
import GatewayDigest
import Testing

/// Digests at the end of a process.
@Suite struct DigestAtExitTests {
    /// Handlers run in the reverse order of their registration: this one runs after any of libcrypto, which would have freed its
    /// tables, as threads that still hash would find them.
    @Test func theyAreRightWhileTheProcessEnds() async {
        await #expect(processExitsWith: .success) {
            atexit { _exit(SHA256.digest([1, 2, 3]).first == 0x03 ? 0 : 1) }
            #expect(SHA256.digest([1, 2, 3]).first == 0x03)
            exit(2)
        }
    }
}
