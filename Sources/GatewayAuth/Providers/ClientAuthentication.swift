public import GatewayCore

/// How a client proves to the token endpoint who it is (RFC 6749 §2.3).
///
/// The style is configured, never tried out: a refresh token may be spent by a request that fails for its style.
public struct ClientAuthentication: Sendable {
    private enum Style {
        case basic(Secret)
        case post(Secret)
        case none
    }

    /// The client's identifier at the token endpoint.
    public let clientID: String
    private let style: Style

    /// `client_secret_basic`: identifier and secret in the `Authorization` field, each form-encoded first
    /// (RFC 6749 §2.3.1).
    public static func basic(clientID: String, secret: Secret) -> ClientAuthentication {
        ClientAuthentication(clientID: clientID, style: .basic(secret))
    }

    /// `client_secret_post`: identifier and secret in the body (RFC 6749 §2.3.1).
    public static func post(clientID: String, secret: Secret) -> ClientAuthentication {
        ClientAuthentication(clientID: clientID, style: .post(secret))
    }

    /// A public client: the identifier in the body, and no secret (RFC 6749 §3.2.1).
    public static func publicClient(clientID: String) -> ClientAuthentication {
        ClientAuthentication(clientID: clientID, style: .none)
    }

    /// Adds what the style demands.
    func apply(to fields: inout HTTPFields, _ parameters: inout [(String, String)]) {
        switch style {
        case .basic(let secret):
            let pair = FormEncoding.encode(clientID) + ":" + FormEncoding.encode(secret.exposed)
            fields[.authorization] = "Basic " + Base64.encode(pair.utf8)
        case .post(let secret):
            parameters += [("client_id", clientID), ("client_secret", secret.exposed)]
        case .none: parameters.append(("client_id", clientID))
        }
    }
}
