public import GatewayCore

/// One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1), such as `Bearer error="invalid_token"`.
public struct AuthenticationChallenge: Hashable, Sendable {
    /// The scheme as received; use ``isScheme(_:)`` to compare it.
    public let scheme: String
    /// The single value that some schemes use instead of parameters (RFC 9110 §11.2).
    public let token68: String?
    /// The parameters by lower-case name, with quotes and escapes removed.
    public let parameters: [String: String]

    init(scheme: String, token68: String? = nil, parameters: [String: String] = [:]) {
        self.scheme = scheme
        self.token68 = token68
        self.parameters = parameters
    }

    /// Whether the challenge has this scheme, ignoring ASCII case.
    public func isScheme(_ name: String) -> Bool { HTTPSyntax.equalIgnoringCase(scheme, name) }

    /// The value of a parameter. The name is case-insensitive.
    public subscript(name: String) -> String? { parameters[name.lowercased()] }

    /// Parses all challenges of the `WWW-Authenticate` fields, in order.
    ///
    /// A field line can contain several challenges. At a malformed part, the rest of the line is ignored; the
    /// challenges before it are kept. If a parameter is duplicated, the first value is used. At most 16 KiB of a line
    /// and 64 challenges are read.
    public static func parse(_ fields: HTTPFields) -> [AuthenticationChallenge] {
        parse(lines: fields.values(for: .wwwAuthenticate))
    }

    /// Parses all challenges of these field values, in order. See ``parse(_:)``.
    public static func parse(lines: [String]) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        for line in lines {
            var parser = ChallengeParser(line.utf8.prefix(16 << 10))
            while challenges.count < 64, let challenge = parser.next() { challenges.append(challenge) }
        }
        return challenges
    }
}

extension AuthenticationChallenge: Redacted {
    private static let registeredSchemes = [
        "Basic", "Bearer", "Digest", "DPoP", "HOBA", "Mutual", "Negotiate", "OAuth", "PrivateToken",
        "SCRAM-SHA-1", "SCRAM-SHA-256", "vapid",
    ]
    private static let registeredParameters = [
        "algorithm", "algs", "charset", "domain", "error", "error_description", "error_uri", "max_age",
        "nonce",
        "opaque", "qop", "realm", "resource_metadata", "scope", "stale",
    ]

    /// The scheme and the names of the parameters, if they are registered. Other names are not shown, because a server
    /// may repeat request data in them.
    public var description: String {
        let scheme = Self.registeredSchemes.first(where: isScheme) ?? "unknown scheme"
        let known = Self.registeredParameters.filter { parameters[$0] != nil }.map { "\($0)=…" }
        let others = parameters.count - known.count
        return ([scheme] + known + (others == 0 ? [] : ["\(others) more"])).joined(separator: " ")
    }
}

extension HTTPFields {
    /// The challenges for access tokens (RFC 6750 §3, RFC 9449 §7.1).
    var tokenChallenges: [AuthenticationChallenge] {
        AuthenticationChallenge.parse(self).filter { $0.isScheme("Bearer") || $0.isScheme("DPoP") }
    }
}

extension HTTPResponse {
    /// The challenges for access tokens.
    var tokenChallenges: [AuthenticationChallenge] { fields.tokenChallenges }
}
