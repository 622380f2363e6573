import GatewayCore
import GatewayDigest

/// The page as it is served, with the policy that allows its own style and script and nothing else.
struct ServedPage: Sendable {
    let bytes: [UInt8]
    /// The value of `Content-Security-Policy`.
    let policy: String

    init(_ html: String) {
        bytes = Array(html.utf8)
        policy = [
            "default-src 'none'", "script-src \(Self.sources(of: "script", in: html))",
            "style-src \(Self.sources(of: "style", in: html))", "connect-src 'self'", "img-src data:",
            "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        ].joined(separator: "; ")
    }

    /// The hashes of all elements with a name (CSP 3 §6.7.3); `'none'` without any.
    private static func sources(of name: String, in html: String) -> String {
        var hashes: [String] = []
        var rest = html[...]
        while let start = rest.firstRange(of: "<\(name)>"),
            let end = rest[start.upperBound...].firstRange(of: "</\(name)>")
        {
            let content = rest[start.upperBound..<end.lowerBound]
            hashes.append("'sha256-\(Base64.encode(SHA256.digest(Array(content.utf8))))'")
            rest = rest[end.upperBound...]
        }
        return hashes.isEmpty ? "'none'" : hashes.joined(separator: " ")
    }
}
