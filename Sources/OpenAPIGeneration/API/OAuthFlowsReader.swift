/// Reads the flows of an OAuth 2.0 scheme: endpoints and scopes.
struct OAuthFlowsReader {
    let sink: DiagnosticSink

    /// The supported flows; client credentials first.
    private static let order = ["clientCredentials", "authorizationCode", "deviceAuthorization", "password"]
    private static let ofPeople = Array(order.dropFirst())

    func read(_ flows: Node, of scheme: Node) -> SecurityScheme.Flows {
        func first(_ key: String, in names: [String]) -> String {
            names.lazy.compactMap { flows[$0]?[key]?.string }.first { !$0.isEmpty } ?? ""
        }
        for flow in Self.order + ["implicit"] {
            for key in ["tokenUrl", "refreshUrl", "authorizationUrl", "deviceAuthorizationUrl"] {
                check(flows[flow]?[key])
            }
        }
        check(scheme["oauth2MetadataUrl"])
        var result = SecurityScheme.Flows()
        result.tokenURL = first("tokenUrl", in: Self.order)
        let signIn = first("tokenUrl", in: Self.ofPeople)
        if signIn != result.tokenURL { result.signInTokenURL = signIn }
        let refresh = first("refreshUrl", in: Self.ofPeople + ["clientCredentials"])
        if refresh != (signIn.isEmpty ? result.tokenURL : signIn) { result.refreshURL = refresh }
        result.authorizationURL = first("authorizationUrl", in: ["authorizationCode"])
        result.deviceAuthorizationURL = first("deviceAuthorizationUrl", in: ["deviceAuthorization"])
        result.metadataURL = scheme["oauth2MetadataUrl"]?.string ?? ""
        return result
    }

    /// The scopes of all flows.
    func scopes(_ flows: Node?) -> [String] {
        (flows?.members ?? []).flatMap { flow in
            (flow.value["scopes"]?.members ?? []).map(\.key)
        }
    }

    /// Whether the text is a valid scope token (RFC 6749 §3.3).
    static func isScope(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }

    /// Reports a URL to which credentials are not sent.
    func check(_ node: Node?) {
        guard let node, let url = node.string?.lowercased(), url.hasPrefix("http://") else { return }
        let host = url.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !host.hasPrefix("127."), !host.hasPrefix("[::1]") else { return }
        sink.warn(
            .unsupportedSecurity, "token URL must use https; set another one in the credentials",
            at: node.position)
    }
}
