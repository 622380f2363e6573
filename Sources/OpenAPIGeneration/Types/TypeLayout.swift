/// Decides which values are boxed: those that would make their owner large, and those of recursive types. Why: large
/// structs passed by value add the most to code size.
struct TypeLayout {
    /// The size above which a struct or union inside another one is boxed, in bytes.
    static let largestInline = 128

    private let graph: TypeGraph
    private let members: MemberPlans
    /// The strongly connected component of each type by direct containment; recursion is an edge inside one.
    private var component = [JSONPointer: Int]()
    private var sizes = [JSONPointer: Int]()

    init(graph: TypeGraph, members: MemberPlans) {
        self.graph = graph
        self.members = members
        var search = ComponentSearch(graph: graph)
        component = search.run()
        for pointer in graph.declarations.keys { measure(pointer) }
    }

    /// Computes the size of a type after those of the types in it. Why no recursion: a document can nest types to any
    /// depth.
    private mutating func measure(_ root: JSONPointer) {
        var stack = [root]
        while let next = stack.last {
            let inner =
                sizes[next] == nil
                ? graph.parts(of: next).compactMap(\.shape.target).filter {
                    sizes[$0] == nil && !isRecursive(next, $0)
                } : []
            if inner.isEmpty {
                stack.removeLast()
                if sizes[next] == nil { sizes[next] = size(of: next) }
            } else {
                stack += inner
            }
        }
    }

    /// Whether a value of `schema` is boxed inside `owner`.
    func isBoxed(_ schema: Schema, in owner: JSONPointer) -> Bool {
        guard let target = schema.shape.target else { return false }
        switch graph.declarations[target]?.kind {
        case .object, .tuple, .union:
            return isRecursive(owner, target) || sizes[target] ?? 0 > Self.largestInline
        case .enumeration, .opaque, nil: return false
        }
    }

    private func isRecursive(_ owner: JSONPointer, _ target: JSONPointer) -> Bool {
        component[owner] != nil && component[owner] == component[target]
    }

    private func size(of pointer: JSONPointer) -> Int {
        var result = 0
        switch graph.declarations[pointer]?.kind {
        case .object(let object), .tuple(let object):
            for member in members.members(of: pointer) {
                result = aligned(result + size(of: member, in: pointer))
            }
            result += 8 * object.patterns.count
            if object.additional != nil || object.unknown == .kept { result += 8 }
        case .union(let union):
            for branch in union.branches { result = max(result, value(branch.schema, in: pointer)) }
            result = aligned(max(result, 17) + 1)
        case .enumeration(let enumeration):
            result = enumeration.isInteger ? 9 : 17
        case .opaque, nil:
            result = 17
        }
        return result
    }

    private func size(of member: MemberPlan, in owner: JSONPointer) -> Int {
        let plain = value(member.schema, in: owner)
        switch member.optionality {
        case .required: return plain
        case .nullable, .optional: return plain + (hasSpareBits(member.schema) ? 0 : 1)
        case .field: return plain + 1
        }
    }

    private func value(_ schema: Schema, in owner: JSONPointer) -> Int {
        switch schema.shape {
        case .any: return 17
        case .boolean: return 1
        case .string(let format): return format.traits.size
        case .integer: return 8
        case .number(let format):
            switch format {
            case .float, .double: return 8
            case .exact: return 16
            case .decimal: return 20
            }
        case .array, .map: return 8
        case .declared(let target):
            if isRecursive(owner, target) { return 8 }
            let full = sizes[target] ?? 0
            switch graph.declarations[target]?.kind {
            case .object, .tuple, .union: return full > Self.largestInline ? 8 : full
            case .enumeration, .opaque, nil: return full
            }
        // Not known.
        case .own: return 24
        }
    }

    private func hasSpareBits(_ schema: Schema) -> Bool {
        switch schema.shape {
        case .integer, .own: false
        case .number(let format): format == .exact
        case .string(let format): format.traits.hasSpareBits
        case .any, .boolean, .array, .map, .declared: true
        }
    }

    private func aligned(_ size: Int) -> Int { (size + 7) & ~7 }
}
