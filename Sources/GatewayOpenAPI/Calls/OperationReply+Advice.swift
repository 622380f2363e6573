internal import GatewayAuth
internal import GatewayCore

extension OperationReply {
    /// What to check after a status that refuses the call; empty if nothing is known. It names scopes and paths of the
    /// document and of the server's URL, nothing that the server made up.
    ///
    /// - Parameter isDocumented: whether the response matches the document.
    func advice(on response: DocumentedResponse, isDocumented: Bool) -> String {
        switch response.status {
        case 400 where !isDocumented && isFromPlainHTTP(response):
            "The port speaks TLS: call it by https."
        case 403: missingScopes(response.fields)
        case 404 where isDocumented: "The request went to \(path)."
        case 404: "The request went to \(path): check the path of the server's URL."
        default: ""
        }
    }

    // MARK: Scopes

    /// The scopes of the document that the challenge names (RFC 6750 §3.1), or all of the document's.
    private func missingScopes(_ fields: HTTPFields) -> String {
        let challenge = AuthenticationChallenge.parse(fields).first { $0["error"] == "insufficient_scope" }
        guard let challenge, let security else { return "" }
        let documented = Set(
            SecurityRequirements("\(security)").alternatives.joined().flatMap(\.scopes))
        let demanded = challenge["scope"]?.split(separator: " ").map(String.init) ?? []
        let missing = documented.intersection(demanded).sorted()
        if !missing.isEmpty {
            return "The token lacks \(missing.count == 1 ? "the scope" : "one of the scopes") "
                + "\(missing.joined(separator: " ")): request it with the credential, and allow it to the client."
        }
        guard !documented.isEmpty else { return "The token lacks a scope, and the document names none." }
        return "The token lacks a scope; the document names \(documented.sorted().joined(separator: " "))."
    }

    // MARK: Addresses

    /// The path of the request, with the names of its parameters.
    private var path: String {
        // The path of another server is not known here.
        let base = hasOwnServer ? "…" : (try? client.base.get()).map { Self.shown($0.path) } ?? ""
        return base + call.operation.template
    }

    /// A path without its long segments, in which some services expect a token.
    static func shown(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.utf8.count > 20 ? "…" : $0 }.joined(separator: "/")
    }

    /// Whether a server says that it expects TLS on the port, as nginx, Apache and Go do.
    private func isFromPlainHTTP(_ response: DocumentedResponse) -> Bool {
        guard response.response.exchange.origin.scheme == .http else { return false }
        let text = String(decoding: response.body.prefix(1_000), as: UTF8.self)
        return ["HTTPS port", "HTTPS server", "SSL-enabled server"].contains { text.contains($0) }
    }
}
