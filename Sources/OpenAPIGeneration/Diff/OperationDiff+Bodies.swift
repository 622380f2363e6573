extension OperationDiff {
    func compareBody() {
        let first = old.final(before.node["requestBody"], at: before.source.appending("requestBody"))
        let second = new.final(after.node["requestBody"], at: after.source.appending("requestBody"))
        guard let first else {
            if let second {
                let isRequired = second.node["required"]?.bool ?? false
                list.report(
                    isRequired ? "required-body-added" : "body-added", .new(second.pointer, second.node),
                    "\(isRequired ? "a required" : "an optional") body was added", request: isRequired,
                    swift: isRequired)
            }
            return
        }
        guard let second else {
            list.report(
                "body-removed", .old(first.pointer, first.node), "the body was removed", request: true,
                swift: true)
            return
        }
        let place = DiffPlace.new(second.pointer, second.node)
        switch (first.node["required"]?.bool ?? false, second.node["required"]?.bool ?? false) {
        case (false, true):
            list.report("body-became-required", place, "the body became required", request: true, swift: true)
        case (true, false): list.report("body-became-optional", place, "the body became optional")
        default: break
        }
        compareSent(first, second)
    }

    /// The media types of a request, each of which has a method.
    private func compareSent(_ first: ReferenceResolver.Target, _ second: ReferenceResolver.Target) {
        let place = DiffPlace.new(second.pointer, second.node)
        let (from, to) = (BodyContent.preferred(first), BodyContent.preferred(second))
        guard let from else {
            if let to { list.report("content-added", place, "\(to.mediaType) was added") }
            return
        }
        let types = (
            Set((first.node["content"]?.members ?? []).map(\.key)),
            Set((second.node["content"]?.members ?? []).map(\.key))
        )
        for type in types.0.subtracting(types.1).sorted() {
            let hasMethod =
                type == from.mediaType || !MediaType(type).isRedundant(nextTo: MediaType(from.mediaType))
            list.report(
                "media-type-removed", place, "\(type) was removed", request: true, swift: hasMethod)
        }
        for type in types.1.subtracting(types.0).sorted() {
            // A preferred media type changes the signature of the generated method.
            list.report(
                "media-type-added", place, "\(type) was added",
                swift: type == to?.mediaType && types.1.contains(from.mediaType))
        }
        for type in types.0.intersection(types.1).sorted() {
            // Other bodies are sent as they are.
            let isEncoded = ![.text, .bytes].contains(MediaType(type).kind.encoding)
            guard isEncoded || (type == from.mediaType && type == to?.mediaType) else { continue }
            compareEncodings(of: type, first, second)
            let schema = (BodyContent.schema(of: type, in: first), BodyContent.schema(of: type, in: second))
            if let one = schema.0, let two = schema.1 { schemas.compare(one, two, .request) }
        }
    }

    func compareResponses() {
        let place = (before.source.appending("responses"), after.source.appending("responses"))
        let first = before.node["responses"]
        let second = after.node["responses"]
        for member in first?.members ?? [] where !member.key.hasPrefix("x-") {
            let pointer = place.0.appending(member.key)
            guard let other = second?[member.key] else {
                // The response is no longer sent, but a `switch` in user code may contain its case.
                list.report(
                    "status-removed", .old(pointer, member.value),
                    "the response \(member.key) was removed", swift: !isOnlySuccess(member.key))
                if let key = otherSuccess(than: member.key, in: second), isOnlySuccess(key),
                    let other = second?[key]
                {
                    compareReceived(
                        old.final(member.value, at: pointer), new.final(other, at: place.1.appending(key)))
                }
                continue
            }
            let one = old.final(member.value, at: pointer)
            let two = new.final(other, at: place.1.appending(member.key))
            if one.node["content"]?.members.isEmpty == false, two.node["content"]?.members.isEmpty != false {
                list.report(
                    "content-removed", .new(two.pointer, two.node),
                    "the body of the response \(member.key) was removed", response: true, swift: true)
            } else {
                compareReceived(one, two)
            }
            compareHeaders(one, two)
        }
        for member in second?.members ?? [] where !member.key.hasPrefix("x-") && first?[member.key] == nil {
            let isSuccess = member.key.hasPrefix("2")
            // The old client throws on an undocumented success; on a failure it throws in any case.
            list.report(
                "status-added", .new(place.1.appending(member.key), member.value),
                "the response \(member.key) was added", response: isSuccess,
                swift: !isOnlySuccess(member.key))
        }
    }

    /// Whether a response is a success, and both clients return the same type instead of an enum of responses.
    private func isOnlySuccess(_ status: String) -> Bool {
        guard status.hasPrefix("2"), let first = old.calls[before.pointer]?.result else { return false }
        return first == new.calls[after.pointer]?.result
    }

    /// The success of the new document, if it has one that the old one does not have.
    private func otherSuccess(than status: String, in responses: Node?) -> String? {
        let known = before.node["responses"]
        return responses?.members.map(\.key).first { $0.hasPrefix("2") && known?[$0] == nil }
    }

    private func compareHeaders(_ first: ReferenceResolver.Target, _ second: ReferenceResolver.Target) {
        let before = first.node["headers"]
        let after = second.node["headers"]
        func find(_ name: String, in headers: Node?) -> Node.Object.Member? {
            headers?.members.first { $0.key.lowercased() == name.lowercased() }
        }
        for member in before?.members ?? [] {
            let pointer = first.pointer.appending("headers").appending(member.key)
            guard let other = find(member.key, in: after) else {
                // A typed header property is nil if the field is missing.
                list.report(
                    "header-removed", .old(pointer, member.value),
                    "the header \"\(member.key)\" was removed", swift: true)
                continue
            }
            let one = old.final(member.value, at: pointer)
            let two = new.final(other.value, at: second.pointer.appending("headers").appending(other.key))
            if let from = BodyContent.headerSchema(one), let to = BodyContent.headerSchema(two) {
                schemas.compare(from, to, .response)
                let isObject = SchemaView(to, in: new)?.types.contains(.object) ?? false
                func form(_ header: Node) -> [Bool] {
                    let isText = header["schema"] != nil
                    return [isText, isText && isObject && header["explode"]?.bool == true]
                }
                if form(one.node) != form(two.node) {
                    list.report(
                        "header-style-changed", .new(two.pointer, two.node),
                        "the header \"\(member.key)\" is written in another form", response: true)
                }
            }
        }
        for member in after?.members ?? [] where find(member.key, in: before) == nil {
            list.report(
                "header-added", .new(second.pointer.appending("headers").appending(member.key), member.value),
                "the header \"\(member.key)\" was added")
        }
    }
}
