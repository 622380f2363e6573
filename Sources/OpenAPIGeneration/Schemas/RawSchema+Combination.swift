extension RawSchema {
    /// The schemas of the document that a schema combines, by their positions.
    struct Combination: Hashable {
        fileprivate(set) var members = Set<SourcePosition>()
        fileprivate(set) var conditional = Set<SourcePosition>()
    }

    /// What a schema made of others combines. Nil if it has other keywords.
    var combination: Combination? {
        var result = Combination()
        return add(to: &result) ? result : nil
    }

    private func add(to result: inout Combination) -> Bool {
        guard !allOf.isEmpty, isRestrictedOnlyByMembers else { return false }
        for member in allOf {
            if let schema = member.schema {
                guard schema.add(to: &result) else { return false }
            } else {
                result.members.insert(member.position)
            }
        }
        for part in conditional {
            if let schema = part.schema {
                var inner = Combination()
                guard schema.add(to: &inner), inner.conditional.isEmpty else { return false }
                result.conditional.formUnion(inner.members)
            } else {
                result.conditional.insert(part.position)
            }
        }
        return true
    }

    private var isRestrictedOnlyByMembers: Bool {
        reference == nil && types.isEmpty && values == nil && properties.isEmpty && required.isEmpty
            && patterns.isEmpty && additional.isUnsaid && applied.isEmpty && prefix.isEmpty && oneOf.isEmpty
            && anyOf.isEmpty && discriminator == nil && own == nil
    }
}
