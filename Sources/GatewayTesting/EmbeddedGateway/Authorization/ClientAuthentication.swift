import GatewayCore

/// The client authentication of a token request (RFC 6749 §2.3).
enum ClientAuthentication {
    /// What a request contains.
    enum Presented {
        /// An identifier and a secret, with `client_secret_basic` or `client_secret_post`.
        case secret(id: String, secret: Secret, isBasic: Bool)
        /// An assertion (RFC 7523 §2.2), and an optional identifier.
        case assertion(String, id: String?)
        /// Only an identifier.
        case identifier(String)
        /// Nothing.
        case nothing
        /// More than one method, which is not allowed (RFC 6749 §2.3).
        case several
        /// An invalid `Authorization` field.
        case unreadable
    }

    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// Reads the client authentication of a request. In `Basic`, identifier and secret are form-encoded (RFC 6749
    /// §2.3.1).
    static func presented(fields: HTTPFields, form: [String: String]) -> Presented {
        let inForm = form["client_secret"]
        let assertion = form["client_assertion"]
        guard let value = fields[.authorization] else {
            if let assertion {
                guard form["client_assertion_type"] == assertionType else { return .unreadable }
                return inForm == nil ? .assertion(assertion, id: form["client_id"]) : .several
            }
            guard let id = form["client_id"] else { return .nothing }
            guard let inForm else { return .identifier(id) }
            return .secret(id: id, secret: Secret(inForm), isBasic: false)
        }
        if inForm != nil || assertion != nil { return .several }
        let scheme = value.prefix { $0 != " " }
        guard HTTPSyntax.equalIgnoringCase(String(scheme), "Basic"),
            let decoded = Base64.decode(value.dropFirst(scheme.count).drop { $0 == " " }.utf8),
            let colon = decoded.firstIndex(of: UInt8(ascii: ":"))
        else { return .unreadable }
        let id = URLEncodedForm.text(decoded[..<colon])
        if let named = form["client_id"], named != id { return .several }
        return .secret(
            id: id, secret: Secret(URLEncodedForm.text(decoded[(colon + 1)...])), isBasic: true)
    }
}
