import Foundation
import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayJSON
import GatewayTesting
import Testing

/// The token servers that `scripts/test.sh` starts. Without it their tests are left out.
enum TokenCounterparts {
    static let pyjwt = value("GATEWAY_TEST_PYJWT")
    static let authlib = value("GATEWAY_TEST_AUTHLIB")
    static let authlibTLS = value("GATEWAY_TEST_AUTHLIB_TLS")
    static let django = value("GATEWAY_TEST_DJANGO")
    static let glewlwyd = value("GATEWAY_TEST_GLEWLWYD")
    static let canaille = value("GATEWAY_TEST_CANAILLE")
    static let mock = value("GATEWAY_TEST_MOCK")
    static let haproxy = value("GATEWAY_TEST_HAPROXY")
    static let apache = value("GATEWAY_TEST_APACHE")
    static let apacheTLS = value("GATEWAY_TEST_APACHE_TLS")
    /// The certificate of the servers with TLS.
    static var certificate: String { (value("GATEWAY_TEST_NGINX_FILES") ?? "") + "/cert.pem" }

    private static let folder = value("GATEWAY_TEST_KEYS") ?? ""
    private static let transport = CurlTransport()

    private static func value(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: Keys

    /// The path of a file that `scripts/counterparts/make_keys.py` writes.
    static func path(_ name: String) -> String { folder + "/" + name }

    static func file(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    static func pem(_ name: String) throws -> Secret {
        let pem = Secret(String(decoding: try file(name + ".pem"), as: UTF8.self))
        if !name.hasSuffix("-public") { SecretLedger.note(pem, .privateKey) }
        return pem
    }

    /// The private or shared key of an algorithm.
    static func signer(_ algorithm: JSONWebTokenAlgorithm) throws -> JSONWebTokenKey {
        guard !algorithm.rawValue.hasPrefix("HS") else {
            return try JSONWebTokenKey(secret: file("\(algorithm.rawValue).secret"), algorithm: algorithm)
        }
        return try JSONWebTokenKey(pem: pem(algorithm.rawValue), algorithm: algorithm)
    }

    /// The key that verifies the signatures of ``signer(_:)``.
    static func checker(_ algorithm: JSONWebTokenAlgorithm) throws -> JSONWebTokenKey {
        guard !algorithm.rawValue.hasPrefix("HS") else { return try signer(algorithm) }
        return try JSONWebTokenKey(pem: pem(algorithm.rawValue + "-public"), algorithm: algorithm)
    }

    // MARK: Requests

    /// Sends JSON, and decodes the JSON of a response with the status 200.
    static func ask(_ url: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        var request = try HTTPRequest(body == nil ? .get : .post, url)
        if let body {
            request.fields[.contentType] = "application/json"
            request.body = .bytes(try body.jsonBytes())
        }
        let response = try await send(request)
        try #require(response.status == 200, "\(request.method) \(request.target): \(response.status)")
        return try JSONValue(jsonBytes: response.body.bytes ?? [])
    }

    static func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        var context = RequestContext(options: CallOptions(deadline: .seconds(30)))
        context.response = .collect(upToBytes: 1 << 20)
        return try await transport.send(request, context: context)
    }

    /// Seconds since 1970.
    static var now: Int { Int(SystemClock().unixTime.components.seconds) }
}

extension Trait where Self == ConditionTrait {
    static var needsPyJWT: Self {
        .enabled(if: TokenCounterparts.pyjwt != nil, "scripts/test.sh starts PyJWT")
    }
    static var needsAuthlib: Self {
        .enabled(if: TokenCounterparts.authlib != nil, "scripts/test.sh starts Authlib")
    }
    static var needsAuthlibTLS: Self {
        .enabled(if: TokenCounterparts.authlibTLS != nil, "scripts/test.sh starts nginx in front of Authlib")
    }
    static var needsDjango: Self {
        .enabled(if: TokenCounterparts.django != nil, "scripts/test.sh starts Django OAuth Toolkit")
    }
    static var needsGlewlwyd: Self {
        .enabled(if: TokenCounterparts.glewlwyd != nil, "scripts/test.sh starts glewlwyd")
    }
    static var needsCanaille: Self {
        .enabled(if: TokenCounterparts.canaille != nil, "scripts/test.sh starts canaille")
    }
    static var needsMock: Self {
        .enabled(if: TokenCounterparts.mock != nil, "scripts/test.sh starts oidc-provider-mock")
    }
    static var needsHAProxy: Self {
        .enabled(if: TokenCounterparts.haproxy != nil, "scripts/test.sh starts haproxy")
    }
    static var needsApache: Self {
        .enabled(if: TokenCounterparts.apache != nil, "scripts/test.sh starts Apache")
    }
}
