/// How many operations and schemas of a document are in the generated code.
package struct Coverage: Hashable, Sendable {
    /// The count for one kind of object.
    package struct Count: Hashable, Sendable {
        /// In the generated code.
        package var generated = 0
        /// Generated, but with a warning that a part falls back to a general type or is skipped.
        package var degraded = 0
        /// Not in the generated code. Objects that the configuration excludes are not counted.
        package var skipped = 0

        fileprivate func text(_ noun: String) -> String {
            var details: [String] = []
            if degraded > 0 { details.append("\(degraded) degraded") }
            if skipped > 0 { details.append("\(skipped) skipped") }
            return "\(generated) \(noun)\(generated == 1 ? "" : "s")"
                + (details.isEmpty ? "" : " (" + details.joined(separator: ", ") + ")")
        }
    }

    /// The operations of `paths`.
    package var operations = Count()
    /// The members of `components/schemas`, with those of other files.
    package var schemas = Count()

    /// `12 operations (1 degraded, 2 skipped), 30 schemas (4 degraded)`.
    package var text: String { operations.text("operation") + ", " + schemas.text("schema") }
}

extension Coverage {
    /// Counts the objects of a document. A warning belongs to the last object that begins before it.
    init(_ document: APIDocument, root: Node, resolver: ReferenceResolver, warnings: [Diagnostic]) {
        operations.generated = document.operations.count
        operations.skipped = document.skippedOperations
        schemas.generated = document.components.count
        let starts = Self.starts(root, resolver)
        var degraded = [Start.Kind: Set<Int>]()
        for warning in warnings {
            guard Self.isDegrading(warning.rule), let position = warning.position,
                let index = starts.lastIndex(before: position),
                starts[index].position.file == position.file
            else { continue }
            degraded[starts[index].kind, default: []].insert(starts[index].number)
        }
        operations.degraded = degraded[.operation]?.count ?? 0
        schemas.degraded = degraded[.schema]?.count ?? 0
    }

    private static func isDegrading(_ rule: Diagnostic.Rule) -> Bool {
        [
            .structure, .unsupportedSchema, .ambiguousUnion, .conflictingSchema, .unsupportedOperation,
            .unsupportedParameter, .unsupportedMediaType, .unsupportedSecurity,
        ].contains(rule)
    }

    fileprivate struct Start {
        enum Kind {
            case operation, schema, other
        }

        let position: SourcePosition
        let kind: Kind
        /// Distinguishes objects of one kind.
        let number: Int
    }

    /// The positions at which an object begins or the previous one ends, in order.
    private static func starts(_ root: Node, _ resolver: ReferenceResolver) -> [Start] {
        var result: [Start] = []
        func add(_ member: Node.Object.Member, _ kind: Start.Kind) {
            let number = result.count
            // The value of a bundled schema is in another file than its key.
            for position in [member.keyPosition, member.value.position] {
                result.append(Start(position: position, kind: kind, number: number))
            }
        }
        for member in root.members { add(member, .other) }
        for section in root["components"]?.members ?? [] {
            add(section, .other)
            for member in section.value.members { add(member, section.key == "schemas" ? .schema : .other) }
        }
        let methods = Set(Operation.methods.map(\.1))
        let place = JSONPointer(tokens: ["paths"])
        for path in root["paths"]?.members ?? [] {
            add(path, .other)
            let target = try? resolver.final(path.value, at: place.appending(path.key))
            let isGenerated = PathTemplate.isPath(path.key)
            for member in target?.node.members ?? [] {
                add(member, isGenerated && methods.contains(member.key) ? .operation : .other)
            }
        }
        return result.enumerated().sorted {
            ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
        }.map(\.element)
    }
}

extension [Coverage.Start] {
    /// The last start at or before a position.
    fileprivate func lastIndex(before position: SourcePosition) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }
}
