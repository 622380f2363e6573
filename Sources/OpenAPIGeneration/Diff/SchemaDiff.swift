import GatewayPatterns

/// Compares two schemas for one direction: a request schema must not accept fewer values, and a response schema must
/// not produce values that the client cannot decode.
///
/// The client is a generated client: its enums and unions are open, it ignores unknown properties, and it does not
/// validate responses.
final class SchemaDiff {
    @Indirect var old: DiffDocument
    @Indirect var new: DiffDocument
    let list: ChangeList
    private var compared = Set<Pair>()
    private var depth = 0

    private struct Pair: Hashable {
        let old: JSONPointer
        let new: JSONPointer
        let direction: DiffSide
    }

    init(old: DiffDocument, new: DiffDocument, list: ChangeList) {
        self.old = old
        self.new = new
        self.list = list
    }

    /// Compares two schemas and their subschemas.
    func compare(_ oldPart: RawSchema.Part, _ newPart: RawSchema.Part, _ direction: DiffSide) {
        let (first, second) = (SchemaView.declared(oldPart, in: old), SchemaView.declared(newPart, in: new))
        let pair = Pair(old: first.pointer, new: second.pointer, direction: direction)
        guard depth < TreeLimits.depth, compared.insert(pair).inserted else { return }
        depth += 1
        defer { depth -= 1 }
        let oldView = SchemaView(oldPart, in: old)
        let newView = SchemaView(newPart, in: new)
        guard !compareForbidden(first, second, direction) else { return }
        guard let oldView, let newView else {
            let place = DiffPlace.new(second)
            if oldView == nil, let newView, !newView.types.isEmpty {
                report(
                    "type-narrowed", place, "the type changed from any to \(newView.types.words)", direction,
                    narrows: true)
            }
            if newView == nil, let oldView, !oldView.types.isEmpty {
                report(
                    "type-widened", place, "the type changed from \(oldView.types.words) to any", direction,
                    widens: true)
            }
            return
        }
        compare(oldView, newView, direction)
    }

    /// Compares schemas of which one is `false`: it allows no value. Returns false if none is.
    private func compareForbidden(
        _ old: RawSchema.Part, _ new: RawSchema.Part, _ direction: DiffSide
    ) -> Bool {
        switch (old.node?.bool == false, new.node?.bool == false) {
        case (false, false): return false
        case (true, true): break
        case (false, true):
            report("values-forbidden", .new(new), "no value is allowed any more", direction, narrows: true)
        case (true, false):
            report("values-allowed", .new(new), "values became allowed", direction)
        }
        return true
    }

    /// Whether operations send or receive values of a schema.
    func isUsed(_ old: SchemaView, _ new: SchemaView) -> Bool {
        [DiffSide.request, .response].contains {
            compared.contains(Pair(old: old.pointer, new: new.pointer, direction: $0))
        }
    }

    /// - Parameters:
    ///   - narrows: Some values are no longer valid.
    ///   - widens: Some values are valid that a client of the old document cannot decode.
    @inline(never)
    func report(
        _ rule: String, _ place: DiffPlace, _ message: String, _ direction: DiffSide, narrows: Bool = false,
        widens: Bool = false, swift: Bool = true
    ) {
        list.report(
            rule, place, message, request: narrows && direction == .request,
            response: widens && direction == .response, swift: swift)
    }

    private func compare(_ old: SchemaView, _ new: SchemaView, _ direction: DiffSide) {
        let place = DiffPlace(text: new.pointer.text, position: new.position, isInOld: false)
        let hasSameTypes = compareTypes(old, new, place, direction)
        compareNull(old, new, place, direction)
        if hasSameTypes { compareFormat(old, new, place, direction) }
        compareValues(old, new, place, direction)
        compareBounds(old, new, place, direction)
        compareRules(old, new, place, direction)
        compareDefault(old, new, place, direction)
        compareObject(old, new, place, direction)
        comparePatterns(old, new, direction)
        comparePrefix(old, new, place, direction)
        let isSameKind = hasSameTypes && old.branches.isEmpty && new.branches.isEmpty
        for applicator in Applicator.allCases {
            switch (old.applied[applicator], new.applied[applicator]) {
            case (let first?, let second?): compare(first, second, direction)
            // What `items` forbids after other elements is compared with these.
            case (_?, nil) where old.applied[applicator]?.node?.bool == false,
                (nil, _?) where new.applied[applicator]?.node?.bool == false && !old.prefix.isEmpty:
                break
            case (nil, let second?) where isSameKind && !isAny(second, in: self.new):
                report(
                    applicator.rawValue + "-added", .new(second), "\"\(applicator.rawValue)\" was added",
                    direction, narrows: true)
            case (let first?, nil) where isSameKind && !isAny(first, in: self.old):
                report(
                    applicator.rawValue + "-removed", .old(first), "\"\(applicator.rawValue)\" was removed",
                    direction, widens: true)
            case (nil, _), (_, nil): break
            }
        }
        compareUnion(old, new, place, direction)
    }

