/// Reads security schemes and security requirements.
struct SecurityTranslator {
    let root: Node
    let resolver: ReferenceResolver
    let sink: DiagnosticSink

    /// The schemes, by name.
    func schemes() -> [SecurityScheme] {
        let place = JSONPointer(tokens: ["components", "securitySchemes"])
        var result: [SecurityScheme] = []
        for member in root["components"]?["securitySchemes"]?.members ?? [] {
            do throws(Diagnostic) {
                let target = try resolver.final(member.value, at: place.appending(member.key))
                guard let kind = kind(target.node, name: member.key) else { continue }
                result.append(
                    SecurityScheme(
                        name: member.key, kind: kind, text: target.node["description"]?.string,
                        position: member.keyPosition,
                        scopes: OAuthFlowsReader(sink: sink).scopes(target.node["flows"])))
            } catch {
                sink.report(error)
            }
        }
        return result.sorted { ExactText($0.name) < ExactText($1.name) }
    }

    private func kind(_ node: Node, name: String) -> SecurityScheme.Kind? {
        switch node["type"]?.string {
        case "http":
            switch node["scheme"]?.string?.lowercased() {
            case "bearer": return .bearer
            case "basic": return .basic
            case let scheme?: return .custom("http \(SwiftText.oneLine(scheme))")
            case nil:
                sink.fail(.structure, "an HTTP security scheme requires \"scheme\"", at: node.position)
                return nil
            }
        case "apiKey":
            guard let location = node["in"]?.string.flatMap({ Parameter.Location(rawValue: $0) }),
                location != .path, let key = node["name"]?.text
            else {
                sink.fail(
                    .structure, "an API key requires \"name\", and \"in\" with query, header or cookie",
                    at: node.position)
                return nil
            }
            return .apiKey(location, name: key)
        case "oauth2":
            guard let flows = node["flows"] else {
                sink.fail(.structure, "an OAuth 2.0 security scheme requires \"flows\"", at: node.position)
                return nil
            }
            return .oauth2(OAuthFlowsReader(sink: sink).read(flows, of: node))
        case "openIdConnect":
            let url = node["openIdConnectUrl"]
            if url?.string == nil {
                sink.fail(
                    .structure, "an OpenID Connect security scheme requires \"openIdConnectUrl\"",
                    at: node.position)
            }
            OAuthFlowsReader(sink: sink).check(url)
            return .openID(url: url?.string ?? "")
        case "mutualTLS": return .mutualTLS
        case let type?:
            sink.warn(
                .unsupportedSecurity,
                "unknown type \"\(SwiftText.oneLine(type))\" of the security scheme \"\(name)\"; "
                    + "use CustomCredential or another alternative",
                at: node.position)
            return .custom(SwiftText.oneLine(type))
        case nil:
            sink.fail(.structure, "a security scheme requires \"type\"", at: node.position)
            return nil
        }
    }

    /// The schemes with the scopes that their flows list and that operations need.
    func schemes(needed operations: [Operation]) -> [SecurityScheme] {
        var needed = [ExactText: Set<String>]()
        for scheme in operations.flatMap(\.security.alternatives).joined() {
            needed[scheme.name, default: []].formUnion(scheme.scopes)
        }
        return schemes().map { scheme in
            var scheme = scheme
            scheme.scopes = needed[scheme.name, default: []].union(scheme.scopes)
                .filter(OAuthFlowsReader.isScope).sorted()
            return scheme
        }
    }

    /// The security requirement of an operation: its own `security`, otherwise that of the document. Unsupported
    /// schemes are kept: they are never configured, so another alternative is used. Alternatives with an undefined
    /// scheme are dropped.
    func requirement(of operation: Node) -> SecurityRequirement {
        guard let node = operation["security"] ?? root["security"] else {
            return SecurityRequirement(alternatives: [])
        }
        guard let items = node.array else {
            sink.fail(.structure, "\"security\" must be an array, found \(node.kind)", at: node.position)
            return SecurityRequirement(alternatives: [])
        }
        if items.isEmpty { return SecurityRequirement(alternatives: [[]]) }
        var alternatives: [[SecurityRequirement.Scheme]] = []
        var undefined: [Node.Object.Member] = []
        for item in items {
            let unknown = item.members.filter { !isDefined($0.key) }
            undefined += unknown
            guard unknown.isEmpty else { continue }
            let schemes = item.members.map { member in
                SecurityRequirement.Scheme(
                    name: member.key, scopes: (member.value.array ?? []).compactMap(\.text).sorted())
            }
            alternatives.append(schemes.sorted { ExactText($0.name) < ExactText($1.name) })
        }
        let effect =
            alternatives.isEmpty
            ? "no other alternative; requests are sent without credentials" : "this alternative is skipped"
        for member in undefined {
            sink.warn(
                .unsupportedSecurity,
                "security scheme \"\(member.key)\" is not defined in \"components/securitySchemes\"; "
                    + effect,
                at: member.keyPosition)
        }
        return SecurityRequirement(alternatives: alternatives)
    }

    private func isDefined(_ scheme: String) -> Bool {
        root["components"]?["securitySchemes"]?[scheme] != nil
    }
}
