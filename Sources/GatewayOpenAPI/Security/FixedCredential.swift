internal import FoundationEssentials
internal import GatewayCore

/// A credential that is available immediately and is never renewed.
enum FixedCredential: Sendable {
    case header(name: String, value: @Sendable () throws -> Secret)
    case query(name: String, value: @Sendable () throws -> Secret)
    case cookie(name: String, value: @Sendable () throws -> Secret)
    case custom(CustomCredential)

    static func bearer(_ token: Secret) -> FixedCredential {
        let value = Secret("Bearer \(token.exposed)")
        return .header(name: "Authorization") { value }
    }

    /// HTTP Basic authentication (RFC 7617, section 2).
    static func basic(_ credential: BasicCredential) throws(NetworkError) -> FixedCredential {
        guard !credential.user.utf8.contains(UInt8(ascii: ":")) else {
            throw NetworkError(.credentialMisconfigured, "The user name must not contain a colon.")
        }
        let pair = "\(credential.user):\(credential.password.exposed)"
        let value = Secret("Basic " + Data(pair.utf8).base64EncodedString())
        return .header(name: "Authorization") { value }
    }

    var isAuthorization: Bool {
        guard case .header(let name, _) = self else { return false }
        return HTTPField.Name(name) == .authorization
    }

    var isCustom: Bool {
        guard case .custom = self else { return false }
        return true
    }

    func apply(to request: inout HTTPRequest) throws(NetworkError) {
        switch self {
        case .header(let name, let read):
            let field = HTTPField(HTTPField.Name(name), try Self.secret(read).exposed)
            guard field.isValid else {
                throw NetworkError(
                    .credentialMisconfigured,
                    "A credential has a character that is not allowed in a header field.")
            }
            request.setField(field.name, field.value)
        case .query(let name, let read):
            let part =
                PercentEncoding.encode(name) + "=" + PercentEncoding.encode(try Self.secret(read).exposed)
            request.target += (request.target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + part
        case .cookie(let name, let read):
            let part =
                PercentEncoding.encode(name) + "=" + PercentEncoding.encode(try Self.secret(read).exposed)
            request.setField(.cookie, request.fields[.cookie].map { "\($0); \(part)" } ?? part)
        case .custom(let credential): try Self.apply(credential, to: &request)
        }
    }

    private static func secret(_ read: @Sendable () throws -> Secret) throws(NetworkError) -> Secret {
        do { return try read() } catch let error as NetworkError { throw error } catch {
            throw NetworkError(.credentialMissing, "The credential could not be read.", underlying: error)
        }
    }

    private static func apply(
        _ credential: CustomCredential, to request: inout HTTPRequest
    ) throws(NetworkError) {
        let origin = request.origin
        do { try credential.apply(&request) } catch let error as NetworkError { throw error } catch {
            throw NetworkError(
                .credentialMisconfigured, "The credential could not be added to the request.", origin: origin,
                underlying: error)
        }
        guard request.origin == origin else {
            throw NetworkError(
                .insecureOrigin, "A credential must not send its request elsewhere.", origin: origin)
        }
        try request.validate()
    }
}
