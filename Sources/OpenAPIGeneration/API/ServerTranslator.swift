/// Reads Server Objects.
struct ServerTranslator {
    let sink: DiagnosticSink

    /// The servers of a list. Nil if there is no list.
    func servers(_ list: Node?) -> [APIServer]? {
        guard let items = list?.array, !items.isEmpty else { return nil }
        return items.compactMap { server($0) }
    }

    private func server(_ node: Node) -> APIServer? {
        guard let url = node["url"]?.string else {
            sink.fail(.structure, "a server requires \"url\"", at: node.position)
            return nil
        }
        var used: [APIServer.Variable] = []
        let declared = node["variables"]
        for name in PathTemplate.parts(url).names where !used.contains(where: { $0.name.isSame(as: name) }) {
            guard let variable = declared?[name] else {
                sink.warn(
                    .structure,
                    "the server variable \"\(name)\" is not in \"variables\"; falling back to String",
                    at: node["url"]?.position ?? node.position)
                used.append(.init(name: name, values: [], fallback: nil, text: nil))
                continue
            }
            guard let read = self.variable(name, variable) else { return nil }
            used.append(read)
        }
        return APIServer(
            url: url, name: node["name"]?.string, text: node["description"]?.string, variables: used,
            position: node.position)
    }

    private func variable(_ name: String, _ node: Node) -> APIServer.Variable? {
        guard let fallback = node["default"]?.text else {
            sink.fail(.structure, "the server variable \"\(name)\" requires \"default\"", at: node.position)
            return nil
        }
        var values = (node["enum"]?.array ?? []).compactMap(\.text)
        if !values.isEmpty, !values.contains(where: { $0.isSame(as: fallback) }) {
            sink.warn(
                .structure, "\"default\" of the server variable \"\(name)\" is not in its \"enum\"",
                at: node["default"]?.position ?? node.position)
            values.insert(fallback, at: 0)
        }
        var seen = Set<ExactText>()
        values = values.filter { seen.insert($0) }
        return APIServer.Variable(
            name: name, values: values, fallback: fallback, text: node["description"]?.string)
    }
}
