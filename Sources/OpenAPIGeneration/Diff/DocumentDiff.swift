import GatewayPatterns

/// Compares two documents, for the client that was generated from the old one.
struct DocumentDiff {
    @Indirect var old: DiffDocument
    @Indirect var new: DiffDocument
    let list = ChangeList()

    /// All changes, in a stable order.
    func changes() -> [Change] {
        let schemas = SchemaDiff(old: old, new: new, list: list)
        let before = old.operations
        let after = new.operations
        var renamed: [JSONPointer] = []
        for (key, operation) in before.sorted(by: { $0.key < $1.key }) {
            guard let other = after[key] else {
                list.report(
                    "operation-removed", .old(operation.pointer, operation.node),
                    "\(operation.title) was removed", request: true, swift: true)
                continue
            }
            let diff = OperationDiff(
                old: old, new: new, before: operation, after: other, list: list, schemas: schemas)
            if diff.compare() { renamed.append(operation.pointer) }
        }
        for (key, operation) in after.sorted(by: { $0.key < $1.key }) where before[key] == nil {
            list.report(
                "operation-added", .new(operation.pointer, operation.node), "\(operation.title) was added")
        }
        compareServers()
        compareSchemes()
        EventDiff(old: old, new: new, list: list, schemas: schemas, kind: "webhook")
            .compare(old.webhooks, new.webhooks)
        // After the schemas of operations.
        compareComponents(schemas)
        compareNames(renamed)
        return list.sorted
    }

    /// Compares component schemas as Swift types. Schemas that operations use were already compared for their
    /// direction.
    private func compareComponents(_ schemas: SchemaDiff) {
        let place = JSONPointer(tokens: ["components", "schemas"])
        let before = old.root["components"]?["schemas"]
        let after = new.root["components"]?["schemas"]
        for member in before?.members ?? [] {
            let pointer = place.appending(member.key)
            guard let other = after?[member.key] else {
                list.report(
                    "schema-removed", .old(pointer, member.value),
                    "the schema \"\(member.key)\" was removed", swift: true)
                continue
            }
            schemas.compare(
                .init(node: member.value, pointer: pointer), .init(node: other, pointer: pointer), .source)
        }
        for member in after?.members ?? [] where before?[member.key] == nil {
            list.report(
                "schema-added", .new(place.appending(member.key), member.value),
                "the schema \"\(member.key)\" was added")
        }
    }

    private func compareSchemes() {
        let place = JSONPointer(tokens: ["components", "securitySchemes"])
        let before = old.root["components"]?["securitySchemes"]
        let after = new.root["components"]?["securitySchemes"]
        for member in before?.members ?? [] {
            let pointer = place.appending(member.key)
            guard let other = after?[member.key] else {
                list.report(
                    "security-scheme-removed", .old(pointer, member.value),
                    "the security scheme \"\(member.key)\" was removed", request: true, swift: true)
                continue
            }
            let first = old.final(member.value, at: pointer).node
            let second = new.final(other, at: pointer).node
            for keyword in ["type", "scheme", "in", "name"] {
                let (one, two) = (first[keyword]?.string, second[keyword]?.string)
                // Only the names of header fields are the same in both cases of letters.
                let isExact = keyword == "name" && second["in"]?.string != "header"
                let texts = [one, two].map { isExact ? $0 : $0?.lowercased() }.map {
                    $0.map { ExactText($0) }
                }
                guard texts[0] != texts[1] else { continue }
                list.report(
                    "security-scheme-changed", .new(pointer, other),
                    "\"\(keyword)\" of the security scheme \"\(member.key)\" changed from \(one ?? "none") to \(two ?? "none")",
                    request: true, swift: keyword == "type" || keyword == "scheme")
            }
            compareEndpoints(first, second, of: member.key, .new(pointer, other))
        }
        for member in after?.members ?? [] where before?[member.key] == nil {
            list.report(
                "security-scheme-added", .new(place.appending(member.key), member.value),
                "the security scheme \"\(member.key)\" was added")
        }
    }

    /// The URLs from which a client gets its tokens.
    private func compareEndpoints(_ old: Node, _ new: Node, of scheme: String, _ place: DiffPlace) {
        func compare(_ old: Node, _ new: Node, _ keywords: [String]) {
            for keyword in keywords {
                let (one, two) = (old[keyword]?.string, new[keyword]?.string)
                guard let one, !(two.map { one.isSame(as: $0) } ?? false) else { continue }
                list.report(
                    "security-scheme-changed", place,
                    "\"\(keyword)\" of the security scheme \"\(scheme)\" changed from \(one) to \(two ?? "none")",
                    request: true)
            }
        }
        compare(old, new, ["openIdConnectUrl"])
        for flow in old["flows"]?.members ?? [] where !flow.key.hasPrefix("x-") {
            guard let other = new["flows"]?[flow.key] else {
                list.report(
                    "security-scheme-changed", place,
                    "the flow \"\(flow.key)\" of the security scheme \"\(scheme)\" was removed",
                    request: true,
                    swift: true)
                continue
            }
            compare(
                flow.value, other,
                ["tokenUrl", "authorizationUrl", "deviceAuthorizationUrl", "refreshUrl"])
        }
    }

    /// Reports types and methods whose Swift name changed although their place is the same.
    private func compareNames(_ renamed: [JSONPointer]) {
        let names = Set(new.names.values.map { ExactText($0) })
        for (place, name) in old.names.map({ ($0.key.text, $0.value) }).sorted(by: { $0.0 < $1.0 }) {
            // A branch at another position has kept its name. Branches are compared by their names.
            let isBranch = place.contains("/oneOf/") || place.contains("/anyOf/")
            guard let other = new.names[place], other != name, !isBranch || !names.contains(ExactText(name)),
                !renamed.contains(where: { place.isSame(as: $0.text) || place.hasPrefix($0.text + "/") })
            else { continue }
            list.report(
                "swift-name-changed", DiffPlace(text: place, position: nil, isInOld: false),
                "\(name) was renamed to \(other)", swift: true)
        }
    }
}
