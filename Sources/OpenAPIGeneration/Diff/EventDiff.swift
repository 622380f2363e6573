/// Compares the requests that the service sends to its clients: webhooks, or the callbacks of one operation.
///
/// The roles are reversed: the client reads the request body and sends the response status.
struct EventDiff {
    @Indirect var old: DiffDocument
    @Indirect var new: DiffDocument
    let list: ChangeList
    let schemas: SchemaDiff
    /// `webhook` or `callback`: the prefix of the rules, and the noun in messages.
    let kind: String

    /// A path item under a name.
    struct Event {
        let name: String
        /// The place of its name.
        let pointer: JSONPointer
        let node: Node
        /// The path item, after references are resolved.
        let item: ReferenceResolver.Target
        /// The runtime expression of a callback's URL.
        var expression: String?
    }

    /// Compares two sets by name.
    func compare(_ before: [Event], _ after: [Event]) {
        var gone = before.filter { event in !after.contains { isSame(event, $0) } }
        var come = after.filter { event in !before.contains { isSame(event, $0) } }
        for event in before {
            guard let other = after.first(where: { isSame(event, $0) }) else { continue }
            compare(event, other)
        }
        // A callback whose URL changed.
        for event in gone where event.expression != nil {
            let (mine, theirs) = (
                gone.filter { $0.name == event.name }, come.filter { $0.name == event.name }
            )
            guard mine.count == 1, theirs.count == 1, let other = theirs.first else { continue }
            list.report(
                kind + "-url-changed", .new(other.pointer, other.node),
                "the URL of the callback \"\(event.name)\" changed from \(event.expression ?? "") to "
                    + "\(other.expression ?? "")", request: true)
            compare(event, other)
            gone.removeAll { $0.name == event.name }
            come.removeAll { $0.name == event.name }
        }
        for event in gone {
            list.report(
                kind + "-removed", .old(event.pointer, event.node),
                "the \(kind) \"\(event.name)\" was removed", swift: true)
        }
        for event in come {
            // A `switch` over all events is no longer exhaustive. Events are only sent to subscribers, so nothing else
            // breaks.
            list.report(
                kind + "-added", .new(event.pointer, event.node),
                "the \(kind) \"\(event.name)\" was added", swift: !before.isEmpty)
        }
    }

    private func isSame(_ first: Event, _ second: Event) -> Bool {
        first.name == second.name && first.expression == second.expression
    }

    private func compare(_ before: Event, _ after: Event) {
        func methods(_ event: Event) -> [(name: String, key: String)] {
            Operation.methods.filter { event.item.node[$0.1]?.object != nil }.map { (name: $0.0, key: $0.1) }
        }
        let (first, second) = (methods(before), methods(after))
        if first.count == 1, second.count == 1, first[0].key != second[0].key {
            list.report(
                kind + "-method-changed", .new(after.pointer, after.node),
                "the method of the \(kind) \"\(after.name)\" changed from \(first[0].name) to \(second[0].name)",
                response: true
            )
            compare(before, first[0].key, after, second[0].key)
            return
        }
        for method in first {
            guard second.contains(where: { $0.key == method.key }) else {
                list.report(
                    kind + "-removed", .old(before.pointer, before.node),
                    "\(method.name) of the \(kind) \"\(before.name)\" was removed", swift: true)
                continue
            }
            compare(before, method.key, after, method.key)
        }
        for method in second where !first.contains(where: { $0.key == method.key }) {
            list.report(
                kind + "-added", .new(after.pointer, after.node),
                "\(method.name) of the \(kind) \"\(after.name)\" was added", swift: true)
        }
    }