    /// Whether a schema accepts any value.
    private func isAny(_ part: RawSchema.Part, in document: DiffDocument) -> Bool {
        guard let view = SchemaView(part, in: document) else { return part.node?.bool != false }
        return view.types.isEmpty && view.branches.isEmpty && view.values == nil
    }

    private func compareTypes(
        _ old: SchemaView, _ new: SchemaView, _ place: DiffPlace, _ direction: DiffSide
    ) -> Bool {
        guard old.types != new.types, old.branches.isEmpty, new.branches.isEmpty else { return true }
        let lost = !old.types.all.isSubset(of: new.types.all)
        let gained = !new.types.all.isSubset(of: old.types.all)
        let message = "the type changed from \(old.types.words) to \(new.types.words)"
        let rule = lost && gained ? "type-changed" : lost ? "type-narrowed" : "type-widened"
        report(rule, place, message, direction, narrows: lost, widens: gained)
        return false
    }

    private func compareNull(
        _ old: SchemaView, _ new: SchemaView, _ place: DiffPlace, _ direction: DiffSide
    ) {
        if !old.isNullable, new.isNullable {
            report("nullable-added", place, "null became allowed", direction, widens: true)
        }
        if old.isNullable, !new.isNullable {
            report("nullable-removed", place, "null is no longer allowed", direction, narrows: true)
        }
    }

    /// For each format, the formats that include all of its values.
    private static let wider: [String: Set<String>] = [
        "int32": ["int64"], "float": ["double"], "date": [],
    ]

    private func compareFormat(
        _ old: SchemaView, _ new: SchemaView, _ place: DiffPlace, _ direction: DiffSide
    ) {
        guard old.format != new.format else { return }
        let isWider = old.format.map { Self.wider[$0]?.contains(new.format ?? "") ?? false } ?? false
        let isNarrower = new.format.map { Self.wider[$0]?.contains(old.format ?? "") ?? false } ?? false
        let (before, after) = (old.dedicatedType, new.dedicatedType)
        report(
            "format-changed", place,
            "\"format\" changed from \(old.format ?? "none") to \(new.format ?? "none")", direction,
            narrows: !isWider && (new.hasFormat || isNarrower),
            widens: !isNarrower && before != nil && before != after && before != SchemaView.exactNumber,
            swift: before != after)
    }

    private func compareValues(
        _ old: SchemaView, _ new: SchemaView, _ place: DiffPlace, _ direction: DiffSide
    ) {
        switch (old.values, new.values) {
        case (nil, nil): return
        case (nil, _?):
            report("enum-introduced", place, "\"enum\" was added", direction, narrows: true)
        case (_?, nil):
            // A generated enum decodes any value.
            report("enum-lifted", place, "\"enum\" was removed", direction)
        case (let first?, let second?):
            func lacks(_ values: [Node], _ value: Node) -> Bool {
                !values.contains { Node.areEqual($0.value, value.value) }
            }
            func isCase(_ value: Node) -> Bool { value.array == nil && value.object == nil }
            for value in first where lacks(second, value) {
                report(
                    "enum-value-removed", place, "the enum value \(value.literal) was removed", direction,
                    narrows: true, swift: isCase(value))
            }
            for value in second where lacks(first, value) {
                // The value is decoded as unrecognized, but a `switch` over all cases is no longer exhaustive.
                report(
                    "enum-value-added", place, "the enum value \(value.literal) was added", direction,
                    swift: isCase(value))
            }
        }
    }

    private func compareBounds(
        _ old: SchemaView, _ new: SchemaView, _ place: DiffPlace, _ direction: DiffSide
    ) {
        for bound in Bound.allCases {
            let (first, second) = (old.bounds[bound], new.bounds[bound])
            let (before, after) = (first?.literal, second?.literal)
            guard before.map({ ExactText($0) }) != after.map({ ExactText($0) }) else { continue }
            let isTighter: Bool
            switch (first?.number, second?.number) {
            case (let low?, let high?): isTighter = bound.isLower.map { $0 ? high > low : high < low } ?? true
            default: isTighter = second != nil && second?.bool != false
            }
            report(
                isTighter ? "constraint-tightened" : "constraint-loosened", place,
                "\"\(bound.rawValue)\" changed from \(before ?? "none") to \(after ?? "none")", direction,
                narrows: isTighter, swift: false)
        }
    }

    private func compareDefault(
        _ old: SchemaView, _ new: SchemaView, _ place: DiffPlace, _ direction: DiffSide
    ) {
        guard let first = old.defaultValue, let second = new.defaultValue,
            !Node.areEqual(first.value, second.value)
        else { return }
        // The server applies defaults: an omitted value changes its meaning.
        report(
            "default-changed", place, "\"default\" changed from \(first.literal) to \(second.literal)",
            direction, narrows: true, swift: false)
    }
}

extension Node {
    fileprivate var number: Double? {
        if case .number(let text) = value { return Double(text) }
        return nil
    }
}
