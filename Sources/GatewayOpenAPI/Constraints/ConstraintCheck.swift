internal import GatewayJSON
internal import GatewayPatterns

/// Finds the first value in a JSON tree that violates a rule. Rules for other types are satisfied. `null` satisfies all
/// rules except `not` and `if`: nullability is checked by the generated types.
struct ConstraintCheck {
    private let rules: RequestRules
    private let subject: String
    /// Maximum nesting depth of rows. Why: schemas can refer to themselves.
    private let deepest = 512
    /// The number of rows that can still be visited. At 0 the value is accepted. Why: nested branches can multiply to
    /// millions.
    private var stepsLeft = 1_000_000
    /// The work that is left for patterns. A text that needs more is accepted.
    private var patternWork = TextPattern.work
    /// Whether types and required members are compared, because generated types do not ensure them.
    private var isStrict = false
    /// Whether only the existence of a violation matters.
    private var isSilent = false

    init(_ rules: RequestRules, subject: String) {
        self.rules = rules
        self.subject = subject
    }

    /// The first violation of a row, in document order.
    mutating func violation(of row: Int, by element: JSONElement) throws(JSONError) -> ConstraintViolation? {
        try violation(row, element, 0)
    }

    private mutating func violation(
        _ row: Int, _ element: JSONElement, _ depth: Int
    ) throws(JSONError) -> ConstraintViolation? {
        guard isOpen(row, depth) else { return nil }
        let entries = rules.rows[row]
        let isExempt = !isStrict && element.isNull
        for entry in entries where !isExempt || entry.appliesToNull {
            if let found = try violation(entry, of: element, entries, depth) { return found }
        }
        guard !isExempt else { return nil }
        if let found = try restriction(entries, element, depth) { return found }
        return try isStrict ? anyBranch(entries, element, depth) : branches(entries, element, depth)
    }

    private mutating func violation(
        _ entry: RequestRules.Entry, of element: JSONElement, _ entries: [RequestRules.Entry], _ depth: Int
    ) throws(JSONError) -> ConstraintViolation? {
        switch entry {
        case .bound(let constraint, let bound):
            let keeps = try keeps(constraint, bound, element)
            return keeps ? nil : broken(constraint, bound, element)
        case .pattern(let pattern, let text):
            guard element.type == .string else { return nil }
            let matches = pattern.matches(try element.string(), work: &patternWork)
            if matches == nil, isStrict { stepsLeft = 0 }
            return matches == false ? broken(.pattern, text, element) : nil
        case .values(let values):
            let isListed = try Self.isListed(element, values)
            return isListed ? nil : broken(.oneOfTheValues, "", element)
        case .all(let row): return try violation(row, element, depth + 1)
        case .property(let row, let name):
            guard element.type == .object else { return nil }
            for member in try element.object().members where member.name.isSame(as: name) {
                if let found = try violation(row, member.element.named, depth + 1) { return found }
            }
        case .items(let row):
            guard element.type == .array else { return nil }
            var first = 0
            for case .element(_, let position) in entries { first = max(first, position + 1) }
            for item in try element.elements().dropFirst(first) {
                if let found = try violation(row, item, depth + 1) { return found }
            }
        case .others(let row):
            guard element.type == .object else { return nil }
            let named = entries.compactMap { entry -> String? in
                if case .property(_, let name) = entry { return name }
                return nil
            }
            for member in try element.object().members
            where !named.contains(where: { $0.isSame(as: member.name) }) {
                var isOther = true
                for case .matching(_, let pattern) in entries
                where pattern.matches(member.name, work: &patternWork) == true { isOther = false }
                guard isOther else { continue }
                if let found = try violation(row, member.element, depth + 1) { return found }
            }
        case .matching(let row, let pattern):
            guard element.type == .object else { return nil }
            for member in try element.object().members
            where pattern.matches(member.name, work: &patternWork) == true {
                if let found = try violation(row, member.element, depth + 1) { return found }
            }
        case .element(let row, let position):
            guard element.type == .array else { return nil }
            for item in try element.elements().dropFirst(position).prefix(1) {
                if let found = try violation(row, item, depth + 1) { return found }
            }
        case .types(let names):
            guard isStrict, try !Self.isOne(of: names, element) else { return nil }
            return broken(.type, names.joined(separator: " "), element)
        case .need(let name):
            guard isStrict, element.type == .object, try !Self.has(name, element) else { return nil }
            return broken(.required, name, element)
        case .not(let row):
            return try holds(row, element, depth) && stepsLeft > 0 ? broken(.not, "", element) : nil
        case .contains(let row): return try containing(row, element, entries, depth)
        case .names(let row): return try naming(row, element, depth)
        case .condition(let row):
            let isTrue = try holds(row, element, depth)
            guard stepsLeft > 0 else { return nil }
            for entry in entries {
                switch entry {
                case .then(let row) where isTrue, .otherwise(let row) where !isTrue:
                    return try strictly(row, element, depth)
                default: continue
                }
            }
        case .dependent(let row, let name):
            guard element.type == .object, try Self.has(name, element) else { return nil }
            return try strictly(row, element, depth)
        case .any, .oneOf, .anyOf, .type, .then, .otherwise, .by, .when: break
        }
        return nil
    }

