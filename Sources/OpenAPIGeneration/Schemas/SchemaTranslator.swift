/// Translates Schema Objects to shapes and declarations: idioms first (null unions, open enums, single `allOf`),
/// then types.
///
/// Declared types are queued and completed by `finish`, so that recursive types need no recursion here. Only chains of
/// references and arrays are followed immediately.
final class SchemaTranslator {
    let resolver: ReferenceResolver
    let reader: RawSchemaReader
    let inheritance: Inheritance
    let sink: DiagnosticSink

    private(set) var declarations = [JSONPointer: Declaration]()
    private var known = [JSONPointer: Schema]()
    /// The schemas of the document. A copy of one in another place has another pointer, but not another position.
    private var resolutions = [Place: ResolvedSchema]()
    private var combinations = [RawSchema.Combination: [RawSchema.Part]]()
    private var open = Set<JSONPointer>()
    private var pending: [Pending] = []
    private var reads = 0
    private var isOverLimit = false
    /// How many unions, one in the other, a branch extends that has its own types.
    var extensions = [JSONPointer: Int]()
    /// The conditional schemas that are being read.
    var conditions = Set<JSONPointer>()

    private struct Place: Hashable {
        let pointer: JSONPointer
        let position: SourcePosition
    }

    private indirect enum Pending {
        case object(ResolvedSchema)
        case tuple(ResolvedSchema)
        case union(ResolvedSchema, ResolvedSchema.Union)
    }

    /// Maximum number of schemas to read.
    private let limit: Int

    init(
        resolver: ReferenceResolver, version: OpenAPIVersion, limit: Int = TreeLimits.schemas,
        ownTypes: [String: OwnType] = [:], sink: DiagnosticSink
    ) {
        self.limit = limit
        self.resolver = resolver
        self.inheritance = Inheritance(root: resolver.root)
        self.reader = RawSchemaReader(version: version, ownTypes: ownTypes, sink: sink)
        self.sink = sink
    }

    /// Translates one schema. Errors in it are reported; the result is then `JSONValue`.
    func schema(of part: RawSchema.Part) -> Schema {
        let part = outermost(part)
        if let schema = known[part.pointer] { return schema }
        guard open.insert(part.pointer).inserted else {
            sink.warn(
                .circularReference, "the schema refers only to itself; falling back to JSONValue",
                at: part.position)
            return .any(at: part.position)
        }
        let schema = owned(read(part), part)
        open.remove(part.pointer)
        known[part.pointer] = schema
        return schema
    }

    /// The same schema in a place around this one, if it is made of schemas that all apply. Why: such a schema can be
    /// inside itself, where the types in it would have no end.
    private func outermost(_ part: RawSchema.Part) -> RawSchema.Part {
        guard let content = part.schema?.combination else { return part }
        let known = combinations[content] ?? []
        if let same = known.first(where: { part.pointer.tokens.starts(with: $0.pointer.tokens) }) {
            return same
        }
        combinations[content] = known + [part]
        return part
    }

    /// Completes all queued types and the types that they use.
    func finish() {
        while let next = pending.popLast() {
            let (pointer, kind): (JSONPointer, Declaration.Kind) =
                switch next {
                case .object(let flat): (flat.pointer, .object(members(of: flat)))
                case .tuple(let flat): (flat.pointer, .tuple(elements(of: flat)))
                case .union(let flat, let union):
                    (flat.pointer, .union(UnionReader(translator: self).read(union)))
                }
            declarations[pointer]?.kind = kind
        }
    }

    /// Counts the schemas. Why: a small hostile document can expand to any number of schemas, or to chains of any
    /// length.
    func isWithinLimits(_ depth: Int, at part: RawSchema.Part) -> Bool {
        reads += 1
        guard reads <= limit, depth <= TreeLimits.references else {
            if !isOverLimit {
                sink.fail(.limit, "schema expansion limit exceeded", at: part.position)
            }
            isOverLimit = true
            return false
        }
        return true
    }

    private func read(_ part: RawSchema.Part) -> Schema {
        guard isWithinLimits(open.count, at: part), let raw = reader.read(part) else {
            return .any(at: part.position)
        }
        var annotations = Annotations(raw)
        var members: [RawSchema.Part] = []
        if let reference = raw.reference {
            guard let target = target(reference.text, at: reference.position) else {
                return .any(at: raw.position)
            }
            members.append(target)
        }
        for member in raw.allOf {
            guard let inner = reader.read(member) else { continue }
            if inner.reference == nil, !inner.hasAssertions {
                annotations.fill(from: Annotations(inner))
            } else {
                members.append(member)
            }
        }
        let hasBranches = isBase(raw)
        if let only = members.first, members.count == 1, !raw.saysMoreThanItsMembers, !hasBranches,
            raw.reference != nil || !isBranch(raw, of: only)
        {
            var result = schema(of: only)
            result.isNullable = result.isNullable || raw.isNullable
            // The annotations of a reference describe its use; those of the schema belong to its declaration.
            if raw.reference != nil || reader.read(only)?.reference != nil {
                annotations.constant = result.annotations.constant
                result.annotations = annotations
            } else {
                annotations.fill(from: result.annotations)
                result.annotations = annotations
            }
            return result
        }
        var flat = merged(raw)
        flat.annotations = annotations
        return classify(flat)
    }

