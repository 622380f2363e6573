/// One property of a generated struct.
struct MemberPlan {
    enum Optionality {
        case required, nullable, optional, field
    }

    /// In the document.
    let key: String
    /// In Swift, not escaped.
    let name: String
    let schema: Schema
    let optionality: Optionality
    /// The text of the only value that it can have as a discriminator.
    var fixedValue: String?

    /// Whether the value is an array.
    var isArray: Bool { schema.shape.items != nil }
}

/// A property of a generated struct that other generated code reads or sets.
struct MemberUse: Hashable {
    /// The place of the struct's schema.
    let type: JSONPointer
    let key: String
}

/// The properties of the generated structs, without those that are excluded by direction.
struct MemberPlans {
    private var plans = [JSONPointer: [MemberPlan]]()
    /// The place and name of the member for properties that the document does not define.
    private var restNames = [JSONPointer: (place: String, name: String)]()
    /// The places, one for each pattern, and names of the members for patterns.
    private var patternNames = [JSONPointer: [(places: [String], name: String)]]()
    /// The members for header fields of the parts of a form, with their places.
    private var partFields = [JSONPointer: [(place: String, field: PartField)]]()

    init(_ declarations: [JSONPointer: Declaration], directions: TypeDirections, lock: NameLock = NameLock())
    {
        for (pointer, declaration) in declarations {
            let object: ObjectDeclaration
            var isTuple = false
            switch declaration.kind {
            case .object(let own): object = own
            case .tuple(let own):
                object = own
                isTuple = true
            case .enumeration, .union, .opaque: continue
            }
            var places =
                lock.hasMembers
                ? object.properties.map { NameLock.Place.property($0.name, of: pointer) } : []
            var rest: (place: String, name: String)?
            if object.additional != nil {
                rest = (
                    NameLock.Place.additionalProperties(of: pointer),
                    isTuple ? "rest" : "additionalProperties"
                )
            } else if object.unknown == .kept, directions[pointer] != .multipart {
                rest = (NameLock.Place.unknownProperties(of: pointer), "unknownProperties")
            }
            let patterns = object.patterns.map { pattern in
                pattern.texts.map { NameLock.Place.patternProperties($0, of: pointer) }
            }
            places += patterns.joined()
            if let rest { places.append(rest.place) }
            for part in directions.multipart[pointer] ?? [] {
                places += part.headers.map { NameLock.Place.partHeader($0.name, part.name, of: pointer) }
            }
            var scope = NameScope(places: places, in: lock)
            plans[pointer] = Self.members(
                object, at: lock.hasMembers ? pointer : nil, directions[pointer],
                used: directions.used(pointer), isTuple: isTuple, scope: &scope)
            if !patterns.isEmpty {
                patternNames[pointer] = patterns.map {
                    ($0, scope.claim("patternProperties", forOneOf: $0))
                }
            }
            if let rest { restNames[pointer] = (rest.place, scope.claim(rest.name, for: rest.place)) }
            if let encoding = directions.multipart[pointer] {
                claimFields(of: pointer, encoding, scope: &scope)
            }
        }
    }

    private mutating func claimFields(
        of pointer: JSONPointer, _ encoding: [PropertyEncoding], scope: inout NameScope
    ) {
        let parts = encoding.filter { own in members(of: pointer).contains { $0.key.isSame(as: own.name) } }
        for part in parts {
            for header in part.headers where header.constant == nil {
                let place = NameLock.Place.partHeader(header.name, part.name, of: pointer)
                let name = scope.claim(SwiftName.member(part.name + " " + header.name), for: place)
                let field = PartField(part: part.name, header: header, name: name)
                partFields[pointer, default: []].append((place, field))
            }
        }
    }

    @inline(never)
    func members(of pointer: JSONPointer) -> [MemberPlan] { plans[pointer] ?? [] }

    /// The members for header fields of the parts of a form.
    func partFields(of pointer: JSONPointer) -> [PartField] { (partFields[pointer] ?? []).map(\.field) }

    /// The name of the member for properties that the document does not define. Nil if they are not kept.
    func restName(of pointer: JSONPointer) -> String? { restNames[pointer]?.name }

    /// The names of the members for patterns, in their order.
    func patternNames(of pointer: JSONPointer) -> [String] { (patternNames[pointer] ?? []).map(\.name) }

    /// The names by their places, for `openapi.lock`.
    var settled: [ExactText: String] {
        var result = [ExactText: String]()
        for (pointer, members) in plans {
            for member in members { result[NameLock.Place.property(member.key, of: pointer)] = member.name }
        }
        for pattern in patternNames.values.joined() {
            for place in pattern.places { result[place] = pattern.name }
        }
        for field in partFields.values.joined() { result[field.place] = field.field.name }
        for rest in restNames.values { result[rest.place] = rest.name }
        return result
    }

    /// - Parameters:
    ///   - pointer: The place of the object, to look up locked names.
    ///   - direction: The direction that the type supports.
    ///   - used: The direction in which operations use it.
    private static func members(
        _ object: ObjectDeclaration, at pointer: JSONPointer?, _ direction: Direction, used: Direction,
        isTuple: Bool, scope: inout NameScope
    ) -> [MemberPlan] {
        var required: [MemberPlan] = []
        var optional: [(String, MemberPlan)] = []
        for property in object.properties {
            let annotations = property.schema.annotations
            // Every element has its position.
            if !isTuple {
                if direction == .request || direction == .multipart, annotations.isReadOnly { continue }
                if direction == .response, annotations.isWriteOnly { continue }
            }
            let wanted = SwiftName.member(
                isTuple ? annotations.title ?? "item" + property.name : property.name)
            let name =
                pointer.map { scope.claim(wanted, for: NameLock.Place.property(property.name, of: $0)) }
                ?? scope.claim(wanted)
            // A read-only property is required only where all values are received, and a write-only one where all are
            // sent.
            let isMissing =
                annotations.isReadOnly && used != .response || annotations.isWriteOnly && used != .request
            let isRequired =
                property.isRequired && !(direction == .both && isMissing && !isTuple)
                && !(direction == .multipart && property.schema.isNullable)
            // A part can be absent, but not null.
            let isNullable = property.schema.isNullable && direction != .multipart
            let optionality: MemberPlan.Optionality =
                switch (isRequired, isNullable) {
                case (true, false): .required
                case (true, true): .nullable
                case (false, false): .optional
                case (false, true): .field
                }
            let plan = MemberPlan(
                key: property.name, name: name, schema: property.schema, optionality: optionality,
                fixedValue: direction == .both && annotations.isReadOnly ? nil : property.fixedValue)
            if isRequired { required.append(plan) } else { optional.append((property.name, plan)) }
        }
        if isTuple { return required + optional.map(\.1) }
        return required + optional.sorted { ExactText($0.0) < ExactText($1.0) }.map(\.1)
    }
}
