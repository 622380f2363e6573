import GatewayPatterns

extension SchemaDiff {
    func compareObject(_ old: SchemaView, _ new: SchemaView, _ place: DiffPlace, _ direction: DiffSide) {
        for (key, part) in old.properties.sorted(by: { $0.key < $1.key }) {
            let name = key.text
            let wasRequired = old.required.contains(name)
            guard let other = new.properties[name] else {
                report(
                    "property-removed", .old(part), "the property \"\(name)\" was removed",
                    direction, narrows: true, widens: wasRequired)
                continue
            }
            let there = DiffPlace.new(other)
            let isRequired = new.required.contains(name)
            if !wasRequired, isRequired {
                report(
                    "property-became-required", there, "the property \"\(name)\" became required", direction,
                    narrows: true)
            }
            if wasRequired, !isRequired {
                report(
                    "property-became-optional", there, "the property \"\(name)\" became optional", direction,
                    widens: true)
            }
            compareUse(
                part, other, name: name, isRequired: isRequired, there, direction,
                isUsed: direction == .source && isUsed(old, new))
            compare(part, other, direction)
        }
        for (key, part) in new.properties.sorted(by: { $0.key < $1.key }) where old.properties[key] == nil {
            let name = key.text
            let isRequired = new.required.contains(name)
            // Clients do not send read-only properties.
            let isSent = SchemaView(part, in: self.new)?.isReadOnly != true
            report(
                isRequired ? "required-property-added" : "property-added", .new(part),
                "the \(isRequired ? "required" : "optional") property \"\(name)\" was added", direction,
                narrows: isRequired && isSent, swift: isRequired)
        }
        compareUndescribed(old, new, place, direction)
        compareAdditional(old, new, place, direction)
    }

    /// Members that are required and not described by `properties`.
    private func compareUndescribed(
        _ old: SchemaView, _ new: SchemaView, _ place: DiffPlace, _ direction: DiffSide
    ) {
        for name in new.required.subtracting(old.required).sorted() where new.properties[name] == nil {
            report(
                "member-became-required", place, "the member \"\(name.text)\" became required", direction,
                narrows: true, swift: false)
        }
        for name in old.required.subtracting(new.required).sorted()
        where old.properties[name] == nil && new.properties[name] == nil {
            // Next to properties, it is one of them.
            report(
                "member-became-optional", place, "the member \"\(name.text)\" is no longer required",
                direction, swift: old.additional.isUnsaid && !old.properties.isEmpty)
        }
    }

    /// `readOnly`, `writeOnly` and `deprecated` of a property.
    ///
    /// - Parameter isUsed: Whether the type was compared for the directions of its operations, which decide on members.
    private func compareUse(
        _ old: RawSchema.Part, _ new: RawSchema.Part, name: String, isRequired: Bool, _ place: DiffPlace,
        _ direction: DiffSide, isUsed: Bool
    ) {
        guard let first = SchemaView(old, in: self.old), let second = SchemaView(new, in: self.new) else {
            return
        }
        if !first.isReadOnly, second.isReadOnly {
            report(
                "property-became-read-only", place, "the property \"\(name)\" became \"readOnly\"", direction,
                narrows: true, swift: direction != .response && !isUsed)
        }
        if first.isReadOnly, !second.isReadOnly {
            report(
                "property-became-writable", place, "the property \"\(name)\" is no longer \"readOnly\"",
                direction, narrows: isRequired, swift: isRequired && direction != .response && !isUsed)
        }
        if !first.isWriteOnly, second.isWriteOnly {
            report(
                "property-became-write-only", place, "the property \"\(name)\" became \"writeOnly\"",
                direction, widens: isRequired, swift: direction != .request && !isUsed)
        }
        if first.isWriteOnly, !second.isWriteOnly {
            report(
                "property-became-readable", place, "the property \"\(name)\" is no longer \"writeOnly\"",
                direction, swift: isRequired && direction != .request && !isUsed)
        }
        if !first.isDeprecated, second.isDeprecated {
            report(
                "property-deprecated", place, "the property \"\(name)\" became deprecated", direction,
                swift: false)
        }
    }

    private func compareAdditional(
        _ old: SchemaView, _ new: SchemaView, _ place: DiffPlace, _ direction: DiffSide
    ) {
        switch (old.additional, new.additional) {
        case (.schema(let first), .schema(let second)): compare(first, second, direction)
        case (.unsaid, .forbidden), (.forbidden, .unsaid), (.unsaid, .unsaid), (.forbidden, .forbidden),
            (.allowed, .allowed):
            // A client sends only documented properties and ignores others.
            return
        case (.allowed, .schema):
            report(
                "additional-properties-narrowed", place, "a schema for \"additionalProperties\" was added",
                direction, narrows: true)
        case (.schema, .allowed):
            report(
                "additional-properties-widened", place, "the schema of \"additionalProperties\" was removed",
                direction, widens: true)
        case (.allowed, _), (.schema, _):
            report(
                "additional-properties-removed", place, "\"additionalProperties\" was removed",
                direction, narrows: true)
        case (_, .allowed), (_, .schema):
            // A type without properties becomes a dictionary; a struct only gains a member.
            report(
                "additional-properties-added", place, "\"additionalProperties\" was added", direction,
                swift: old.properties.isEmpty)
        }
    }

