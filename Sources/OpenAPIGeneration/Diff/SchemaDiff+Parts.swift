/// Properties by the patterns of their names, and elements by their positions.
extension SchemaDiff {
    func comparePatterns(_ old: SchemaView, _ new: SchemaView, _ direction: DiffSide) {
        for (pattern, part) in old.patterns.sorted(by: { $0.key < $1.key }) {
            guard let other = new.patterns[pattern] else {
                // Such properties are additional properties now.
                let schema = new.additional.schema
                report(
                    "pattern-removed", .old(part), "the pattern \"\(pattern.text)\" was removed", direction,
                    narrows: schema == nil && !new.additional.isAllowed, widens: new.additional.isAllowed)
                if let schema { compare(part, schema, direction) }
                continue
            }
            compare(part, other, direction)
        }
        for (pattern, part) in new.patterns.sorted(by: { $0.key < $1.key }) where old.patterns[pattern] == nil
        {
            // A dictionary becomes a struct; a struct only gains a member.
            report(
                "pattern-added", .new(part), "the pattern \"\(pattern.text)\" was added", direction,
                narrows: old.additional.isAllowed, swift: old.properties.isEmpty && old.patterns.isEmpty)
            if let schema = old.additional.schema { compare(schema, part, direction) }
        }
    }

    func comparePrefix(_ old: SchemaView, _ new: SchemaView, _ place: DiffPlace, _ direction: DiffSide) {
        guard !old.prefix.isEmpty || !new.prefix.isEmpty else { return }
        for (first, second) in zip(old.prefix, new.prefix) { compare(first, second, direction) }
        for (position, part) in new.prefix.enumerated().dropFirst(old.prefix.count) {
            report(
                "element-added", .new(part), "the element \(position) has its own schema", direction,
                narrows: old.applied[.items] == nil)
            if let items = old.applied[.items], items.node?.bool != false { compare(items, part, direction) }
        }
        for (position, part) in old.prefix.enumerated().dropFirst(new.prefix.count) {
            let items = new.applied[.items]
            let isForbidden = items?.node?.bool == false
            report(
                "element-removed", .old(part), "the element \(position) has no schema of its own any more",
                direction, narrows: isForbidden, widens: items == nil)
            if let items, !isForbidden { compare(part, items, direction) }
        }
        compareNeeded(old, new, place, direction)
        let closed = (old.applied[.items]?.node?.bool == false, new.applied[.items]?.node?.bool == false)
        guard closed.0 != closed.1, !old.prefix.isEmpty, !new.prefix.isEmpty else { return }
        report(
            closed.1 ? "rest-removed" : "rest-added", place,
            closed.1 ? "further elements are no longer allowed" : "further elements became allowed",
            direction, narrows: closed.1)
    }

    /// The elements that `minItems` requires.
    private func compareNeeded(
        _ old: SchemaView, _ new: SchemaView, _ place: DiffPlace, _ direction: DiffSide
    ) {
        func least(_ view: SchemaView) -> Int { view.bounds[.minItems].flatMap { Int($0.literal) } ?? 0 }
        let count = min(old.prefix.count, new.prefix.count)
        let (before, after) = (min(least(old), count), min(least(new), count))
        guard before != after else { return }
        let isMore = before < after
        report(
            isMore ? "element-became-required" : "element-became-optional", place,
            isMore
                ? "\(after) elements are required instead of \(before)"
                : "only \(after) elements are required instead of \(before)",
            direction, narrows: isMore, widens: !isMore)
    }
}

extension RawSchema.Additional {
    fileprivate var isAllowed: Bool {
        if case .allowed = self { return true }
        return false
    }

    fileprivate var schema: RawSchema.Part? {
        if case .schema(let part) = self { return part }
        return nil
    }
}
