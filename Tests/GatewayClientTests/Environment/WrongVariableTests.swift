import Foundation
import GatewayClient
import Testing

/// What is said about wrong variables.
@Suite struct WrongVariableTests {
    private typealias Code = GatewayEnvironmentError.Code

    private static let client = [
        "GATEWAY_BASE_URL": "https://api.example.com", "GATEWAY_TOKEN_URL": "https://auth.example.com/token",
        "GATEWAY_CLIENT_ID": "me", "GATEWAY_CLIENT_SECRET": "not-to-be-printed",
    ]

    private static let browser = [
        "GATEWAY_GRANT": "authorization_code", "GATEWAY_TOKEN_STORE": "/tmp/x",
        "GATEWAY_AUTHORIZATION_URL": "https://auth.example.com/authorize",
    ]

    /// The errors about some variables.
    private func problems(_ variables: [String: String]) -> [GatewayEnvironmentError.Problem] {
        do throws(GatewayEnvironmentError) {
            _ = try GatewayEnvironment(variables)
            return []
        } catch {
            return error.problems
        }
    }

    private struct Wrong: CustomTestStringConvertible {
        let variables: [String: String]
        let expected: [String: Code]
        var testDescription: String { expected.keys.sorted().joined(separator: " ") }

        init(_ variables: [String: String], _ expected: [String: Code], client: Bool = false) {
            self.variables =
                client
                ? variables.merging(WrongVariableTests.client) { own, _ in own } : variables
            self.expected = expected
        }
    }

