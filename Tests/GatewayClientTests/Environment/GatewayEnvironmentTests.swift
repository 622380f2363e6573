import Foundation
import GatewayClient
import Testing

/// What the variables mean, and what is said about wrong ones.
@Suite struct GatewayEnvironmentTests {
    private typealias Code = GatewayEnvironmentError.Code

    private static let client = [
        "GATEWAY_BASE_URL": "https://api.example.com", "GATEWAY_TOKEN_URL": "https://auth.example.com/token",
        "GATEWAY_CLIENT_ID": "me", "GATEWAY_CLIENT_SECRET": "not-to-be-printed",
    ]

    /// What is wrong with some variables.
    private func problems(_ variables: [String: String]) -> [GatewayEnvironmentError.Problem] {
        do throws(GatewayEnvironmentError) {
            _ = try GatewayEnvironment(variables)
            return []
        } catch {
            return error.problems
        }
    }

    // MARK: Good values

    @Test func nothingSetIsTheDefaults() throws {
        let environment = try GatewayEnvironment(["PATH": "/bin", "GATEWAY_TOKEN": ""])
        #expect(environment.baseURL == nil && environment.origins.isEmpty && environment.tokenKey == nil)
        #expect(environment.unknownVariables.isEmpty)
        let configuration = environment.configuration()
        #expect(configuration.authentication == nil && configuration.deadline == .seconds(60))
        #expect(configuration.transport.timeouts == .standard && configuration.transport.proxy == nil)
    }

    @Test func theWayAndTheTimes() throws {
        let folder = try TemporaryFolder()
        let pem = try folder.file("some.pem", "x")
        let environment = try GatewayEnvironment([
            "GATEWAY_CA_FILE": pem, "GATEWAY_CLIENT_CERTIFICATE_FILE": pem, "GATEWAY_CLIENT_KEY_FILE": pem,
            "GATEWAY_CLIENT_KEY_PASSWORD_FILE": try folder.file("password", "opens\n"),
            "GATEWAY_PROXY": "http://proxy.example:3128", "GATEWAY_PROXY_USERNAME": "me",
            "GATEWAY_PROXY_PASSWORD": "secret", "GATEWAY_HTTP_VERSION": "2", "GATEWAY_DEADLINE": "1.5m",
            "GATEWAY_RETRIES": "4", "GATEWAY_TIMEOUTS": "slow", "GATEWAY_CONNECT_TIMEOUT": "250ms",
            "GATEWAY_READ_TIMEOUT": "7", "GATEWAY_WRITE_TIMEOUT": "8s", "GATEWAY_ATTEMPT_TIMEOUT": "1h",
        ])
        let configuration = environment.configuration()
        let transport = configuration.transport
        #expect(transport.caFile == pem && transport.httpVersion == .http2)
        #expect(
            transport.clientCertificate
                == .init(certificateFile: pem, keyFile: pem, keyPassword: Secret("opens")))
        #expect(
            transport.proxy
                == .init(host: "proxy.example", port: 3128, username: "me", password: Secret("secret")))
        #expect(configuration.deadline == .seconds(90))
        #expect((configuration.retry as? ExponentialRetryPolicy)?.maximumAttempts == 5)
        var timeouts = CurlConfiguration.Timeouts.slow
        timeouts.connect = .milliseconds(250)
        timeouts.read = .seconds(7)
        timeouts.firstByte = .seconds(7)
        timeouts.write = .seconds(8)
        timeouts.whole = .seconds(3600)
        #expect(transport.timeouts == timeouts)
        #expect(try GatewayEnvironment(["GATEWAY_DEADLINE": "none"]).configuration().deadline == nil)
    }

    @Test func whomCredentialsGoTo() throws {
        var variables = Self.client
        variables["GATEWAY_BASE_URL"] = "https://api.example.com/v1"
        variables["GATEWAY_ORIGINS"] = "https://other.example:8443, https://api.example.com"
        variables["GATEWAY_SCOPE"] = "b a"
        variables["GATEWAY_AUDIENCE"] = "https://api.example.com"
        let environment = try GatewayEnvironment(variables)
        #expect(
            environment.origins.map(\.description) == [
                "https://api.example.com", "https://other.example:8443",
            ])
        #expect(environment.baseURL?.target == "/v1")
        let key = try #require(environment.tokenKey)
        #expect(
            key.scopes == ["a", "b"] && key.audiences == ["https://api.example.com"] && key.client == "me")
    }

    // MARK: Wrong values

    private struct Wrong: CustomTestStringConvertible {
        let variables: [String: String]
        let expected: [String: Code]
        var testDescription: String { expected.keys.sorted().joined(separator: " ") }

        init(_ variables: [String: String], _ expected: [String: Code], client: Bool = false) {
            self.variables =
                client
                ? variables.merging(GatewayEnvironmentTests.client) { own, _ in own } : variables
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
            ["GATEWAY_GRANT": "device_code"],
            ["GATEWAY_DEVICE_URL": .missing, "GATEWAY_TOKEN_STORE": .missing], client: true),
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
        Wrong(["GATEWAY_PROXY_USERNAME": "me"], ["GATEWAY_PROXY_USERNAME": .conflict]),
        Wrong(
            ["GATEWAY_PROXY": "http://p", "GATEWAY_PROXY_PASSWORD": "x"],
            ["GATEWAY_PROXY_PASSWORD": .conflict]),
        Wrong(["GATEWAY_HTTP_VERSION": "3"], ["GATEWAY_HTTP_VERSION": .invalidValue]),
        Wrong(["GATEWAY_RETRIES": "many"], ["GATEWAY_RETRIES": .invalidValue]),
        Wrong(["GATEWAY_RETRIES": "-1"], ["GATEWAY_RETRIES": .invalidValue]),
        Wrong(["GATEWAY_TIMEOUTS": "quick"], ["GATEWAY_TIMEOUTS": .invalidValue]),
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

    // MARK: Names

    @Test func aMisspeltNameIsAnErrorAndAForeignOneIsNot() throws {
        let error = try #require(throws: GatewayEnvironmentError.self) {
            _ = try GatewayEnvironment(["GATEWAY_TOKEN_URI": "https://auth.example.com"])
        }
        #expect(
            error.description
                == "GATEWAY_TOKEN_URI: there is no such variable: did you mean GATEWAY_TOKEN_URL?")
        let environment = try GatewayEnvironment([
            "GATEWAY_DEPLOYMENT": "blue", "GATEWAY_SERVICE_HOST": "10.0.0.1",
            "GATEWAY_PORT": "tcp://10.0.0.1:80",
            "GATEWAY_PORT_80_TCP_ADDR": "10.0.0.1", "GATEWAY_TOKEN_SERVICE_PORT_HTTPS": "443",
        ])
        #expect(environment.unknownVariables == ["GATEWAY_DEPLOYMENT"])
    }

    @Test func namesAreUnique() {
        let names = GatewayEnvironment.Variable.all.map(\.name)
        #expect(Set(names).count == names.count && names.allSatisfy { $0.hasPrefix("GATEWAY_") })
    }

    /// The table in the documentation says what the code says.
    @Test func theTableIsTheCodes() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/GatewayClient/GatewayClient.docc/Environment.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| `GATEWAY_") }.map(String.init)
        let expected = GatewayEnvironment.Variable.all.map {
            "| `\($0.name)` | \($0.expected) | \($0.summary) | \($0.fallback ?? "") |"
        }
        #expect(rows == expected, "\n\(expected.joined(separator: "\n"))")
    }
}
