/// Reads security schemes, and what operations require of them.
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
                        position: member.keyPosition))
            } catch {
                sink.report(error)
            }
        }
        return result.sorted { $0.name < $1.name }
    }

    private func kind(_ node: Node, name: String) -> SecurityScheme.Kind? {
        switch node["type"]?.string {
        case "http":
            switch node["scheme"]?.string?.lowercased() {
            case "bearer": return .bearer
            case "basic": return .basic
            default: return unsupported("the HTTP scheme of", name, node)
            }
        case "apiKey":
            guard let location = node["in"]?.string.flatMap({ Parameter.Location(rawValue: $0) }),
                location != .path, let key = node["name"]?.string
            else {
                sink.report(
                    .error(
                        .structure, "an API key needs \"name\", and \"in\": query, header or cookie",
                        at: node.position))
                return nil
            }
            return .apiKey(location, name: key)
        case "oauth2":
            guard let flows = node["flows"] else {
                sink.report(.error(.structure, "an OAuth 2 scheme needs \"flows\"", at: node.position))
                return nil
            }
            return .oauth2(tokenURL: tokenURL(of: flows))
        case "openIdConnect":
            return .bearer
        case "mutualTLS": return unsupported("mutual TLS, of", name, node)
        case let type?: return unsupported("the type \"\(type)\" of", name, node)
        case nil:
            sink.report(.error(.structure, "a security scheme needs a \"type\"", at: node.position))
            return nil
        }
    }

    /// The token endpoint of the first flow that has one.
    private func tokenURL(of flows: Node) -> String {
        for key in ["clientCredentials", "authorizationCode", "password"] {
            guard let flow = flows[key], let url = flow["tokenUrl"]?.string else { continue }
            if let refresh = flow["refreshUrl"], refresh.string != url {
                sink.report(
                    .warning(
                        .unsupportedSecurity,
                        "\"refreshUrl\" is not followed; a token is refreshed at the \"tokenUrl\"",
                        at: refresh.position))
            }
            return url
        }
        return ""
    }

    private func unsupported(_ what: String, _ name: String, _ node: Node) -> SecurityScheme.Kind? {
        sink.report(
            .warning(
                .unsupportedSecurity,
                "\(what) the security scheme \"\(name)\" is not supported; calls need another alternative",
                at: node.position))
        return nil
    }

    /// What an operation requires: its own `security`, else the document's. A scheme that is not supported
    /// stays: it is never configured, so that another alternative serves.
    func requirement(of operation: Node) -> SecurityRequirement {
        guard let node = operation["security"] ?? root["security"] else {
            return SecurityRequirement(alternatives: [])
        }
        guard let items = node.array else {
            sink.report(
                .error(.structure, "\"security\" has to be an array, this is \(node.kind)", at: node.position)
            )
            return SecurityRequirement(alternatives: [])
        }
        var alternatives: [[SecurityRequirement.Scheme]] = []
        for item in items {
            var schemes: [SecurityRequirement.Scheme] = []
            for member in item.members {
                if root["components"]?["securitySchemes"]?[member.key] == nil {
                    sink.report(
                        .error(
                            .structure, "there is no security scheme \"\(member.key)\"",
                            at: member.keyPosition))
                }
                schemes.append(
                    .init(name: member.key, scopes: (member.value.array ?? []).compactMap(\.string).sorted()))
            }
            alternatives.append(schemes.sorted { $0.name < $1.name })
        }
        return SecurityRequirement(alternatives: alternatives)
    }
}