    private static let wrong: [Wrong] = [
        Wrong(["GATEWAY_BASE_URL": "api.example.com"], ["GATEWAY_BASE_URL": .invalidValue]),
        Wrong(["GATEWAY_BASE_URL": "https://api.example.com?a=b"], ["GATEWAY_BASE_URL": .invalidValue]),
        Wrong(["GATEWAY_ORIGINS": "https://api.example.com/v1"], ["GATEWAY_ORIGINS": .invalidValue]),
        Wrong(["GATEWAY_ORIGINS": "http://api.example.com"], ["GATEWAY_ORIGINS": .invalidValue]),
        Wrong(["GATEWAY_ORIGINS": " ,"], ["GATEWAY_ORIGINS": .invalidValue]),
        Wrong(["GATEWAY_TOKEN": "abc"], ["GATEWAY_ORIGINS": .missing]),
        Wrong(
            ["GATEWAY_TOKEN": "abc", "GATEWAY_BASE_URL": "http://api.example.com"],
            ["GATEWAY_BASE_URL": .invalidValue]),
        Wrong(
            ["GATEWAY_TOKEN": "with space", "GATEWAY_BASE_URL": "https://a.example"],
            ["GATEWAY_TOKEN": .invalidValue]),
        Wrong(
            ["GATEWAY_TOKEN": "a", "GATEWAY_TOKEN_FILE": "/b", "GATEWAY_BASE_URL": "https://a.example"],
            ["GATEWAY_TOKEN": .conflict]),
        Wrong(
            [
                "GATEWAY_TOKEN": "a", "GATEWAY_BASE_URL": "https://a.example", "GATEWAY_SCOPE": "b",
                "GATEWAY_TOKEN_STORE": "/tmp/x",
            ], ["GATEWAY_SCOPE": .conflict, "GATEWAY_TOKEN_STORE": .conflict]),
        Wrong(
            ["GATEWAY_CLIENT_SECRET_FILE": "/nowhere"], ["GATEWAY_CLIENT_SECRET": .conflict], client: true),
        Wrong(
            ["GATEWAY_CLIENT_SECRET": "", "GATEWAY_CLIENT_SECRET_FILE": "/nowhere/at/all"],
            ["GATEWAY_CLIENT_SECRET_FILE": .unreadableFile], client: true),
        Wrong(
            ["GATEWAY_CLIENT_SECRET": "", "GATEWAY_CLIENT_SECRET_FILE": "/tmp"],
            ["GATEWAY_CLIENT_SECRET_FILE": .unreadableFile], client: true),
        Wrong(
            ["GATEWAY_CLIENT_SECRET": "", "GATEWAY_CLIENT_SECRET_FILE": "/dev/null"],
            ["GATEWAY_CLIENT_SECRET_FILE": .unreadableFile], client: true),
        Wrong(
            ["GATEWAY_CLIENT_SECRET": "two\nlines"], ["GATEWAY_CLIENT_SECRET": .invalidValue], client: true),
        Wrong(["GATEWAY_CLIENT_SECRET": ""], ["GATEWAY_CLIENT_SECRET_FILE": .missing], client: true),
        Wrong(["GATEWAY_CLIENT_ID": ""], ["GATEWAY_CLIENT_ID": .missing], client: true),
        Wrong(["GATEWAY_TOKEN_URL": ""], ["GATEWAY_TOKEN_URL": .missing], client: true),
        Wrong(
            ["GATEWAY_TOKEN_URL": "http://auth.example.com/token"], ["GATEWAY_TOKEN_URL": .invalidValue],
            client: true),
        Wrong(
            ["GATEWAY_TOKEN_URL": "http://localhost:1/token"], ["GATEWAY_TOKEN_URL": .invalidValue],
            client: true),
        Wrong(["GATEWAY_REVOCATION_URL": "x"], ["GATEWAY_REVOCATION_URL": .invalidValue], client: true),
        Wrong(["GATEWAY_CLIENT_AUTH": "Basic"], ["GATEWAY_CLIENT_AUTH": .invalidValue], client: true),
        Wrong(
            ["GATEWAY_CLIENT_AUTH": "none"],
            ["GATEWAY_CLIENT_SECRET": .conflict, "GATEWAY_CLIENT_SECRET_FILE": .missing], client: true),
        Wrong(
            ["GATEWAY_CLIENT_AUTH": "post", "GATEWAY_CLIENT_SECRET": "", "GATEWAY_REFRESH_TOKEN": "r"],
            ["GATEWAY_CLIENT_SECRET_FILE": .missing], client: true),
        Wrong(
            ["GATEWAY_SIGNING_KEY_FILE": "/nowhere.pem"], ["GATEWAY_SIGNING_KEY_FILE": .conflict],
            client: true),
        Wrong(
            ["GATEWAY_CLIENT_SECRET": "", "GATEWAY_SIGNING_KEY_FILE": "/nowhere.pem"],
            ["GATEWAY_SIGNING_KEY_FILE": .unreadableFile], client: true),
        Wrong(
            ["GATEWAY_CLIENT_SECRET": "", "GATEWAY_SIGNING_KEY_FILE": "/etc/hostname"],
            ["GATEWAY_SIGNING_KEY_FILE": .unreadableFile], client: true),
        Wrong(
            [
                "GATEWAY_CLIENT_SECRET": "", "GATEWAY_SIGNING_KEY_ID": "one",
                "GATEWAY_SIGNING_ALGORITHM": "HS256",
            ],
            ["GATEWAY_SIGNING_KEY_FILE": .missing, "GATEWAY_SIGNING_ALGORITHM": .invalidValue], client: true),
        Wrong(
            ["GATEWAY_CLIENT_SECRET": "", "GATEWAY_CLIENT_AUTH": "assertion"],
            ["GATEWAY_CLIENT_ASSERTION_FILE": .missing], client: true),
        Wrong(
            ["GATEWAY_CLIENT_SECRET": "", "GATEWAY_CLIENT_AUTH": "tls"],
            ["GATEWAY_CLIENT_CERTIFICATE_FILE": .missing], client: true),
        Wrong(["GATEWAY_GRANT": "password"], ["GATEWAY_GRANT": .invalidValue], client: true),
        Wrong(["GATEWAY_GRANT": "refresh_token"], ["GATEWAY_REFRESH_TOKEN_FILE": .missing], client: true),
        Wrong(
            ["GATEWAY_REFRESH_TOKEN": "r", "GATEWAY_GRANT": "jwt_bearer"],
            ["GATEWAY_REFRESH_TOKEN": .conflict, "GATEWAY_SIGNING_KEY_FILE": .missing], client: true),
        Wrong(["GATEWAY_GRANT": "token_exchange"], ["GATEWAY_SUBJECT_TOKEN_FILE": .missing], client: true),
        Wrong(
            ["GATEWAY_SUBJECT_TOKEN_FILE": "/nowhere"], ["GATEWAY_SUBJECT_TOKEN_FILE": .unreadableFile],
            client: true),
        Wrong(
            [
                "GATEWAY_SUBJECT_TOKEN_FILE": "/etc/hostname", "GATEWAY_SUBJECT_TOKEN_TYPE": "token",
                "GATEWAY_ACTOR_TOKEN_TYPE": "jwt", "GATEWAY_REQUESTED_TOKEN_TYPE": "a b:c",
            ],
            [
                "GATEWAY_SUBJECT_TOKEN_TYPE": .invalidValue, "GATEWAY_ACTOR_TOKEN_TYPE": .conflict,
                "GATEWAY_REQUESTED_TOKEN_TYPE": .invalidValue,
            ], client: true),
        Wrong(
            ["GATEWAY_SUBJECT_TOKEN_FILE": "/etc/hostname", "GATEWAY_TOKEN_STORE": "/tmp/x"],
            ["GATEWAY_SUBJECT": .missing], client: true),
        Wrong(
            ["GATEWAY_ASSERTION_FILE": "/etc/hostname", "GATEWAY_ASSERTION_ISSUER": "me"],
            ["GATEWAY_ASSERTION_ISSUER": .conflict], client: true),
        Wrong(
            ["GATEWAY_ASSERTION_FILE": "/etc/hostname", "GATEWAY_TOKEN_STORE": "/tmp/x"],
            ["GATEWAY_SUBJECT": .missing], client: true),
        Wrong(["GATEWAY_ASSERTION_ISSUER": "me"], ["GATEWAY_SIGNING_KEY_FILE": .missing], client: true),
        Wrong(["GATEWAY_SUBJECT": "me"], ["GATEWAY_SUBJECT": .conflict], client: true),
        Wrong(["GATEWAY_RESOURCE": "https://a.example b"], ["GATEWAY_RESOURCE": .invalidValue], client: true),
        Wrong(["GATEWAY_RESOURCE": "https://a.example#x"], ["GATEWAY_RESOURCE": .invalidValue], client: true),
        Wrong(
            ["GATEWAY_DPOP_KEY_FILE": "/nowhere"], ["GATEWAY_DPOP_KEY_FILE": .unreadableFile], client: true),
        Wrong(
            ["GATEWAY_DPOP_KEY_FILE": "/etc/hostname"], ["GATEWAY_DPOP_KEY_FILE": .unreadableFile],
            client: true),
        Wrong(
            ["GATEWAY_TOKEN_STORE_PASSWORD": "x"], ["GATEWAY_TOKEN_STORE_PASSWORD": .conflict], client: true),
        Wrong(
            ["GATEWAY_TOKEN_STORE": "/tmp/x", "GATEWAY_TOKEN_STORE_PASSWORD": "x"],
            ["GATEWAY_TOKEN_STORE_PASSWORD": .conflict], client: true),
        Wrong(
            ["GATEWAY_GRANT": "device_code"],
            ["GATEWAY_DEVICE_URL": .missing, "GATEWAY_TOKEN_STORE": .missing], client: true),
        Wrong(
            ["GATEWAY_GRANT": "authorization_code"],
            ["GATEWAY_AUTHORIZATION_URL": .missing, "GATEWAY_TOKEN_STORE": .missing], client: true),
        Wrong(
            ["GATEWAY_REDIRECT_URI": "http://localhost:8400/cb"],
            ["GATEWAY_AUTHORIZATION_URL": .missing, "GATEWAY_TOKEN_STORE": .missing], client: true),
        Wrong(
            ["GATEWAY_REDIRECT_URI": "http://localhost:8400/cb", "GATEWAY_GRANT": "client_credentials"],
            ["GATEWAY_REDIRECT_URI": .conflict], client: true),
        Wrong(
            browser.merging(["GATEWAY_REDIRECT_URI": "http://192.0.2.1/callback"]) { $1 },
            ["GATEWAY_REDIRECT_URI": .invalidValue], client: true),
        Wrong(
            browser.merging(["GATEWAY_AUTHORIZATION_URL": "http://auth.example.com/"]) { $1 },
            ["GATEWAY_AUTHORIZATION_URL": .invalidValue], client: true),
        Wrong(
            browser.merging(["GATEWAY_AUTHORIZATION_PARAMETERS": "prompt"]) { $1 },
            ["GATEWAY_AUTHORIZATION_PARAMETERS": .invalidValue], client: true),
        Wrong(
            browser.merging(["GATEWAY_AUTHORIZATION_PARAMETERS": "a=1&a=2"]) { $1 },
            ["GATEWAY_AUTHORIZATION_PARAMETERS": .invalidValue], client: true),
        Wrong(
            browser.merging(["GATEWAY_AUTHORIZATION_PARAMETERS": "prompt=login&state=x"]) { $1 },
            ["GATEWAY_AUTHORIZATION_PARAMETERS": .invalidValue], client: true),
        Wrong(
            browser.merging(["GATEWAY_AUTHORIZATION_PARAMETERS": "nonce=x"]) { $1 },
            ["GATEWAY_AUTHORIZATION_PARAMETERS": .invalidValue], client: true),
        Wrong(
            [
                "GATEWAY_ISSUER": "https://auth.example.com", "GATEWAY_TOKEN_URL": "",
                "GATEWAY_GRANT": "authorization_code", "GATEWAY_TOKEN_STORE": "/tmp/x",
                "GATEWAY_AUTHORIZATION_URL": "https://auth.example.com/authorize",
            ], ["GATEWAY_AUTHORIZATION_URL": .conflict], client: true),
        Wrong(
            ["GATEWAY_ISSUER": "https://auth.example.com", "GATEWAY_DISCOVERY": "guess"],
            ["GATEWAY_TOKEN_URL": .conflict, "GATEWAY_DISCOVERY": .invalidValue], client: true),
        Wrong(
            ["GATEWAY_ISSUER": "https://auth.example.com?a=b", "GATEWAY_TOKEN_URL": ""],
            ["GATEWAY_ISSUER": .invalidValue], client: true),
        Wrong(["GATEWAY_DISCOVERY": "oauth"], ["GATEWAY_DISCOVERY": .conflict], client: true),
        Wrong(["GATEWAY_TOKEN_STORE": "tokens"], ["GATEWAY_TOKEN_STORE": .invalidValue], client: true),
        Wrong(
            ["GATEWAY_TOKEN_STORE": "redis://127.0.0.1"], ["GATEWAY_TOKEN_STORE": .invalidValue], client: true
        ),
        Wrong(["GATEWAY_CA_FILE": "/nowhere.pem"], ["GATEWAY_CA_FILE": .unreadableFile]),
        Wrong(
            ["GATEWAY_CLIENT_CERTIFICATE_FILE": "/dev/null"], ["GATEWAY_CLIENT_KEY_FILE": .missing]),
        Wrong(
            ["GATEWAY_CLIENT_KEY_FILE": "/dev/null"], ["GATEWAY_CLIENT_CERTIFICATE_FILE": .missing]),
        Wrong(["GATEWAY_CLIENT_KEY_PASSWORD": "x"], ["GATEWAY_CLIENT_KEY_PASSWORD": .conflict]),
        Wrong(["GATEWAY_PROXY": "https://proxy.example"], ["GATEWAY_PROXY": .invalidValue]),
        Wrong(["GATEWAY_PROXY": "http://me:pass@proxy.example"], ["GATEWAY_PROXY": .invalidValue]),
        Wrong(["GATEWAY_PROXY": "http://a'b"], ["GATEWAY_PROXY": .invalidValue]),
        Wrong(["GATEWAY_PROXY_USERNAME": "me"], ["GATEWAY_PROXY_USERNAME": .conflict]),
        Wrong(
            ["GATEWAY_PROXY": "http://p", "GATEWAY_PROXY_USERNAME": "a:b"],
            ["GATEWAY_PROXY_USERNAME": .invalidValue]),
        Wrong(
            ["GATEWAY_PROXY": "http://p", "GATEWAY_PROXY_PASSWORD": "x"],
            ["GATEWAY_PROXY_PASSWORD": .conflict]),
        Wrong(["GATEWAY_HTTP_VERSION": "3"], ["GATEWAY_HTTP_VERSION": .invalidValue]),
        Wrong(["GATEWAY_RETRIES": "many"], ["GATEWAY_RETRIES": .invalidValue]),
        Wrong(["GATEWAY_RETRIES": "-1"], ["GATEWAY_RETRIES": .invalidValue]),
        Wrong(["GATEWAY_RETRY_POLICY": "never"], ["GATEWAY_RETRY_POLICY": .invalidValue]),
        Wrong(["GATEWAY_RETRY_BUDGET": "20 %"], ["GATEWAY_RETRY_BUDGET": .invalidValue]),
        Wrong(["GATEWAY_TIMEOUTS": "quick"], ["GATEWAY_TIMEOUTS": .invalidValue]),
        Wrong(["GATEWAY_HEDGING": "on"], ["GATEWAY_HEDGING": .invalidValue]),
        Wrong(
            [
                "GATEWAY_NETWORK_MONITOR": "on", "GATEWAY_NETWORK_HEARTBEAT": "0s",
                "GATEWAY_ORIGINS": "https://a.example",
            ],
            ["GATEWAY_NETWORK_HEARTBEAT": .invalidValue]),
        Wrong(
            ["GATEWAY_NETWORK_HEARTBEAT": "30s", "GATEWAY_ORIGINS": "https://a.example"],
            ["GATEWAY_NETWORK_HEARTBEAT": .conflict]),
        Wrong(
            ["GATEWAY_NETWORK_MONITOR": "on", "GATEWAY_NETWORK_HEARTBEAT": "30s"],
            ["GATEWAY_ORIGINS": .missing]),
        Wrong(["GATEWAY_NETWORK_PORTAL_CHECK": "health"], ["GATEWAY_NETWORK_PORTAL_CHECK": .invalidValue]),
        Wrong(
            ["GATEWAY_NETWORK_PORTAL_CHECK": "/health"],
            ["GATEWAY_NETWORK_PORTAL_CHECK": .conflict, "GATEWAY_ORIGINS": .missing]),
        Wrong(["GATEWAY_NETWORK_ADAPTATION": "on"], ["GATEWAY_NETWORK_ADAPTATION": .conflict]),
        Wrong(["GATEWAY_CACHE": "disk"], ["GATEWAY_CACHE": .invalidValue]),
        Wrong(["GATEWAY_CACHE": "memory:0"], ["GATEWAY_CACHE": .invalidValue]),
        Wrong(["GATEWAY_CACHE": "memory:1k"], ["GATEWAY_CACHE": .invalidValue]),
        Wrong(["GATEWAY_CIRCUIT_BREAKER": "on"], ["GATEWAY_CIRCUIT_BREAKER": .invalidValue]),
        Wrong(["GATEWAY_BULKHEAD": "16"], ["GATEWAY_BULKHEAD": .invalidValue]),
        Wrong(["GATEWAY_BULKHEAD": "per-origin=0"], ["GATEWAY_BULKHEAD": .invalidValue]),
        Wrong(["GATEWAY_BULKHEAD": "per-origin=+8"], ["GATEWAY_BULKHEAD": .invalidValue]),
        Wrong(["GATEWAY_BULKHEAD": "per-origin=64-8"], ["GATEWAY_BULKHEAD": .invalidValue]),
        Wrong(["GATEWAY_BULKHEAD": "per-origin=8,in-all=4"], ["GATEWAY_BULKHEAD": .invalidValue]),
        Wrong(["GATEWAY_BULKHEAD": "per-origin=8,in-all=64,"], ["GATEWAY_BULKHEAD": .invalidValue]),
        Wrong(["GATEWAY_BULKHEAD": "in-all=64"], ["GATEWAY_BULKHEAD": .invalidValue]),
        Wrong(["GATEWAY_BULKHEAD": "per-origin=8,per-origin=9"], ["GATEWAY_BULKHEAD": .invalidValue]),
        Wrong(
            ["GATEWAY_BULKHEAD": "per-origin=99999999999999999999"], ["GATEWAY_BULKHEAD": .invalidValue]),
        Wrong(["GATEWAY_DEADLINE": "0s"], ["GATEWAY_DEADLINE": .invalidValue]),
        Wrong(["GATEWAY_DEADLINE": "10 s"], ["GATEWAY_DEADLINE": .invalidValue]),
        Wrong(["GATEWAY_DEADLINE": "25h"], ["GATEWAY_DEADLINE": .invalidValue]),
        Wrong(["GATEWAY_READ_TIMEOUT": "-3s"], ["GATEWAY_READ_TIMEOUT": .invalidValue]),
        Wrong(["GATEWAY_CONNECT_TIMEOUT": "1.s"], ["GATEWAY_CONNECT_TIMEOUT": .invalidValue]),
        Wrong(["GATEWAY_CLIENT_SECERT": "x"], ["GATEWAY_CLIENT_SECERT": .unknownVariable]),
        Wrong(
            ["GATEWAY_RETRIES": "x", "GATEWAY_PROXY": "x", "GATEWAY_CLIENTID": "x"],
            [
                "GATEWAY_RETRIES": .invalidValue, "GATEWAY_PROXY": .invalidValue,
                "GATEWAY_CLIENTID": .unknownVariable,
            ]),
    ]