    /// Merges a schema and all its members. Returns whether it is nullable.
    private func merge(
        _ raw: RawSchema, into flat: inout ResolvedSchema, path: inout [JSONPointer], isOwn: Bool = true
    ) -> Bool {
        guard !path.contains(raw.pointer) else {
            sink.warn(.circularReference, "\"allOf\" refers to its own schema; ignored", at: raw.position)
            return false
        }
        path.append(raw.pointer)
        defer { path.removeLast() }
        flat.fold(bounds: raw.bounds)
        var memberCount = 0
        var nullableCount = 0
        var parts = raw.allOf
        if let reference = raw.reference, let target = target(reference.text, at: raw.position) {
            parts.insert(target, at: 0)
        }
        for part in parts where !flat.folded.contains(part.pointer) || path.contains(part.pointer) {
            guard isWithinLimits(path.count, at: part), let member = reader.read(part) else { continue }
            if member.reference == nil, !member.hasAssertions {
                flat.fold(bounds: member.bounds)
                continue
            }
            flat.folded.insert(part.pointer)
            memberCount += 1
            let isPart = isOwn && raw.reference == nil
            if merge(member, into: &flat, path: &path, isOwn: isPart) { nullableCount += 1 }
        }
        var own = raw
        own.types.remove(.null)
        flat.fold(own, isOwn: isOwn)
        let membersTakeNull = memberCount > 0 && nullableCount == memberCount && raw.types.isEmpty
        return raw.isNullable || raw.types.contains(.null) || membersTakeNull
    }

    /// A schema with all its members merged. Nil if it accepts any value.
    @inline(never)
    func resolved(_ part: RawSchema.Part) -> ResolvedSchema? {
        if let schema = part.schema { return merged(schema) }
        let place = Place(pointer: part.pointer, position: part.position)
        if let known = resolutions[place] { return known }
        guard let raw = reader.read(part) else { return nil }
        let result = merged(raw)
        resolutions[place] = result
        return result
    }

    private func merged(_ raw: RawSchema) -> ResolvedSchema {
        var result = ResolvedSchema(pointer: raw.pointer, position: raw.position)
        var path: [JSONPointer] = []
        let isNullable = merge(raw, into: &result, path: &path)
        result.isNullable = isNullable
        addConditional(to: &result)
        result.applyPatterns()
        if let values = result.values {
            result.values = conformed(values, to: result.types, isNullable: isNullable)
        }
        result.annotations = Annotations(raw)
        return result
    }

    func target(_ reference: String, at position: SourcePosition) -> RawSchema.Part? {
        do throws(Diagnostic) {
            let target = try resolver.target(of: reference, at: position)
            return RawSchema.Part(node: target.node, pointer: target.pointer)
        } catch {
            sink.report(error)
            return nil
        }
    }

    /// Queues a type once.
    func declareObject(_ flat: ResolvedSchema) -> Schema.Shape {
        declare(flat, .object(ObjectDeclaration(properties: []))) { .object(flat) }
    }

    func declareTuple(_ flat: ResolvedSchema) -> Schema.Shape {
        declare(flat, .tuple(ObjectDeclaration(properties: []))) { .tuple(flat) }
    }

    func declareUnion(_ flat: ResolvedSchema, _ union: ResolvedSchema.Union) -> Schema.Shape {
        declare(flat, .union(UnionDeclaration(branches: [], discriminator: nil))) { .union(flat, union) }
    }

    func declareEnumeration(_ flat: ResolvedSchema, _ enumeration: EnumerationDeclaration) -> Schema.Shape {
        declare(flat, .enumeration(enumeration)) { nil }
    }

    private func declare(
        _ flat: ResolvedSchema, _ kind: Declaration.Kind, pending work: () -> Pending?
    ) -> Schema.Shape {
        if declarations[flat.pointer] == nil {
            declarations[flat.pointer] = Declaration(
                pointer: flat.pointer, position: flat.position, annotations: flat.annotations, kind: kind)
            if let work = work() { pending.append(work) }
        }
        return .declared(flat.pointer)
    }
}

extension RawSchema {
    /// Whether a schema restricts its only reference or `allOf` member.
    fileprivate var saysMoreThanItsMembers: Bool {
        !types.subtracting(.null).isEmpty && !(types == .object && properties.isEmpty && additional.isUnsaid)
            || values != nil || !properties.isEmpty || !required.isEmpty || !applied.isEmpty || !oneOf.isEmpty
            || !anyOf.isEmpty || !additional.isUnsaid || !conditional.isEmpty || !prefix.isEmpty
    }
}
