internal import FoundationEssentials
internal import GatewayCore

/// A credential that is put on a request as it is, and never renewed.
enum FixedCredential: Sendable {
    case header(name: String, value: Secret)
    case query(name: String, value: Secret)
    case cookie(name: String, value: Secret)

    static func bearer(_ token: Secret) -> FixedCredential {
        .header(name: "Authorization", value: Secret("Bearer \(token.exposed)"))
    }

    /// RFC 7617, section 2.
    static func basic(_ credential: BasicCredential) throws(NetworkError) -> FixedCredential {
        guard !credential.user.utf8.contains(UInt8(ascii: ":")) else {
            throw NetworkError(.credentialMisconfigured, "A user's name must not hold a colon.")
        }
        let pair = "\(credential.user):\(credential.password.exposed)"
        return .header(
            name: "Authorization", value: Secret("Basic " + Data(pair.utf8).base64EncodedString()))
    }

    var isAuthorization: Bool {
        guard case .header(let name, _) = self else { return false }
        return HTTPField.Name(name) == .authorization
    }

    func apply(to request: inout HTTPRequest) throws(NetworkError) {
        switch self {
        case .header(let name, let value):
            let field = HTTPField(HTTPField.Name(name), value.exposed)
            guard field.isValid else {
                throw NetworkError(
                    .credentialMisconfigured, "A credential holds what no header field may hold.")
            }
            request.fields[field.name] = field.value
        case .query(let name, let value):
            let part = PercentEncoding.encode(name) + "=" + PercentEncoding.encode(value.exposed)
            request.target += (request.target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + part
        case .cookie(let name, let value):
            let part = PercentEncoding.encode(name) + "=" + PercentEncoding.encode(value.exposed)
            request.fields[.cookie] = request.fields[.cookie].map { "\($0); \(part)" } ?? part
        }
    }
}