    private func compare(_ before: Event, _ oldMethod: String, _ after: Event, _ newMethod: String) {
        guard let first = before.item.node[oldMethod], let second = after.item.node[newMethod] else { return }
        let (from, to) = (before.item.pointer.appending(oldMethod), after.item.pointer.appending(newMethod))
        if first["deprecated"]?.bool != true, second["deprecated"]?.bool == true {
            list.report(
                kind + "-deprecated", .new(after.pointer, second),
                "the \(kind) \"\(after.name)\" became deprecated")
        }
        compareBodies(
            old.final(first["requestBody"], at: from.appending("requestBody")),
            new.final(second["requestBody"], at: to.appending("requestBody")), .new(after.pointer, second),
            after.name)
        compareAnswers(first, second, .new(after.pointer, second), after.name)
    }

    private func compareBodies(
        _ before: ReferenceResolver.Target?, _ after: ReferenceResolver.Target?, _ place: DiffPlace,
        _ name: String
    ) {
        let (first, second) = (
            before.flatMap { BodyContent.preferred($0) }, after.flatMap { BodyContent.preferred($0) }
        )
        switch (first, second) {
        case (nil, nil): return
        case (nil, _?):
            list.report(
                kind + "-body-added", place, "the body of the \(kind) \"\(name)\" was added", swift: true)
        case (_?, nil):
            list.report(
                kind + "-body-removed", place, "the body of the \(kind) \"\(name)\" was removed",
                response: true, swift: true)
        case (let from?, let to?):
            guard from.mediaType == to.mediaType else {
                // The service may send the new type even if the old one is still documented.
                list.report(
                    kind + "-media-type-changed", place,
                    "the media type of the \(kind) \"\(name)\" changed from \(from.mediaType) to \(to.mediaType)",
                    response: true, swift: true)
                return
            }
            if let one = from.schema, let two = to.schema { schemas.compare(one, two, .response) }
        }
    }

    private func compareAnswers(_ before: Node, _ after: Node, _ place: DiffPlace, _ name: String) {
        func statuses(_ node: Node) -> [String] {
            (node["responses"]?.members ?? []).map(\.key).filter { !$0.hasPrefix("x-") }.sorted()
        }
        let (first, second) = (statuses(before), statuses(after))
        for status in first where !covers(second, status) {
            // The service rejects a status that old clients still send.
            list.report(
                kind + "-answer-removed", place,
                "the response \(status) of the \(kind) \"\(name)\" was removed", request: true)
        }
        for status in second where !first.contains(status) {
            list.report(
                kind + "-answer-added", place, "the response \(status) of the \(kind) \"\(name)\" was added")
        }
    }

    /// Whether a status is documented: itself, by its range, or by `default`.
    private func covers(_ statuses: [String], _ status: String) -> Bool {
        statuses.contains(status) || statuses.contains("default")
            || statuses.contains { $0.uppercased() == status.prefix(1) + "XX" }
    }
}

extension DiffDocument {
    /// The document's webhooks. In 3.0, ReDoc's extension `x-webhooks`.
    var webhooks: [EventDiff.Event] {
        let key = root["webhooks"]?.members.isEmpty == false ? "webhooks" : "x-webhooks"
        return events(root[key], at: JSONPointer(tokens: [key]))
    }

    /// The callbacks of an operation, in the order of their names and URLs.
    func callbacks(of operation: DiffOperation) -> [EventDiff.Event] {
        let place = operation.source.appending("callbacks")
        var result: [EventDiff.Event] = []
        for member in operation.node["callbacks"]?.members ?? [] where !member.key.hasPrefix("x-") {
            let target = final(member.value, at: place.appending(member.key))
            for event in events(target.node, at: target.pointer) {
                result.append(
                    EventDiff.Event(
                        name: member.key, pointer: event.pointer, node: event.node, item: event.item,
                        expression: event.name))
            }
        }
        return result.sorted { ($0.name, $0.expression ?? "") < ($1.name, $1.expression ?? "") }
    }

    private func events(_ items: Node?, at place: JSONPointer) -> [EventDiff.Event] {
        (items?.members ?? []).filter { !$0.key.hasPrefix("x-") }.sorted { $0.key < $1.key }.map { member in
            let pointer = place.appending(member.key)
            return EventDiff.Event(
                name: member.key, pointer: pointer, node: member.value,
                item: final(member.value, at: pointer))
        }
    }
}
