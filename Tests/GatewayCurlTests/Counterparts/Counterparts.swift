import CLibcurl
import Foundation
import GatewayCore
import GatewayCurl
import GatewayResilience
import Testing

/// The real servers that `scripts/test.sh` starts. Without it there are none, and their tests are left out.
enum Counterparts {
    static let nginx = value("GATEWAY_TEST_NGINX")
    /// With HTTP/2.
    static let nginxTLS = value("GATEWAY_TEST_NGINX_TLS")
    /// Ends each connection after ten requests.
    static let nginxClosing = value("GATEWAY_TEST_NGINX_CLOSING")
    static let httpbin = value("GATEWAY_TEST_HTTPBIN")
    /// Processes 16 requests at once.
    static let limited = value("GATEWAY_TEST_LIMITED")

    /// Caching proxies in front of one origin, by name.
    static let cachingProxies = ["NGINX", "VARNISH", "SQUID", "APACHE"].compactMap { name in
        value("GATEWAY_TEST_CACHED_" + name).map { CachingProxy(name: name.lowercased(), url: $0) }
    }
    /// The requests that reached the origin of the caching proxies, a line each.
    static func cachedOriginLog() throws -> [Substring] {
        try String(contentsOfFile: value("GATEWAY_TEST_CACHED_ORIGIN_LOG") ?? "", encoding: .utf8)
            .split(separator: "\n")
    }

    static var certificate: String { files + "/cert.pem" }

    /// What nginx serves under `/files/`, `/slow/` and, compressed, under `/gzip/`.
    static func file(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: files + "/www/" + name)))
    }

    /// The requests that nginx has answered, a line each, after the first so many bytes of its log.
    static func log(after bytes: Int) throws -> [Substring] {
        let log = try Data(contentsOf: URL(fileURLWithPath: files + "/access.log"))
        return String(decoding: log.dropFirst(bytes), as: UTF8.self).split(separator: "\n")
    }
    static func logBytes() throws -> Int {
        try Data(contentsOf: URL(fileURLWithPath: files + "/access.log")).count
    }

    /// Whether the libcurl at hand tells a torn HTTP/2 stream from one that ended.
    static var tellsTornStreams: Bool { gateway_version_info().pointee.version_num >= 0x08_00_00 }

    private static let files = value("GATEWAY_TEST_NGINX_FILES") ?? ""

    private static func value(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension Trait where Self == ConditionTrait {
    static var needsNginx: Self { .enabled(if: Counterparts.nginx != nil, "scripts/test.sh starts nginx") }
    static var needsHTTPBin: Self {
        .enabled(if: Counterparts.httpbin != nil, "scripts/test.sh starts httpbin")
    }
}

/// A proxy that `scripts/servers/caches.sh` starts.
struct CachingProxy: Sendable, CustomTestStringConvertible {
    let name: String
    let url: String

    var testDescription: String { name }
}

/// A transport that trusts nginx.
func trusting(_ change: (inout CurlConfiguration) -> Void = { _ in }) -> CurlTransport {
    transport {
        $0.caFile = Counterparts.certificate
        change(&$0)
    }
}

extension HTTPResponse {
    /// What httpbin tells of the request.
    func json() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(body.bytes ?? [])) as? [String: Any])
    }

    /// The request's fields as httpbin saw them, by name in lower case.
    func echoedFields() throws -> [String: String] {
        let fields = try #require(try json()["headers"] as? [String: String])
        return Dictionary(fields.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
    }
}

/// Redirects over a transport, as the engine has them.
func redirecting(_ transport: CurlTransport, policy: RedirectPolicy = RedirectPolicy()) -> RedirectEngine<
    AttemptEngine
> {
    RedirectEngine(below: AttemptEngine(transport: transport), policy: policy)
}

/// A URL as the value of a parameter.
func escaped(_ url: String) -> String {
    url.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? url
}
