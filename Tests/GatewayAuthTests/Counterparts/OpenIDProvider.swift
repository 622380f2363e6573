import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

/// An OpenID Connect provider that `scripts/test.sh` starts, and how the person `person` signs in there.
struct OpenIDProvider: Sendable {
    /// Where it is: scheme, host and port.
    let origin: String
    let issuer: String
    /// Where clients are registered (RFC 7591).
    let registrationURL: String
    /// The path of a resource that is protected by its access tokens.
    let userInfo: String
    let convention: AuthorizationServerDiscovery.Convention
    /// Metadata of a client that this provider needs beyond the usual.
    var clientMetadata: [String: JSONValue] = [:]
    /// Additional parameters of authorization requests.
    var parameters: [String: String] = [:]
    /// Signs in and consents at an authorization URL, and gives the URL of the client that this redirects to.
    let signIn: @Sendable (_ url: String) async throws -> String

    // MARK: glewlwyd

    static let glewlwyd = glewlwyd(TokenCounterparts.glewlwyd, plugin: "oidc")
    /// The same server with another issuer, which requires nonces in proofs of possession (RFC 9449 §8).
    static let glewlwydWithNonces = glewlwyd(TokenCounterparts.glewlwyd, plugin: "nonces")

    private static func glewlwyd(_ server: String?, plugin: String) -> OpenIDProvider {
        let origin = server ?? ""
        let issuer = "\(origin)/api/\(plugin)"
        return OpenIDProvider(
            origin: origin, issuer: issuer, registrationURL: issuer + "/register",
            userInfo: "/api/\(plugin)/userinfo", convention: .openID
        ) { url in
            try await signInAtGlewlwyd(origin, url)
        }
    }

    /// Signs in and consents at glewlwyd.
    ///
    /// - Parameter url: an authorization URL, or a verification URL of a device.
    /// - Returns: where the browser is sent then.
    static func signInAtGlewlwyd(_ origin: String, _ url: String) async throws -> String {
        let browser = Browser()
        let login = try Browser.location(try await browser.get(url), from: url)
        #expect(login.hasPrefix(origin + "/login.html?"))
        let client = try Browser.parameter("client_id", of: login)
        let scope = try Browser.parameter("scope", of: login)
        let page = try Browser.parameter("callback_url", of: login)
        let session = try await browser.send(
            .post, origin + "/api/auth", json: ["username": "person", "password": "password"])
        #expect(session.status == 200)
        let consent = try await browser.send(
            .put, "\(origin)/api/auth/grant/\(client)", json: ["scope": .string(scope)])
        #expect(consent.status == 200)
        return try Browser.location(try await browser.get(page + "&g_continue"), from: page)
    }

    // MARK: canaille

    static let canaille: OpenIDProvider = {
        let origin = TokenCounterparts.canaille ?? ""
        return OpenIDProvider(
            origin: origin, issuer: origin, registrationURL: origin + "/oauth/register",
            userInfo: "/oauth/userinfo", convention: .oauth,
            // RS256 tokens that are issued in the same second are identical, and it cannot tell them apart. ES256
            // signatures are random.
            clientMetadata: ["scope": "openid profile", "id_token_signed_response_alg": "ES256"],
            // A person who has consented to one client is not asked for others.
            parameters: ["prompt": "consent"]
        ) { url in
            let browser = Browser()
            let login = try Browser.location(try await browser.get(url), from: url)
            let password = try await submit(login, ["login": "person"], browser)
            let consent = try await submit(password, ["password": "password"], browser)
            return try await submit(consent, ["answer": "accept"], browser)
        }
    }()

    /// Opens a page, submits its form, and gives the URL that this redirects to.
    private static func submit(
        _ url: String, _ entries: [String: String], _ browser: Browser
    ) async throws -> String {
        let page = try await browser.get(url)
        let text = String(decoding: page.body.bytes ?? [], as: UTF8.self)
        let token = try #require(
            text.firstMatch(of: /name="csrf_token"[^>]*value="([^"]*)"/), "status \(page.status)")
        let form = entries.merging(["csrf_token": String(token.1)]) { $1 }
        return try Browser.location(try await browser.post(url, form: form), from: url)
    }

    // MARK: oidc-provider-mock

    static let mock: OpenIDProvider = {
        let origin = TokenCounterparts.mock ?? ""
        return OpenIDProvider(
            origin: origin, issuer: origin, registrationURL: origin + "/oauth2/clients",
            userInfo: "/userinfo", convention: .openID
        ) { url in
            let browser = Browser()
            #expect(try await browser.get(url).status == 200)
            let response = try await browser.post(url, form: ["sub": "person"])
            return try Browser.location(response, from: url)
        }
    }()
}