    // MARK: Schemas that decide

    /// The violation of a row by a value whose type does not follow from the generated types.
    private mutating func strictly(
        _ row: Int, _ element: JSONElement, _ depth: Int
    ) throws(JSONError) -> ConstraintViolation? {
        let outer = isStrict
        isStrict = true
        defer { isStrict = outer }
        let found = try violation(row, element, depth + 1)
        return stepsLeft > 0 ? found : nil
    }

    /// Whether a value matches a row. Without meaning if no steps are left.
    private mutating func holds(
        _ row: Int, _ element: JSONElement, _ depth: Int
    ) throws(JSONError) -> Bool {
        let outer = isSilent
        isSilent = true
        defer { isSilent = outer }
        return try strictly(row, element, depth) == nil
    }

    private mutating func containing(
        _ row: Int, _ element: JSONElement, _ entries: [RequestRules.Entry], _ depth: Int
    ) throws(JSONError) -> ConstraintViolation? {
        guard element.type == .array else { return nil }
        var count = 0
        for item in try element.elements() where try holds(row, item, depth) { count += 1 }
        guard stepsLeft > 0 else { return nil }
        var least = 1
        for case .bound(let keyword, let bound) in entries {
            guard let bound = Int(bound) else { continue }
            if keyword == .maxContains, count > bound { return broken(keyword, String(bound), element) }
            guard keyword == .minContains else { continue }
            if count < bound { return broken(keyword, String(bound), element) }
            least = 0
        }
        return count < least ? broken(.contains, "", element) : nil
    }

    private mutating func naming(
        _ row: Int, _ element: JSONElement, _ depth: Int
    ) throws(JSONError) -> ConstraintViolation? {
        guard element.type == .object else { return nil }
        for member in try element.object().members {
            let name = try JSONDocument(member.name.jsonBytes())
            let isValid = try holds(row, name.root, depth)
            if !isValid, stepsLeft > 0 { return broken(.propertyNames, "", element) }
        }
        return nil
    }

    /// Checks the branches that only restrict the value.
    private mutating func restriction(
        _ entries: [RequestRules.Entry], _ element: JSONElement, _ depth: Int
    ) throws(JSONError) -> ConstraintViolation? {
        // How many match. Nil: there is no such keyword.
        var one: Int?
        var any: Int?
        for entry in entries {
            switch entry {
            case .oneOf(let row): one = (one ?? 0) + (try holds(row, element, depth) ? 1 : 0)
            case .anyOf(let row): any = (any ?? 0) + (try holds(row, element, depth) ? 1 : 0)
            default: continue
            }
        }
        guard stepsLeft > 0 else { return nil }
        if let one, one != 1 { return broken(.oneOf, "", element) }
        return any == 0 ? broken(.anyOf, "", element) : nil
    }

