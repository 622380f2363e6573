import GatewayCore
import Testing

/// The names of fields that may hold a credential: the one list of caches, queues, commands and transports.
@Suite struct CredentialNameTests {
    static let credentials: [HTTPField.Name] = [
        "Authorization", "proxy-authorization", "Cookie", "Cookie2", "Set-Cookie", "X-API-Key", "api-key",
        "APIKEY",
        "X-RapidAPI-Key", "X-Auth-Token", "X-AUTH-KEY", "X-CSRF-Token", "X-Csrf", "X-XSRF-TOKEN",
        "X-Amz-Security-Token", "Private-Token", "X-Session-ID", "Client-Secret", "Signature",
        "Signature-Input",
        "X-XSRF", "X-Password", "X-JWT-Assertion", "X-Bearer", "Ocp-Apim-Subscription-Key", "X-Functions-Key",
        "X-Access-Key",
        "X-Hub-Signature-256", "DPoP", "dpop", "Authentication-Info",
    ]

    @Test(arguments: credentials)
    func namesOfCredentials(name: HTTPField.Name) { #expect(name.namesCredential) }

    static let others: [HTTPField.Name] = [
        "Idempotency-Key", "Accept", "Accept-Language", "Content-Type", "User-Agent", "X-Request-ID", "ETag",
        "Test-ID",
        "WWW-Authenticate", "Proxy-Authenticate", "DPoP-Nonce", "X-Aut", "Toke", "Api", "Secre", "", "Cooki",
        "X-Tok-en", "Surrogate-Key", "Access-Control-Allow-Credentials", "Sec-WebSocket-Key",
        "If-None-Match", "traceparent", "Äuth",
    ]

    @Test(arguments: others)
    func namesOfOtherFields(name: HTTPField.Name) { #expect(!name.namesCredential) }
}
