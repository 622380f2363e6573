/// Compares two documents, for the client that was generated from the old one.
struct DocumentDiff {
    let old: DiffDocument
    let new: DiffDocument
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
        compareComponents(schemas)
        compareServers()
        compareSchemes()
        EventDiff(old: old, new: new, list: list, schemas: schemas, kind: "webhook")
            .compare(old.webhooks, new.webhooks)
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

    private func compareServers() {
        let place = JSONPointer(tokens: ["servers"])
        let before = old.root["servers"]?.array ?? []
        let after = new.root["servers"]?.array ?? []
        let urls = (before.compactMap { $0["url"]?.string }, after.compactMap { $0["url"]?.string })
        for (offset, server) in before.enumerated() {
            guard let url = server["url"]?.string, !urls.1.contains(url) else { continue }
            list.report(
                "server-removed", .old(place.appending(offset), server), "the server \(url) was removed",
                request: true, swift: true)
        }
        for (offset, server) in after.enumerated() {
            guard let url = server["url"]?.string, !urls.0.contains(url) else { continue }
            list.report("server-added", .new(place.appending(offset), server), "the server \(url) was added")
        }
        if let first = urls.0.first, let second = urls.1.first, first != second, urls.0.contains(second),
            urls.1.contains(first)
        {
            // A new client uses another server by default; old clients are not affected.
            list.report(
                "default-server-changed", .new(place.appending(0), after.first),
                "the first server changed from \(first) to \(second)")
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
                guard one?.lowercased() != two?.lowercased() else { continue }
                list.report(
                    "security-scheme-changed", .new(pointer, other),
                    "\"\(keyword)\" of the security scheme \"\(member.key)\" changed from \(one ?? "none") to \(two ?? "none")",
                    request: true, swift: keyword == "type" || keyword == "scheme")
            }
        }
        for member in after?.members ?? [] where before?[member.key] == nil {
            list.report(
                "security-scheme-added", .new(place.appending(member.key), member.value),
                "the security scheme \"\(member.key)\" was added")
        }
    }

    /// Reports types and methods whose Swift name changed although their place is the same.
    private func compareNames(_ renamed: [JSONPointer]) {
        for (place, name) in old.names.map({ ($0.key.text, $0.value) }).sorted(by: { $0.0 < $1.0 }) {
            guard let other = new.names[place], other != name,
                !renamed.contains(where: { place.isSame(as: $0.text) || place.hasPrefix($0.text + "/") })
            else { continue }
            list.report(
                "swift-name-changed", DiffPlace(text: place, position: nil, isInOld: false),
                "\(name) was renamed to \(other)", swift: true)
        }
    }
}