    private mutating func anyBranch(
        _ entries: [RequestRules.Entry], _ element: JSONElement, _ depth: Int
    ) throws(JSONError) -> ConstraintViolation? {
        var isChoice = false
        for case .any(let row) in entries {
            isChoice = true
            if try violation(row, element, depth + 1) == nil { return nil }
        }
        return isChoice ? broken(.anyOf, "", element) : nil
    }

    private static func isOne(of types: [String], _ element: JSONElement) throws(JSONError) -> Bool {
        if types.contains(element.type.keyword) { return true }
        guard element.type == .number, types.contains("integer") else { return false }
        return ExactNumber(try element.number().text).isMultiple(of: ExactNumber("1"))
    }

    static func has(_ name: String, _ element: JSONElement) throws(JSONError) -> Bool {
        try element.object().members.contains { $0.name.isSame(as: name) }
    }

    /// Checks the branches of `oneOf` or `anyOf`. If a discriminator selects a branch, the value must satisfy that
    /// branch, otherwise at least one branch.
    private mutating func branches(
        _ entries: [RequestRules.Entry], _ element: JSONElement, _ depth: Int
    ) throws(JSONError) -> ConstraintViolation? {
        var isChoice = false
        var only: ConstraintViolation?
        var count = 0
        for entry in entries {
            switch entry {
            case .by(let property):
                guard element.type == .object else { continue }
                for member in try element.object().members where member.name.isSame(as: property) {
                    guard member.element.type == .string else { continue }
                    let value = try member.element.string()
                    for case .when(let row, let known) in entries where known.isSame(as: value) {
                        return try violation(row, element, depth + 1)
                    }
                }
            case .any(let row):
                isChoice = true
                guard try fits(row, element, depth) else { continue }
                guard let found = try violation(row, element, depth + 1) else { return nil }
                only = found
                count += 1
            default: continue
            }
        }
        // The document does not describe a value of an unknown type; the server validates it.
        guard isChoice, count > 0 else { return nil }
        return count == 1 ? only : broken(.anyOf, "", element)
    }

    /// Whether a value has the type of a branch and the members that the branch requires. A branch that is a union has
    /// those of one of its own.
    private mutating func fits(
        _ row: Int, _ element: JSONElement, _ depth: Int
    ) throws(JSONError) -> Bool {
        guard isOpen(row, depth) else { return true }
        var types: [String] = []
        var fitsInner: Bool?
        for entry in rules.rows[row] {
            switch entry {
            case .type(let name): types.append(name)
            case .any(let row) where fitsInner != true: fitsInner = try fits(row, element, depth + 1)
            case .need(let name):
                guard element.type == .object else { continue }
                let members = try element.object().members
                if !members.contains(where: { $0.name.isSame(as: name) }) { return false }
            case .all(let row): guard try fits(row, element, depth + 1) else { return false }
            default: continue
            }
        }
        return fitsInner != false && (types.isEmpty || types.contains(element.type.keyword))
    }

    /// Whether a row exists and is within the limits of depth and number.
    private mutating func isOpen(_ row: Int, _ depth: Int) -> Bool {
        stepsLeft -= 1
        // Nothing can be said about a value that is nested too deeply.
        if isStrict, depth >= deepest { stepsLeft = 0 }
        return stepsLeft > 0 && depth < deepest && rules.rows.indices.contains(row)
    }

    private func broken(
        _ constraint: ConstraintViolation.Constraint, _ bound: String, _ element: JSONElement
    ) -> ConstraintViolation {
        ConstraintViolation(
            subject: subject, path: isSilent ? "" : element.path, constraint: constraint, bound: bound)
    }
}

extension JSONType {
    /// The name of the type in JSON Schema. Integers are `number`.
    fileprivate var keyword: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