    @Test(arguments: wrong) private func wrongValuesAreNamed(_ wrong: Wrong) {
        let problems = problems(wrong.variables)
        let found = Dictionary(problems.map { ($0.variable, $0.code) }) { first, _ in first }
        #expect(found == wrong.expected, "\(problems)")
        #expect(problems.allSatisfy { !$0.message.isEmpty })
    }

    /// A client whose secret is not in a variable, and these variables.
    private static func client(with variables: [String: String]) -> [String: String] {
        variables.merging(client) { own, _ in own }.merging(["GATEWAY_CLIENT_SECRET": ""]) { $1 }
    }

    @Test func aFileThatIsNotThereIsNamed() throws {
        let path = try TemporaryFolder().path + "/nowhere"
        for (variable, reason) in [
            ("GATEWAY_CLIENT_SECRET_FILE", "the file cannot be read: no such file"),
            ("GATEWAY_CA_FILE", "the file cannot be read"),
        ] {
            #expect(
                problems(Self.client(with: [variable: path])).map(\.message).contains("\(reason) (\(path))"))
        }
    }

    /// A secret that was set in place of the path of its file is not printed.
    @Test(arguments: ["planted/value", "/planted/value", "planted", "/planted", "//planted/value"])
    func whatMayBeNoPathIsNotPrinted(value: String) {
        for variable in ["GATEWAY_CLIENT_SECRET_FILE", "GATEWAY_CA_FILE"] {
            #expect(
                problems(Self.client(with: [variable: value])).allSatisfy { !$0.message.contains("planted") })
        }
    }

    @Test(arguments: ["GATEWAY_BASE_URL", "GATEWAY_TOKEN_URL"])
    func aURLWithoutASchemeIsTold(variable: String) throws {
        for (value, isTold) in [
            ("api.example.com/v1", true), ("localhost:8080", true), ("ftp://a.example", false),
        ] {
            let problem = problems(Self.client(with: [variable: value])).first { $0.variable == variable }
            let message = try #require(problem?.message)
            #expect(message.hasSuffix("; the value has no scheme: write https:// before it") == isTold)
        }
    }

    /// Whatever a variable holds, and whatever is wrong with it: no error says it.
    @Test(arguments: GatewayEnvironment.Variable.all) func everyVariableIsReadAndItsValueNeverPrinted(
        _ variable: GatewayEnvironment.Variable
    ) throws {
        let value = "planted\u{7}value"
        let error = try #require(throws: GatewayEnvironmentError.self) {
            _ = try GatewayEnvironment([variable.name: value])
        }
        var text = "\(error)\n\(String(reflecting: error))\n"
        dump(error, to: &text)
        #expect(!text.contains("planted"), "\(text)")
    }
}
