extension OperationDiff {
    /// The media types of a response that a client reads.
    private struct Readings {
        /// The media types that are read in the same way.
        typealias Group = (types: [String], decoding: MediaTypeKind.Decoding)

        /// As a whole, by preference. Several are the cases of an enum.
        let whole: [Group]
        let stream: [Group]

        init(_ response: ReferenceResolver.Target, in document: DiffDocument) {
            let reader = MediaContentReader(sink: DiagnosticSink(), schemas: document.schemas)
            let contents = reader.response(
                response.node["content"], at: response.pointer.appending("content"))
            var groups: [Group] = []
            var keys: [String?] = []
            for content in contents.whole {
                let key = Self.key(of: content)
                if let key, let index = keys.firstIndex(of: key) {
                    groups[index].types += content.mediaTypes
                } else {
                    keys.append(key)
                    groups.append((content.mediaTypes, content.kind.decoding))
                }
            }
            whole = groups
            stream = contents.stream.map { [($0.mediaTypes, $0.kind.decoding)] } ?? []
        }

        /// Equal for contents of the same type. Nil: the type is not compared.
        private static func key(of content: MediaContent) -> String? {
            let shape = content.schema.documented.shape
            guard content.kind.codec != nil, shape.target != nil || shape.isPrimitive else { return nil }
            return [shape.target?.text, shape.word, shape.format, content.schema.isNullable ? "null" : nil]
                .compactMap { $0 }.joined(separator: " ")
        }

        func group(of type: String) -> Group? {
            (whole + stream).first { $0.types.contains(type) }
        }

        /// Whether one of the media types is read in this way.
        func reads(_ group: Group) -> Bool {
            group.types.contains { self.group(of: $0)?.decoding == group.decoding }
        }
    }

    /// The content of a response. A client reads several media types, each as one of several types or as a stream.
    func compareReceived(_ first: ReferenceResolver.Target, _ second: ReferenceResolver.Target) {
        let place = DiffPlace.new(second.pointer, second.node)
        guard let preferred = BodyContent.preferred(first)?.mediaType else {
            // The client of the old document ignores the body.
            if let added = BodyContent.preferred(second)?.mediaType {
                list.report("content-added", place, "\(added) was added", swift: true)
            }
            return
        }
        let (from, to) = (Readings(first, in: old), Readings(second, in: new))
        let before = Set((first.node["content"]?.members ?? []).map(\.key))
        let after = Set((second.node["content"]?.members ?? []).map(\.key))
        for type in before.subtracting(after).sorted() {
            let group = from.group(of: type)
            let others = group?.decoding == .stream ? from.stream : from.whole
            let isServed = others.contains { !after.isDisjoint(with: $0.types) }
            // Of several types of a result, each has a case that can be requested.
            list.report(
                "media-type-removed", place, "\(type) was removed", response: group != nil && !isServed,
                swift: group.map { others.count > 1 || !to.reads($0) } ?? false)
        }
        for type in after.subtracting(before).sorted() {
            let group = to.group(of: type)
            // A stream has a method of its own.
            list.report(
                "media-type-added", place, "\(type) was added",
                swift: group.map { $0.decoding != .stream && !from.reads($0) } ?? false)
        }
        if before == after, from.whole.count != to.whole.count {
            list.report(
                "media-types-changed", place,
                "the body is read as one of \(to.whole.count) types instead of \(from.whole.count)",
                swift: true)
        }
        for type in before.intersection(after).sorted() {
            guard let decoding = from.group(of: type)?.decoding else { continue }
            let isDecoded = decoding != .text && decoding != .bytes
            if isDecoded || type == preferred { compareSchemas(of: type, first, second) }
        }
    }

    private func compareSchemas(
        of type: String, _ first: ReferenceResolver.Target, _ second: ReferenceResolver.Target
    ) {
        func part(_ keyword: String, _ response: ReferenceResolver.Target) -> RawSchema.Part? {
            let place = response.pointer.appending("content").appending(type).appending(keyword)
            return response.node["content"]?[type]?[keyword].map { RawSchema.Part(node: $0, pointer: place) }
        }
        for keyword in ["schema", "itemSchema"] {
            guard let one = part(keyword, first), let two = part(keyword, second) else { continue }
            schemas.compare(one, two, .response)
        }
    }
}
