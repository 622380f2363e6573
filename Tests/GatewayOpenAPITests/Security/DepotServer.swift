import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayTesting

@testable import GatewayOpenAPI

/// The way to the depot's servers.
private struct DepotTransport: Transport {
    let below: ScriptedTransport
    let showsClientCertificate: Bool

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        try await below.send(request, context: context)
    }
}

/// The depot's servers, scripted: they issue `scopes/number`, accept the newest token of each set of scopes alone, and
/// demand the scopes that a path stands for.
final class DepotServer: Sendable {
    struct State {
        var issued: [String: Int] = [:]
        var tokenForms: [[String: String]] = []
        var tokenURLs: [String] = []
        var calls: [HTTPRequest] = []
        /// What `/write` demands beside `write`.
        var demanded = "write"
        /// Tokens carry their scopes, whatever they are asked for with, where these are set.
        var granted: String?
        var type = "Bearer"
    }

    let state = Locked(State())

    var calls: [HTTPRequest] { state.withLock { $0.calls } }
    var tokenForms: [[String: String]] { state.withLock { $0.tokenForms } }
    var tokenURLs: [String] { state.withLock { $0.tokenURLs } }
    var authorizations: [String?] { calls.map { $0.fields[.authorization] } }

    /// Rejects the tokens of a set of scopes from now on.
    func revoke(_ scopes: String) { state.withLock { $0.issued[scopes, default: 0] += 1 } }

    /// The whole stack over the script.
    func engine(_ change: (inout GatewayConfiguration) -> Void = { _ in }) -> GatewayEngine {
        var configuration = GatewayConfiguration()
        change(&configuration)
        let transport = DepotTransport(
            below: ScriptedTransport { request, _ in self.answer(request) },
            showsClientCertificate: configuration.transport.clientCertificate != nil)
        return GatewayEngine(transport: transport, tokenTransport: transport, configuration: configuration)
    }

    func api(
        _ credentials: DepotClient.Credentials, server: String = "https://api.depot.example",
        _ change: (inout GatewayConfiguration) -> Void = { _ in }
    ) -> DepotClient {
        DepotClient(
            server: .init(url: server, everywhere: false), credentials: credentials, engine: engine(change))
    }

    private func answer(_ request: HTTPRequest) -> ScriptedTransport.Reply {
        let path = request.target.prefix { $0 != "?" }
        if path.hasSuffix("/.well-known/openid-configuration") {
            let issuer = request.origin.description + path.dropLast("/.well-known/openid-configuration".count)
            return .json(
                200, #"{"issuer":"\#(issuer)","token_endpoint":"\#(issuer)/token"}"#)
        }
        if request.method == .post, path.hasSuffix("token") || path.hasSuffix("refresh") {
            return token(request)
        }
        state.withLock { $0.calls.append(request) }
        guard let authorization = request.fields[.authorization], !authorization.hasPrefix("Basic") else {
            return .status(204)
        }
        let parts = authorization.split(separator: " ").last.map { $0.split(separator: "/") } ?? []
        guard parts.count == 2, let number = Int(parts[1]) else { return .status(204) }
        return state.withLock { state in
            let scopes = parts[0].split(separator: "+")
            guard state.issued[scopes.joined(separator: " ")] == number else {
                return .status(401, fields: ["WWW-Authenticate": #"Bearer error="invalid_token""#])
            }
            guard path != "/write" || state.demanded.split(separator: " ").allSatisfy(scopes.contains) else {
                return .status(
                    403,
                    fields: [
                        "WWW-Authenticate":
                            #"Bearer error="insufficient_scope", scope="\#(state.demanded)""#
                    ])
            }
            return .status(204)
        }
    }

    private func token(_ request: HTTPRequest) -> ScriptedTransport.Reply {
        var form: [String: String] = [:]
        for pair in request.bodyText.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map {
                $0.replacing("+", with: " ").replacing("%3A", with: ":").replacing("%2B", with: "+")
            }
            if parts.count == 2 { form[String(parts[0])] = String(parts[1]) }
        }
        return state.withLock { state in
            state.tokenForms.append(form)
            state.tokenURLs.append(request.origin.description + request.target)
            let scopes = state.granted ?? form["scope"] ?? "all"
            state.issued[scopes, default: 0] += 1
            let token = scopes.replacing(" ", with: "+") + "/\(state.issued[scopes] ?? 0)"
            return .json(
                200,
                #"{"access_token":"\#(token)","token_type":"\#(state.type)","expires_in":3600}"#)
        }
    }
}

/// The error of a call.
func failure(_ call: () async throws -> Void) async -> (any GatewayCallError)? {
    do { try await call() } catch { return error as? any GatewayCallError }
    return nil
}
