import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayAuth

/// The private keys of the tests are among the secrets that a run's output is searched for.
@Suite struct KeySecrecyTests {
    @Test func noKeyIsPrinted() {
        for key in [TestKeys.rsa, .rsa1024, .p256, .p384, .secp256k1, .encrypted, .ed25519] {
            SecretLedger.note(key.pem, .privateKey)
            var text = ""
            for value: Any in [key, key.pem, Result { try JSONWebTokenKey(pem: key.pem, algorithm: .rs256) }]
            {
                TestTrace.show(value)
                text += "\(value)" + String(reflecting: value)
                dump(value, to: &text)
            }
            for line in key.pem.exposed.split(separator: "\n") where !line.hasPrefix("-----") {
                #expect(!text.contains(line))
            }
        }
    }
}