    func compareUnion(_ old: SchemaView, _ new: SchemaView, _ place: DiffPlace, _ direction: DiffSide) {
        guard !old.branches.isEmpty || !new.branches.isEmpty else { return }
        guard !old.branches.isEmpty, !new.branches.isEmpty else {
            let isWider = old.branches.isEmpty
            report(
                isWider ? "union-introduced" : "union-lifted", place,
                isWider ? "the schema became a union" : "the union became a single schema", direction,
                narrows: !isWider, widens: isWider)
            return
        }
        let before = branches(old, in: self.old)
        let after = branches(new, in: self.new)
        let pairs = pairs(before, after)
        for (offset, branch) in before.enumerated() {
            guard let other = pairs[offset] else {
                report(
                    "union-branch-removed", place, "the branch \(branch.label) was removed", direction,
                    narrows: true)
                continue
            }
            if other != offset, branch.isNumbered, after[other].isNumbered {
                report(
                    "union-branch-moved", place,
                    "the branch \(offset + 1) became the branch \(other + 1)", direction)
            }
            compare(branch.part, after[other].part, direction)
        }
        for (offset, branch) in after.enumerated() where !pairs.contains(offset) {
            // The value is decoded as unrecognized, but a `switch` over all cases is no longer exhaustive.
            report("union-branch-added", place, "the branch \(branch.label) was added", direction)
        }
        compareDiscriminator(old.discriminator, new.discriminator, place, direction)
    }

    private struct Branch {
        /// By reference, title or types, with a number if that is not unique.
        let label: String
        let part: RawSchema.Part
        /// Whether it has a name: a reference or a title.
        let isNamed: Bool
        /// Whether its case is named by its number.
        let isNumbered: Bool
    }

    /// The offset of the new branch for each old one. Branches without a name are the same if they are equal, otherwise
    /// if they are in the same order.
    private func pairs(_ before: [Branch], _ after: [Branch]) -> [Int?] {
        var result: [Int?] = before.map { branch in
            branch.isNamed ? after.firstIndex { $0.isNamed && $0.label == branch.label } : nil
        }
        func match(_ isMatch: (Branch, Branch) -> Bool) {
            for (offset, branch) in before.enumerated() where result[offset] == nil && !branch.isNamed {
                result[offset] = after.indices.first { index in
                    !after[index].isNamed && !result.contains(index) && isMatch(branch, after[index])
                }
            }
        }
        match { Node.areEqual($0.part.node?.value, $1.part.node?.value) }
        match { $0.label == $1.label }
        match { $0.isNumbered && $1.isNumbered }
        return result
    }

    private func branches(_ view: SchemaView, in document: DiffDocument) -> [Branch] {
        var counts = [String: Int]()
        return view.branches.map { part in
            var label: String
            var isNumbered = false
            var isNamed = true
            if let node = part.node, node.reference != nil {
                label = document.final(node, at: part.pointer).pointer.tokens.last ?? "?"
            } else if let title = part.node?["title"]?.string {
                label = title
            } else {
                let types = SchemaView(part, in: document)?.types ?? []
                label = types.words
                isNamed = false
                isNumbered = (types.isEmpty || types == .object) && view.discriminator == nil
            }
            counts[label, default: 0] += 1
            if let count = counts[label], count > 1 { label += " \(count)" }
            return Branch(label: "\"" + label + "\"", part: part, isNamed: isNamed, isNumbered: isNumbered)
        }
    }

    /// The names of cases, and the discriminator properties that callers set, depend on the discriminator.
    private func compareDiscriminator(
        _ old: RawSchema.Discriminator?, _ new: RawSchema.Discriminator?, _ place: DiffPlace,
        _ direction: DiffSide
    ) {
        guard let old, let new else {
            if (old == nil) != (new == nil) {
                // Clients may distinguish branches in other ways as long as that is possible.
                report(
                    new == nil ? "discriminator-removed" : "discriminator-added", place,
                    new == nil ? "the discriminator was removed" : "a discriminator was added", direction,
                    narrows: new != nil, widens: new == nil)
            }
            return
        }
        if !old.property.isSame(as: new.property) {
            report(
                "discriminator-changed", place,
                "the discriminator property changed from \"\(old.property)\" to \"\(new.property)\"",
                direction, narrows: true, widens: true)
        }
        let before = Dictionary(old.mapping.map { (ExactText($0.value), $0.target) }) { first, _ in first }
        let after = Dictionary(new.mapping.map { (ExactText($0.value), $0.target) }) { first, _ in first }
        for (value, target) in before.sorted(by: { $0.key < $1.key }) {
            guard let other = after[value] else {
                report(
                    "discriminator-value-removed", place,
                    "the discriminator value \"\(value.text)\" was removed", direction, narrows: true)
                continue
            }
            if name(target) != name(other) {
                report(
                    "discriminator-value-moved", place,
                    "the discriminator value \"\(value.text)\" maps to another branch", direction,
                    narrows: true,
                    widens: true)
            }
        }
        for value in after.keys.sorted() where before[value] == nil {
            report(
                "discriminator-value-added", place, "the discriminator value \"\(value.text)\" was added",
                direction)
        }
    }

    private func name(_ target: String) -> String {
        target.split(separator: "/").last.map { String($0) } ?? target
    }
}
