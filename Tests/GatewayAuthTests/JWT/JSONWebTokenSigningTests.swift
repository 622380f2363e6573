import GatewayAuth
import GatewayCore
import Testing

@Suite struct JSONWebTokenSigningTests {
    private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    @Test func hs256MatchesAnIndependentSignature() throws {
        let key = try JSONWebTokenKey(secret: Self.secret)
        let token = try JSONWebToken.sign(
            claimsJSON: #"{"sub": "me", "exp": 1700000000}"#, key: key, keyID: "k1")
        #expect(
            token.exposed
                == """
                eyJhbGciOiJIUzI1NiIsImtpZCI6ImsxIiwidHlwIjoiSldUIn0.eyJleHAiOjE3MDAwMDAwMDAsInN1YiI6Im1lIn0.1xQ7ijPgUXTyg7LBm1_BsU79KN_gwnmjOmyjT7sLJAc
                """)
    }

    @Test func rs256MatchesAnIndependentSignature() throws {
        let key = try JSONWebTokenKey(pem: TestKeys.rsa.pem, algorithm: .rs256)
        let token = try JSONWebToken.sign(claimsJSON: #"{"sub":"me"}"#, key: key)
        #expect(
            token.exposed
                == """
                eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJtZSJ9.vOaWH0AcCghbR0CSoCZr1IxMgL_-89Hqbmxtmlwj2nfObGoukDhYnWNEATVNomKNSVnhKgf_ggeHEvcSS5dOuHujsoWrSqTsw0LQ7Jn8_tG-1V8eQftBoBM_HoxgxisEL25_a5tb29iqnLS3CmDj6rKKeTsTnSNsyY2l4XyzxB4NcPckz0rI37WmzgoP-RwEQabmuwg9HSUBMYGNhIhUebapH9ZTfMbMUiC9QEp_GrEi9Ol7tqtiSD7rKtoyP3by6TVuLfZU5LcSYhrSNKxc_RdVrp1O0TF9DtF9uYPAD6zIuRIW9kdJNhgAbulZY6ReShdnWVH1leaCDxE9mOuwRw
                """)
    }

    @Test func es256SignaturesHave64Bytes() throws {
        let key = try JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256)
        for _ in 0..<50 {
            let token = try JSONWebToken.sign(claimsJSON: "{}", key: key).exposed
            #expect(token.split(separator: ".").map(\.count).last == 86)
        }
    }

    @Test(arguments: [
        "", "[]", "1", "null", "{", #"{"a":1,"a":2}"#, #"{"a":1}\u{0}{"#,
        #"{"a":99999999999999999999}"#, "{\"a\":\"" + String(repeating: "x", count: 16 << 10) + "\"}",
    ])
    func refusesClaims(_ claims: String) throws {
        let key = try JSONWebTokenKey(secret: Self.secret)
        let error = #expect(throws: NetworkError.self) {
            try JSONWebToken.sign(claimsJSON: claims, key: key)
        }
        #expect(error?.code == .credentialMisconfigured)
    }

    @Test func tokensNeverGrowPastTheLimit() throws {
        let key = try JSONWebTokenKey(pem: TestKeys.rsa.pem, algorithm: .rs256)
        let claims = "{\"a\":\"" + String(repeating: "x", count: 10_200) + "\"}"
        let token = try JSONWebToken.sign(claimsJSON: claims, key: key)
        #expect(token.exposed.utf8.count <= JSONWebToken.maximumBytes)
    }

    @Test(arguments: [
        (TestKeys.rsa1024, JSONWebTokenAlgorithm.rs256), (TestKeys.p384, .es256), (TestKeys.p256, .es384),
        (TestKeys.secp256k1, .es256), (TestKeys.rsaPSSPublic, .rs256), (TestKeys.p256, .rs256),
        (TestKeys.rsa, .es256),
        (TestKeys.encrypted, .es256), (TestKeys.ed25519, .es256), (TestKeys.rsaPublic, .hs256),
        (.empty, .rs256), (.garbage, .rs256),
    ])
    func refusesKey(key: TestKeys, algorithm: JSONWebTokenAlgorithm) {
        let error = #expect(throws: NetworkError.self) {
            try JSONWebTokenKey(pem: key.pem, algorithm: algorithm)
        }
        #expect(error?.code == .credentialMisconfigured)
    }

    @Test func nobodyIsAskedForAPassphrase() {
        let traditional = """
            -----BEGIN RSA PRIVATE KEY-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: AES-128-CBC,00000000000000000000000000000000

            AAAA
            -----END RSA PRIVATE KEY-----
            """
        for pem in [TestKeys.encrypted.pem, Secret(traditional)] {
            let error = #expect(throws: NetworkError.self) {
                try JSONWebTokenKey(pem: pem, algorithm: .rs256)
            }
            #expect(error?.message == "The PEM key is encrypted: decrypt it first.")
        }
    }

    @Test func refusesSecretsThatAreShortOrPEM() {
        #expect(throws: NetworkError.self) { try JSONWebTokenKey(secret: []) }
        #expect(throws: NetworkError.self) { try JSONWebTokenKey(secret: Array(repeating: 1, count: 31)) }
        #expect(throws: NetworkError.self) {
            try JSONWebTokenKey(secret: Array(TestKeys.rsaPublic.pem.exposed.utf8), algorithm: .hs256)
        }
        #expect(throws: NetworkError.self) { try JSONWebTokenKey(secret: Self.secret, algorithm: .rs256) }
    }

    @Test func publicKeysDoNotSign() throws {
        let key = try JSONWebTokenKey(pem: TestKeys.p256Public.pem, algorithm: .es256)
        #expect(!key.canSign)
        #expect(throws: NetworkError.self) { try JSONWebToken.sign(claimsJSON: "{}", key: key) }
    }

    @Test func keysPrintNoSecret() throws {
        let key = try JSONWebTokenKey(pem: TestKeys.rsa.pem, algorithm: .rs256)
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!("\(key)" + String(reflecting: key) + dumped).contains("PRIVATE"))
    }
}
