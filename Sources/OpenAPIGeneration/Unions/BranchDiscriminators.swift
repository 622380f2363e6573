/// Restricts the discriminator property of the branches of unions to the values that select the branch.
///
/// A property with one value is fixed: it is not a parameter of the initializer. The type of a property with several
/// values is an enum. A property that selects the fallback branch of a union can have any value and is not changed.
struct BranchDiscriminators {
    private(set) var declarations: [JSONPointer: Declaration]

    private struct Place: Hashable {
        let object: JSONPointer
        let property: ExactText
    }

    private let plans: [JSONPointer: UnionPlan]
    private var values = [Place: Set<ExactText>]()
    /// The properties that can also have other values.
    private var isOpen = Set<Place>()

    init(_ declarations: [JSONPointer: Declaration], plans: [JSONPointer: UnionPlan]) {
        self.declarations = declarations
        self.plans = plans
        for (pointer, plan) in plans {
            guard case .union(let union)? = declarations[pointer]?.kind else { continue }
            for discriminator in plan.discriminators { read(discriminator, of: union) }
        }
        for (place, own) in values where !isOpen.contains(place) {
            restrict(place, to: own, in: declarations)
        }
    }

    private mutating func read(_ discriminator: UnionPlan.Discriminator, of union: UnionDeclaration) {
        for (values, branch) in discriminator.cases {
            let places = self.places(of: discriminator.property, in: union.branches[branch].schema)
            for place in places { self.values[place, default: []].formUnion(Set(texts: values)) }
        }
        if let fallback = discriminator.fallback {
            isOpen.formUnion(places(of: discriminator.property, in: union.branches[fallback].schema))
        }
    }

    /// The objects of a branch that have the property. A union with the same discriminator selects by itself.
    private func places(of property: String, in schema: Schema) -> [Place] {
        var result: [Place] = []
        var seen = Set<JSONPointer>()
        var waiting = [schema]
        while let next = waiting.popLast() {
            guard let pointer = next.shape.target, seen.insert(pointer).inserted else { continue }
            switch declarations[pointer]?.kind {
            case .object: result.append(Place(object: pointer, property: ExactText(property)))
            case .union(let union):
                let isSelected = plans[pointer]?.discriminators.contains { $0.property.isSame(as: property) }
                if isSelected != true { waiting += union.branches.map(\.schema) }
            case .tuple, .enumeration, .opaque, nil: break
            }
        }
        return result
    }

    /// - Parameter original: The declarations before any was restricted: objects can share an enum.
    private mutating func restrict(
        _ place: Place, to values: Set<ExactText>, in original: [JSONPointer: Declaration]
    ) {
        guard let declaration = declarations[place.object], case .object(var object) = declaration.kind,
            let index = object.properties.firstIndex(where: { $0.name.isSame(as: place.property.text) })
        else { return }
        let sorted = values.texts
        let schema = object.properties[index].schema
        guard let known = enumeration(of: schema, sorted, in: original) else { return }
        if sorted.count == 1 {
            object.properties[index].fixedValue = sorted[0]
        } else if Set(texts: known.values) != values {
            var pointer = place.object.appending("properties").appending(place.property.text)
            if original[pointer] != nil {
                pointer = place.object.appending("allOf").appending("properties").appending(
                    place.property.text)
            }
            object.properties[index].schema.shape = .declared(pointer)
            var annotations = schema.annotations
            annotations.constant = nil
            object.properties[index].schema.annotations = annotations
            declarations[pointer] = Declaration(
                pointer: pointer, position: schema.position, annotations: annotations,
                kind: .enumeration(known.restricted(to: sorted)))
        } else {
            return
        }
        declarations[place.object]?.kind = .object(object)
    }

    /// The enum of a property, without values if it can have any. Nil if it cannot be restricted to `values`.
    private func enumeration(
        of schema: Schema, _ values: [String], in original: [JSONPointer: Declaration]
    ) -> EnumerationDeclaration? {
        switch schema.shape {
        case .string(.plain): return EnumerationDeclaration(values: [], isInteger: false, labels: [])
        case .integer(.signed):
            guard values.allSatisfy({ Int64($0) != nil }) else { return nil }
            return EnumerationDeclaration(values: [], isInteger: true, labels: [])
        default:
            guard case .enumeration(let enumeration)? = original.kind(of: schema) else { return nil }
            if enumeration.isInteger, !values.allSatisfy({ Int64($0) != nil }) { return nil }
            return enumeration
        }
    }
}

extension EnumerationDeclaration {
    /// An enum with these values, with the existing labels.
    fileprivate func restricted(to wanted: [String]) -> EnumerationDeclaration {
        var result = EnumerationDeclaration(values: wanted, isInteger: isInteger, labels: [])
        if isInteger { result.values = result.sorted }
        result.labels = result.values.map { value in
            values.firstIndex { $0.isSame(as: value) }.map { labels[$0] } ?? Label(name: nil, text: nil)
        }
        return result
    }
}

extension CodeModel {
    /// The expression for the only value of a discriminator.
    func fixedValue(_ text: String, of plan: MemberPlan) -> Expression {
        let value: Expression
        switch plan.schema.shape {
        case .integer: value = .name(text)
        case .declared(let pointer): value = enumCase(text, of: pointer, .type(types.plain(plan.schema)))
        default: value = .literal(text)
        }
        return plan.optionality == .field ? .call("Field.value", [value]) : value
    }

    /// The case for a value of an enum, otherwise the initializer with the value.
    private func enumCase(_ text: String, of pointer: JSONPointer, _ type: Expression) -> Expression {
        guard case .enumeration(let enumeration)? = declarations[pointer]?.kind else { return type }
        let literal: Expression = enumeration.isInteger ? .name(text) : .literal(text)
        let index = enumeration.values.firstIndex { $0.isSame(as: text) }
        return index.map { .member(type, SwiftName.escaped(cases[pointer][$0])) }
            ?? .call(type, [.labelled("rawValue", literal)])
    }
}
