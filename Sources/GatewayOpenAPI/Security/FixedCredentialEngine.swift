internal import GatewayCore

/// Adds fixed credentials to those that the context brings: an API key beside a token, say.
struct FixedCredentialEngine: RequestEngine {
    let below: any RequestEngine
    let origin: Origin
    let fixed: [FixedCredential]
    let fixedKey: String

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        var context = context
        context.credentials = SchemeCredentialSource(
            origin: origin, fixed: fixed, renewed: context.credentials, fixedKey: fixedKey)
        return try await below.send(request, context: context)
    }
}
